/* pftrace.c - a Perfetto trace: tracks, slices, flows and counters of one process.
 *
 * It is written packet by packet in order of start; memory depends on the records that overlap in
 * time. Field numbers are those of Perfetto's trace_packet.proto, track_event.proto and the files
 * they import. Sequences and tracks get numbers that depend on the process, so that files of
 * several processes can be concatenated to a valid trace. Tracks and their contents are in
 * pftrace_tracks.c. */
#include "output/pftrace.h"

#include <errno.h>
#include <stdio.h>

/* ---- packets ---- */

static const char *const annotation_names[] = {
#define X(id, text) text,
    PF_ANNOTATIONS(X)
#undef X
};

static void make_head(pf_t *p, uint64_t flags)
{
    p->head = (proto_fields_t){0};
    proto_add_field(&p->head, PF_PACKET_SEQUENCE, p->sequence);
    proto_add_field(&p->head, PF_PACKET_FLAGS, flags);
    p->begin = (proto_fields_t){0};
    uint8_t *at = proto_put_begin(p->begin.data, PF_TRACE_PACKET);
    memcpy(at, p->head.data, p->head.used);
    at = proto_put_varint(at + p->head.used, PF_PACKET_TIME << 3 | PROTO_VARINT);
    p->begin.used = (uint8_t)(at - p->begin.data);
}

static void flush_to_file(pf_t *p)
{
    out_bytes(p->file, p->out.data, p->out.used);
    p->out.used = 0;
}

static void interned(pf_t *p, uint32_t list, uint64_t iid, const char *text)
{
    size_t entry = proto_begin(&p->out, list);
    proto_number(&p->out, PF_INTERNED_IID, iid);
    proto_text(&p->out, PF_INTERNED_NAME, text);
    proto_end(&p->out, entry);
}

/* Writes the first packet, with the data to which later packets refer: categories, names of
 * annotations, clocks. */
static void write_head(pf_t *p, const trace_segment_header_t *h)
{
    const struct {
        uint64_t clock, ns;
    } clocks[] = {{PF_CLOCK_REALTIME, h->realtime_ns},
                  {PF_CLOCK_MONOTONIC, h->monotonic_ns},
                  {PF_CLOCK_BOOTTIME, h->boottime_ns}};
    make_head(p, PF_CLEARS_STATE);
    size_t packet = pf_packet(p), data = proto_begin(&p->out, PF_PACKET_INTERNED);
    for (uint64_t number = 1; number <= OUT_DOMAIN_COUNT; number++)
        for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
            if (out_domains[i].slices == number)
                interned(p, PF_INTERNED_CATEGORIES, number, out_domains[i].category);
    for (uint64_t i = 0; i < PF_ANNOTATION_COUNT; i++)
        interned(p, PF_INTERNED_ANNOTATIONS, i + 1, annotation_names[i]);
    proto_end(&p->out, data);
    pf_packet_end(p, packet);
    make_head(p, PF_NEEDS_STATE);
    packet = pf_packet(p);
    proto_number(&p->out, PF_PACKET_TIME, h->boottime_ns);
    data = proto_begin(&p->out, PF_PACKET_CLOCKS);
    for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
        size_t clock = proto_begin(&p->out, PF_CLOCKS_CLOCK);
        proto_number(&p->out, PF_CLOCK_ID, clocks[i].clock);
        proto_number(&p->out, PF_CLOCK_TIME, clocks[i].ns);
        proto_end(&p->out, clock);
    }
    proto_end(&p->out, data);
    pf_packet_end(p, packet);
}

/* ---- names of events ---- */

/* Returns the number of an interned name; 0 when out of memory. */
static uint64_t name_number(pf_t *p, const char *text)
{
    uint64_t number = out_numbers_get(&p->names, out_key(text));
    if (number) return number;
    number = p->names.count + 1;
    if (!out_numbers_set(&p->names, out_key(text), number)) return 0;
    size_t packet = pf_packet(p), data = proto_begin(&p->out, PF_PACKET_INTERNED);
    interned(p, PF_INTERNED_NAMES, number, text);
    proto_end(&p->out, data);
    pf_packet_end(p, packet);
    return number;
}

/* ---- events ---- */

void pf_annotate_named(pf_t *p, const char *name, const char *value)
{
    size_t a = proto_begin(&p->out, PF_EVENT_ANNOTATION);
    proto_text(&p->out, PF_ANNOTATION_NAME, name);
    proto_text(&p->out, PF_ANNOTATION_STRING, value);
    proto_end(&p->out, a);
}

void pf_annotate_double(pf_t *p, const char *name, double value)
{
    size_t a = proto_begin(&p->out, PF_EVENT_ANNOTATION);
    proto_text(&p->out, PF_ANNOTATION_NAME, name);
    proto_double(&p->out, PF_ANNOTATION_DOUBLE, value);
    proto_end(&p->out, a);
}

pf_name_t pf_name(pf_t *p, out_domain_t domain, const char *name)
{
    pf_name_t numbers = {out_domains[domain].slices, name_number(p, name)};
    p->out.failed |= !numbers.name;
    return numbers;
}

proto_fields_t pf_name_fields(pf_name_t name)
{
    proto_fields_t fields = {0};
    proto_add_field(&fields, PF_EVENT_CATEGORY_IID, name.category);
    proto_add_field(&fields, PF_EVENT_NAME_IID, name.name);
    return fields;
}

size_t pf_named(pf_t *p, const proto_fields_t *track, unsigned type, out_domain_t domain,
                const char *name, const trace_timed_t *r, size_t *event)
{
    size_t packet = pf_event(p, track, type, r->start, event);
    proto_number(&p->out, PF_EVENT_CATEGORY_IID, out_domains[domain].slices);
    proto_text(&p->out, PF_EVENT_NAME, name);
    if (proto_room(&p->out, PF_TIMES_MAX))
        pf_put_end(p, pf_put_times(p, p->out.data + p->out.used, r));
    return packet;
}

void pf_counter(pf_t *p, const proto_fields_t *track, uint64_t ns, double value)
{
    size_t event, packet = pf_event(p, track, PF_COUNTER, ns, &event);
    proto_double(&p->out, PF_EVENT_DOUBLE_VALUE, value);
    pf_event_end(p, packet, event);
}

/* ---- the file ---- */

int out_pftrace_write(out_job_t *job, const char *path)
{
    const trace_segment_header_t *h = &job->model->header;
    pf_t p = {.job = job, .pid = h->pid, .flush = flush_to_file};
    int result = -1;
    p.file = out_file_open(path, job->why, job->why_bytes);
    if (!p.file) return -1;
    const uint64_t process = out_mix(h->pid ^ out_mix(h->process_start ^ out_mix(h->realtime_ns)));
    p.process_track = process & ((UINT64_C(1) << PF_UUID_BITS) - 1);
    /* never 0, which means "no sequence" */
    p.sequence = (uint32_t)(process >> (64 - PF_SEQUENCE_BITS)) | 1;
    write_head(&p, h);
    if (pf_write_tracks(&p) == 0 && !p.out.failed) {
        flush_to_file(&p);
        result = out_file_close(p.file, job->why, job->why_bytes);
    } else {
        if (!job->source->failed)
            snprintf(job->why, job->why_bytes, "%s: %s", path, strerror(ENOMEM));
        out_file_abandon(p.file);
    }
    free(p.out.data);
    free(p.names.rows);
    return result;
}
