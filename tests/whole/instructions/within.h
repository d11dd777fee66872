/* within.h - a function that costs.hip's kernel is given from a header: the marked line is its own.
 * In assembly, so that every compiler makes the same of it. */
#pragma once

static __device__ inline float within(float x)
{
    asm volatile("v_mul_f32 %0, 2.0, %0" : "+v"(x)); // header
    return x;
}
