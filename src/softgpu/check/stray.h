/* stray.h - explains an address that is in no allocation and near none. */
#ifndef SOFTGPU_CHECK_STRAY_H
#define SOFTGPU_CHECK_STRAY_H

#include "softgpu/check/places.h"

/* Describes the address in a new string, which the caller frees: a null pointer, or the program's
 * own host memory. NULL: neither. */
char *chk_stray(uint64_t va);
/* The nearest live allocation that the program itself made, however far away. False: there is
 * none. */
bool chk_stray_place(uint64_t va, chk_place_t *out);

#endif
