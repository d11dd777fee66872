/* frames.h - the functions around an instruction, from the innermost inlined one to the one that
 * was compiled by itself, and which of them has the user's line.
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

/* Returns the frame of a level, at most inlined_count. */
ins_frame_t ins_frame(const ins_instruction_t *i, size_t level);

/* Returns the level of the user's line: the outermost level whose line is known and is in a file of
 * the user's. That is `unit` (the file that the compiler was given; NULL: not known) or any file
 * that is not a header of a system, a compiler or ROCm. Returns 0, the instruction's own line, if
 * there is no such level. */
size_t ins_user_level(const ins_instruction_t *i, const char *unit);

/* Returns the outermost level at this line, or inlined_count + 1 if there is none. */
size_t ins_level_at(const ins_instruction_t *i, const char *file, uint32_t line);

/* Writes the functions that were inlined at the level, down to the instruction: "outer a.h:9 >
 * inner b.h:4", cut to `room`; "" at level 0. */
void ins_inlined_text(const ins_instruction_t *i, size_t level, char *text, size_t room);

#endif
