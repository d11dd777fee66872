/* pftrace_calls.h - calls, the largest part of a Perfetto trace, as packets.
 *
 * They are apart from pftrace_tracks.c because a call's packets depend only on its operation and
 * its thread: several threads render them, each with a pf_threads_t of its own. */
#ifndef CROCPROF_OUTPUT_PFTRACE_CALLS_H
#define CROCPROF_OUTPUT_PFTRACE_CALLS_H

#include "output/pftrace.h"

/* Returns the id of a thread's track. */
uint64_t pf_thread_uuid(const pf_t *p, uint32_t tid);

/* Returns the fields of an operation's category and name, which are interned if necessary; NULL
 * when out of memory. Only one thread at a time may call this. */
const proto_fields_t *pf_call_name(pf_t *p, out_pieces_t *calls, out_domain_t domain,
                                   const trace_timed_t *r);

/* Interns the name of a call's operation, unless the call has a name of its own. To be called
 * before the call is rendered, by one thread at a time. Returns false when out of memory. */
bool pf_call_prepare(pf_t *p, out_pieces_t *calls, out_domain_t domain, const trace_timed_t *r);

/* The fields that all calls of a thread have in common. */
typedef struct {
    uint32_t tid;
    proto_fields_t field;      /* the track's field; empty: not made yet */
    proto_fields_t annotation; /* annotation with the thread's id */
    proto_fields_t end;        /* end of a slice */
    uint8_t track[7], id[4];   /* ids of track and thread, in the width that calls have */
} pf_thread_t;

enum { PF_THREADS = 64 }; /* size of the cache of threads, which is indexed by id % PF_THREADS */

/* Used by one rendering thread alone. */
typedef struct {
    pf_t *p;
    pf_thread_t rows[PF_THREADS];
} pf_threads_t;

const pf_thread_t *pf_find_thread(pf_threads_t *t, uint32_t tid);

/* Adds the annotations of a call, or of an event of the same form, inside its packet. */
void pf_annotate_call(pf_t *p, const pf_thread_t *thread, const trace_timed_t *r);

/* Writes the packets of a call for which pf_call_prepare was called. */
void pf_render_call(pf_threads_t *t, const out_pieces_t *calls, out_domain_t domain,
                    const trace_timed_t *r);

#endif
