/* instruction_counts.h - counts, for every instruction of a kernel, of its executions and costs on
 * the software GPU.
 *
 * This is the only header that a profiler may include for softgpu. The profiler looks up the
 * function with dlsym; if there is none, the GPU does not support it. Nothing is counted unless a
 * profiler asks. The counts are exact. In addition softgpu can report the costs of instructions in
 * its models of caches and clocks. */
#ifndef SOFTGPU_INSTRUCTION_COUNTS_H
#define SOFTGPU_INSTRUCTION_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTGPU_INSTRUCTION_COUNTS_VERSION 2

/** Name of the function of type softgpu_instruction_counts_fn_t, for dlsym(RTLD_DEFAULT, ...). */
#define SOFTGPU_INSTRUCTION_COUNTS_SYMBOL "softgpu_instruction_counts"

/** Size in bytes of the lines in which global memory and scratch are counted: those of the vector
 * L1. */
#define SOFTGPU_INSTRUCTION_COUNTS_LINE 64

/** What is counted: X(name, unit, meaning). Sums over every time that a wave executed the
 * instruction. */
#define SOFTGPU_INSTRUCTION_COUNTS(X)                                                              \
    X(issued, "waves", "times that a wave executed it")                                            \
    X(lanes, "lanes", "active lanes")                                                              \
    X(bytes, "bytes", "asked for by the active lanes, of global memory, scratch and scalar loads") \
    X(lines, "lines", "different lines of 64 bytes that each wave touched")                        \
    X(lines_needed, "lines", "the fewest that hold so many bytes")                                 \
    X(atomics, "lanes", "active lanes of atomic operations")                                       \
    X(lds_accesses, "waves", "accesses to the memory of LDS: two of a ds_read2")                   \
    X(lds_bytes, "bytes", "asked for by the active lanes, of LDS")                                 \
    X(lds_clocks, "clocks", "in which LDS served it")                                              \
    X(lds_clocks_needed, "clocks", "the same without a conflict")                                  \
    X(taken, "waves", "branches taken")                                                            \
    X(not_taken, "waves", "branches not taken")                                                    \
    X(divergent, "waves", "times that it took some of the active lanes out of EXEC, not all")

/** What follows from the cache model and the timing model (docs/counter-model.md,
 * docs/counters.md), as sums like the counts above; 0 unless the level is
 * SOFTGPU_INSTRUCTION_MODEL_LEVEL. The clocks of all instructions of a wave (issue, waits and
 * stalls) add up to its life, SQ_WAVE_CYCLES. New members are appended; readers know from the
 * structure's size which ones it has. */
#define SOFTGPU_INSTRUCTION_MODEL(X)                                                               \
    X(l1_hits, "look-ups", "of lines, that the vector L1 served")                                  \
    X(l1_misses, "requests", "of the vector L1 to L2: misses, and all stores and atomics")         \
    X(tlb_misses, "look-ups", "whose translation the vector L1 had to wait for")                   \
    X(l2_hits, "requests", "for its data that L2 served")                                          \
    X(l2_misses, "requests", "for its data that L2 had not")                                       \
    X(memory_bytes, "bytes", "that moved between L2 and memory for its data")                      \
    X(scalar_hits, "requests", "that the scalar cache served")                                     \
    X(scalar_misses, "requests", "that it had not")                                                \
    X(scalar_late, "requests", "for a line that it had asked for and not got yet")                 \
    X(code_fetches, "requests", "for the code that begins with it")                                \
    X(code_misses, "requests", "of these that the instruction cache had not")                      \
    X(code_l2_misses, "requests", "of the instruction cache that L2 had not")                      \
    X(latency, "clocks", "from its issue until its data, or L2's acknowledge, was there")          \
    X(issue, "clocks", "in which waves issued it")                                                 \
    X(wait_code, "clocks", "that waves waited before it, for its code")                            \
    X(wait_vector, "clocks", "that waves waited at it, for vector memory")                         \
    X(wait_scalar, "clocks", "the same for scalar memory")                                         \
    X(wait_lds, "clocks", "the same for LDS")                                                      \
    X(wait_barrier, "clocks", "the same for the other waves of the workgroup")                     \
    X(wait_matrix, "clocks", "the same for the matrix unit")                                       \
    X(wait_sleep, "clocks", "in which it let waves sleep")                                         \
    X(wait_bandwidth, "clocks", "that waves waited because memory moves only so many bytes")       \
    X(stall_valu, "clocks", "that others had the vector or matrix pipe")                           \
    X(stall_scalar, "clocks", "the same, of the scalar pipes")                                     \
    X(stall_lds, "clocks", "the same, of LDS")                                                     \
    X(stall_vector, "clocks", "the same, of vector memory's pipe")

/** The counts of one instruction: all members are numbers of 64 bits. */
typedef struct softgpu_instruction_counts {
#define SOFTGPU_X(name, unit, meaning) uint64_t name;
    SOFTGPU_INSTRUCTION_COUNTS(SOFTGPU_X)
    /** Executions by the number of active lanes: [0] with none, [k] with 8k-7 to 8k. */
    uint64_t by_lanes[9];
    SOFTGPU_INSTRUCTION_MODEL(SOFTGPU_X)
#undef SOFTGPU_X
} softgpu_instruction_counts_t;

/** What is counted. */
enum {
    SOFTGPU_INSTRUCTION_EXACT_LEVEL = 0, /**< exact counts; does not affect how dispatches run */
    SOFTGPU_INSTRUCTION_MODEL_LEVEL =
        1 /**< also costs by the models; workgroups run one after another, on one core */
};

/** One instruction, as it is passed to a visitor. */
typedef struct softgpu_instruction {
    uint64_t size;     /**< of this structure as softgpu knows it */
    uint64_t address;  /**< address on the GPU, as loaded */
    uint32_t words[3]; /**< its code, as it was executed */
    uint32_t n_words;
    softgpu_instruction_counts_t counts;
} softgpu_instruction_t;

/** A kernel whose instructions follow. */
typedef struct softgpu_counted_kernel {
    uint64_t size;          /**< of this structure as softgpu knows it */
    uint64_t kernel_object; /**< address of its descriptor, as in dispatch packets */
    uint64_t dispatches;    /**< number of dispatches whose counts are summed */
    uint64_t waves;         /**< number of waves */
    uint64_t lost; /**< number of dispatches whose counts are incomplete for lack of memory */
    uint64_t start_ns, end_ns; /**< times of a single dispatch, as in its signal; else 0 */
    uint64_t group;            /**< as wanted() has set it; 0 if there is no wanted() */
} softgpu_counted_kernel_t;

/** A dispatch that is about to start. */
typedef struct softgpu_counted_dispatch {
    uint64_t size;          /**< of this structure as softgpu knows it */
    uint64_t kernel_object; /**< as in its packet */
    uint64_t queue;         /**< a number that identifies the queue */
    uint32_t grid[3];       /**< work-items */
    uint32_t workgroup[3];
} softgpu_counted_dispatch_t;

/** Its functions are called for a kernel, then for each of its instructions in the order of their
 * addresses, and then for the end of the kernel's instructions. They must not call the functions
 * below. The structures are valid during the call. */
typedef struct softgpu_instruction_visitor {
    uint64_t size; /**< of this structure, set by the caller; at least up to `user` */
    void (*kernel)(const softgpu_counted_kernel_t *kernel, void *user);
    void (*instruction)(const softgpu_instruction_t *instruction, void *user);
    void *user;
    /** May be null. A softgpu of this version that was built without it does not call it. */
    void (*end)(void *user);
} softgpu_instruction_visitor_t;

/** What to count; zeros count every dispatch and sum by kernel. */
typedef struct softgpu_instruction_options {
    uint64_t size; /**< of this structure, set by the caller */
    /** Returns whether to count the dispatch; if it is null, all are counted. It may set *group,
     * which is 0 before: the counts of a kernel are summed for each group. It is called once for
     * each dispatch, by the thread of its queue, in the order of the queue, and must not wait for
     * the GPU. */
    bool (*wanted)(const softgpu_counted_dispatch_t *dispatch, uint64_t *group, void *user);
    /** The visitor that gets the counts of each dispatch when it ends, before its completion
     * signal; if it is null, counts are summed by kernel, for read(). It is called by a thread of
     * softgpu, for one dispatch at a time, and must not wait for the GPU. */
    const softgpu_instruction_visitor_t *each_dispatch;
    void *user;     /**< for wanted() */
    uint32_t level; /**< SOFTGPU_INSTRUCTION_*_LEVEL */
} softgpu_instruction_options_t;

/** Which counts to read. */
typedef struct softgpu_instruction_range {
    uint64_t first, end; /**< addresses in [first, end); 0, 0: all */
    bool forget;         /**< counts are set to 0 when they have been read */
} softgpu_instruction_range_t;

/** The functions; all are safe to call from any thread. They return 0 or a value of errno. */
typedef struct softgpu_instruction_counts_api {
    uint64_t size; /**< of this structure as softgpu knows it */

    /** Counts the dispatches that begin from now on. The options are copied; the visitor is not,
     * and must stay valid. EBUSY: already counting. EINVAL: a size is too small, or the level is
     * unknown. */
    int (*start)(const softgpu_instruction_options_t *options);

    /** Stops counting: dispatches that begin from now on are not counted, those in flight still
     * are. Counts can still be read. EINVAL: not counting. */
    int (*stop)(void);

    /** Calls the visitor for each kernel with counted instructions in the range, in the order in
     * which the kernels first ended, once for each of its groups. The counts are sums over all its
     * dispatches that have ended. `range` null: all addresses. Before a code object is unloaded,
     * read its range with `forget`, because other code may be loaded to the same addresses. The
     * counts of the kernel itself are forgotten with those of the last of its instructions. ENOMEM:
     * out of memory. */
    int (*read)(const softgpu_instruction_range_t *range,
                const softgpu_instruction_visitor_t *visitor);
} softgpu_instruction_counts_api_t;

/** Returns the functions of this version; they are valid until the process ends. Returns NULL if
 * softgpu has another version, or cannot be set up. Does not start the GPU. */
typedef const softgpu_instruction_counts_api_t *softgpu_instruction_counts_fn_t(unsigned version);

#ifdef __cplusplus
}
#endif

#endif
