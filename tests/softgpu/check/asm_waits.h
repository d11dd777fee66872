// asm_waits.h - what programs in assembly wait with, for GPUs from gfx10 on, in one spelling.
#pragma once

#ifdef __GFX12__
#define WAIT_LOADS(n)    "s_wait_loadcnt " #n
#define WAIT_LOADS_ALONE "s_wait_loadcnt 0x0"
#define WAIT_STORES      "s_wait_storecnt 0x0"
#define WAIT_LDS(n)      "s_wait_dscnt " #n
#define WAIT_SCALARS     "s_wait_kmcnt 0x0"
#define BARRIER          "s_barrier_signal -1\n\ts_barrier_wait -1"
#define RETURNS          "th:TH_ATOMIC_RETURN"
#else
#define WAIT_LOADS(n)    "s_waitcnt vmcnt(" #n ")"
#define WAIT_LOADS_ALONE "s_waitcnt_vmcnt null, 0x0"
#define WAIT_STORES      "s_waitcnt_vscnt null, 0x0"
#define WAIT_LDS(n)      "s_waitcnt lgkmcnt(" #n ")"
#define WAIT_SCALARS     "s_waitcnt_lgkmcnt null, 0x0"
#define BARRIER          "s_barrier"
#define RETURNS          "glc"
#endif
