/* kinds.h - the families of checks, and the kinds of findings in each. Options, reports, formats
 * and suppression rules take their names from these two tables. */
#ifndef SOFTGPU_CHECK_KINDS_H
#define SOFTGPU_CHECK_KINDS_H

/* X(id, name): a family, which --check can name. */
#define CHK_FAMILIES(X)                                                                            \
    X(MEMORY, "memory")                                                                            \
    X(INIT, "init")                                                                                \
    X(RACE, "race")                                                                                \
    X(SYNC, "sync")                                                                                \
    X(HAZARD, "hazard")                                                                            \
    X(API, "api")                                                                                  \
    X(LEAKS, "leaks")

enum {
#define X(id, name) CHK_BIT_OF_##id,
    CHK_FAMILIES(X)
#undef X
#define X(id, name) CHK_##id = 1 << CHK_BIT_OF_##id,
        CHK_FAMILIES(X)
#undef X
};

/* The families that "all" leaves out: correct programs may leak, and may try calls that fail. */
enum { CHK_NOT_IN_ALL = CHK_API | CHK_LEAKS };

/* X(id, family, name, text, help, repair): the kind's name for scripts, the first words of a
 * report, the meaning of the finding, and advice. One list for each family. */
#define CHK_MEMORY_KINDS(X)                                                                        \
    X(READ, MEMORY, "invalid-read", "invalid read",                                                \
      "Lanes read what is in no allocation: beyond its end, before its begin, or given back.",     \
      "Compare the index with the size of the allocation, or free it after the kernels that use "  \
      "it.")                                                                                       \
    X(WRITE, MEMORY, "invalid-write", "invalid write",                                             \
      "Lanes write what is in no allocation: beyond its end, before its begin, or given back.",    \
      "Compare the index with the size of the allocation, or free it after the kernels that use "  \
      "it.")                                                                                       \
    X(ATOMIC, MEMORY, "invalid-atomic", "invalid atomic access",                                   \
      "Lanes change what is in no allocation: beyond its end, before its begin, or given back.",   \
      "Compare the index with the size of the allocation, or free it after the kernels that use "  \
      "it.")                                                                                       \
    X(MISALIGNED, MEMORY, "misaligned-atomic", "misaligned atomic access",                         \
      "The address of an atomic access has to be a multiple of its size.",                         \
      "Align the data to its size.")                                                               \
    X(FLOAT_ATOMIC, MEMORY, "fine-grained-float-atomic",                                           \
      "floating-point atomic access to fine-grained memory",                                       \
      "The instruction changes nothing there and returns 0: only the L2 cache can add, and it "    \
      "does not hold what the host sees at once.",                                                 \
      "Use coarse-grained memory (hipMalloc, hipHostMallocNonCoherent, "                           \
      "hipMemAdviseSetCoarseGrain), or atomicAdd() without -munsafe-fp-atomics, which compares "   \
      "and swaps.")                                                                                \
    X(LDS_READ, MEMORY, "lds-read", "read beyond the LDS of the workgroup",                        \
      "The workgroup has the LDS that its dispatch asks for; what is beyond it reads as 0.",       \
      "Ask for enough at the launch (dynamic shared memory is its third value), or compare the "   \
      "index.")                                                                                    \
    X(LDS_WRITE, MEMORY, "lds-write", "write beyond the LDS of the workgroup",                     \
      "The workgroup has the LDS that its dispatch asks for; writes beyond it are lost.",          \
      "Ask for enough at the launch (dynamic shared memory is its third value), or compare the "   \
      "index.")                                                                                    \
    X(SCRATCH_READ, MEMORY, "scratch-read", "read beyond the scratch of the lane",                 \
      "An array of a work-item's own is left, or its stack is deeper than what the dispatch asks " \
      "for: what is read is another wave's.",                                                      \
      "Compare the index with the size of the array; for deep calls raise hipLimitStackSize.")     \
    X(SCRATCH_WRITE, MEMORY, "scratch-write", "write beyond the scratch of the lane",              \
      "An array of a work-item's own is left, or its stack is deeper than what the dispatch asks " \
      "for: another wave's may be overwritten.",                                                   \
      "Compare the index with the size of the array; for deep calls raise hipLimitStackSize.")     \
    X(ARGUMENTS, MEMORY, "kernel-arguments", "read beyond the kernel's arguments",                 \
      "The kernel reads more arguments than its descriptor says it has.",                          \
      "Build host and device code from one declaration of the kernel.")                            \
    X(CODE, MEMORY, "code-write", "write to code",                                                 \
      "The address is among the instructions of a loaded code object.",                            \
      "See where the pointer comes from: it is no data of the program's.")                         \
    X(COPY_READ, MEMORY, "copy-read", "invalid read by a copy",                                    \
      "What a call or a copy engine reads is not all in one allocation that is there.",            \
      "Compare the size, in bytes, and the direction with both allocations.")                      \
    X(COPY_WRITE, MEMORY, "copy-write", "invalid write by a copy or fill",                         \
      "What a call or a copy engine writes is not all in one allocation that is there.",           \
      "Compare the size, in bytes, and the direction with both allocations.")                      \
    X(FREE, MEMORY, "invalid-free", "free of what has not been given out",                         \
      "No allocation begins at the address.",                                                      \
      "Give back the very address that a call has given out, by the call that goes with that.")    \
    X(DOUBLE_FREE, MEMORY, "double-free", "free of what has been taken back",                      \
      "The allocation that began at the address has been taken back already.",                     \
      "Let one place own the memory, or forget the pointer where it is given back.")
#define CHK_LEAKS_KINDS(X)                                                                         \
    X(LEAK, LEAKS, "leak", "leak", "The program has ended and not given the memory back.",         \
      "Give it back by the call that goes with the one that gave it out.")
#define CHK_INIT_KINDS(X)                                                                          \
    X(INIT_ADDRESS, INIT, "uninitialized-address", "an address that nobody has written",           \
      "Lanes access memory at an address of undefined bits.",                                      \
      "Write the value first: hipMemset behind hipMalloc, or on every path of the kernel.")        \
    X(INIT_BRANCH, INIT, "uninitialized-branch", "a branch by a value that nobody has written",    \
      "Where the wave goes depends on undefined bits.",                                            \
      "Write the value first: hipMemset behind hipMalloc, or on every path of the kernel.")        \
    X(INIT_EXEC, INIT, "uninitialized-condition", "a condition of what nobody has written",        \
      "Which lanes go on depends on undefined bits.",                                              \
      "Write the value first: hipMemset behind hipMalloc, or on every path of the kernel.")        \
    X(INIT_ATOMIC, INIT, "uninitialized-atomic", "an atomic operation on what nobody has written", \
      "The new value is made of an old one that has none.",                                        \
      "Set the counter before the kernel, or in LDS by one work-item in front of a barrier.")      \
    X(INIT_STORE, INIT, "uninitialized-store", "a store of what nobody has written",               \
      "Undefined bits go where others see them; looked for with --init=strict.",                   \
      "Write the value first, or do not store it.")                                                \
    X(INIT_COPY, INIT, "uninitialized-copy", "a copy of what nobody has written",                  \
      "A copy brings undefined bytes where others see them; looked for with "                      \
      "--init=strict.",                                                                            \
      "Let the kernel write all of the result, or copy what it has written.")
#define CHK_RACE_KINDS(X)                                                                          \
    X(RACE_LDS, RACE, "race-lds", "race in LDS",                                                   \
      "Two waves of a workgroup access the same bytes, one of them to change them, and neither a " \
      "barrier nor an atomic access orders them: which is first is chance.",                       \
      "Put __syncthreads() between the two, also at the end of a loop's body, or use atomics.")    \
    X(RACE_GLOBAL, RACE, "race-global", "race",                                                    \
      "Two waves access the same bytes, one of them to change them, and neither a barrier, an "    \
      "atomic access nor queues order them: which is first is chance.",                            \
      "Within a kernel use atomics and __threadfence(); between streams an event, or a wait.")
#define CHK_SYNC_KINDS(X)                                                                          \
    X(BARRIER_EXIT, SYNC, "barrier-exit", "waves have ended while others wait at a barrier",       \
      "A barrier is for all waves of a workgroup; those that have ended do not come to it.",       \
      "Return behind the last barrier; put the condition around the work and not around the "      \
      "barrier.")                                                                                  \
    X(BARRIER_PLACE, SYNC, "barrier-place", "waves wait at different barriers",                    \
      "Each barrier counts for the other: waves are let go that have not met.",                    \
      "Move the barrier out of the condition, so that all waves come to the same.")                \
    X(NEVER, SYNC, "never-satisfied", "waves wait for what never comes",                           \
      "No wave on the GPU changes anything any more: each waits for another, or for nobody.",      \
      "Let somebody set what is waited for: workgroups that wait for each other need a "           \
      "cooperative launch.")
#define CHK_HAZARD_KINDS(X)                                                                        \
    X(HAZARD_WAIT, HAZARD, "hazard-wait", "register used while a load is outstanding",             \
      "The load has not returned for sure: no instruction waits for it.",                          \
      "Put the wait that the report names in front of the use.")                                   \
    X(HAZARD_LDS, HAZARD, "hazard-lds", "read of LDS that has not been written for sure",          \
      "The write was outstanding at the barrier in between, or a transfer to LDS still is.",       \
      "Wait for LDS, or for the transfer, in front of the barrier.")                               \
    X(HAZARD_LDS_WRITE, HAZARD, "hazard-lds-write", "write to LDS that may come too early",        \
      "Another wave's access to it was outstanding at the barrier in between, or a transfer to "   \
      "LDS still is.",                                                                             \
      "Wait for LDS, or for the transfer, in front of the barrier.")                               \
    X(HAZARD_NOP, HAZARD, "hazard-nop", "too few wait states between two instructions",            \
      "The hardware does not check for it: s_nop or other instructions have to come between.",     \
      "Put as many independent instructions, or s_nop, in between as the report says.")            \
    X(HAZARD_ALU, HAZARD, "hazard-alu", "SGPR used while its new value is outstanding",            \
      "The vector ALU keeps a copy of an SGPR that it has read: of RDNA 4.",                       \
      "Put the s_wait_alu that the report names in front of the use.")                             \
    X(HAZARD_SCC, HAZARD, "hazard-scc", "SCC is read and was never written",                       \
      "A wave starts with any SCC.", "Compare or compute in front of what reads SCC.")             \
    X(HAZARD_EXEC, HAZARD, "hazard-exec", "store without lanes",                                   \
      "EXEC is 0: it changes nothing; looked for with --hazard=strict.",                           \
      "Set EXEC in front of it, or jump over it.")

#define CHK_API_KINDS(X)                                                                           \
    X(LAUNCH_FAILED, API, "launch-failed", "launch failed",                                        \
      "HIP has returned an error and run nothing; <<<>>> does not tell the program of it.",        \
      "Compare workgroup and LDS with what the GPU and the kernel's __launch_bounds__ allow, and " \
      "ask hipGetLastError() behind the launch.")                                                  \
    X(CALL_FAILED, API, "call-failed", "call failed",                                              \
      "HIP has returned an error; looked for with --api=strict.",                                  \
      "Compare the status of every call with hipSuccess.")

#define CHK_KINDS(X)                                                                               \
    CHK_MEMORY_KINDS(X)                                                                            \
    CHK_INIT_KINDS(X)                                                                              \
    CHK_RACE_KINDS(X)                                                                              \
    CHK_SYNC_KINDS(X)                                                                              \
    CHK_HAZARD_KINDS(X)                                                                            \
    CHK_API_KINDS(X)                                                                               \
    CHK_LEAKS_KINDS(X)

typedef enum {
#define X(id, family, name, text, help, repair) CHK_KIND_##id,
    CHK_KINDS(X)
#undef X
        CHK_KIND_COUNT
} chk_kind_t;

/* By chk_kind_t. */
typedef struct {
    unsigned family; /* CHK_MEMORY or another one */
    const char *name, *text, *help, *repair;
} chk_kind_row_t;
extern const chk_kind_row_t chk_kinds[CHK_KIND_COUNT];

typedef struct {
    unsigned bit;
    const char *name;
} chk_family_row_t;
enum {
#define X(id, name) +1
    CHK_FAMILY_COUNT = 0 CHK_FAMILIES(X)
#undef X
};
extern const chk_family_row_t chk_families[CHK_FAMILY_COUNT];
/* The name of a family, given its CHK_* bit. */
const char *chk_family_name(unsigned bit);

#endif
