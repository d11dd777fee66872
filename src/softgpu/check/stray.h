/* stray.h - addresses that are in no allocation and next to none. */
#ifndef SOFTGPU_CHECK_STRAY_H
#define SOFTGPU_CHECK_STRAY_H

#include "softgpu/check/places.h"

/* What it is then, a new string: a null pointer, the program's own memory; NULL: none of these. */
char *chk_stray(uint64_t va);
/* The live allocation of the program's that is nearest, however far away; false: there is none. */
bool chk_stray_place(uint64_t va, chk_place_t *out);

#endif
