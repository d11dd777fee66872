/* calls.c - a trace of calls whose numbers are as great as formats have room for, or greater, as
 * files of several formats: calls DIRECTORY. What is in the files is for calls.py to compare.
 *
 * Times of more than 56 bits, durations of more than 28, calls in calls, marks, arguments of every
 * length, threads of up to 24 bits. */
#include "output/convert.h"
#include "trace/store.h"
#include "trace/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HIP = 5, MARKER = 7, OPERATIONS = 3, LONGEST = 40000 };

static char why[512];

static trace_writer_t *open_writer(const char *store, const char *name, uint32_t contents)
{
    trace_writer_t *w = trace_writer_open(store, name, contents, 0, why, sizeof(why));
    if (w) return w;
    fprintf(stderr, "calls: %s\n", why);
    exit(1);
}

static void put_texts(trace_writer_t *w, trace_head_t head, const char *const *texts, size_t count)
{
    trace_writer_put_texts(w, &head, sizeof(head), texts, count);
}

static void put_names(const char *store, const char *directory)
{
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, directory}, {TRACE_INFO_NAME, "calls"}};
    const char *kinds[] = {"HIP_RUNTIME_API", "MARKER_CORE_API"};
    trace_writer_t *w = open_writer(store, TRACE_META_FILE, TRACE_CONTENTS_META);
    for (size_t i = 0; i < 2; i++)
        put_texts(w, trace_head(TRACE_INFO, 0, 0, 0, 0), facts[i], 2);
    put_texts(w, trace_head(TRACE_KIND, HIP, 0, 0, 0), &kinds[0], 1);
    put_texts(w, trace_head(TRACE_KIND, MARKER, 0, 0, 0), &kinds[1], 1);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        char text[32];
        const char *name = text, *argument[] = {"char const *", "text", "int", "number"};
        snprintf(text, sizeof(text), "hipCall%u", i);
        put_texts(w, trace_head(TRACE_OPERATION, HIP, i, 0, 0), &name, 1);
        trace_signature_t s = {.head = trace_head(TRACE_SIGNATURE, HIP, i, 0, sizeof(s)),
                               .count = 2};
        trace_writer_put_texts(w, &s, sizeof(s), argument, 4);
    }
    const char *mark = "a mark";
    put_texts(w, trace_head(TRACE_OPERATION, MARKER, 0, 0, 0), &mark, 1);
    trace_writer_close(w);
}

static uint64_t id; /* of the call that was put last */

static void put_plain(trace_writer_t *w, uint64_t start, uint64_t ns, uint32_t thread)
{
    id++;
    trace_api_t call = {
        trace_head(TRACE_API, HIP, (uint32_t)(id % OPERATIONS), thread, sizeof(call)), start,
        start + ns, id};
    trace_writer_put(w, &call);
}

static void put_full(trace_writer_t *w, uint64_t start, uint64_t ns, uint64_t ancestor)
{
    id++;
    trace_api_full_t call = {
        .head = trace_head(TRACE_API, HIP, (uint32_t)(id % OPERATIONS), 7, sizeof(call)),
        .start = start,
        .end = start + ns,
        .correlation = id,
        .ancestor = ancestor};
    trace_writer_put(w, &call);
}

static void put_arguments(trace_writer_t *w, uint64_t start, uint64_t ns, size_t length)
{
    static char values[LONGEST + 16];
    memset(values, 'x', length);
    const size_t bytes = (length + 1 + 3 + 7) / 8 * 8;
    memset(values + length, 0, bytes - length);
    memcpy(values + length + 1, "42", 2);
    id++;
    trace_call_t call = {.call = {.head = trace_head(TRACE_API, HIP, (uint32_t)(id % OPERATIONS), 7,
                                                     sizeof(call) + bytes),
                                  .start = start,
                                  .end = start + ns,
                                  .correlation = id,
                                  .ancestor = id},
                         .count = 2};
    trace_writer_put_parts(w, &call, sizeof(call), values, bytes);
}

static void put_records(const char *store)
{
    const size_t lengths[] = {1, 100, 120, 16000, 16100, 16200, 16300, 16400, LONGEST};
    trace_writer_t *w = open_writer(store, "records-0.seg", TRACE_CONTENTS_RECORDS);
    for (unsigned bits = 8; bits <= 62; bits++) {
        const uint64_t now = UINT64_C(1) << bits;
        for (unsigned off = 0; off < 3; off++)
            put_plain(w, now + off - 1, 1, bits % 2 ? bits : (1u << TRACE_THREAD_BITS) - bits);
        /* as long as the next power of two is away: of others' tracks than these */
        put_plain(w, now + 4, now / 2 - 1, 1000 + bits);
        put_plain(w, now + 5, now / 2, 2000 + bits);
        put_full(w, now + 6, 1, bits % 3);
        trace_marker_t mark = {.head = trace_head(TRACE_MARKER, MARKER, 0, 7, sizeof(mark)),
                               .start = now + 8,
                               .end = now + 8,
                               .correlation = ++id};
        trace_writer_put(w, &mark);
    }
    for (unsigned bits = 40; bits <= 60; bits += 20)
        for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
            put_arguments(w, (UINT64_C(1) << bits) + 100 + 10 * i, 5, lengths[i]);
    trace_writer_count(w, id, 0, 0);
    trace_writer_close(w);
}

static const char *variable(const void *from, const char *name)
{
    (void)from;
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? "csv,json,pftrace" : NULL;
}

int main(int argc, char **argv)
{
    char store[4096];
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config};
    if (argc < 2) return 2;
    snprintf(store, sizeof(store), "%s/store", argv[1]);
    if (mkdir(store, 0700) != 0) return 1;
    put_names(store, argv[1]);
    put_records(store);
    if (out_config_read(&config, variable, NULL, why, sizeof(why)) != 0 ||
        out_convert(&c, store, &result, why, sizeof(why)) != 0) {
        fprintf(stderr, "calls: %s\n", why);
        return 1;
    }
    out_conversion_free(&c);
    out_config_free(&config);
    return 0;
}
