/* details.h - a finding with all facts that a report states about it.
 *
 * Names, lines and allocations are looked up once, by details.c; the formats (format.h) only write
 * them. */
#ifndef SOFTGPU_CHECK_DETAILS_H
#define SOFTGPU_CHECK_DETAILS_H

#include "softgpu/check/check.h"
#include "softgpu/check/rules.h"

enum { CHK_INSTRUCTION_MAX = 128 };

/* Where on the GPU an access was made. */
typedef struct {
    char *kernel;   /* as in the source; NULL: no kernel */
    char *function; /* the function that the instruction is in, if it is not the kernel; or NULL */
    chk_code_t code;
    char instruction[CHK_INSTRUCTION_MAX];
    uint64_t pc;
    uint32_t group[3], wave, lane;
} chk_spot_t;

typedef enum { CHK_BEFORE, CHK_WITHIN, CHK_AFTER } chk_side_t;
extern const char *const chk_sides[];

typedef struct {
    chk_finding_t f; /* its pointers may be stale, except those to literals */
    char *message;   /* such as "invalid write of 4 bytes" */
    chk_spot_t at, other;
    bool has_place;
    chk_place_t place;
    chk_side_t side;
    uint64_t distance; /* bytes before, inside or after the allocation */
    char *variable;    /* name as in the source, if the allocation is a variable */
    chk_calls_t made;  /* where the variable is declared, or the allocation was made */
    chk_calls_t gone, call, other_call;
    char *more;
} chk_details_t;

/* How often equal findings occurred. */
typedef struct {
    uint64_t id, waves,
        lanes; /* id: number of the finding among those that are written, from 1 on */
} chk_times_t;

/* chk_details_make() leaves members empty if their value is unknown or memory runs out. */
void chk_details_make(chk_details_t *t, const chk_finding_t *f);
void chk_details_free(chk_details_t *t);
/* The properties that suppression rules match; the pointers point into the chk_details_t. */
typedef struct {
    const char *file[CHK_FRAMES_OF_CODE], *made_file[CHK_CALLS];
    uint32_t line[CHK_FRAMES_OF_CODE], made_line[CHK_CALLS];
    chk_subject_t subject;
} chk_details_subject_t;
void chk_details_subject(const chk_details_t *t, chk_details_subject_t *s);

#endif
