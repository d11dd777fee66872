/* gather.h - reads the records of a run once and sums them in small temporary tables.
 *
 * A run has millions of records of few kinds. Its databases are read in parallel (each.h), each
 * once and in full, if `whole` of the run is set. Statements about kernels, calls or gaps read
 * these tables and not the records, so that a new statement costs little. */
#ifndef CROCPROF_RESULTS_GATHER_H
#define CROCPROF_RESULTS_GATHER_H

#include "results/gather_part.h"
#include "results/run.h"

/* Makes temp.res_launch, a row for each way in which a kernel was launched:
 *
 *   guid, kernel_id, agent_id, stream_id, lds, scratch, workgroup, grid (both in work-items)
 *   calls, total, least, most   number of launches and their times (ns)
 *   first, first_ns, last       begin and duration of the first launch, end of the last one
 *
 * Returns 0, or -1 after reporting the reason. */
int res_gather_launches(res_run_t *r);

/* Makes the following tables. With `model_time`, kernels have times of a model, so that their gaps
 * have no meaning, and times of calls are used instead.
 *
 * temp.res_work, a row for each process, of its kernels and copies:
 *   guid; first, last: begin of the first, end of the last
 *   kernel_ns, copy_ns, busy_ns: time with a kernel, with a copy, with either
 *   gaps, idle_ns, longest_ns: number, sum and longest of the times without, between first and last
 *   startup_ns: the part of them that the first call of each function of HIP fills
 *   own_ns, own_longest_ns: the part that no call of HIP fills
 *   apart_ns, apart: from calls alone: times between a wait for the GPU and the next call that
 *     submits work to it; 0 unless `model_time`
 *   host_ns: time from the first to the last call
 *   load_ns: the part of that time covered by calls that compile and load code
 *   asked_ns: time from the first launch to the end of the last wait; 0 unless `model_time`
 *
 * temp.res_call, a row for each name of calls and ranges of a process:
 *   guid, name, category
 *   kind: launch, sync, alloc, copy, load, other; '' for calls that are not HIP's
 *   calls, time_ns, longest_ns, first, last
 *   inside, inside_ns: number and time of those within the time of kernels and copies
 *   gap_ns: the part of the gaps that its calls fill, without the first one; no time counts twice
 *
 * temp.res_copy, a row for each name of copies of a process between two agents:
 *   guid, name, src_agent_id, dst_agent_id, copies, bytes, time_ns
 *
 * temp.res_stream, a row for each stream with kernels of the program itself, of processes with
 * copies:
 *   guid, stream_id, kernels
 *   copies: those that begin between the first kernel's begin and the last one's end
 *
 * temp.res_rank, a row for each process:
 *   guid, rank, ranks (-1: not known), pid, host, active (it has records)
 *   first, last: begin of the first record, end of the last one, on one clock for the whole job
 *   clock, clock_error_ns: how its clock is known (res_clock_words)
 *
 * temp.res_memory: bytes of GPU memory that were allocated; it has no row if there were none.
 *
 * Returns 0, or -1 after reporting the reason. */
int res_gather_calls(res_run_t *r, bool model_time);

/* Words for how a clock is known. ORDER: trace_clock_source_t, from the best to the worst. */
extern const char *const res_clock_words[TRACE_CLOCK_ALONE + 1];

/* Return the sums themselves, after res_gather_calls(); a time of a process on the clock of the
 * whole job; and how that clock is known. */
const gather_part_t *res_gathered(const res_run_t *r);
int64_t res_gather_time(const res_run_t *r, const gather_work_t *w, int64_t time);
const trace_clock_map_t *res_gather_clock(const res_run_t *r, const gather_work_t *w);

/* Frees the sums; res_run_close() calls this. */
void res_gather_forget(res_run_t *r);

#endif
