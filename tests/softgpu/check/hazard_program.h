/* hazard_program.h - short programs in front of the record of hazards, for hazard_rules.c,
 * hazard_families.c and hazard_waits.c.
 *
 * The instructions are decoded and given to the record of a wave (hazard_wave.h); they are not run.
 */
#ifndef TESTS_HAZARD_PROGRAM_H
#define TESTS_HAZARD_PROGRAM_H

#include "asm.h"

#include "softgpu/check/hazard_wave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The GPU whose instructions and rules are meant. */
extern const isa_arch_t *hazard_arch;

/* Chooses that GPU: `arch` is ISA_ARCH_*. The assembler is told `cpu`, or `older` if it does not
 * know `cpu` and `older` is not NULL. */
void hazard_use(unsigned arch, const char *cpu, const char *older);

enum {
    HAZARD_CODE = 0x1000,    /* address of each program's first instruction */
    HAZARD_ACC_OFFSET = 256, /* of hazard_wave()'s AGPRs */
};

/* The hazards that a program has. */
typedef struct {
    unsigned n;
    chk_hazard_t last;
    bool at_end; /* the last instruction has one */
} seen_t;

/* What the rule of the last of them says; "" if there is no rule. */
const char *seen_text(const seen_t *seen);

/* Programs that are assembled at once and stepped one after the other; each ends with s_endpgm. */
typedef struct {
    char text[128 * 1024];
    size_t used;
    uint32_t *words;
    size_t n_words, at;
} programs_t;

#define USE(v) "v_mov_b32 v9, v" #v "\n" /* a line that reads the register */
#define WMMA   "v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[24:31], v[0:7]" /* of gfx11 */

programs_t *programs_create(void);
void programs_add(programs_t *p, const char *text);
/* Steps the next program, of whose instructions those that give EXEC a constant are run. */
seen_t programs_step(programs_t *p, const isa_wave_t *from, bool scc_known);
/* Asserts that all programs have been stepped. */
void programs_free(programs_t *p);

/* Steps a single program. */
seen_t program_step(const char *text, const isa_wave_t *w, bool scc_known);

/* A wave with all lanes; lane 63 of v[10:11] and all lanes of v[12:13] have addresses in LDS. */
isa_wave_t hazard_wave(void);

#endif
