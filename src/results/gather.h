/* gather.h - reads the records of a run once and sums them up in small temporary tables.
 *
 * A run has millions of records and few kinds of them. Its databases are read side by side
 * (each.h), each once and in full, if `whole` of the run is set. Statements that ask for kernels,
 * calls or gaps read these tables and not the records, so that a new statement costs little. */
#ifndef CROCPROF_RESULTS_GATHER_H
#define CROCPROF_RESULTS_GATHER_H

#include "results/gather_part.h"
#include "results/run.h"

/* Makes temp.res_launch, a row for each way in which a kernel was launched:
 *   guid, kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid (the last two in
 * work-items), calls, total, least, most (ns), first (when the first of them began), first_ns (what
 * it took), last (when the last of them ended). 0, or -1 with the reason told. */
int res_gather_launches(res_run_t *r);

/* Makes temp.res_work, a row for each process, of its kernels and copies:
 *   guid, first, last (when they began and ended), kernel_ns, copy_ns, busy_ns (when there was a
 * kernel, a copy, one of both), gaps, idle_ns, longest_ns (the times without, between the first and
 * the last), startup_ns (what of them the first call of each function of HIP fills), own_ns,
 * own_longest_ns (what no call of HIP fills), apart_ns, apart (by calls alone: times between a wait
 * for the GPU and the next call that gives it work; 0 unless `model_time`), host_ns (from its first
 * to its last call), load_ns (what of it calls that compile and load code cover), asked_ns (from
 * its first launch to the end of its last wait; 0 unless `model_time`); and temp.res_call, a row
 * for each name of calls and ranges of a process: guid, name, category, kind (launch, sync, alloc,
 * copy, load, other; '' what is not HIP's), calls, time_ns, longest_ns, first, last, inside,
 * inside_ns (those within the time of kernels and copies), gap_ns (what its calls, the first one
 * left out, fill of the gaps; no time is filled twice). `model_time`: kernels have the clock of a
 * model, and their gaps say nothing. Makes temp.res_copy, too, a row for each name of copies of a
 * process between two agents: guid, name, src_agent_id, dst_agent_id, copies, bytes, time_ns;
 * temp.res_stream, a row for each stream of a process with kernels of the program's own, if the
 * process copies: guid, stream_id, kernels, copies (those that begin from the first kernel's
 * beginning to the last one's end); temp.res_rank, a row for each process: guid, rank, ranks (-1:
 * not known), pid, host, active (it has records), first, last (when its first record begins and its
 * last one ends, on one clock for the whole job), clock, clock_error_ns (how its clock is known:
 * res_clock_words); and temp.res_memory: bytes of
 * GPUs' memory that was allocated; no row if none was. 0, or -1 with the reason told. */
int res_gather_calls(res_run_t *r, bool model_time);

/* How clocks are known, ORDER: trace_clock_source_t, the better the earlier. */
extern const char *const res_clock_words[TRACE_CLOCK_ALONE + 1];

/* The sums themselves, behind res_gather_calls(); a time of a process on the clock of the whole
 * job; and how that clock is known. */
const gather_part_t *res_gathered(const res_run_t *r);
int64_t res_gather_time(const res_run_t *r, const gather_work_t *w, int64_t time);
const trace_clock_map_t *res_gather_clock(const res_run_t *r, const gather_work_t *w);

/* Forgets the sums; res_run_close() does. */
void res_gather_forget(res_run_t *r);

#endif
