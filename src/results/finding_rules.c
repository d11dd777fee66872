/* finding_rules.c - the rules of findings: each a row with the statement that finds it.
 *
 * Besides the views of the run, rules read the tables f_run, f_kernel, f_call, f_code,
 * f_instruction, f_job, f_rank, f_rank_kernel and f_rank_median, which findings.c makes and
 * describes at its beginning, f_wait of finding_waits.c, the tables that gather.h describes, and
 * the functions mean_of(place, 'COUNTER') and ratio(place, 'PART', 'WHOLE'). The
 * functions are NULL for counters that were not collected, so that a rule without its counters
 * finds nothing. Thresholds are in the statements, once each; those of single instructions are in
 * waste.c, whose functions are called wasted_lines() etc. in SQL. A weight is the largest share of
 * the run's time, f_run.span_ns, that could be saved. A rule must not mix times of different
 * clocks. */
#include "results/findings.h"

#include <string.h>

/* Condition for kernels of the program itself. */
#define OWN "label NOT LIKE '\\_\\_amd\\_rocclr%' ESCAPE '\\'"

/* Selects kernels for which the condition holds; `lost` is the share of the kernel's time that is
 * lost. */
#define KERNELS(lost, columns, condition)                                                          \
    "SELECT label, share * (" lost "), name AS kernel, " columns " FROM f_kernel WHERE " OWN       \
    " AND " condition

#define LIMITED                                                                                    \
    "occupancy AS waves, waves_max AS possible, limiter || iif(advice = '', '', '; ' || advice) "  \
    "AS limiter"
#define FEWER_WAVES "(1.0 - occupancy * 1.0 / waves_max) / 2"

/* For each kernel, the instruction with the greatest MAX() among those for which the condition
 * holds: in SQLite the columns beside a MAX() come from its row. `lost` is the share of the
 * kernel's work that is lost. */
#define INSTRUCTIONS(lost, columns, condition)                                                     \
    "SELECT F.label, F.share * (" lost "), F.name AS kernel, I.source AS place, I.text AS "        \
    "instruction, " columns                                                                        \
    " FROM f_instruction I JOIN f_kernel F ON F.place = I.place JOIN f_code C ON C.place = "       \
    "I.place WHERE C.work > 0 AND " condition " GROUP BY F.place"

#define LINES  "wasted_lines(I.issued, I.lines, I.lines_needed)"
#define CLOCKS "wasted_clocks(I.lds_clocks, I.lds_clocks_needed)"
/* Work-items of the waves of a kernel F with code C: its code says more than its GPU, whose waves
 * may be of either size. */
#define WAVE "COALESCE(C.wave, F.wave)"
/* The same for a row of f_kernel alone, and the lanes that are active there on average: the counter
 * has them in percent of the lanes that the GPU says its waves have. */
#define OWN_WAVE "COALESCE((SELECT C.wave FROM f_code C WHERE C.place = f_kernel.place), wave)"
#define ACTIVE   "(agent_wave * mean_of(place, 'VALUUtilization') / 100)"
#define SPILLED  "spilled_in_loop(I.spills, I.loop_depth, I.text)"

/* The share of requests that hit L2. Not all GPUs have the metric, nor all the counters. */
#define L2_HITS "COALESCE(mean_of(place, 'L2CacheHit'), 100 * ratio(place, 'TCC_HIT', 'TCC_REQ'))"

/* Lines of code that waves had to have from L2, in a launch: those that missed, or what was read
 * without the lines behind code that ended or jumped away. A miss has up to 16 of these read ahead
 * (gfx950; on others it is fewer, and the number is a lower limit). */
#define CODE_LINES                                                                                 \
    "MAX(mean_of(place, 'SQC_ICACHE_MISSES'), mean_of(place, 'SQC_TC_INST_REQ') - 16 * "           \
    "mean_of(place, 'SQC_ICACHE_MISSES'))"

/* Selects all calls for which the condition holds, as one row; `lost` is the time of the run that
 * is lost. */
#define CALLS(lost, columns, condition)                                                            \
    "SELECT COALESCE(group_concat(name, ', '), ''), (" lost ") * 1.0 / (SELECT span_ns FROM "      \
    "f_run), " columns " FROM (SELECT * FROM f_call ORDER BY time_ns DESC) WHERE " condition

#define LOST_BY(kind) "(SELECT TOTAL(lost_ns) FROM f_call WHERE kind = '" kind "')"
/* The time that the run would save if copies and kernels overlapped wherever they can. */
#define APART "(SELECT MAX(0, MIN(kernel_ns, copy_ns) - overlap_ns) FROM f_run)"

/* Selects ranks K of a job of several, with the medians M of a kernel F over them. With too few
 * ranks, a median does not say what is usual. */
#define RANKS                                                                                      \
    "f_rank_kernel K JOIN f_rank_median M ON M.place = K.place JOIN f_kernel F ON F.place = "      \
    "K.place, f_job J WHERE M.n >= 4 AND "
/* Selects the results of rocprofv3 waits, which has its own thresholds. */
#define WAITS(kind)                                                                                \
    "SELECT iif(rank < 0, '', 'rank ' || rank), share, text AS what, ns AS waited_ns, 100.0 * "    \
    "share AS share_pct FROM f_wait WHERE kind = '" kind "' ORDER BY ns DESC"
#define WAITED "{what}. All ranks together wait {waited}, {share} of their time."

/* Condition that a rank launches a kernel about as often as the median rank. */
#define AS_OFTEN "K.calls < 1.2 * M.calls AND K.calls * 1.2 > M.calls"

const res_rule_row_t res_finding_rules[] = {
    {"losses", "Records are missing", RES_EXACT, false, false, false,
     "SELECT '', 1.0, dropped AS records, damaged AS damaged_bytes, names_lost AS names, uncounted "
     "AS dispatches FROM f_run WHERE dropped + damaged + names_lost + uncounted > 0",
     "The run lost {records:record:records}, {damaged} of damaged records, {names:name:names} "
     "and the counts of instructions of {dispatches:dispatch:dispatches}. Totals are too "
     "small, and other findings may be missing.",
     "Read what rocprofv3 said at the end of the run; give it more disk space, or trace less.",
     "Run it again: this finding is gone when nothing is lost.", RES_MORE_RUN},
    {"host-times", "Times of kernels are those of the host", RES_MEASURED, false, false, false,
     "SELECT '', 0.0, span_ns FROM f_run WHERE software AND NOT model_time",
     "The software GPU ran the kernels: their times are what this host took to compute them, "
     "and say little of a GPU.",
     "Compare counters rather than times, or set SOFTGPU_TIME=model for times of the timing "
     "model.",
     "With model times this finding is gone.", RES_MORE_RUN},
    {"model-times", "Times of two clocks", RES_TIMING_MODEL, false, false, false,
     "SELECT '', 0.0, span_ns FROM f_run WHERE model_time AND (SELECT COUNT(*) FROM f_call WHERE "
     "kind <> '') + (SELECT COUNT(*) FROM res_copy) > 0",
     "Kernels have the timing model's clock, calls and copies the host's: how long the GPU "
     "waits for the host, and whether copies overlap kernels, cannot be judged. Launches (5 "
     "us), waits and copies (10 us, 25 GB/s) and allocations (30 us) count as on a host with "
     "an MI200, not as they were measured.",
     "For times of one clock run without SOFTGPU_TIME=model.",
     "Without model times this finding is gone.", RES_MORE_RUN},
    {"ranks-missing", "Not all ranks can be read", RES_EXACT, false, false, false,
     "SELECT '', iif(damaged + version > 0, 1.0, 0.0), there, ranks, MAX(0, ranks - there) AS "
     "missing, damaged, twice, version, repeated FROM f_job WHERE (ranks > there AND there > 0) OR "
     "damaged + twice + version + repeated > 0",
     "{there:rank of:ranks of} {ranks} can be read, {missing} are missing. Of the databases "
     "{damaged} cannot be read, {twice} have a process that another one has, {version} have "
     "another version of the schema: these are left out. Of {repeated:rank:ranks} there are more "
     "runs than of the others.",
     "Read what the job's ranks said at their ends; a rank that was killed leaves its store, which "
     "rocprofv3 convert reads as far as it goes. Without --ranks, all ranks are profiled.",
     "With all databases this finding is gone.", RES_MORE_RUN},
    {"rank-kernel", "A rank is slower than the others in a kernel", RES_MEASURED, false, false,
     false,
     /* columns beside a MAX are those of its row */
     "SELECT F.label, MAX(K.total_ns - M.total_ns) * 1.0 / J.ns, F.name AS kernel, 'rank ' || "
     "K.rank AS slow, K.total_ns AS own_ns, M.total_ns AS median_ns, K.total_ns * 1.0 / M.total_ns "
     "AS times, COUNT(*) - 1 AS more, M.n AS ranks FROM " RANKS AS_OFTEN
     " AND M.total_ns > 0 AND K.total_ns >= 1.15 * M.total_ns AND K.total_ns - M.total_ns >= 0.02 "
     "* J.ns AND " OWN " GROUP BY K.place",
     "{slow} is {times} times the median in {subject}: {own} of kernels, where the median of "
     "{ranks} ranks is {median}. {more:other is:others are} above 1.15 times, too. Whoever "
     "exchanges data with it waits.",
     "Divide the work by what it costs, not by its size; or look at what else that GPU does, and "
     "at its clock.",
     "Run it again with --kernel-trace: the times of the ranks are closer to one another.",
     RES_MORE_KERNELS},
    {"rank-work", "A rank does other work than the others", RES_EXACT, false, false, true,
     "SELECT F.label, MAX(ABS(K.total_ns - M.total_ns)) * 1.0 / J.ns, F.name AS kernel, 'rank ' || "
     "K.rank AS rank, K.calls AS launches, M.calls AS usual, COUNT(*) - 1 AS more, M.n AS ranks "
     "FROM " RANKS "NOT (" AS_OFTEN ") AND ABS(K.total_ns - M.total_ns) >= 0.02 * J.ns AND " OWN
     " GROUP BY K.place HAVING COUNT(*) * 4 <= M.n",
     "{rank} launches {subject} {launches:time:times}, the median of {ranks} ranks "
     "{usual:time:times}. {more:other differs:others differ} as much.",
     "If it is meant so, give that rank less of the other work; else look for what it repeats.",
     "Run it again with --kernel-trace: ranks launch kernels equally often.", RES_MORE_KERNELS},
    {"rank-late", "A rank begins late", RES_MEASURED, false, true, false,
     /* not if the clocks may differ by as much */
     "WITH M AS (SELECT first AS usual FROM f_rank WHERE first IS NOT NULL ORDER BY first LIMIT 1 "
     "OFFSET ((SELECT active FROM f_job) - 1) / 2) SELECT '', MAX(R.first - M.usual) * 1.0 / J.ns, "
     "'rank ' || R.rank AS rank, R.first - M.usual AS late_ns, 100.0 * (R.first - M.usual) / J.ns "
     "AS share_pct, COUNT(*) - 1 AS more, J.active AS ranks FROM f_rank R, M, f_job J WHERE "
     "J.active >= 4 AND NOT J.unknown AND R.first - M.usual >= 0.05 * J.ns AND R.first "
     "- M.usual >= MAX(1000000, J.clock_ns) HAVING COUNT(*) > 0 AND COUNT(*) * 4 <= "
     "J.active",
     "{rank} begins {late} after the median of {ranks} ranks, {share} of the job's time. "
     "{more:other begins:others begin} late, too.",
     "Look at what it does before: reading input alone, a slow file system, another node's start.",
     "Run it again: the first records of all ranks are close to one another.", RES_MORE_RUN},
    {"rank-idle", "A rank gives its GPU no work", RES_EXACT, false, false, false,
     "SELECT '', COUNT(*) * 1.0 / J.there, 'rank ' || MIN(R.rank) AS rank, COUNT(*) - 1 AS more, "
     "J.there - COUNT(*) AS busy FROM f_rank R, f_job J WHERE R.rank NOT IN (SELECT rank FROM "
     "f_rank_kernel) HAVING COUNT(*) > 0 AND J.there >= 4 AND COUNT(*) * 4 <= J.there",
     "{rank} runs no kernel, where {busy:rank does:ranks do}. {more:other runs:others run} none, "
     "either.",
     "If it only distributes work, let it share a GPU with another rank; else look at which GPU it "
     "was given (ROCR_VISIBLE_DEVICES).",
     "Run it again with --kernel-trace: each rank runs kernels.", RES_MORE_RUN},
    {"mpi-late", "Ranks wait in collectives for one that is late", RES_MEASURED, false, true, false,
     WAITS("late in collectives"), WAITED,
     "Give that rank less work, or make faster what it does longer than the others; a rank that "
     "starts late is the launcher's, or reads something first.",
     "Run it again with --mpi-trace: ranks come to collectives at about the same time.",
     RES_MORE_WAITS},
    {"mpi-sender", "Ranks wait for messages that are sent late", RES_MEASURED, false, true, false,
     WAITS("late sender"), WAITED,
     "Send as soon as the data are there, before other work; or give that rank less work.",
     "Run it again with --mpi-trace: receives wait less for that rank.", RES_MORE_WAITS},
    {"mpi-receiver", "Ranks wait in sends for a receive that begins late", RES_MEASURED, false,
     true, false, WAITS("late receiver"), WAITED,
     "Post the receive before the work that precedes it (MPI_Irecv), or send without blocking.",
     "Run it again with --mpi-trace: sends wait less for that rank.", RES_MORE_WAITS},
    {"mpi-imbalance", "A range takes longer in one rank", RES_MEASURED, false, true, false,
     WAITS("imbalance"), WAITED, "Divide the work of that range more evenly.",
     "Run it again with --mpi-trace and --marker-trace: the range takes all ranks about as long.",
     RES_MORE_WAITS},
    {"mpi-barrier", "Barriers that order nothing", RES_MEASURED, false, true, true,
     WAITS("needless barrier"), "{what}.",
     "Leave it out: no rank leaves the collective before it until all have come.",
     "Run it again with --mpi-trace: the barrier is gone.", RES_MORE_WAITS},
    {"ranks-ended", "A rank did not end in order", RES_EXACT, false, false, false,
     "SELECT '', COUNT(*) * 1.0 / J.there, 'rank ' || MIN(R.rank) AS rank, COUNT(*) - 1 AS more, "
     "J.there AS ranks FROM f_rank R, f_job J WHERE R.unclosed HAVING COUNT(*) > 0",
     "{rank} of {ranks} was killed, or left by _exit: its records are read as far as they go. "
     "{more:other:others} did not end in order, either. Sums over ranks are too small by what "
     "they did not come to.",
     "Read what the job said at its end: a limit of time or memory, a signal, another rank that "
     "ended all of them.",
     "Run it again: this finding is gone when all ranks end in order.", RES_MORE_RUN},
    {"ranks-gpus", "Ranks have different GPUs", RES_EXACT, false, false, false,
     "SELECT '', 0.0, COUNT(*) AS kinds, group_concat(name, ', ') AS gpus FROM (SELECT DISTINCT "
     "COALESCE(NULLIF(A.product_name, ''), A.name) AS name FROM res_launch D JOIN res_rank R ON "
     "R.guid = D.guid JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = D.guid WHERE "
     "R.rank >= 0 AND R.ranks > 1 ORDER BY 1) HAVING COUNT(*) > 1",
     "Ranks ran on {kinds} kinds of GPUs: {gpus}. The same kernel takes different times on them.",
     "Compare ranks of one kind, or divide the work by what each GPU can do.",
     "With GPUs of one kind this finding is gone.", RES_MORE_RUN},
    {"launch-bound", "Launching takes longer than the kernels", RES_MEASURED, false, false, true,
     "SELECT label, CASE WHEN R.model_time THEN calls * R.launch_ns / R.span_ns WHEN R.software "
     "THEN "
     "share / 2 + " LOST_BY(
         "launch") " / R.span_ns * calls / (SELECT SUM(calls) FROM f_kernel) ELSE "
                   "MIN(R.idle_ns, calls * (R.launch_ns - total_ns / calls)) * 1.0 / R.span_ns "
                   "END, name AS "
                   "kernel, calls AS launches, total_ns * 1.0 / calls AS kernel_ns, R.launch_ns AS "
                   "launch_ns, "
                   "groups * group_waves AS waves FROM f_kernel, f_run R WHERE " OWN
                   " AND calls >= 20 AND "
                   "R.launch_ns IS NOT NULL AND (SELECT TOTAL(calls) FROM f_call WHERE kind = "
                   "'launch') >= 20 "
                   /* on the model's clock, an empty kernel already takes half of this limit */
                   "AND (total_ns < calls * R.launch_ns * iif(R.model_time, 2, 1) OR "
                   /* on the host's clock: no more waves than a GPU runs at once, and a time in
                    * which a GPU would run more */
                   "(R.software AND NOT R.model_time AND calls >= 50 AND simds > 0 AND groups * "
                   "group_waves <= "
                   "simds * 8 AND total_ns < calls * 500000.0))",
     "{subject} is launched {launches:time:times}, with {waves:wave:waves} at most; it takes "
     "{kernel} on average, and a launch takes the host {launch}: much of the time goes by with "
     "launching.",
     "Do more in each launch: fuse kernels that follow each other, loop within the kernel, or "
     "record the sequence once as a HIP graph.",
     "Run it again with the same options: the number of launches falls, the time of each "
     "kernel grows.",
     RES_MORE_KERNELS},
    {"idle-gpu", "The GPU waits for the host's own work", RES_MEASURED, false, true, false,
     "WITH idle AS (SELECT *, iif(model_time, apart, gaps) AS n, iif(model_time, apart_ns, own_ns "
     "+ "
     "others) AS ns, MAX(1, iif(model_time, asked_ns, span_ns)) AS whole_ns FROM f_run, (SELECT "
     "TOTAL(lost_ns) AS others FROM f_call WHERE kind = 'other' AND calls >= 10)) "
     "SELECT '', ns * 1.0 / whole_ns, n AS gaps, ns AS idle_ns, 100.0 * ns / whole_ns AS "
     "share_pct, "
     "iif(model_time, 'the time from the first launch to the last wait', 'the run''s time') AS "
     "whole, COALESCE((SELECT name FROM f_call WHERE kind = 'other' AND calls >= 10 AND lost_ns > "
     "own_ns AND NOT model_time ORDER BY lost_ns DESC, name LIMIT 1), 'the program''s own code, or "
     "calls that were not traced') AS call FROM idle WHERE n >= 4 AND ns >= iif(model_time, 0.1, "
     /* a single long gap does not count */
     "0.3) * whole_ns AND (model_time OR ns - own_longest_ns >= 0.1 * whole_ns)",
     "The GPU has nothing to do for {idle}, {share} of {whole}, in {gaps} gaps; meanwhile the host "
     "is in {call}.",
     "Launch ahead of time: let the host do its work while kernels run, and wait for the GPU only "
     "where a result is needed.",
     "Run it again with --hip-trace and --kernel-trace: the gaps become shorter.", RES_MORE_CALLS},
    {"sync-in-loop", "The host waits after every few kernels", RES_MEASURED, false, false, false,
     CALLS("SUM(lost_ns) + " LOST_BY("launch"),
           "SUM(calls) AS calls, SUM(time_ns) AS time_ns, (SELECT SUM(calls) FROM f_kernel) AS "
           "kernels",
           "kind = 'sync' HAVING SUM(calls) >= 20 AND SUM(calls) >= 0.5 * (SELECT SUM(calls) FROM "
           "f_kernel)"),
     "{subject} is called {calls:time:times} for {kernels:kernel:kernels}: after each wait the "
     "GPU has nothing to do until the host has launched again.",
     "A stream runs its kernels in order by itself. Wait once, where the host needs the "
     "result.",
     "Run it again with --hip-trace: the number of waits falls.", RES_MORE_CALLS},
    {"one-stream", "Copies and kernels share one stream", RES_MEASURED, false, false, false,
     "WITH c AS (SELECT stream_id, SUM(kernels) AS kernels, SUM(copies) AS copies FROM res_stream "
     "GROUP BY stream_id) "
     "SELECT '', " APART " * 1.0 / span_ns, c.copies AS copies, copy_ns, kernel_ns FROM c, f_run "
     "WHERE c.copies >= 4 AND c.kernels >= 4 AND c.kernels >= 0.9 * (SELECT SUM(kernels) FROM "
     "res_stream) AND c.copies >= 0.5 * (SELECT SUM(copies) FROM res_copy) AND " APART
     " >= iif(software AND NOT model_time, 0.005, 0.02) * span_ns",
     "{copies:copy between kernels is:copies between kernels are} on the kernels' own stream: "
     "copies ({copy} in all) and kernels ({kernel}) take their turns instead of running at the "
     "same time.",
     "Cut the data into parts and give each its stream, with hipMemcpyAsync and pinned memory: "
     "one part is copied while another is computed.",
     "Run it again with --kernel-trace and --memory-copy-trace: copies and kernels overlap in "
     "the report's timeline.",
     RES_MORE_COPIES},
    {"alloc-in-loop", "Memory is allocated while kernels run", RES_MEASURED, false, false, false,
     CALLS("SUM(lost_ns)", "SUM(inside) AS calls, SUM(inside_ns) AS time_ns",
           "kind = 'alloc' HAVING SUM(inside) >= 20"),
     "{subject}: {calls:call:calls} between the first and the last kernel. They take {time}, "
     "and hipFree waits for the GPU.",
     "Allocate once and reuse the memory, or use hipMallocAsync and hipFreeAsync, which keep a "
     "pool.",
     "Run it again with --hip-trace: no such calls are left between kernels.", RES_MORE_CALLS},
    {"code-loading", "Compiling and loading code takes long", RES_MEASURED, false, true, false,
     "SELECT '', load_ns * 1.0 / host_ns, (SELECT SUM(calls) FROM f_call WHERE kind = 'load') AS "
     "calls, load_ns "
     "AS time_ns, 100.0 * load_ns / host_ns AS share_pct FROM f_run WHERE load_ns >= 0.05 * "
     "host_ns AND load_ns > 0",
     "Compiling or loading code takes {time} in {calls:call:calls}, {share} of the time from "
     "the first to the last call of the host.",
     "Compile ahead of time, keep what hiprtc made in a file, and load each module once.",
     "Run it again with --hip-trace: fewer calls of hipModuleLoad and hiprtcCompileProgram.",
     RES_MORE_CALLS},
    {"warm-up", "The first run of a kernel takes much longer", RES_MEASURED, false, false, false,
     /* columns beside a MIN are those of its row */
     "WITH k AS (SELECT place, MIN(first), first_ns, SUM(calls) AS calls, SUM(total) AS total FROM "
     "res_launch D JOIN res_symbol K ON K.id = D.kernel_id AND K.guid = D.guid GROUP BY place), "
     "rest AS (SELECT *, (total - first_ns) * 1.0 / (calls - 1) AS rest_ns FROM k WHERE calls >= "
     "5) SELECT F.label, F.share * (first_ns - rest_ns) / rest.total, F.name AS kernel, first_ns, "
     "rest_ns, rest.calls AS calls FROM rest JOIN f_kernel F ON F.place = rest.place WHERE "
     "first_ns > 5 * rest_ns AND first_ns - rest_ns >= 0.02 * (SELECT SUM(total) FROM res_launch) "
     "AND " OWN,
     "The first run of {subject} takes {first}, the other ones {rest} on average.",
     "Leave the first run out when measuring; touch memory and load code before the time counts.",
     "Run it again with --kernel-trace: the first run takes as long as the others.",
     RES_MORE_KERNELS},
    {"sync-copies", "The host waits for its copies", RES_MEASURED, false, false, false,
     CALLS("SUM(lost_ns) + iif((SELECT kernel_ns FROM f_run) > 0, " APART ", 0)",
           "SUM(calls) AS calls, SUM(time_ns) AS time_ns",
           "kind = 'copy' AND name LIKE 'hipMemcpy%' AND name NOT LIKE '%Async%' HAVING SUM(calls) "
           ">= 6 AND "
           "SUM(lost_ns) + " APART " >= 0.05 * (SELECT span_ns FROM f_run)"),
     "{subject} is called {calls:time:times}. The host waits for each copy and launches "
     "nothing meanwhile, so that no kernel runs beside a copy.",
     "Use hipMemcpyAsync with pinned memory (hipHostMalloc) on two or more streams.",
     "Run it again with --hip-trace and --memory-copy-trace: kernels run while data is copied.",
     RES_MORE_COPIES},
    {"pageable-copies", "Copies from memory that is not pinned", RES_MEASURED, false, false, false,
     "SELECT '', (SELECT copy_ns * 0.5 / span_ns FROM f_run), SUM(C.copies) AS copies, "
     "SUM(C.bytes) AS copied_bytes FROM res_copy C JOIN rocpd_info_agent S ON S.id = "
     "C.src_agent_id AND S.guid = C.guid JOIN rocpd_info_agent D ON D.id = C.dst_agent_id AND "
     "D.guid = C.guid WHERE S.type <> D.type AND EXISTS (SELECT 1 FROM f_call WHERE name LIKE "
     "'hipMemcpy%') AND NOT EXISTS (SELECT 1 FROM f_call WHERE name IN ('hipHostMalloc', "
     "'hipHostAlloc', 'hipMallocHost', 'hipHostRegister', 'hipMallocManaged')) HAVING "
     "SUM(C.bytes) >= 1048576 AND SUM(C.copies) >= 6",
     "{copies:copy between host and GPU moves:copies between host and GPU move} {copied}, and "
     "the program pins no memory of the host: each goes through a buffer of the runtime, and "
     "the host waits for it.",
     "Allocate what is copied with hipHostMalloc, or pin it with hipHostRegister: copies are "
     "faster and can run beside kernels.",
     "Run it again with --memory-copy-trace: the copies take less time.", RES_MORE_COPIES},
    {"small-copies", "Many small copies", RES_MEASURED, false, false, true,
     "SELECT C.name, MAX(SUM(C.time_ns) * (NOT R.model_time), " LOST_BY(
         "copy") ") * 1.0 / R.span_ns, SUM(C.copies) AS copies, SUM(C.bytes) * 1.0 / "
                 "SUM(C.copies) AS mean_bytes FROM f_run R, res_copy C WHERE C.name IS NOT NULL "
                 "GROUP BY C.name HAVING SUM(C.copies) >= 50 AND SUM(C.bytes) * 1.0 / "
                 "SUM(C.copies) <= 65536",
     "{copies:copy moves:copies move} {mean} each on average: the time to begin a copy, "
     "microseconds however small it is, counts more than the bytes.",
     "Gather the parts on the host and copy once.",
     "Run it again with --memory-copy-trace: fewer copies, each larger.", RES_MORE_COPIES},
    {"few-waves", "Too few waves for the GPU", RES_EXACT, false, false, false,
     KERNELS("1.0 - groups * group_waves * 1.0 / simds", "groups * group_waves AS waves, simds",
             "simds > 0 AND groups * group_waves < simds"),
     "The largest launch of {subject} has {waves:wave:waves}, the GPU {simds:SIMD:SIMDs}: the "
     "other SIMDs have nothing to do.",
     "Launch more work-items: let each do less, or run several problems at once.",
     "Run it again with --kernel-trace: the grid has a wave for each SIMD at least, better "
     "several.",
     RES_MORE_KERNELS},
    {"tail", "The last round of workgroups leaves the GPU empty", RES_EXACT, false, false, false,
     KERNELS("tail / 2", "groups, rounds, 100 * tail AS idle_pct",
             "rounds > 1 AND rounds < 10 AND tail >= 0.25"),
     "The {groups} workgroups of {subject} fill the GPU {rounds:time:times}: if all take the "
     "same time, {idle} of the GPU is idle over the whole kernel.",
     "Change the workgroup's size or the work of each, so that the rounds come out even.",
     "Run it again with --kernel-trace: the number of workgroups is a multiple of what the GPU "
     "holds.",
     RES_MORE_KERNELS},
    {"partial-waves", "Workgroups do not fill their waves", RES_EXACT, false, false, false,
     KERNELS("(group_waves * wave - workgroup) / (group_waves * wave)",
             "workgroup AS work_items, wave, 100.0 * (group_waves * wave - workgroup) / "
             "(group_waves * wave) AS idle_pct",
             "workgroup > 0 AND workgroup % wave <> 0"),
     "A workgroup of {subject} has {work_items} work-items: {idle} of the lanes of its waves of "
     "{wave} never work.",
     "Make the workgroup's size a multiple of the wave's.",
     "Run it again with --kernel-trace: the workgroup's size is a multiple of the wave's.",
     RES_MORE_KERNELS},
    {"occupancy-registers", "Registers limit the occupancy", RES_EXACT, false, false, false,
     KERNELS(FEWER_WAVES, LIMITED,
             "waves_max > 0 AND occupancy <= waves_max / 2 AND limiter LIKE '%GPRs%'"),
     "A SIMD holds {waves:wave:waves} of {subject} where {possible} are possible, limited by "
     "{limiter}. Fewer waves hide less of the latency of memory.",
     "Use fewer registers: __launch_bounds__, less unrolling, smaller tiles in registers.",
     "Run it again with --kernel-trace: the kernel takes less, and a SIMD holds more waves.",
     RES_MORE_LINES},
    {"occupancy-lds", "LDS limits the occupancy", RES_EXACT, false, false, false,
     KERNELS(FEWER_WAVES, LIMITED,
             "waves_max > 0 AND occupancy <= waves_max / 2 AND limiter LIKE '%LDS%' AND limiter "
             "NOT LIKE '%GPRs%'"),
     "A SIMD holds {waves:wave:waves} of {subject} where {possible} are possible, limited by "
     "{limiter}. Fewer waves hide less of the latency of memory.",
     "Use less LDS for each workgroup, or let larger workgroups share it.",
     "Run it again with --kernel-trace: the kernel takes less, and a SIMD holds more waves.",
     RES_MORE_LINES},
    {"occupancy-workgroups", "Workgroups and their barriers limit the occupancy", RES_EXACT, false,
     false, false,
     KERNELS(FEWER_WAVES, LIMITED, "occupancy < waves_max AND limiter LIKE '%workgroups%'"),
     "A SIMD holds {waves:wave:waves} of {subject} where {possible} are possible, limited by "
     "{limiter}. Fewer waves hide less of the latency of memory.",
     "A compute unit has barriers for few workgroups: make them larger.",
     "Run it again with --kernel-trace: the kernel takes less, and a SIMD holds more waves.",
     RES_MORE_LINES},
    {"occupancy-scratch", "Scratch memory limits the occupancy", RES_EXACT, false, false, false,
     KERNELS("(1.0 - scratch_slots * 1.0 / unit_waves) / 2",
             "scratch AS scratch_bytes, scratch_slots AS slots, unit_waves AS waves",
             "scratch > 0 AND scratch_slots > 0 AND scratch_slots < unit_waves"),
     "A compute unit could hold {waves:wave:waves} of {subject}, but has room for the scratch "
     "memory of {slots}.",
     "Avoid spills, and arrays with computed indices.",
     "Run it again with --kernel-trace: the kernel has less scratch memory.", RES_MORE_LINES},
    {"scratch", "Spills, or arrays in scratch memory", RES_EXACT, false, false, false,
     KERNELS("0.5", "scratch AS scratch_bytes", "scratch > 0"),
     "Each work-item of {subject} has {scratch} of scratch memory: registers that were "
     "spilled, or an array with an index that is not known when compiling. Both lie in memory, "
     "not in registers.",
     "Allow more registers (__launch_bounds__), unroll loops over small arrays, or keep these "
     "in LDS.",
     "Run it again with --kernel-trace: the kernel has no scratch memory.", RES_MORE_LINES},
    {"uncoalesced", "Memory access that is not coalesced", RES_CACHE_MODEL, true, false, false,
     KERNELS("0.75 * (1 - 4 / ratio(place, 'TCP_TOTAL_CACHE_ACCESSES', 'SQ_INSTS_VMEM'))",
             "ratio(place, 'TCP_TOTAL_CACHE_ACCESSES', 'SQ_INSTS_VMEM') AS lines",
             /* of a GPU that is in the table of GPUs, whose pieces have 64 bytes at least */
             "line_bytes > 0 AND ratio(place, 'TCP_TOTAL_CACHE_ACCESSES', 'SQ_INSTS_VMEM') >= "
             "24"),
     "A memory instruction of {subject} touches {lines} cache lines, or pieces of them, on "
     "average; 64 neighbours of 4 bytes need 4.",
     "Let neighbouring lanes access neighbouring addresses: change the layout, or transpose in "
     "LDS.",
     "Count TCP_TOTAL_CACHE_ACCESSES_sum and SQ_INSTS_VMEM again: there are fewer lines for "
     "each instruction.",
     RES_MORE_LINES},
    {"line-uncoalesced", "The instruction whose access is coalesced worst", RES_EXACT, false, false,
     false,
     INSTRUCTIONS("SUM(" LINES ") * 1.0 / C.work",
                  "I.lines * 1.0 / I.lines_needed AS times, MAX(" LINES ") AS needless",
                  LINES " > 0"),
     "At {place}, {instruction} touches {times} times the cache lines that its bytes need, "
     "{needless} more than would do.",
     "Let neighbouring lanes access neighbouring addresses: change the layout, or transpose in "
     "LDS.",
     "Run it again with --instruction-counts: annotate shows as many lines touched as needed.",
     RES_MORE_LINES},
    {"line-conflicts", "The instruction with the most LDS bank conflicts", RES_EXACT, false, false,
     false,
     INSTRUCTIONS("SUM(" CLOCKS ") * 1.0 / C.work",
                  "I.lds_clocks * 1.0 / I.lds_clocks_needed AS times, MAX(" CLOCKS ") AS lost",
                  CLOCKS " > 0"),
     "At {place}, {instruction} takes {times} times the clocks of LDS that it needs, since "
     "lanes want the same bank: {lost} clocks are lost.",
     "Pad rows by one element, or change which lane reads which column.",
     "Run it again with --instruction-counts: annotate shows no conflicts at this line.",
     RES_MORE_LINES},
    {"line-atomics", "The instruction whose atomics meet at one address", RES_EXACT, false, false,
     false,
     INSTRUCTIONS("SUM(I.atomics) * 1.0 / (C.work + SUM(I.atomics))",
                  "MAX(I.atomics) AS atomics, I.lanes * 1.0 / I.lines AS lanes",
                  "I.lines > 0 AND I.atomics > 0 AND I.lines < I.lines_needed"),
     "At {place}, {instruction} does {atomics} atomics, {lanes} lanes on each cache line: "
     "lanes share addresses, and wait for each other.",
     "Add up within a wave or workgroup first, and let one lane do the atomic.",
     "Run it again with --instruction-counts: this line has far fewer atomics.", RES_MORE_LINES},
    {"line-divergence", "Waves with idle lanes: branches diverge", RES_EXACT, false, false, false,
     "SELECT F.label, F.share * (1 - C.lanes / " WAVE " / C.vector), F.name AS kernel, "
     "COALESCE((SELECT "
     "source FROM f_instruction I "
     "WHERE I.place = F.place AND divergent > 0 ORDER BY divergent DESC, source LIMIT 1), 'its "
     "beginning') AS place, C.lanes / C.vector AS "
     "lanes, " WAVE " AS wave FROM f_kernel F JOIN f_code C ON C.place = F.place WHERE C.vector > "
     "0 AND C.lanes > 0 AND C.lanes < 0.7 * " WAVE " * C.vector",
     "{lanes} of {wave} lanes are active in the vector instructions of {subject}, on average; "
     "lanes part most often at {place}.",
     "Sort work so that the lanes of a wave do the same, and replace short branches by "
     "selects.",
     "Run it again with --instruction-counts: annotate shows more lanes.", RES_MORE_LINES},
    {"spill-in-loop", "Scratch memory is used in a loop", RES_EXACT, false, false, false,
     INSTRUCTIONS("MAX(0.5, SUM(I.issued + I.lines) * 1.0 / C.work)", "MAX(I.issued) AS times",
                  SPILLED),
     "At {place}, {instruction} is executed {times:time:times}, within a loop: it moves a "
     "register that had no room.",
     "Allow more registers (__launch_bounds__), or keep what the loop needs in fewer.",
     "Run it again with --instruction-counts: the kernel has no spilled registers.",
     RES_MORE_LINES},
    {"lds-conflicts", "LDS bank conflicts", RES_CACHE_MODEL, true, false, false,
     KERNELS("0.75 * ratio(place, 'SQ_LDS_BANK_CONFLICT', 'SQ_LDS_IDX_ACTIVE')",
             "100 * ratio(place, 'SQ_LDS_BANK_CONFLICT', 'SQ_LDS_IDX_ACTIVE') AS lost_pct",
             "ratio(place, 'SQ_LDS_BANK_CONFLICT', 'SQ_LDS_IDX_ACTIVE') BETWEEN 0.1 AND 1"),
     "{lost} of the clocks in which LDS works for {subject} are lost to bank conflicts.",
     "Pad rows by one element, or change which lane reads which column.",
     "Count SQ_LDS_BANK_CONFLICT and SQ_LDS_IDX_ACTIVE again: the share falls.", RES_MORE_LINES},
    {"l2-reuse", "Data that is used again does not stay in L2", RES_CACHE_MODEL, true, false, false,
     KERNELS("(1 - " L2_HITS " / 100) / 2",
             L2_HITS " AS hit_pct, 1024 * mean_of(place, 'FETCH_SIZE') AS "
                     "fetched_bytes, (SELECT bytes FROM res_memory) AS allocated_bytes",
             L2_HITS " < 50 AND 1024 * mean_of(place, 'FETCH_SIZE') >= 2 * "
                     "(SELECT bytes FROM res_memory)"),
     "Only {hit} of the requests of {subject} hit L2. A launch fetches {fetched} where the "
     "program has {allocated} in all: the same data comes several times.",
     "Work on tiles that fit into L2, and order workgroups so that neighbours share data.",
     "Count FETCH_SIZE again: it falls.", RES_MORE_LINES},
    {"tlb-misses", "Address translations miss", RES_CACHE_MODEL, true, false, false,
     KERNELS("0.5 * ratio(place, 'TCP_UTCL1_TRANSLATION_MISS', 'TCP_UTCL1_REQUEST')",
             "100 * ratio(place, 'TCP_UTCL1_TRANSLATION_MISS', 'TCP_UTCL1_REQUEST') AS miss_pct",
             "ratio(place, 'TCP_UTCL1_TRANSLATION_MISS', 'TCP_UTCL1_REQUEST') BETWEEN 0.05 AND 1"),
     "{miss} of the address translations of {subject} miss.",
     "Access memory in order, and avoid strides of pages.",
     "Count TCP_UTCL1_TRANSLATION_MISS and TCP_UTCL1_REQUEST again: the share falls.",
     RES_MORE_LINES},
    {"scalar-misses", "The scalar cache misses", RES_CACHE_MODEL, true, false, false,
     KERNELS("0.5 * ratio(place, 'SQC_DCACHE_MISSES', 'SQC_DCACHE_REQ')",
             "100 * ratio(place, 'SQC_DCACHE_MISSES', 'SQC_DCACHE_REQ') AS miss_pct, "
             "mean_of(place, 'SQC_DCACHE_REQ') AS requests",
             "ratio(place, 'SQC_DCACHE_MISSES', 'SQC_DCACHE_REQ') BETWEEN 0.2 AND 1 AND "
             "mean_of(place, 'SQC_DCACHE_REQ') >= 1000"),
     "{miss} of {requests} scalar loads of a launch of {subject} miss their cache.",
     "Read constants in order, or keep tables that are read at random in LDS.",
     "Count SQC_DCACHE_MISSES and SQC_DCACHE_REQ again: the share falls.", RES_MORE_LINES},
    {"code-misses", "The instruction cache misses", RES_CACHE_MODEL, true, false, false,
     /* a wave asks for 32 bytes, of a line of 64 */
     KERNELS("0.5 * MIN(1, 2 * " CODE_LINES " / mean_of(place, 'SQC_ICACHE_REQ'))",
             CODE_LINES " AS lines, mean_of(place, 'SQC_ICACHE_REQ') AS requests",
             "mean_of(place, 'SQC_ICACHE_REQ') >= 1000 AND " CODE_LINES
             " >= 0.1 * mean_of(place, 'SQC_ICACHE_REQ')"),
     "Waves of {subject} ask for code {requests:time:times} in a launch, and {lines:line:lines} "
     "of the instruction cache have to be read from L2 for them.",
     "Unroll and inline less: a loop should fit into the instruction cache.",
     "Count SQC_TC_INST_REQ and SQC_ICACHE_REQ again: the first falls.", RES_MORE_LINES},
    {"atomics", "Atomics make up much of the traffic", RES_CACHE_MODEL, true, false, false,
     KERNELS("ratio(place, 'TCC_ATOMIC', 'TCC_REQ')",
             "mean_of(place, 'TCC_ATOMIC') AS atomics, 100 * ratio(place, 'TCC_ATOMIC', 'TCC_REQ') "
             "AS share_pct",
             "ratio(place, 'TCC_ATOMIC', 'TCC_REQ') BETWEEN 0.25 AND 1"),
     "{share} of the requests of {subject} to L2 are atomics, {atomics} in a launch; those of "
     "one address wait for each other.",
     "Add up within a wave or workgroup first, and let one lane do the atomic.",
     "Count TCC_ATOMIC_sum and TCC_REQ_sum again: the share falls.", RES_MORE_LINES},
    {"divergence", "Lanes are idle: branches diverge", RES_TIMING_MODEL, true, false, false,
     KERNELS("1 - " ACTIVE " / " OWN_WAVE,
             "100 * " ACTIVE " / " OWN_WAVE " AS active_pct, " ACTIVE " AS lanes, " OWN_WAVE
             " AS wave",
             ACTIVE " < 0.7 * " OWN_WAVE),
     "{lanes} of {wave} lanes are active in the vector instructions of {subject}, on average.",
     "Sort work so that the lanes of a wave do the same, and replace short branches by "
     "selects.",
     "Count VALUUtilization again: it grows.", RES_MORE_LINES},
    {"no-matrix", "Half-precision sums without the matrix unit", RES_EXACT, true, false, false,
     KERNELS(
         "0.75 * ratio(place, 'SQ_INSTS_VALU_FMA_F16', 'SQ_INSTS_VALU')",
         "mean_of(place, 'SQ_INSTS_VALU_FMA_F16') AS instructions, 100 * ratio(place, "
         "'SQ_INSTS_VALU_FMA_F16', 'SQ_INSTS_VALU') AS share_pct",
         "ratio(place, 'SQ_INSTS_VALU_FMA_F16', 'SQ_INSTS_VALU') BETWEEN 0.25 AND 1 AND "
         "COALESCE(mean_of(place, 'SQ_INSTS_MFMA'), mean_of(place, 'SQ_INSTS_VALU_MFMA_F16')) = 0"),
     "{share} of the vector instructions of {subject} multiply and add half-precision numbers; "
     "none of them is a matrix instruction.",
     "A matrix product by MFMA is several times as fast: use rocBLAS, rocWMMA or Composable "
     "Kernel.",
     "Count SQ_INSTS_MFMA again: it is not 0.", RES_MORE_LINES},
    {"far-from-roofs", "Neither computing nor memory is busy", RES_TIMING_MODEL, true, false, false,
     KERNELS(
         "(1 - MAX(mean_of(place, 'VALUBusy'), mean_of(place, 'MemUnitBusy')) / 100) / 2",
         "mean_of(place, 'VALUBusy') AS compute_pct, mean_of(place, 'MemUnitBusy') AS memory_pct",
         "mean_of(place, 'VALUBusy') < 20 AND mean_of(place, 'MemUnitBusy') < 20 AND "
         /* a shorter kernel ends before the GPU could be busy */
         "iif((SELECT software AND NOT model_time FROM f_run), mean_of(place, 'SQ_INSTS_VALU') >= "
         "500 * groups * group_waves, total_ns >= 20000.0 * calls)"),
     "Vector units work {compute} of the time of {subject}, memory units {memory}: it waits "
     "for latency.",
     "Give each SIMD more waves, or each wave more independent work: unroll, load ahead.",
     "Count VALUBusy and MemUnitBusy again: one of them grows.", RES_MORE_LINES},
    {0}};

const res_rule_row_t *res_finding_rule(const char *name)
{
    const res_rule_row_t *rule = res_finding_rules;
    while (rule->rule && strcmp(rule->rule, name) != 0)
        rule++;
    return rule->rule ? rule : NULL;
}
