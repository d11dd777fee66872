/* instructions.h - files with the counts of single instructions. */
#ifndef CROCPROF_OUTPUT_INSTRUCTIONS_H
#define CROCPROF_OUTPUT_INSTRUCTIONS_H

#include "insight/instructions.h"
#include "output/file.h"
#include "output/json.h"

/* Writes <prefix>_instruction_counts.csv: a line for each instruction of each kernel. */
void out_instructions_csv(out_file_t *f, const out_model_t *m, const ins_set_t *set);

/* Writes the counts for KCachegrind and callgrind_annotate: by function, instruction and source
 * line, summed over the kernels that execute it. */
void out_instructions_callgrind(out_file_t *f, const out_model_t *m, const ins_set_t *set);

/* Write the elements of a list: a kernel's parameters; the functions that were inlined at an
 * instruction. */
void out_json_parameters(out_json_t *j, const dis_kernel_t *notes);
void out_json_inlined(out_json_t *j, const ins_instruction_t *i);

/* Writes the members of a JSON object: kernels with their code's properties, and their
 * instructions. */
void out_instructions_json(out_json_t *j, const ins_set_t *set);

#endif
