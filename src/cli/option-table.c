/* option-table.c - the rows of rocprofv3's options.
 *
 * Apart from the parser so that a new option is a row here and nothing else. Names, letters, values
 * and variables are those of AMD's rocprofv3. */
#include "cli/options.h"

#include <stdlib.h>

#define GENERAL  "General"
#define OUTPUT   "Input and output"
#define ALL      "Aggregate tracing"
#define BASIC    "Basic tracing"
#define GRANULAR "Granular tracing"
#define AFTER    "Post-processing"
#define COUNTERS "Counter collection"
#define SUMMARY  "Summary"
#define NAMING   "Kernel naming"
#define FILTER   "Filtering"
#define DISPLAY  "Display"
#define ADVANCED "Advanced"
#define PERFETTO "Perfetto"
#define ATTACH   "Attaching"
#define SAMPLING "PC sampling"
#define ATT      "Thread traces"

/* Why a feature is not here. */
#define NO_PACKETS                                                                                 \
    "packets of graphs and events are not recorded; --hip-trace has the calls that make them"
#define NO_STREAMING "counters are read at the ends of kernels only: by --pmc"
#define NO_TABLE                                                                                   \
    "version 1.0 of the SDK's interface has no kind for this library; --hip-trace has its HIP "    \
    "calls"

#ifdef CROCPROF_OTF2
#define FORMATS "csv json otf2 pftrace rocpd callgrind"
#else
#define FORMATS "csv json pftrace rocpd callgrind"
#endif

/* clang-format off */
/* ORDER: cli_option_id_t. */
const cli_option_t cli_options[] = {
    {"help", 'h', CLI_BOOL, NULL, NULL, NULL, GENERAL, "print this help"},
    {"version", 'v', CLI_BOOL, NULL, NULL, NULL, GENERAL, "print version and system"},
    {"gpu", 0, CLI_CHOICE, "auto real soft", NULL, NULL, GENERAL,
     "real GPU, software GPU, or (auto) the software GPU where there is no /dev/kfd"},
    {"input", 'i', CLI_TEXT, "FILE", NULL, NULL, OUTPUT,
     "jobs: .txt with lines 'pmc: NAME ...', .json, .yaml or .yml; the program runs once for each"},
    {"output-file", 'o', CLI_TEXT, "NAME", "ROCPROF_OUTPUT_FILE_NAME", NULL, OUTPUT,
     "prefix of output files, keys allowed (default %hostname%/%pid%)"},
    {"output-directory", 'd', CLI_TEXT, "DIR", "ROCPROF_OUTPUT_PATH", NULL, OUTPUT,
     "output directory, keys allowed (default: current directory)"},
    {"output-format", 'f', CLI_CHOICES, FORMATS, "ROCPROF_OUTPUT_FORMAT", NULL, OUTPUT,
     "output formats (default rocpd)"},
    {"log-level", 0, CLI_CHOICE, "fatal error warning info trace env config",
     "ROCPROF_LOG_LEVEL ROCPROFILER_LOG_LEVEL ROCTX_LOG_LEVEL", NULL, OUTPUT,
     "what is reported; env prints the added environment, config the options, info and trace both"},
    {"extra-counters", 'E', CLI_TEXT, "FILE", NULL, NULL, OUTPUT,
     "YAML with definitions of more counters"},
    {"output-config", 0, CLI_BOOL, NULL, "ROCPROF_OUTPUT_CONFIG_FILE", NULL, OUTPUT,
     "write the settings of the run to config.json"},
    {"runtime-trace", 'r', CLI_BOOL, NULL, NULL,
     "hip-runtime-trace marker-trace kernel-trace memory-copy-trace memory-allocation-trace "
     "scratch-memory-trace rccl-trace rocdecode-trace rocjpeg-trace ompt-trace kfd-trace",
     ALL, "HIP runtime functions, markers, kernels, copies, allocations, scratch memory, libraries, driver"},
    {"sys-trace", 's', CLI_BOOL, NULL, NULL,
     "hip-trace hsa-trace marker-trace kernel-trace memory-copy-trace memory-allocation-trace "
     "scratch-memory-trace rccl-trace rocdecode-trace rocjpeg-trace ompt-trace kfd-trace",
     ALL, "all HIP and HSA functions and the rest of --runtime-trace"},
    {"hip-trace", 0, CLI_BOOL, NULL, NULL, "hip-runtime-trace hip-compiler-trace", BASIC,
     "all HIP functions"},
    {"hsa-trace", 0, CLI_BOOL, NULL, NULL,
     "hsa-core-trace hsa-amd-trace hsa-image-trace hsa-finalizer-trace", BASIC,
     "all HSA functions"},
    {"kokkos-trace", 0, CLI_BOOL, NULL, NULL, "marker-trace kernel-rename", BASIC,
     "Kokkos' loops, regions, copies and fences as markers; kernels are named after them"},
    {"kernel-trace", 0, CLI_BOOL, NULL, "ROCPROF_KERNEL_TRACE", NULL, BASIC, "kernel dispatches"},
    {"marker-trace", 0, CLI_BOOL, NULL, "ROCPROF_MARKER_API_TRACE", NULL, BASIC,
     "marks and ranges that the program sets with ROCTx"},
    {"memory-copy-trace", 0, CLI_BOOL, NULL, "ROCPROF_MEMORY_COPY_TRACE", NULL, BASIC,
     "asynchronous copies"},
    {"memory-allocation-trace", 0, CLI_BOOL, NULL, "ROCPROF_MEMORY_ALLOCATION_TRACE", NULL, BASIC,
     "memory that HSA gives out and takes back"},
    {"scratch-memory-trace", 0, CLI_BOOL, NULL, "ROCPROF_SCRATCH_MEMORY_TRACE", NULL, BASIC,
     "scratch memory of kernels"},
    {"rccl-trace", 0, CLI_BOOL, NULL, "ROCPROF_RCCL_API_TRACE", NULL, BASIC, "RCCL functions"},
    {"rocdecode-trace", 0, CLI_BOOL, NULL, "ROCPROF_ROCDECODE_API_TRACE", NULL, BASIC,
     "rocDecode functions"},
    {"rocjpeg-trace", 0, CLI_BOOL, NULL, "ROCPROF_ROCJPEG_API_TRACE", NULL, BASIC,
     "rocJPEG functions"},
    {"ompt-trace", 0, CLI_PARTS, "all thread parallel task sync mutex target device error",
     "ROCPROF_OMPT_TRACE ROCPROF_OMPT_TRACE_OPERATIONS", NULL, BASIC,
     "events of OpenMP, all or those of some groups"},
    {"kfd-trace", 0, CLI_BOOL, NULL, NULL,
     "kfd-page-migration-trace kfd-page-mapping-trace kfd-queue-trace kfd-dropped-events-trace",
     BASIC, "all events of the kernel driver"},
    {"hip-runtime-trace", 0, CLI_BOOL, NULL, "ROCPROF_HIP_RUNTIME_API_TRACE", NULL, GRANULAR,
     "HIP runtime functions"},
    {"hip-compiler-trace", 0, CLI_BOOL, NULL, "ROCPROF_HIP_COMPILER_API_TRACE", NULL, GRANULAR,
     "HIP functions that the compiler calls"},
    {"hsa-core-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_CORE_API_TRACE", NULL, GRANULAR,
     "HSA core functions"},
    {"hsa-amd-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_AMD_EXT_API_TRACE", NULL, GRANULAR,
     "HSA functions of the AMD extension"},
    {"hsa-image-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_IMAGE_EXT_API_TRACE", NULL, GRANULAR,
     "HSA functions of the image extension"},
    {"hsa-finalizer-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_FINALIZER_EXT_API_TRACE", NULL,
     GRANULAR, "HSA functions of the finalizer extension"},
    {"kfd-page-migration-trace", 0, CLI_BOOL, NULL, "ROCPROF_KFD_PAGE_MIGRATION_TRACE", NULL,
     GRANULAR, "events of the kernel driver: memory that goes from one place to another"},
    {"kfd-page-mapping-trace", 0, CLI_BOOL, NULL, "ROCPROF_KFD_PAGE_MAPPING_TRACE", NULL, GRANULAR,
     "page faults, and memory that a GPU loses"},
    {"kfd-queue-trace", 0, CLI_BOOL, NULL, "ROCPROF_KFD_QUEUE_TRACE", NULL, GRANULAR,
     "queues that are evicted and restored"},
    {"kfd-dropped-events-trace", 0, CLI_BOOL, NULL, "ROCPROF_KFD_DROPPED_EVENTS_TRACE", NULL,
     GRANULAR, "how many of these events the driver has lost"},
    {"pmc", 0, CLI_GROUPS, "NAME", NULL, NULL, COUNTERS,
     "counters of one pass, NAME, NAME:device=N or all; given again, the program runs again for them"},
    {"pmc-groups", 0, CLI_GROUPS, "NAME", NULL, NULL, COUNTERS,
     "(input file only) counters that take turns from dispatch to dispatch"},
    {"pmc-group-interval", 0, CLI_NUMBER, "N", "ROCPROF_COUNTER_GROUPS_INTERVAL", NULL, COUNTERS,
     "(input file only) dispatches before the next group's turn (default 1)"},
    {"replay-mode", 0, CLI_CHOICE, "kernel application", "ROCPROF_KERNEL_REPLAY", NULL, COUNTERS,
     "several --pmc: run each kernel again, or (default) the whole program"},
    {"kernel-replay-beta-enabled", 0, CLI_BOOL, NULL, NULL, NULL, COUNTERS,
     "needed for --replay-mode kernel"},
    {"stats", 0, CLI_BOOL, NULL, "ROCPROF_STATS", NULL, AFTER,
     "statistics files of the traced domains"},
    {"summary", 'S', CLI_BOOL, NULL, "ROCPROF_STATS_SUMMARY", NULL, AFTER,
     "one summary at the end"},
    {"summary-per-domain", 'D', CLI_BOOL, NULL, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", NULL, AFTER,
     "one summary for each domain"},
    {"summary-groups", 0, CLI_WORDS, "REGEX", "ROCPROF_STATS_SUMMARY_GROUPS", NULL, AFTER,
     "one summary for each expression over the domain names"},
    {"summary-output-file", 0, CLI_TEXT, "NAME", "ROCPROF_STATS_SUMMARY_OUTPUT", NULL, SUMMARY,
     "stdout, stderr (default), or a name for <prefix>_<NAME>.txt"},
    {"summary-units", 'u', CLI_CHOICE, "sec msec usec nsec", "ROCPROF_STATS_SUMMARY_UNITS", NULL,
     SUMMARY, "unit of times (default nsec)"},
    {"mangled-kernels", 'M', CLI_NOT, NULL, "ROCPROF_DEMANGLE_KERNELS", NULL, NAMING,
     "keep mangled kernel names"},
    {"truncate-kernels", 'T', CLI_BOOL, NULL, "ROCPROF_TRUNCATE_KERNELS", NULL, NAMING,
     "base names only"},
    {"kernel-rename", 0, CLI_BOOL, NULL, "ROCPROF_KERNEL_RENAME", NULL, NAMING,
     "name kernels after the roctxRangePush range they are launched in"},
    {"kernel-include-regex", 0, CLI_TEXT, "REGEX", "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", NULL,
     FILTER, "count only kernels in whose names this is found"},
    {"kernel-exclude-regex", 0, CLI_TEXT, "REGEX", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", NULL,
     FILTER, "and of those, not the ones in whose names this is found"},
    {"kernel-iteration-range", 0, CLI_WORDS, "RANGE", "ROCPROF_KERNEL_FILTER_RANGE", NULL, FILTER,
     "count only these dispatches of each kernel, as [1-3,5]"},
    {"selected-regions", 0, CLI_BOOL, NULL, "ROCPROF_SELECTED_REGIONS", NULL, FILTER,
     "trace only between roctxProfilerResume(0) and roctxProfilerPause(0)"},
    {"selected-regions-ref-count", 0, CLI_BOOL, NULL, "ROCPROF_SELECTED_REGIONS_REF_COUNT", NULL,
     FILTER, "of nested ones too: as many pauses as there were resumes end the tracing"},
    {"collection-period", 'P', CLI_WORDS, "DELAY:TIME:REPEAT", "ROCPROF_COLLECTION_PERIOD", NULL,
     FILTER, "trace after DELAY for TIME, and so on REPEAT times (0: for ever); then the next word"},
    {"collection-period-unit", 0, CLI_CHOICE, "hour min sec msec usec nsec", NULL, NULL, FILTER,
     "unit of these times (default sec)"},
    {"profile-mpi-ranks", 0, CLI_TEXT, "LIST", "ROCPROF_MPI_RANKS", NULL, FILTER,
     "profile only these ranks of a parallel program, as 0-3,8; the others run as without rocprofv3"},
    {"mpi-world-rank-variable", 0, CLI_TEXT, "NAME", "ROCPROF_MPI_RANK_VAR", NULL, FILTER,
     "variable in which the launcher tells the rank, where it is an unusual one"},
    {"mpi-world-size-variable", 0, CLI_TEXT, "NAME", "ROCPROF_MPI_SIZE_VAR", NULL, FILTER,
     "and the number of ranks"},
    {"list-avail", 'L', CLI_BOOL, NULL, NULL, NULL, DISPLAY,
     "what can be counted and sampled (rocprofv3-avail info); no program is needed"},
    {"group-by-queue", 0, CLI_BOOL, NULL, "ROCPROF_GROUP_BY_QUEUE", NULL, DISPLAY,
     "do not follow HIP streams"},
    {"agent-index", 'A', CLI_CHOICE, "absolute relative type-relative", "ROCPROF_AGENT_INDEX",
     NULL, ADVANCED, "how agents are numbered (default relative)"},
    {"preload", 0, CLI_WORDS, "LIB", NULL, NULL, ADVANCED,
     "libraries to put first in LD_PRELOAD"},
    {"suppress-marker-preload", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED,
     "leave the program's own ROCTx library in place"},
    {"rocm-root", 0, CLI_TEXT, "PATH", NULL, NULL, ADVANCED,
     "take the profiler's libraries from PATH/lib"},
    {"echo", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED, "print the command and do not run it"},
    {"disable-signal-handlers", 0, CLI_NOT, NULL, "ROCPROF_SIGNAL_HANDLERS", NULL, ADVANCED,
     "leave the program's fatal signals alone; the last records before one may be lost"},
    {"minimum-output-data", 0, CLI_NUMBER, "KB", NULL, NULL, ADVANCED,
     "write no files below this amount of recorded data"},
    {"perfetto-backend", 0, CLI_CHOICE, "inprocess system", "ROCPROF_PERFETTO_BACKEND", NULL, PERFETTO,
     "who writes the trace; it is always written directly"},
    {"perfetto-buffer-size", 0, CLI_NUMBER, "KB", "ROCPROF_PERFETTO_BUFFER_SIZE_KB", NULL, PERFETTO,
     "accepted; no buffer holds the trace, so it has no limit"},
    {"perfetto-buffer-fill-policy", 0, CLI_CHOICE, "discard ring_buffer",
     "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", NULL, PERFETTO, "accepted; nothing is ever discarded"},
    {"perfetto-shmem-size-hint", 0, CLI_NUMBER, "KB", "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB", NULL,
     PERFETTO, "accepted; no memory is shared"},
    {"pid", 'p', CLI_NUMBER, "PID", "ROCPROF_ATTACH_PID", NULL, ATTACH,
     "profile this process, which runs already; it was started with ROCP_TOOL_ATTACH=1"},
    {"attach-duration-msec", 0, CLI_NUMBER, "MSEC", "ROCPROF_ATTACH_DURATION", NULL, ATTACH,
     "detach after this time (default: when Enter is pressed)"},
    {"attach-children", 0, CLI_BOOL, NULL, "ROCPROF_ATTACH_CHILDREN", NULL, ATTACH,
     "also the processes that it has started (default yes)"},
    {"sdk-version", 0, CLI_TEXT, "X.Y.Z", NULL, NULL, ADVANCED,
     "take the SDK's libraries with this version"},
    {"sdk-soversion", 0, CLI_NUMBER, "N", NULL, NULL, ADVANCED,
     "take the SDK's libraries with this major version"},
    {"readlink", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED,
     "preload what the libraries' links lead to, one step"},
    {"realpath", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED, "the same, all steps"},
    {"process-sync", 0, CLI_BOOL, NULL, "ROCPROF_PROCESS_SYNC", NULL, ADVANCED,
     "wait for all processes of the run before files are made"},
    {"doctor", 0, CLI_WORDS, "ARGUMENT", NULL, NULL, DISPLAY,
     "run rocprofv3-doctor with all that follows"},
    {"attach-sync-output", 0, CLI_BOOL, NULL, "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC", NULL, ATTACH,
     "files are complete when the command ends; they always are"},
    {"advanced-thread-trace", 0, CLI_BOOL, NULL, "ROCPROF_ADVANCED_THREAD_TRACE", NULL, ATT,
     "(--att) trace every instruction of the waves on one compute unit, of the selected kernels"},
    {"att-library-path", 0, CLI_WORDS, "PATH", "ROCPROF_ATT_LIBRARY_PATH", NULL, ATT,
     "folders below which librocprof-trace-decoder.so is (default LD_LIBRARY_PATH, ROCm, our own)"},
    {"att-target-cu", 0, CLI_INTEGER, "N", "ROCPROF_ATT_PARAM_TARGET_CU", NULL, ATT,
     "compute unit of each shader engine, 0 to 15 (default 1)"},
    {"att-simd-select", 0, CLI_INTEGER, "MASK", "ROCPROF_ATT_PARAM_SIMD_SELECT", NULL, ATT,
     "its SIMDs, a mask of 4 bits (default 0xf)"},
    {"att-buffer-size", 0, CLI_INTEGER, "BYTES", "ROCPROF_ATT_PARAM_BUFFER_SIZE", NULL, ATT,
     "buffer of a trace, for all shader engines (default 256 MiB)"},
    {"att-shader-engine-mask", 0, CLI_INTEGER, "MASK", "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK", NULL,
     ATT, "shader engines (default 0x1)"},
    {"att-gpu-index", 0, CLI_WORDS, "N", "ROCPROF_ATT_PARAM_GPU_INDEX", NULL, ATT,
     "GPUs, counted from 0 (default all)"},
    {"att-perfcounters", 0, CLI_WORDS, "NAME[:SIMDS]", "ROCPROF_ATT_PARAM_PERFCOUNTERS", NULL, ATT,
     "SQ counters that are sampled into the trace, 8 at most"},
    {"att-perfcounter-ctrl", 0, CLI_INTEGER, "N", "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", NULL, ATT,
     "how seldom, 1 to 32"},
    {"att-activity", 0, CLI_INTEGER, "N", NULL, NULL, ATT,
     "sample eight counters of how busy the units are, every N of 1 to 16"},
    {"att-serialize-all", 0, CLI_BOOL, NULL, "ROCPROF_ATT_PARAM_SERIALIZE_ALL", NULL, ATT,
     "kernels that are not traced run one by one, too"},
    {"att-consecutive-kernels", 0, CLI_INTEGER, "N", "ROCPROF_ATT_CONSECUTIVE_KERNELS", NULL, ATT,
     "trace the N dispatches behind a selected one with it, into one output"},
    {"att-no-intercept", 0, CLI_BOOL, NULL, "ROCPROF_ATT_NO_INTERCEPT", "advanced-thread-trace",
     ATT, "trace from first to last without looking at dispatches"},
    {"att-resource-mode", 0, CLI_CHOICE, "default hsa code-object",
     "ROCPROF_ATT_PARAM_RESOURCE_MODE", NULL, ATT,
     "accepted; buffers are allocated when the first trace begins"},
    {"att-perfcounter-target-only", 0, CLI_BOOL, NULL, "ROCPROF_ATT_PARAM_TARGET_ONLY", NULL, ATT,
     "sample counters on the traced compute unit alone"},
    {"att-no-detail", 0, CLI_BOOL, NULL, "ROCPROF_ATT_PARAM_NO_DETAIL", NULL, ATT,
     "beginnings and ends of waves, no instructions"},
    {"pc-sampling-beta-enabled", 0, CLI_BOOL, NULL, "ROCPROFILER_PC_SAMPLING_BETA_ENABLED", NULL,
     SAMPLING, "allow it"},
    {"pc-sampling-unit", 0, CLI_CHOICE, "instructions cycles time", "ROCPROF_PC_SAMPLING_UNIT",
     NULL, SAMPLING, "of the interval; time: microseconds"},
    {"pc-sampling-method", 0, CLI_CHOICE, "stochastic host_trap", "ROCPROF_PC_SAMPLING_METHOD",
     NULL, SAMPLING, "how waves are asked where they are; rocprofv3-avail has what a GPU can"},
    {"pc-sampling-interval", 0, CLI_NUMBER, "N", "ROCPROF_PC_SAMPLING_INTERVAL", NULL, SAMPLING,
     "how seldom, in the unit"},
    {"instruction-counts", 0, CLI_BOOL, NULL, "ROCPROF_INSTRUCTION_COUNTS", NULL, COUNTERS,
     "count every instruction of the kernels that are selected, exactly; softgpu alone can"},

    /* Features of the original that are not here, and why; a variable that asks for one is refused
     * too. */
    {"rocshmem-trace", 0, CLI_ABSENT, 0, "ROCPROF_ROCSHMEM_API_TRACE", 0, 0, NO_TABLE},
    {"hipfile-trace", 0, CLI_ABSENT, 0, "ROCPROF_HIPFILE_API_TRACE", 0, 0, NO_TABLE},
    {"hip-graph-trace", 0, CLI_ABSENT, 0, "ROCPROF_HIP_GRAPH_TRACE", 0, 0, NO_PACKETS},
    {"hip-event-trace", 0, CLI_ABSENT, 0, "ROCPROF_HIP_EVENT_TRACE", 0, 0, NO_PACKETS},
    {"spm", 0, CLI_ABSENT, 0, "ROCPROF_SPM_COUNTER_COLLECTION", 0, 0, NO_STREAMING},
    {"spm-beta-enabled", 0, CLI_ABSENT, 0, "ROCPROFILER_SPM_BETA_ENABLED", 0, 0, NO_STREAMING},
    {"spm-sample-interval", 0, CLI_ABSENT, 0, 0, 0, 0, NO_STREAMING},
    {"spm-sample-interval-unit", 0, CLI_ABSENT, 0, 0, 0, 0, NO_STREAMING},
    {"benchmark-mode", 0, CLI_ABSENT, 0, "ROCPROF_BENCHMARK_MODE", 0, 0,
     "it switches parts of another tool library on and off; this one's costs are in `make bench`"},
};
/* clang-format on */

const size_t cli_option_rows = sizeof(cli_options) / sizeof(*cli_options);

const cli_alias_t cli_aliases[] = {
    {"attach", "pid"},
    {"att", "advanced-thread-trace"},
    {NULL, NULL},
};
