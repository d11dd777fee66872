/* walk.c - walks from a counter down to the hardware counters from which its value is computed.
 *
 * It is apart so that plans do not depend on how definitions use each other. The catalogue has
 * checked that they have no cycles and that no chain is longer than CTR_HEIGHT_MAX. */
#include "counters/internal.h"

#include <stdlib.h>

bool ctr_walk_inputs(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                     bool (*visit)(void *user, const ctr_counter_t *input,
                                   ctr_accumulate_t accumulate),
                     void *user)
{
    struct {
        const ctr_program_t *program;
        uint32_t at;
    } stack[CTR_HEIGHT_MAX + 2];
    size_t depth = 0;
    bool going = true;
    if (counter->kind == CTR_HARDWARE) return visit(user, counter, CTR_ACCUMULATE_NONE);
    if (!counter->program) return true;
    uint8_t *seen = calloc(catalogue->count, 1); /* one bit for each way of accumulation */
    if (!seen) return false;
    stack[0].program = counter->program;
    stack[0].at = 0;
    depth = 1;
    while (depth && going) {
        const ctr_program_t *program = stack[depth - 1].program;
        uint32_t at = stack[depth - 1].at++;
        if (at >= program->count) {
            depth--;
            continue;
        }
        const ctr_op_t *op = &program->ops[at];
        if (op->code != CTR_OP_LOAD || seen[op->counter] & 1 << op->accumulate) continue;
        seen[op->counter] |= (uint8_t)(1 << op->accumulate);
        const ctr_counter_t *input = catalogue->counters[op->counter];
        if (input->kind == CTR_HARDWARE) {
            going = visit(user, input, (ctr_accumulate_t)op->accumulate);
        } else if (input->program && depth < CTR_HEIGHT_MAX + 2) {
            stack[depth].program = input->program;
            stack[depth++].at = 0;
        }
    }
    free(seen);
    return going;
}
