// kernels.hip - one workgroup that executes what a thread trace can tell of: branches both ways,
// calls through registers, barriers, matrix instructions, every kind of memory, messages, clocks and
// words into the trace. The result is known, and so is how often the loop goes round.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <string>

enum { LANES = 256, ROUNDS = 5 };

typedef float matrix_t __attribute__((ext_vector_type(4)));

// What differs between families of GPUs: the last word of a buffer's descriptor, a load from the buffer, the clock, an
// operation on the scalar cache, a hardware register.
#if defined(__gfx1201__)
#define BUFFER_WORD 0x31016000
#define LOAD "buffer_load_b32 %0, %1, %2, null offen\n s_wait_loadcnt 0"
#define CLOCK "s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n s_wait_kmcnt 0"
#define DCACHE "s_dcache_inv"
#define PLACE "hwreg(23)"
#elif defined(__gfx1100__) || defined(__gfx1151__)
#define BUFFER_WORD 0x31016000
#define CLOCK "s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n s_waitcnt lgkmcnt(0)"
#define DCACHE "s_dcache_inv"
#define PLACE "hwreg(23)"
#elif defined(__gfx1030__)
#define BUFFER_WORD 0x31016000
#define CLOCK "s_memtime %0\n s_waitcnt lgkmcnt(0)"
#define DCACHE "s_dcache_inv"
#define PLACE "hwreg(23)"
#else
#define BUFFER_WORD 0x00027000
#define CLOCK "s_memtime %0\n s_waitcnt lgkmcnt(0)"
#define DCACHE "s_dcache_wb"
#define PLACE "hwreg(HW_REG_HW_ID)"
#define MATRICES 1
#endif
#ifndef LOAD
#define LOAD "buffer_load_dword %0, %1, %2, 0 offen\n s_waitcnt vmcnt(0)"
#endif

// called through a register, with a stack of its own
__device__ __attribute__((noinline)) int twice(int value, int rounds)
{
    volatile int stack[8];
    for (int i = 0; i < rounds; i++)
        stack[i] = value;
    return stack[rounds - 1] + value;
}

__device__ __attribute__((noinline)) int thrice(int value, int rounds)
{
    return twice(value, rounds) + value;
}

typedef int (*function_t)(int, int);
__device__ function_t functions[2] = {twice, thrice};

__global__ void everything(int *out, const int *in, int rounds, int which, unsigned *counter)
{
    __shared__ int shared[LANES];
    const int lane = threadIdx.x;
    int sum = 0;
    shared[lane] = in[lane];
    __syncthreads();
    for (int i = 0; i < rounds; i++)
        sum += shared[(lane + i) % LANES];
    if (lane & 1) // both ways in each wave
        sum += 7;
    else
        sum -= 7;
    if (lane >= LANES / 2) // whole waves one way
        sum += functions[which](lane, rounds);
    matrix_t product = {0, 0, 0, 0};
#ifdef MATRICES
    product = __builtin_amdgcn_mfma_f32_16x16x4f32((float)(lane % 3), 1.0f, product, 0, 0, 0);
#endif
    sum += product[0] >= 0;
    // a buffer of all of `in`, by a descriptor of its own
    int again;
    const unsigned long long base = (unsigned long long)in;
    typedef unsigned words_t __attribute__((ext_vector_type(4)));
    words_t buffer = {(unsigned)base, (unsigned)(base >> 32), LANES * 4, BUFFER_WORD};
    asm volatile(LOAD : "=v"(again) : "v"(lane * 4), "s"(buffer));
    sum += again;
    unsigned long long clock;
    asm volatile(CLOCK "\n"
                 "s_mov_b32 m0, 0x1234\n s_nop 1\n s_ttracedata\n s_nop 0\n s_sleep 1\n s_setprio 1\n s_setprio 0\n"
                 "s_trap 3\n " DCACHE "\n s_getreg_b32 s90, " PLACE "\n"
                 "s_call_b64 s[92:93], 1f\n s_branch 2f\n 1: s_setpc_b64 s[92:93]\n 2: s_icache_inv\n"
                 : "=s"(clock)::"s90", "s92", "s93", "memory");
    atomicAdd(counter, 1u);
    out[lane] = sum + (clock == 0);
}

// KERNELS [again | wide | many]: another function; two workgroups, on two engines; many launches
int main(int argc, char **argv)
{
    const std::string how = argc > 1 ? argv[1] : "";
    const int which = how == "again", groups = how == "wide" ? 2 : 1, launches = how == "many" ? 200 : 2;
    int host[LANES], result[LANES], *in, *out, right = 0;
    unsigned *counter, count = 0;
    for (int i = 0; i < LANES; i++) host[i] = i * 3;
    if (hipMalloc((void **)&in, sizeof host) || hipMalloc((void **)&out, sizeof result) ||
        hipMalloc((void **)&counter, sizeof count))
        return 1;
    if (hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) ||
        hipMemcpy(counter, &count, sizeof count, hipMemcpyHostToDevice))
        return 1;
    for (int i = 0; i < launches; i++) {
        everything<<<groups, LANES>>>(out, in, ROUNDS, which, counter);
        if (hipDeviceSynchronize()) return 1;
    }
    if (hipMemcpy(result, out, sizeof result, hipMemcpyDeviceToHost) ||
        hipMemcpy(&count, counter, sizeof count, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < LANES; i++) {
        int sum = (i & 1 ? 7 : -7) + 1 + host[i];
        for (int k = 0; k < ROUNDS; k++) sum += host[(i + k) % LANES];
        if (i >= LANES / 2) sum += (which ? 3 : 2) * i;
        right += result[i] == sum;
    }
    std::printf("everything: %d right, %u atomics\n", right, count);
    return right != LANES || count != (unsigned)(groups * launches * LANES);
}
