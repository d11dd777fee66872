/* waste.h - problems of an instruction that its counts show: the conditions that annotate and
 * findings share. */
#ifndef CROCPROF_RESULTS_WASTE_H
#define CROCPROF_RESULTS_WASTE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the cache lines that the instruction touches beyond the `needed` ones; 0 if they are
 * fewer than the needed ones, or fewer than two for each time that a wave has issued the
 * instruction. */
uint64_t res_waste_lines(uint64_t issued, uint64_t lines, uint64_t needed);

/* Returns the clocks of LDS beyond the `needed` ones; 0 if they are less than half as many as
 * those. */
uint64_t res_waste_clocks(uint64_t clocks, uint64_t needed);

/* Returns whether the instruction reads or writes a spilled register within a loop. `spills` is the
 * number of registers that the kernel's code spills. The compiler accesses spilled registers in
 * scratch at fixed offsets from a descriptor, but indexed arrays at offsets in registers. */
bool res_waste_spill(uint64_t spills, uint64_t loop_depth, const char *text);

#endif
