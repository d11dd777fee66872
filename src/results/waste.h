/* waste.h - what is wrong with an instruction, as far as its counts say so: the conditions that
 * annotate and findings share, each here and nowhere else. */
#ifndef CROCPROF_RESULTS_WASTE_H
#define CROCPROF_RESULTS_WASTE_H

#include <stdbool.h>
#include <stdint.h>

/* Cache lines that it touches beyond those that its bytes need; 0 if these are less than as many
 * again, or less than two for a wave. */
uint64_t res_waste_lines(uint64_t issued, uint64_t lines, uint64_t needed);

/* Clocks of LDS beyond those that it needs; 0 if these are less than half as many. */
uint64_t res_waste_clocks(uint64_t clocks, uint64_t needed);

/* Whether it reads or writes a spilled register within a loop: `spills` are the registers that the
 * kernel's code spills. The compiler's own places in scratch have fixed offsets from a descriptor,
 * in whatever registers; arrays that are indexed have not. */
bool res_waste_spill(uint64_t spills, uint64_t loop_depth, const char *text);

#endif
