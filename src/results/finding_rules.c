/* finding_rules.c - the rules of findings: each a row with the statement that finds it.
 *
 * What rules read besides the views of the run: f_run, f_kernel and f_instruction, what gather.h
 * has summed up, and total_of(place, 'COUNTER') and mean_of(...), which are NULL for what was not
 * collected, so that a rule without its counters finds nothing. Thresholds stand in the statements,
 * once each; those of single instructions in waste.c, which is wasted_lines() and so on here. */
#include "results/findings.h"

/* A kernel of which the condition holds. */
#define KERNELS(columns, condition)                                                                \
    "SELECT label, share, name AS kernel, " columns                                                \
    " FROM f_kernel WHERE label NOT LIKE '\\_\\_amd\\_rocclr%' ESCAPE '\\' AND " condition

#define LIMITED                                                                                    \
    "occupancy AS waves, waves_max AS possible, limiter || iif(advice = '', '', '; ' || advice) "  \
    "AS limiter"

/* Of each kernel the instruction with the greatest MAX() among those of which the condition holds:
 * columns beside a MAX are those of its row. */
#define INSTRUCTIONS(columns, condition)                                                           \
    "SELECT F.label, F.share, F.name AS kernel, I.source AS place, I.text AS "                     \
    "instruction, " columns                                                                        \
    " FROM f_instruction I JOIN f_kernel F ON F.place = I.place WHERE " condition                  \
    " GROUP BY F.place"

#define LINES  "wasted_lines(I.issued, I.lines, I.lines_needed)"
#define CLOCKS "wasted_clocks(I.lds_clocks, I.lds_clocks_needed)"

/* Calls by name, of the runtimes' and the program's own: these numbers of them, this time. */
#define CALLS(number, time, condition)                                                             \
    "SELECT name, SUM(" time ") * 1.0 / (SELECT span_ns FROM f_run), SUM(" number ") AS calls, "   \
    "SUM(" time ") AS time_ns FROM res_call WHERE " condition

#define HIP_CALL "category LIKE 'HIP\\_%' ESCAPE '\\'"

#define ANNOTATE "rocprofv3 annotate --kernel"

const res_rule_row_t res_finding_rules[] = {
    {"losses", "Records are missing", RES_EXACT, false,
     "SELECT '', 1.0, dropped AS records, damaged AS damaged_bytes, names_lost AS names, uncounted "
     "AS dispatches FROM f_run WHERE dropped + damaged + names_lost + uncounted > 0",
     "The run lost {records:record:records}, {damaged} of damaged records, {names:name:names} and "
     "the counts of instructions of {dispatches:dispatch:dispatches}.",
     "Totals are too small and other findings may be missing: look at what rocprofv3 said at the "
     "end of the run, give it more disk space, or trace less.",
     "rocprofv3 convert"},
    {"host-times", "Times of kernels are those of the host", RES_MEASURED, false,
     "SELECT '', 0.0, span_ns FROM f_run WHERE software AND NOT model_time",
     "The software GPU ran the kernels: their times are what this host took to compute them.",
     "Compare counters rather than times, or set SOFTGPU_TIME=model for those of the timing model.",
     "rocprofv3-avail info --pmc"},
    /* ---- launches, queues, the host ---- */
    /* the longest launch is the first one: it loads code */
    {"launch-bound", "Launching takes longer than the kernels", RES_MEASURED, false,
     "SELECT COALESCE(S.name, 'Stream ' || D.stream_id), D.t * 1.0 / (SELECT span_ns FROM f_run), "
     "D.n AS launches, D.t / D.n AS kernel_ns, L.mean AS launch_ns FROM (SELECT guid, stream_id, "
     "SUM(calls) AS n, SUM(total) AS t FROM res_launch GROUP BY guid, stream_id) D JOIN (SELECT "
     "guid, (SUM(time_ns) - MAX(longest_ns)) * 1.0 / (SUM(calls) - 1) AS mean FROM res_call WHERE "
     "name LIKE "
     "'hip%Launch%Kernel%' GROUP BY guid) L ON L.guid = D.guid LEFT JOIN rocpd_info_stream S ON "
     "S.id = D.stream_id AND S.guid = D.guid WHERE D.n >= 20 AND D.t / D.n < L.mean",
     "{launches} kernels take {kernel} each on average, launching one takes {launch}.",
     "Do more in each kernel, fuse neighbours, or record the sequence once as a HIP graph.",
     "rocprofv3 --hip-trace --kernel-trace"},
    {"idle-gpu", "The GPU waits between its kernels", RES_MEASURED, false,
     "WITH filler AS (SELECT name, SUM(gap_ns) AS t FROM res_call WHERE gap_ns > 0 AND " HIP_CALL
     " GROUP BY name ORDER BY t DESC, name LIMIT 1) "
     "SELECT COALESCE((SELECT name FROM filler), ''), idle_ns * 1.0 / span_ns, gaps, idle_ns, "
     "100.0 "
     "* idle_ns / span_ns AS share_pct, longest_ns, COALESCE((SELECT name FROM filler), 'no call "
     "that was traced') AS call FROM f_run WHERE idle_ns >= 0.3 * span_ns AND gaps >= 2",
     "It has nothing to do for {idle}, {share} of the time between its first and last work, in "
     "{gaps} "
     "gaps, the longest of {longest}; what fills the longest on the host is {call}.",
     "Launch ahead of time: move allocation, copies and host work out of the way, or overlap them "
     "with kernels on another stream.",
     "rocprofv3 --sys-trace"},
    {"sync-in-loop", "The host waits after every few kernels", RES_MEASURED, false,
     CALLS("calls", "time_ns",
           "name IN ('hipDeviceSynchronize', 'hipStreamSynchronize', 'hipEventSynchronize') GROUP "
           "BY name HAVING SUM(calls) >= 20 AND SUM(calls) >= 0.5 * (SELECT SUM(calls) FROM "
           "res_launch)"),
     "{subject} is called {calls:time:times}, and waits for {time} in all.",
     "A stream keeps its order by itself: wait once, where the host needs the result.",
     "rocprofv3 --hip-trace"},
    {"one-stream", "Copies and kernels share one stream", RES_MEASURED, false,
     "WITH work AS (SELECT stream_id, 0 AS copies, 0 AS copy_ns, calls AS kernels, total AS "
     "kernel_ns FROM res_launch UNION ALL SELECT stream_id, COUNT(*), SUM(\"end\" - start), 0, 0 "
     "FROM rocpd_memory_copy GROUP BY stream_id) "
     "SELECT '', SUM(copy_ns) * 1.0 / SUM(copy_ns + kernel_ns), SUM(copies) AS copies, "
     "SUM(copy_ns) "
     "AS copy_ns, SUM(kernel_ns) AS kernel_ns FROM work HAVING COUNT(DISTINCT stream_id) = 1 AND "
     "SUM(copies) >= 4 AND SUM(kernels) >= 4 AND SUM(copy_ns) >= 0.1 * SUM(copy_ns + kernel_ns)",
     "{copies:copy takes:copies take} {copy} and the kernels {kernel}, one after the other.",
     "Cut the data into parts and let two streams copy one while another is computed.",
     "rocprofv3 --kernel-trace --memory-copy-trace"},
    {"alloc-in-loop", "Memory is allocated while kernels run", RES_MEASURED, false,
     CALLS("inside", "inside_ns",
           "name IN ('hipMalloc', 'hipFree', 'hipHostMalloc', 'hipHostFree', 'hipMallocManaged') "
           "GROUP BY name HAVING SUM(inside) >= 20"),
     "{subject} is called {calls:time:times} between the first and the last kernel, and takes "
     "{time}.",
     "Allocate once and reuse, or use hipMallocAsync, which keeps a pool.",
     "rocprofv3 --hip-trace"},
    {"code-loading", "Compiling and loading code takes long", RES_MEASURED, false,
     "WITH span AS (SELECT MAX(last) - MIN(first) AS ns FROM res_call) SELECT '', SUM(time_ns) * "
     "1.0 / ns, SUM(calls) AS calls, SUM(time_ns) AS time_ns, 100.0 * SUM(time_ns) / ns AS "
     "share_pct FROM res_call, span WHERE name LIKE 'hipModuleLoad%' OR name LIKE "
     "'hiprtcCompile%' OR name LIKE 'hipLinkComplete%' HAVING SUM(time_ns) >= 0.05 * ns",
     "Compiling or loading code takes {time} in {calls:call:calls}, {share} of the time in which "
     "calls were traced.",
     "Compile ahead of time, keep what hiprtc made in a file, and load each module once.",
     "rocprofv3 --hip-trace"},
    {"warm-up", "The first run of a kernel takes much longer", RES_MEASURED, false,
     /* columns beside a MIN are those of its row */
     "WITH k AS (SELECT place, MIN(first), first_ns, SUM(calls) AS calls, SUM(total) AS total FROM "
     "res_launch D JOIN res_symbol K ON K.id = D.kernel_id AND K.guid = D.guid GROUP BY place), "
     "rest AS (SELECT *, (total - first_ns) * 1.0 / (calls - 1) AS rest_ns FROM k WHERE calls >= "
     "5) "
     "SELECT F.label, (first_ns - rest_ns) / (SELECT SUM(total) FROM res_launch), F.name AS "
     "kernel, "
     "first_ns, rest_ns, rest.calls AS calls FROM rest JOIN f_kernel F ON F.place = rest.place "
     "WHERE first_ns > 5 * rest_ns AND F.label NOT LIKE '\\_\\_amd\\_rocclr%' ESCAPE '\\'",
     "Its first run takes {first}, the others {rest} on average.",
     "Measure without the first run; touch memory and load code before the time counts.",
     "rocprofv3 --kernel-trace"},
    /* ---- copies ---- */
    {"sync-copies", "The host waits for its copies", RES_MEASURED, false,
     CALLS("calls", "time_ns",
           "name IN ('hipMemcpy', 'hipMemcpyHtoD', 'hipMemcpyDtoH', 'hipMemcpy2D', 'hipMemcpy3D', "
           "'hipMemcpyToSymbol', 'hipMemcpyFromSymbol') GROUP BY name HAVING SUM(calls) >= 2 "
           "AND SUM(time_ns) >= 0.05 * (SELECT span_ns FROM f_run)"),
     "{subject} is called {calls:time:times} and takes {time}, in which the host launches nothing.",
     "Use hipMemcpyAsync with pinned memory, and a stream beside that of the kernels.",
     "rocprofv3 --hip-trace --memory-copy-trace"},
    {"pageable-copies", "Copies from memory that is not pinned", RES_MEASURED, false,
     "SELECT '', SUM(C.\"end\" - C.start) * 1.0 / (SELECT span_ns FROM f_run), COUNT(*) AS copies, "
     "SUM(C.size) AS copied_bytes FROM rocpd_memory_copy C JOIN rocpd_info_agent S ON S.id = "
     "C.src_agent_id AND S.guid = C.guid JOIN rocpd_info_agent D ON D.id = C.dst_agent_id AND "
     "D.guid = C.guid WHERE S.type <> D.type AND EXISTS (SELECT 1 FROM res_call WHERE name LIKE "
     "'hipMemcpy%') AND NOT EXISTS (SELECT 1 FROM res_call WHERE name IN ('hipHostMalloc', "
     "'hipHostAlloc', 'hipMallocHost', 'hipHostRegister', 'hipMallocManaged')) HAVING SUM(C.size) "
     ">= "
     "1048576",
     "{copies:copy between host and GPU moves:copies between host and GPU move} {copied}, and the "
     "program pins no host memory.",
     "Allocate what is copied with hipHostMalloc, or pin it with hipHostRegister: copies are "
     "faster "
     "and can run beside kernels.",
     "rocprofv3 --hip-trace --memory-copy-trace"},
    {"small-copies", "Many small copies", RES_MEASURED, false,
     "SELECT S.string, SUM(C.\"end\" - C.start) * 1.0 / (SELECT span_ns FROM f_run), COUNT(*) AS "
     "copies, AVG(C.size) AS mean_bytes FROM rocpd_memory_copy C JOIN rocpd_string S ON S.id = "
     "C.name_id AND S.guid = C.guid GROUP BY S.string HAVING COUNT(*) >= 50 AND AVG(C.size) <= "
     "65536",
     "{copies:copy moves:copies move} {mean} each on average.",
     "Gather them on the host and copy once: each costs microseconds, however small.",
     "rocprofv3 --memory-copy-trace"},
    /* ---- shape of a kernel ---- */
    {"few-waves", "Too few waves for the GPU", RES_EXACT, false,
     KERNELS("groups * group_waves AS waves, simds", "simds > 0 AND groups * group_waves < simds"),
     "Its largest launch has {waves:wave:waves}, the GPU {simds:SIMD:SIMDs}: some have nothing to "
     "do.",
     "Launch more work-items: let each do less, or run several problems at once.",
     "rocprofv3 check"},
    {"tail", "The last round of workgroups leaves the GPU empty", RES_EXACT, false,
     KERNELS("groups, rounds, 100 * tail AS idle_pct",
             "rounds > 1 AND rounds < 10 AND tail >= 0.2"),
     "Its {groups} workgroups fill the GPU {rounds:time:times}, so {idle} of it is idle on "
     "average.",
     "Change the workgroup's size or the work of each, so that the rounds come out even.",
     "rocprofv3 check"},
    {"partial-waves", "Workgroups do not fill their waves", RES_EXACT, false,
     KERNELS("workgroup AS work_items, 100.0 * (group_waves * 64 - workgroup) / (group_waves * 64) "
             "AS idle_pct",
             "workgroup > 0 AND workgroup % 64 <> 0"),
     "A workgroup has {work_items} work-items: {idle} of the lanes of its waves never work.",
     "Make the workgroup's size a multiple of 64.", "rocprofv3 check"},
    {"occupancy-registers", "Registers limit the occupancy", RES_EXACT, false,
     KERNELS(LIMITED, "waves_max > 0 AND occupancy <= waves_max / 2 AND limiter LIKE '%GPRs%'"),
     "A SIMD holds {waves:wave:waves} of {possible}, limited by {limiter}.",
     "Use fewer registers: __launch_bounds__, less unrolling, smaller tiles in registers.",
     ANNOTATE},
    {"occupancy-lds", "LDS limits the occupancy", RES_EXACT, false,
     KERNELS(LIMITED, "waves_max > 0 AND occupancy <= waves_max / 2 AND limiter LIKE '%LDS%'"),
     "A SIMD holds {waves:wave:waves} of {possible}, limited by {limiter}.",
     "Use less LDS for each workgroup, or let larger workgroups share it.", ANNOTATE},
    {"occupancy-workgroups", "Workgroups and their barriers limit the occupancy", RES_EXACT, false,
     KERNELS(LIMITED, "occupancy < waves_max AND limiter LIKE '%workgroups%'"),
     "A SIMD holds {waves:wave:waves} of {possible}, limited by {limiter}.",
     "A compute unit has barriers for few workgroups: make them larger.", ANNOTATE},
    {"occupancy-scratch", "Scratch memory limits the occupancy", RES_EXACT, false,
     KERNELS("scratch AS scratch_bytes, scratch_slots AS slots, unit_waves AS waves",
             "scratch > 0 AND scratch_slots > 0 AND scratch_slots < unit_waves"),
     "A compute unit could hold {waves:wave:waves}, but has room for the scratch memory of "
     "{slots}.",
     "Avoid spills and arrays with computed indices.", ANNOTATE},
    {"scratch", "Spills, or arrays in scratch memory", RES_EXACT, false,
     KERNELS("scratch AS scratch_bytes", "scratch > 0"),
     "Each work-item has {scratch} of scratch memory: registers that were spilled, or arrays that "
     "are indexed by what is not known when compiling.",
     "Raise the limit of registers (__launch_bounds__), unroll loops over small arrays, or keep "
     "them in LDS.",
     ANNOTATE},
    /* ---- memory ---- */
    {"uncoalesced", "Memory access that is not coalesced", RES_CACHE_MODEL, true,
     KERNELS(
         "total_of(place, 'TCP_TOTAL_CACHE_ACCESSES') / total_of(place, 'SQ_INSTS_VMEM') AS lines",
         "total_of(place, 'SQ_INSTS_VMEM') > 0 AND total_of(place, 'TCP_TOTAL_CACHE_ACCESSES') >= "
         "24 * total_of(place, 'SQ_INSTS_VMEM')"),
     "A memory instruction touches {lines} cache lines of 64 bytes on average; 64 neighbours of 4 "
     "bytes need 4.",
     "Let neighbouring lanes access neighbouring addresses: change the layout, or transpose in "
     "LDS.",
     ANNOTATE},
    {"line-uncoalesced", "The instruction whose access is coalesced worst", RES_EXACT, false,
     INSTRUCTIONS("I.lines * 1.0 / I.lines_needed AS times, MAX(" LINES ") AS needless",
                  LINES " > 0"),
     "At {place}, {instruction} touches {times} times the cache lines that its bytes need, "
     "{needless} "
     "more than would do.",
     "Let neighbouring lanes access neighbouring addresses: change the layout, or transpose in "
     "LDS.",
     ANNOTATE},
    {"line-conflicts", "The instruction with the most LDS bank conflicts", RES_EXACT, false,
     INSTRUCTIONS("I.lds_clocks * 1.0 / I.lds_clocks_needed AS times, MAX(" CLOCKS ") AS lost",
                  CLOCKS " > 0"),
     "At {place}, {instruction} takes {times} times the clocks of LDS that it needs: {lost} are "
     "lost.",
     "Pad rows by one element, or change which lane reads which column.", ANNOTATE},
    {"spill-in-loop", "Scratch memory is used in a loop", RES_EXACT, false,
     INSTRUCTIONS("MAX(I.issued) AS times", "spilled_in_loop(I.spills, I.loop_depth, I.text)"),
     "At {place}, {instruction} is executed {times:time:times}, within a loop.",
     "Raise the limit of registers (__launch_bounds__), or keep what the loop needs in fewer.",
     ANNOTATE},
    {"lds-conflicts", "LDS bank conflicts", RES_CACHE_MODEL, true,
     KERNELS(
         "100 * total_of(place, 'SQ_LDS_BANK_CONFLICT') / total_of(place, 'SQ_LDS_IDX_ACTIVE') AS "
         "lost_pct",
         "total_of(place, 'SQ_LDS_IDX_ACTIVE') > 0 AND total_of(place, 'SQ_LDS_BANK_CONFLICT') >= "
         "0.1 * total_of(place, 'SQ_LDS_IDX_ACTIVE')"),
     "{lost} of the clocks in which LDS works are lost to bank conflicts.",
     "Pad rows by one element, or change which lane reads which column.", ANNOTATE},
    {"l2-reuse", "Data that is used again does not stay in L2", RES_CACHE_MODEL, true,
     KERNELS(
         "mean_of(place, 'L2CacheHit') AS hit_pct, 1024 * mean_of(place, 'FETCH_SIZE') AS "
         "fetched_bytes, (SELECT SUM(size) FROM rocpd_memory_allocate WHERE type = 'ALLOC' AND "
         "level = 'REAL') AS allocated_bytes",
         "mean_of(place, 'L2CacheHit') < 50 AND 1024 * mean_of(place, 'FETCH_SIZE') >= 2 * "
         "(SELECT SUM(size) FROM rocpd_memory_allocate WHERE type = 'ALLOC' AND level = 'REAL')"),
     "Only {hit} of its requests hit L2, and it fetches {fetched} where the program has "
     "{allocated} "
     "in all: the same data comes several times.",
     "Work on tiles that fit into L2, and order workgroups so that neighbours share data.",
     ANNOTATE},
    {"tlb-misses", "Address translations miss", RES_CACHE_MODEL, true,
     KERNELS("100 * total_of(place, 'TCP_UTCL1_TRANSLATION_MISS') / total_of(place, "
             "'TCP_UTCL1_REQUEST') AS miss_pct",
             "total_of(place, 'TCP_UTCL1_REQUEST') > 0 AND total_of(place, "
             "'TCP_UTCL1_TRANSLATION_MISS') >= 0.05 * total_of(place, 'TCP_UTCL1_REQUEST')"),
     "{miss} of its address translations miss.",
     "Access memory in order, and avoid strides of pages.", ANNOTATE},
    {"scalar-misses", "The scalar cache misses", RES_CACHE_MODEL, true,
     KERNELS(
         "100 * total_of(place, 'SQC_DCACHE_MISSES') / total_of(place, 'SQC_DCACHE_REQ') AS "
         "miss_pct, total_of(place, 'SQC_DCACHE_REQ') AS requests",
         "total_of(place, 'SQC_DCACHE_REQ') >= 1000 AND total_of(place, 'SQC_DCACHE_MISSES') >= "
         "0.2 * total_of(place, 'SQC_DCACHE_REQ')"),
     "{miss} of {requests} scalar loads miss their cache.",
     "Read constants in order, or keep tables that are read at random in LDS.", ANNOTATE},
    {"code-misses", "The instruction cache misses", RES_CACHE_MODEL, true,
     KERNELS(
         /* a line is asked for in two pieces of 32 bytes */
         "200 * total_of(place, 'SQC_TC_INST_REQ') / total_of(place, 'SQC_ICACHE_REQ') AS "
         "miss_pct, total_of(place, 'SQC_ICACHE_REQ') AS requests",
         "total_of(place, 'SQC_ICACHE_REQ') >= 1000 AND total_of(place, 'SQC_TC_INST_REQ') >= "
         "0.2 * total_of(place, 'SQC_ICACHE_REQ')"),
     "{miss} of the code that waves ask for ({requests} requests) has to be read from L2.",
     "Unroll and inline less: a loop should fit into 32 KiB.", ANNOTATE},
    {"atomics", "Atomics make up much of the traffic", RES_CACHE_MODEL, true,
     KERNELS("total_of(place, 'TCC_ATOMIC') AS atomics, 100 * total_of(place, 'TCC_ATOMIC') / "
             "total_of(place, 'TCC_REQ') AS share_pct",
             "total_of(place, 'TCC_REQ') > 0 AND total_of(place, 'TCC_ATOMIC') >= 0.25 * "
             "total_of(place, 'TCC_REQ')"),
     "{share} of its requests to L2 are atomics, {atomics} in all; those of one address wait for "
     "each "
     "other.",
     "Add up within a wave or workgroup first, and let one lane do the atomic.", ANNOTATE},
    /* ---- computing ---- */
    {"divergence", "Lanes are idle: branches diverge", RES_TIMING_MODEL, true,
     KERNELS("mean_of(place, 'VALUUtilization') AS active_pct, 0.64 * mean_of(place, "
             "'VALUUtilization') AS lanes",
             "mean_of(place, 'VALUUtilization') < 70"),
     "{lanes} of 64 lanes are active in its vector instructions, on average.",
     "Sort work so that the lanes of a wave do the same, and replace short branches by selects.",
     ANNOTATE},
    {"no-matrix", "Half-precision sums without the matrix unit", RES_EXACT, true,
     KERNELS(
         "total_of(place, 'SQ_INSTS_VALU_FMA_F16') AS instructions, 100 * total_of(place, "
         "'SQ_INSTS_VALU_FMA_F16') / total_of(place, 'SQ_INSTS_VALU') AS share_pct",
         "total_of(place, 'SQ_INSTS_VALU_FMA_F16') >= 0.25 * total_of(place, 'SQ_INSTS_VALU') AND "
         "COALESCE(total_of(place, 'SQ_INSTS_MFMA'), total_of(place, "
         "'SQ_INSTS_VALU_MFMA_F16')) = 0"),
     "{share} of its vector instructions multiply and add half-precision numbers, none of them is "
     "a "
     "matrix instruction.",
     "A matrix product by MFMA is several times as fast: rocBLAS, rocWMMA or Composable Kernel.",
     ANNOTATE},
    {"far-from-roofs", "Neither computing nor memory is busy", RES_TIMING_MODEL, true,
     KERNELS(
         "mean_of(place, 'VALUBusy') AS compute_pct, mean_of(place, 'MemUnitBusy') AS memory_pct",
         "mean_of(place, 'VALUBusy') < 20 AND mean_of(place, 'MemUnitBusy') < 20"),
     "Vector units work {compute} of the time, memory units {memory}: it waits for latency.",
     "Give each SIMD more waves, or each wave more independent work: unroll, load ahead.",
     ANNOTATE},
    {NULL, NULL, RES_EXACT, false, NULL, NULL, NULL, NULL}};
