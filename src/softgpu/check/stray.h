/* stray.h - what an address can be that is in no allocation and near none. */
#ifndef SOFTGPU_CHECK_STRAY_H
#define SOFTGPU_CHECK_STRAY_H

#include "softgpu/check/places.h"

/* Says in a new string what the address is: a null pointer, or the program's own host memory. NULL:
 * neither. */
char *chk_stray(uint64_t va);
/* The live allocation of the program's own that is nearest, however far away. False: there is
 * none. */
bool chk_stray_place(uint64_t va, chk_place_t *out);

#endif
