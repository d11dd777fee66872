/* sampling_names.h - names in a stochastic sample: types of instructions, and reasons why a wave
 * issued none.
 *
 * They are the ends of the enumerators' names in rocprofiler-sdk/pc_sampling.h, in the order of
 * their values. The library and the writers derive their texts from these lists. */
#ifndef CROCPROF_BASE_SAMPLING_NAMES_H
#define CROCPROF_BASE_SAMPLING_NAMES_H

#define BASE_SAMPLING_TYPES(X)                                                                     \
    X(NONE)                                                                                        \
    X(VALU)                                                                                        \
    X(MATRIX)                                                                                      \
    X(SCALAR)                                                                                      \
    X(TEX)                                                                                         \
    X(LDS)                                                                                         \
    X(LDS_DIRECT)                                                                                  \
    X(FLAT)                                                                                        \
    X(EXPORT)                                                                                      \
    X(MESSAGE)                                                                                     \
    X(BARRIER)                                                                                     \
    X(BRANCH_NOT_TAKEN)                                                                            \
    X(BRANCH_TAKEN)                                                                                \
    X(JUMP)                                                                                        \
    X(OTHER)                                                                                       \
    X(NO_INST)                                                                                     \
    X(DUAL_VALU)

#define BASE_SAMPLING_REASONS(X)                                                                   \
    X(NONE)                                                                                        \
    X(NO_INSTRUCTION_AVAILABLE)                                                                    \
    X(ALU_DEPENDENCY)                                                                              \
    X(WAITCNT)                                                                                     \
    X(INTERNAL_INSTRUCTION)                                                                        \
    X(BARRIER_WAIT)                                                                                \
    X(ARBITER_NOT_WIN)                                                                             \
    X(ARBITER_WIN_EX_STALL)                                                                        \
    X(OTHER_WAIT)                                                                                  \
    X(SLEEP_WAIT)

#define BASE_SAMPLING_TYPE_TEXT(name) "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_" #name,
#define BASE_SAMPLING_REASON_TEXT(name)                                                            \
    "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_" #name,

#endif
