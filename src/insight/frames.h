/* frames.h - the functions that an instruction is in, from the innermost inlined one out to the
 * one that was compiled by itself, and which of them is the user's place.
 *
 * Level 0 is the instruction's own line; level 1 is where the function of level 0 was inlined, and
 * so on; the last is a line of the symbol's function. */
#ifndef CROCPROF_INSIGHT_FRAMES_H
#define CROCPROF_INSIGHT_FRAMES_H

#include "insight/instructions.h"

typedef struct {
    const char *function, *file; /* "" if not known */
    uint32_t line;               /* 0: not known */
} ins_frame_t;

/* `level` up to inlined_count. */
ins_frame_t ins_frame(const ins_instruction_t *i, size_t level);

/* The user's place: the outermost level whose line is known and is in a file of the user's. That is
 * `unit` (the file that the compiler was given, NULL: not known) or any file but headers of a
 * system, a compiler or ROCm. 0, the instruction's own line, if there is no such level. */
size_t ins_user_level(const ins_instruction_t *i, const char *unit);

/* The outermost level at this place, or inlined_count + 1 if there is none. */
size_t ins_level_at(const ins_instruction_t *i, const char *file, uint32_t line);

/* What was inlined at the level, down to the instruction: "outer a.h:9 > inner b.h:4", cut to
 * `room`; "" at level 0. */
void ins_inlined_text(const ins_instruction_t *i, size_t level, char *text, size_t room);

#endif
