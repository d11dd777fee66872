/* code.h - variables in code objects that the program has loaded (__device__ and __constant__), and
 * the gaps between them.
 *
 * places.h has no entries for these mappings. Waves call these functions without a lock. Source
 * lines and names of code are in check.h. */
#ifndef SOFTGPU_CHECK_CODE_H
#define SOFTGPU_CHECK_CODE_H

#include "softgpu/check/check.h"

/* Whether the address is in the mapping of a code object whose file is known. */
bool chk_code_is_at(const struct sg_memory *m, uint64_t va);

/* Whether the address is in a gap between the variables of a code object. If the address is in a
 * code object, *span is cut to the range around it for which the answer is the same. */
bool chk_code_gap(const struct sg_memory *m, uint64_t va, chk_span_t *span);

/* Whether a range that begins in a code object extends beyond the variables there; *bad is the
 * first address that does. */
bool chk_code_beyond(const struct sg_memory *m, uint64_t va, uint64_t bytes, uint64_t *bad);

/* The allocation or variable that the address is in or next to. An address between two variables is
 * mostly taken to belong to the first of them. `m` may be NULL. False: there is none within 1
 * MiB. */
bool chk_near(const struct sg_memory *m, uint64_t va, chk_place_t *out);

/* Where the variable is declared; *calls is empty if debug information does not say. */
void chk_where_variable(const struct sg_memory *m, const chk_place_t *p, chk_calls_t *calls);

#endif
