/* pftrace_calls.h - calls, the greatest part of a Perfetto trace, as packets.
 *
 * Apart from pftrace_tracks.c because calls depend on nothing but their operation and their thread:
 * several threads render them, each with what is made here for it. */
#ifndef CROCPROF_OUTPUT_PFTRACE_CALLS_H
#define CROCPROF_OUTPUT_PFTRACE_CALLS_H

#include "output/pftrace.h"

/* Id of a thread's track. */
uint64_t pf_thread_uuid(const pf_t *p, uint32_t tid);

/* Fields of category and name of an operation, which are made, and interned, in turns. NULL when
 * out of memory. */
const proto_fields_t *pf_call_name(pf_t *p, out_pieces_t *calls, out_domain_t domain,
                                   const trace_timed_t *r);

/* Has the name of a call's operation there, unless the call has a name of its own. In turns, before
 * the call is rendered. False when out of memory. */
bool pf_call_prepare(pf_t *p, out_pieces_t *calls, out_domain_t domain, const trace_timed_t *r);

/* What calls of a thread have in common. */
typedef struct {
    uint32_t tid;
    proto_fields_t field;      /* its track; empty: not one yet */
    proto_fields_t annotation; /* of its id */
    proto_fields_t end;        /* of slices */
    uint8_t track[7], id[4];   /* of the track and the thread, as wide as calls have them */
} pf_thread_t;

enum { PF_THREADS = 64 }; /* that take turns, by the end of their ids */

/* One thread's alone. */
typedef struct {
    pf_t *p;
    pf_thread_t rows[PF_THREADS];
} pf_threads_t;

const pf_thread_t *pf_find_thread(pf_threads_t *t, uint32_t tid);

/* Annotations of a call, or of an event of its form, in its packet. */
void pf_annotate_call(pf_t *p, const pf_thread_t *thread, const trace_timed_t *r);

/* The packets of a call that was prepared. */
void pf_render_call(pf_threads_t *t, const out_pieces_t *calls, out_domain_t domain,
                    const trace_timed_t *r);

#endif
