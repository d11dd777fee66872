/* told.h - a finding in words: what every format of the report says, each in its own way.
 *
 * Names, lines and allocations are looked up once, here; formats (format.h) only write them. */
#ifndef SOFTGPU_CHECK_TOLD_H
#define SOFTGPU_CHECK_TOLD_H

#include "softgpu/check/check.h"
#include "softgpu/check/rules.h"

enum { CHK_INSTRUCTION_MAX = 128 };

/* Where on the GPU. */
typedef struct {
    char *kernel;   /* as the source names it; NULL: none */
    char *function; /* that has the instruction, if it is another; or NULL */
    chk_code_t code;
    char instruction[CHK_INSTRUCTION_MAX];
    uint64_t pc;
    uint32_t group[3], wave, lane;
} chk_spot_t;

typedef enum { CHK_BEFORE, CHK_WITHIN, CHK_AFTER } chk_side_t;
extern const char *const chk_sides[];

typedef struct {
    chk_finding_t f; /* its pointers may be stale, but for texts that are literals */
    char *message;   /* "invalid write of 4 bytes" */
    chk_spot_t at, other;
    bool has_place;
    chk_place_t place;
    chk_side_t side;
    uint64_t distance; /* bytes before, inside or after the place */
    char *variable;    /* as the source names it, if the place is one: */
    chk_calls_t made;  /* where it is declared, else where the place was made */
    chk_calls_t gone, call, other_call;
    char *more;
} chk_told_t;

/* How often equal ones were found. */
typedef struct {
    uint64_t id, waves, lanes; /* id: 1 for the first that was written, and so on */
} chk_times_t;

/* What is not known, or for which there is no memory, is missing. */
void chk_told_make(chk_told_t *t, const chk_finding_t *f);
void chk_told_free(chk_told_t *t);
/* For rules of suppression; what it points to is the told's. */
typedef struct {
    const char *file[CHK_FRAMES_OF_CODE], *made_file[CHK_CALLS];
    uint32_t line[CHK_FRAMES_OF_CODE], made_line[CHK_CALLS];
    chk_subject_t subject;
} chk_told_subject_t;
void chk_told_subject(const chk_told_t *t, chk_told_subject_t *s);

#endif
