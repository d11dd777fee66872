/* code.h - the variables of the code objects that the program has loaded (__device__ and
 * __constant__), and what is next to them: in mappings of which places.h knows nothing.
 *
 * Waves ask, without a lock. Lines and names of code are check.h's. */
#ifndef SOFTGPU_CHECK_CODE_H
#define SOFTGPU_CHECK_CODE_H

#include "softgpu/check/check.h"

/* Whether the mapping of the address is that of a code object whose file is known. */
bool chk_code_is_at(const struct sg_memory *m, uint64_t va);

/* Whether nothing lies at the address, which is in a code object next to its variables; if there is
 * a code object, *span is cut to the part around the address of which the same holds. */
bool chk_code_gap(const struct sg_memory *m, uint64_t va, chk_span_t *span);

/* Whether a range that begins in a code object goes beyond its variables, and the first address
 * that does. */
bool chk_code_beyond(const struct sg_memory *m, uint64_t va, uint64_t bytes, uint64_t *bad);

/* The allocation or the variable that the address is in, or next to which it is; of two variables
 * that are next to each other the one in front of it. `m` may be NULL. False: there is none within
 * 1 MiB. */
bool chk_near(const struct sg_memory *m, uint64_t va, chk_place_t *out);

/* Where the variable of a place is declared; none if nothing says. */
void chk_where_variable(const struct sg_memory *m, const chk_place_t *p, chk_calls_t *calls);

#endif
