/* cache_events.h - EVENT(counter): the number of the counter's event, for tests of the cache model.
 */
#ifndef TESTS_SOFTGPU_CACHE_CACHE_EVENTS_H
#define TESTS_SOFTGPU_CACHE_CACHE_EVENTS_H

/* clang-format off */
#define SGC_TABLE(gpu) enum {
#define SGC_NUMBER(gpu, counter, event) SGC_EVENT_##gpu##_##counter = (event),
#define SGC_TABLE_END };
#include "softgpu/cache_events.inc"
/* clang-format on */

#define EVENT(counter) SGC_EVENT_gfx90a_##counter

#endif
