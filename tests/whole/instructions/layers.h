/* layers.h - a header of the user's: a function that calls one of HIP's headers, and one within it. */
#pragma once
#include <hip/scaled.h>

static __device__ inline float inner(float x)
{
    asm volatile("v_add_f32 %0, 1.0, %0" : "+v"(x)); // inner
    return scaled(x);                                // scales
}

static __device__ inline float outer(float x)
{
    asm volatile("v_sub_f32 %0, 1.0, %0" : "+v"(x)); // outer
    return inner(x);                                 // goes on
}
