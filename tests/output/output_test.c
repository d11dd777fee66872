/* output_test.c - sorting, statistics, kernel names, number rules: against values worked out by
 * hand or by a plain sort in memory. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/convert.h"
#include "trace/names.h"
#include "trace/reader.h"
#include "trace/store.h"
#include "trace/writer.h"
#include "output/digits.h"
#include "output/ids.h"
#include "output/live.h"
#include "output/progress.h"
#include "output/proto.h"
#include "output/sort.h"
#include "output/summary.h"

static uint64_t random_number(uint64_t *seed)
{
    *seed ^= *seed << 13; /* xorshift64 */
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* ---- records in order ---- */

enum { SEGMENTS = 3 };

static void segment_path(char *path, size_t room, const char *store, unsigned number)
{
    snprintf(path, room, "%s/records-%u.seg", store, number);
}

/* Records of several sizes and two domains with many equal starts, `moved` of 16 of them anywhere
 * in time. Each has its number in the order of the segments, so also of adding, as its end. */
static void make_records(const char *store, uint32_t count, unsigned moved)
{
    char why[256], name[32];
    uint64_t seed = 88172645463325252u;
    for (uint32_t n = 0; n < SEGMENTS; n++) {
        snprintf(name, sizeof(name), "records-%u.seg", n);
        trace_writer_t *w =
            trace_writer_open(store, name, TRACE_CONTENTS_RECORDS, n, why, sizeof(why));
        if (!w) fail_msg("%s", why);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t start = 1 + i / 2;
            if (random_number(&seed) % 16 < moved) start = 1 + random_number(&seed) % count;
            trace_marker_t r = {.start = start, .end = n * count + i, .external = i};
            size_t bytes = i % 3 == 2 ? sizeof(r) : i % 3 ? sizeof(trace_api_full_t) : 32;
            r.correlation = r.end * 3;
            r.head = trace_head(i % 3 == 2 ? TRACE_MARKER : TRACE_API, 1, i & 0xfff, 1, bytes);
            assert_true(trace_writer_put(w, &r));
        }
        trace_writer_close(w);
    }
}

static void add_records(out_sort_t *s, const char *store)
{
    char path[128], why[256];
    for (unsigned n = 0; n < SEGMENTS; n++) {
        segment_path(path, sizeof(path), store, n);
        trace_reader_t *r = trace_reader_open(path, why, sizeof(why));
        if (!r) fail_msg("%s", why);
        assert_true(out_sort_segment(s, path));
        for (const trace_head_t *head; (head = trace_reader_next(r));)
            assert_true(out_sort_add(s, (const trace_timed_t *)head, trace_reader_offset(r),
                                     (unsigned)out_domain_of(*head)));
        trace_reader_close(r);
    }
}

static uint32_t check_order(out_sort_t *s, unsigned domains, uint32_t stop)
{
    uint64_t last = 0, last_number = 0;
    uint32_t n = 0;
    int domain, last_domain = 0;
    out_sort_begin(s, domains);
    for (const trace_timed_t *r; n < stop && (r = out_sort_next(s, &domain)); n++) {
        assert_int_equal(domain, out_domain_of(r->head));
        assert_true(domains >> domain & 1);
        assert_int_equal(r->correlation, r->end * 3);
        assert_true(r->start > last || (r->start == last && domain >= last_domain));
        if (n && r->start == last && domain == last_domain) assert_true(r->end > last_number);
        last = r->start;
        last_domain = domain;
        last_number = r->end;
    }
    assert_null(s->error);
    return n;
}

static void remove_records(const char *store)
{
    assert_int_equal(trace_remove(store), 0);
}

static void sort_with(uint32_t count, unsigned moved, size_t open, size_t run_bytes, bool file)
{
    char store[] = "/tmp/output-test-XXXXXX";
    assert_non_null(mkdtemp(store));
    out_sort_t s = OUT_SORT(store);
    s.chunks_open = open;
    s.run_bytes = run_bytes;
    make_records(store, count, moved);
    add_records(&s, store);
    assert_true(out_sort_ready(&s));
    assert_int_equal(!s.segments[0].path, file);
    uint32_t all = SEGMENTS * count, marks = SEGMENTS * (count / 3);
    assert_int_equal(check_order(&s, ~0u, UINT32_MAX), all);
    check_order(&s, ~0u, all / 2); /* ends early */
    assert_int_equal(check_order(&s, 1u << OUT_MARKER_API, UINT32_MAX), marks);
    assert_int_equal(check_order(&s, 1u << OUT_HSA_API, UINT32_MAX), all - marks);
    assert_int_equal(check_order(&s, 1u << OUT_HIP_API, UINT32_MAX), 0);
    out_sort_free(&s);
    remove_records(store);
}

static void sorts_segments(void **state)
{
    (void)state;
    int domain;
    out_sort_t none = OUT_SORT("/tmp");
    assert_true(out_sort_ready(&none));
    out_sort_begin(&none, ~0u);
    assert_null(out_sort_next(&none, &domain));
    out_sort_free(&none);
    sort_with(3, 0, 256, 1 << 20, false);
    sort_with(30000, 0, 8, 1 << 20, false); /* two chunks of each segment: one ends, one begins */
    sort_with(30000, 1, 256, 1 << 20, false);
    sort_with(30000, 16, 256, 1 << 20, false);
}

static void sorts_through_a_file(void **state)
{
    (void)state;
    sort_with(30000, 1, 8, 1 << 20, true); /* five runs */
    sort_with(30000, 16, 8, 300000, true);
    sort_with(30000, 16, 8, 0, true);
}

/* What is no record any more when it is read again ends the reading; nothing else happens. */
static void segments_that_change(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        char store[] = "/tmp/output-test-XXXXXX", path[128];
        int domain;
        assert_non_null(mkdtemp(store));
        out_sort_t s = OUT_SORT(store);
        make_records(store, 30000, 1);
        add_records(&s, store);
        assert_true(out_sort_ready(&s));
        segment_path(path, sizeof(path), store, 1);
        assert_int_equal(truncate(path, TRACE_HEADER_BYTES + 100000), 0);
        if (how) assert_int_equal(truncate(path, 8 << 20), 0); /* zeroes */
        out_sort_begin(&s, ~0u);
        while (out_sort_next(&s, &domain)) {
        }
        assert_string_equal(s.error,
                            how ? "a segment has changed" : "a segment has become shorter");
        out_sort_free(&s);
        remove_records(store);
    }
}

static void ids_in_order(void **state)
{
    (void)state;
    static const uint64_t ids[] = {4097, 1, 2, 1000000000000, 63, 64, 4096, 2, 12288, 65};
    static const uint64_t sorted[] = {1, 2, 63, 64, 65, 4096, 4097, 12288, 1000000000000};
    out_ids_t s = {0};
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
        assert_true(out_ids_add(&s, ids[i]));
    assert_true(out_ids_add(&s, 0));
    assert_true(out_ids_ready(&s));
    assert_int_equal(out_ids_place(&s, 0), 0);
    for (size_t i = 0; i < sizeof(sorted) / sizeof(*sorted); i++)
        assert_int_equal(out_ids_place(&s, sorted[i]), i + 1);
    out_ids_free(&s);

    /* two threads that take 64 in turn, far above those that are dense by themselves, and leave
     * the last of theirs */
    enum { FAR = 1 << 20, TURNS = 1000, LEFT = 5 };
    s = (out_ids_t){0};
    for (uint64_t thread = 0; thread < 2; thread++)
        for (uint64_t i = 0; i < TURNS * 64 - LEFT; i++)
            assert_true(out_ids_add(&s, FAR + i / 64 * 128 + thread * 64 + i % 64));
    assert_true(out_ids_ready(&s));
    assert_int_equal(out_ids_place(&s, FAR), 1);
    assert_int_equal(out_ids_place(&s, FAR + 64), 65);
    assert_int_equal(out_ids_place(&s, FAR + TURNS * 128 - LEFT - 1), TURNS * 128 - 2 * LEFT);
    out_ids_free(&s);

    /* more than there is room for with a bit for each, all but the first ten */
    const uint64_t many = UINT64_C(66000) * 4096;
    s = (out_ids_t){0};
    for (uint64_t id = 11; id <= many; id++)
        if (!out_ids_add(&s, id)) fail();
    assert_true(out_ids_ready(&s));
    assert_int_equal(out_ids_place(&s, 11), 1);
    assert_int_equal(out_ids_place(&s, 1000000), 1000000 - 10);
    assert_int_equal(out_ids_place(&s, many), many - 10);
    out_ids_free(&s);

    /* ids that nothing sound makes: a block each, more of them than are kept */
    s = (out_ids_t){0};
    for (uint64_t i = 1; i < 100000; i++)
        assert_true(out_ids_add(&s, i << 20));
    assert_true(out_ids_ready(&s));
    assert_int_equal(out_ids_place(&s, 5 << 20), 5 << 20);
    out_ids_free(&s);
}

static void memory_given_and_taken(void **state)
{
    (void)state;
    out_live_t l = {0};
    out_block_t b;
    assert_false(out_live_take(&l, 4096, &b));
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 1; i <= 5000; i++)
            assert_true(out_live_add(&l, (out_block_t){i << 12, i + round, 7}));
        for (uint64_t i = 5000; i >= 1; i--) {
            assert_true(out_live_take(&l, i << 12, &b));
            assert_int_equal(b.bytes, i + round);
            assert_int_equal(b.agent, 7);
            assert_false(out_live_take(&l, i << 12, &b));
        }
    }
    /* one block after the other takes no more room than one */
    size_t room = l.room;
    for (uint64_t i = 1; i <= 200000; i++) {
        assert_true(out_live_add(&l, (out_block_t){i << 12, 1, 1}));
        assert_true(out_live_take(&l, i << 12, &b));
    }
    assert_true(l.room <= room);
    out_live_free(&l);
}

static const char *one_format(const void *from, const char *name)
{
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? from : NULL;
}

static void assert_in_file(const char *directory, const char *name, const char *text)
{
    static char bytes[65536];
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    bytes[fread(bytes, 1, sizeof(bytes) - 1, f)] = 0;
    fclose(f);
    if (!strstr(bytes, text)) fail_msg("%s: no %s", name, text);
}

static void put_facts(trace_writer_t *meta, const char *directory)
{
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, directory}, {TRACE_INFO_NAME, "x"}};
    for (size_t i = 0; i < 2; i++) {
        trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
        assert_true(trace_writer_put_texts(meta, &head, sizeof(head), facts[i], 2));
    }
}

/* Makes a directory from the template, and in it a store whose files come there as x_…. */
static trace_writer_t *begin_store(char *directory, char store[64])
{
    char why[512] = "";
    assert_non_null(mkdtemp(directory));
    snprintf(store, 64, "%s/store", directory);
    assert_int_equal(mkdir(store, 0700), 0);
    trace_writer_t *w =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    put_facts(w, directory);
    trace_writer_close(w);
    w = trace_writer_open(store, "records-0.seg", TRACE_CONTENTS_RECORDS, 0, why, sizeof(why));
    assert_non_null(w);
    return w;
}

/* Ends the store, and converts it to every format: so many records are written. */
static void convert_store(trace_writer_t *w, const char *store, uint64_t written)
{
    static const char *const formats[] = {"csv", "json", "pftrace", "rocpd"};
    char why[512] = "";
    trace_writer_close(w);
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        out_config_t config;
        out_result_t result;
        out_conversion_t conversion = {.config = &config};
        assert_int_equal(out_config_read(&config, one_format, formats[i], why, sizeof(why)), 0);
        if (out_convert(&conversion, store, &result, why, sizeof(why)) != 0)
            fail_msg("%s: %s", formats[i], why);
        assert_int_equal(result.counts.written, written);
        assert_int_not_equal(result.files, 0);
        out_conversion_free(&conversion);
        out_config_free(&config);
    }
}

/* A store that has lost what agents and kernels were, and where copies have calls' kind: every
 * format is written all the same. */
static void lost_names(void **state)
{
    (void)state;
    char directory[] = "/tmp/rocprofv3-lost-XXXXXX", store[64];
    trace_writer_t *w = begin_store(directory, store);
    trace_dispatch_t d = {.head = trace_head(TRACE_DISPATCH, 11, 2, 7, sizeof(d)),
                          .start = 10,
                          .end = 20,
                          .agent = 5,
                          .kernel = 3,
                          .dispatch = 1};
    trace_copy_t c = {.head = trace_head(TRACE_COPY, 10, 1, 7, sizeof(c)), .start = 5, .end = 6};
    trace_api_t call = {trace_head(TRACE_API, 5, 9, 8, sizeof(call)), 1, 2, 1};
    trace_copy_t other = {
        .head = trace_head(TRACE_COPY, 5, 9, 7, sizeof(other)), .start = 7, .end = 9};
    assert_true(trace_writer_put(w, &d) && trace_writer_put(w, &call) &&
                trace_writer_put(w, &other) && trace_writer_put(w, &c));
    convert_store(w, store, 4);
    assert_in_file(directory, "x_results.json",
                   "\"domain\":\"MEMORY_COPY\",\"stats\":{\"count\":2,\"sum\":3,");
    assert_in_file(directory, "x_results.json",
                   "\"domain\":\"HIP_API\",\"stats\":{\"count\":1,\"sum\":1,");
    assert_int_equal(trace_remove(directory), 0);
}

/* All arguments of an event are one cell of its line, whatever characters they have. */
static void quotes_in_events(void **state)
{
    enum { KIND = 25, OPERATION = 1 }; /* a page fault */
    (void)state;
    char directory[] = "/tmp/rocprofv3-quotes-XXXXXX", store[64], path[96], why[512] = "";
    struct {
        trace_call_t call;
        char values[16];
    } event = {
        {{trace_head(TRACE_API, KIND, OPERATION, 0, sizeof(event)), 10, 12, 0, 0, 0}, .count = 2},
        "say \"hi\"\0\\,'"};
    trace_signature_t s = {.head = trace_head(TRACE_SIGNATURE, KIND, OPERATION, 0, 0), .count = 2};
    const char *names[] = {"char *", "a\"b", "char *", "c"};
    trace_writer_t *w = begin_store(directory, store);
    snprintf(path, sizeof(path), "%s/" TRACE_META_FILE, store);
    assert_int_equal(unlink(path), 0); /* made anew, with the names of the arguments */
    trace_writer_t *meta =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    put_facts(meta, directory);
    assert_true(trace_writer_put_texts(meta, &s, sizeof(s), names, 4));
    trace_writer_close(meta);
    assert_true(trace_writer_put(w, &event));
    convert_store(w, store, 1);
    assert_in_file(directory, "x_kfd_trace.csv", ",\"a\"\"b=say \"\"hi\"\" c=\\,'\"\n");
    assert_int_equal(trace_remove(directory), 0);
}

#define TYPE   "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_"
#define REASON "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_"

/* One wave issued a matrix instruction, another waits for memory; a third has numbers that nothing
 * has a name for. */
static void stochastic_samples(void **state)
{
    (void)state;
    char directory[] = "/tmp/rocprofv3-snapshot-XXXXXX", store[64];
    trace_writer_t *w = begin_store(directory, store);
    trace_snapshot_t s = {.sample = {.head = trace_head(TRACE_SNAPSHOT, 11, 2, 7, sizeof(s)),
                                     .correlation = 9,
                                     .dispatch = 3,
                                     .offset = 64,
                                     .exec = 15},
                          .waves = 17};
    trace_snapshot_t issued = s, waits = s, unknown = s;
    issued.sample.start = issued.sample.end = 100;
    issued.issued = 1;
    issued.instruction = 2;
    issued.snapshot = 1u << 6 | 1u << 27; /* the arbiter issued to matrix; two instructions */
    waits.sample.start = waits.sample.end = 200;
    waits.snapshot = 3 | 1u << 20; /* for a counter; scalar is stalled */
    unknown.sample.start = unknown.sample.end = 300;
    unknown.instruction = 99;
    unknown.snapshot = 15;
    assert_true(trace_writer_put(w, &issued) && trace_writer_put(w, &waits) &&
                trace_writer_put(w, &unknown));
    convert_store(w, store, 3);
    static const char csv[] = "x_pc_sampling_stochastic.csv", json[] = "x_results.json";
    assert_in_file(directory, csv,
                   "\"Correlation_Id\",\"Wave_Issued_Instruction\",\"Instruction_Type\","
                   "\"Stall_Reason\",\"Wave_Count\"\n100,15,3,\"\",\"");
    assert_in_file(directory, csv, "64\",1,1,\"" TYPE "MATRIX\",\"" REASON "NONE\",17\n");
    assert_in_file(directory, csv, "64\",1,0,\"" TYPE "NONE\",\"" REASON "WAITCNT\",17\n");
    assert_in_file(directory, csv, "64\",1,0,\"\",\"\",17\n");
    assert_in_file(directory, json,
                   "\"pc_sample_stochastic\":[{\"record\":{\"flags\":{\"has_mem_cnt\":0},");
    assert_in_file(directory, json,
                   "\"wave_issued\":1,\"inst_type\":\"" TYPE
                   "MATRIX\",\"wave_cnt\":17,\"snapshot\":{\"stall_reason\":\"" REASON
                   "NONE\",\"dual_issue_valu\":1,\"arb_state_issue_valu\":0,"
                   "\"arb_state_issue_matrix\":1,");
    assert_in_file(directory, json, "\"arb_state_stall_scalar\":1,\"arb_state_stall_vmem_tex\":0,");
    assert_in_file(directory, json, "\"pc_sample_host_trap\":[]");
    assert_int_equal(trace_remove(directory), 0);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *as_float, *as_percentage;
    } rows[] = {
        {100, "100.000000", "100.00"},
        {1, "1.000000", "1.00"},
        {0.5, "0.500000", "0.5000"},
        {0.010001, "0.010001", "0.0100"},
        {0.01, "1.00000000e-02", "1.000e-02"},
        {0, "0.00000000e+00", "0.000e+00"},
        {12345678.25, "12345678.250000", "12345678.25"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        out_stat_float(text, sizeof(text), rows[i].value);
        assert_string_equal(text, rows[i].as_float);
        out_stat_percentage(text, sizeof(text), rows[i].value);
        assert_string_equal(text, rows[i].as_percentage);
    }
}

static void kernel_names(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *demangled, *truncated;
    } rows[] = {
        {"_Z9vectoraddPfPKfS1_i.kd", "vectoradd(float*, float const*, float const*, int)",
         "vectoradd"},
        {"_Z15addition_kernelIfEvPT_PKfS3_ii.kd",
         "void addition_kernel<float>(float*, float const*, float const*, int, int)",
         "addition_kernel"},
        {"_ZN2ns3FooIiE3barILi4EEEvPfPFiiE.kd", "void ns::Foo<int>::bar<4>(float*, int (*)(int))",
         "bar"},
        {"plain.kd", "plain", "plain"},
        {"__amd_rocclr_fillBufferAligned.kd", "__amd_rocclr_fillBufferAligned",
         "__amd_rocclr_fillBufferAligned"},
        {"_Znot", "_Znot", "_Znot"},
        {"", "", ""},
        {".kd", ".kd", ".kd"},
        {"(", "(", "("},
        {"()", "()", "()"},
        {"a)", "a)", "a)"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *name = trace_kernel_name(rows[i].symbol, TRACE_NAMES_MANGLED);
        assert_string_equal(name, rows[i].symbol);
        free(name);
        name = trace_kernel_name(rows[i].symbol, TRACE_NAMES_DEMANGLED);
        assert_string_equal(name, rows[i].demangled);
        free(name);
        name = trace_kernel_name(rows[i].symbol, TRACE_NAMES_TRUNCATED);
        assert_string_equal(name, rows[i].truncated);
        free(name);
    }
}

static const char *setting(const void *from, const char *name)
{
    for (const char *const *pair = from; *pair; pair += 2)
        if (strcmp(*pair, name) == 0) return pair[1];
    return NULL;
}

static void read_config(out_config_t *c, const char *const *pairs)
{
    char why[256] = "";
    if (out_config_read(c, setting, pairs, why, sizeof(why)) != 0) fail_msg("%s", why);
}

static void config_errors_name_value_and_choice(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"ROCPROF_STATS_SUMMARY_UNITS", "weeks", "choose sec, msec, usec or nsec"},
        {"ROCPROF_AGENT_INDEX", "best", "choose absolute, relative or type-relative"},
        {"ROCPROF_MINIMUM_OUTPUT_BYTES", "-1", "whole number"},
        {"ROCPROF_STATS_SUMMARY_GROUPS", "A##@@##(", "summary group '('"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char why[256] = "";
        out_config_t c;
        const char *pairs[] = {wrong[i][0], wrong[i][1], NULL};
        assert_int_not_equal(out_config_read(&c, setting, pairs, why, sizeof(why)), 0);
        if (!strstr(why, wrong[i][2])) fail_msg("'%s' does not say '%s'", why, wrong[i][2]);
        out_config_free(&c);
    }
}

/* The text of the summaries of two small collections. */
static char *summary(const char *const *pairs, const char *indent)
{
    static char text[8192];
    char why[64];
    out_config_t c;
    sums_t stats[OUT_DOMAIN_COUNT] = {0};
    read_config(&c, pairs);
    sums_add(&stats[OUT_HIP_API], OUT_HIP_API, "hipMalloc", 1000);
    sums_add(&stats[OUT_HIP_API], OUT_HIP_API, "hipMalloc", 2500);
    sums_add(&stats[OUT_KERNEL_DISPATCH], OUT_KERNEL_DISPATCH, "k", 6500);
    int fd = memfd_create("summary", 0);
    out_file_t *f = out_file_descriptor(fd, "memory");
    assert_int_equal(out_summaries(f, &c, stats, indent), 0);
    assert_int_equal(out_file_close(f, why, sizeof(why)), 0);
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    text[n < 0 ? 0 : n] = 0;
    close(fd);
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        sums_free(&stats[i]);
    out_config_free(&c);
    return text;
}

static void summary_table(void **state)
{
    (void)state;
    const char *pairs[] = {"ROCPROF_STATS_SUMMARY", "1", NULL};
    assert_string_equal(summary(pairs, ""),
                        "\nROCPROFV3 SUMMARY:\n\n"
                        "|                   NAME                   |     DOMAIN      |      CALLS "
                        "     | DURATION (nsec) | AVERAGE (nsec)  | PERCENT (INC) |   MIN (nsec)   "
                        " |   MAX (nsec)    |     STDDEV      |\n"
                        "|------------------------------------------|-----------------|------------"
                        "-----|-----------------|-----------------|---------------|----------------"
                        "-|-----------------|-----------------|\n"
                        "| k                                        | KERNEL_DISPATCH |            "
                        "   1 |            6500 |       6.500e+03 |     65.000000 |            "
                        "6500 |            6500 |       0.000e+00 |\n"
                        "| hipMalloc                                | HIP_API         |            "
                        "   2 |            3500 |       1.750e+03 |     35.000000 |            "
                        "1000 |            2500 |       1.061e+03 |\n"
                        "\n");
}

static void summary_of_domains_and_groups(void **state)
{
    (void)state;
    const char *pairs[] = {"ROCPROF_STATS_SUMMARY_PER_DOMAIN",
                           "1",
                           "ROCPROF_STATS_SUMMARY_GROUPS",
                           "HIP_API|KERNEL.*##@@##KERNEL##@@##.*_API",
                           "ROCPROF_STATS_SUMMARY_UNITS",
                           "usec",
                           NULL};
    char *text = summary(pairs, "    ");
    const char *titles[] = {"\n    ROCPROFV3 HIP_API SUMMARY:\n",
                            "\n    ROCPROFV3 KERNEL_DISPATCH SUMMARY:\n",
                            "\n    ROCPROFV3 HIP_API + KERNEL_DISPATCH SUMMARY:\n",
                            "\n    ROCPROFV3 HIP_API SUMMARY:\n"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
        text = strstr(text, titles[i]);
        assert_non_null(text);
        text++;
    }
    assert_null(strstr(text, "\n    ROCPROFV3"));
    assert_non_null(
        strstr(text, "    | hipMalloc                                | HIP_API      |              "
                     " 2 |             3.5 |       1.750e+00 |    100.000000 |               1 |   "
                     "          2.5 |       1.061e+00 |\n"));
}

static const char *said_on(int fd)
{
    static char text[512];
    ssize_t bytes = read(fd, text, sizeof(text) - 1);
    text[bytes > 0 ? bytes : 0] = 0;
    return text;
}

static void progress_bar(void **state)
{
    const uint64_t second = 1000000000, began = 5 * second;
    int ends[2];
    out_progress_t p;
    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    out_progress_begin(&p, ends[1], true, "results.json", 1000, began);
    out_progress_step(&p, 200, began + 2 * second - 1);
    assert_string_equal(said_on(ends[0]), ""); /* not yet two seconds */
    out_progress_step(&p, 300, began + 2 * second);
    assert_string_equal(said_on(ends[0]),
                        "\rresults.json [####################....................]  50%");
    out_progress_step(&p, 100, began + 2 * second + second / 10);
    assert_string_equal(said_on(ends[0]), ""); /* drawn a moment ago */
    out_progress_step(&p, 900, began + 3 * second);
    assert_string_equal(said_on(ends[0]),
                        "\rresults.json [########################################] 100%");
    out_progress_end(&p);
    assert_string_equal(said_on(ends[0]), "\r\033[K");
    out_progress_begin(&p, ends[1], false, "results.json", 1000, began); /* no terminal */
    out_progress_step(&p, 500, began + 9 * second);
    out_progress_end(&p);
    assert_string_equal(said_on(ends[0]), "");
    close(ends[0]);
    close(ends[1]);
}

static void digits(void **state)
{
    char text[OUT_DIGITS_MAX + 1], two[2 * OUT_DIGITS_MAX + 8], expected[64];
    (void)state;
    for (uint64_t power = 1;; power *= 10) {
        for (int off = -1; off <= 1; off++) {
            uint64_t value = power + (uint64_t)(int64_t)off;
            *out_put_unsigned(text, value) = 0;
            snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
            assert_string_equal(text, expected);
        }
        if (power > UINT64_MAX / 10) break;
    }
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        uint64_t value = random_number(&seed) >> random_number(&seed) % 64;
        *out_put_unsigned(text, value) = 0;
        snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
        assert_string_equal(text, expected);
    }
    out_stamp_t stamp = {0};
    *out_put_stamp(&stamp, text, 1333) = 0; /* before any that is longer */
    assert_string_equal(text, "1333");
    for (int i = 0; i < 200000; i++) { /* most have the first digits of the one before */
        uint64_t value = random_number(&seed) % 64
                             ? 123456789000000 + random_number(&seed) % 100000000
                             : random_number(&seed) >> random_number(&seed) % 64;
        *out_put_stamp(&stamp, text, value) = 0;
        snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
        assert_string_equal(text, expected);
        uint64_t later = value + (random_number(&seed) >> random_number(&seed) % 64);
        *out_put_stamps(&stamp, two, value, later, " to ", 4) = 0;
        snprintf(expected, sizeof(expected), "%llu to %llu", (unsigned long long)value,
                 (unsigned long long)later);
        assert_string_equal(two, expected);
    }
    *out_put_stamps(&(out_stamp_t){0}, two, 7, 99999999, ",", 1) = 0; /* before any */
    assert_string_equal(two, "7,99999999");
    *out_put_unsigned(text, UINT64_MAX) = 0;
    assert_string_equal(text, "18446744073709551615");
}

/* Numbers of every length, read again the way any decoder does. */
static void varints(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        uint8_t bytes[2 * PROTO_VARINT_MAX], *at = bytes;
        uint64_t value = random_number(&seed) >> random_number(&seed) % 64, read = 0;
        const uint8_t *end = proto_put_varint(bytes, value);
        for (unsigned shift = 0;; shift += 7) {
            read |= (uint64_t)(*at & 0x7f) << shift;
            if (!(*at++ & 0x80)) break;
        }
        assert_true(at == end && (end == bytes + 1 || end[-1]));
        assert_int_equal(read, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_segments),
        cmocka_unit_test(sorts_through_a_file),
        cmocka_unit_test(segments_that_change),
        cmocka_unit_test(ids_in_order),
        cmocka_unit_test(memory_given_and_taken),
        cmocka_unit_test(lost_names),
        cmocka_unit_test(stochastic_samples),
        cmocka_unit_test(quotes_in_events),
        cmocka_unit_test(numbers),
        cmocka_unit_test(progress_bar),
        cmocka_unit_test(digits),
        cmocka_unit_test(varints),
        cmocka_unit_test(kernel_names),
        cmocka_unit_test(config_errors_name_value_and_choice),
        cmocka_unit_test(summary_table),
        cmocka_unit_test(summary_of_domains_and_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
