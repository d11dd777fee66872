/* kinds_test.c - the table of what is recorded (trace/kinds.def) has no gaps: every kind of the SDK
 * is in it, and so is every number that orders a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rocprofiler-sdk/fwd.h>

#include "output/domain.h"
#include "output/format.h"
#include "trace/settings.h"

static const char *const rows[ROCPROFILER_BUFFER_TRACING_LAST] = {
#define ROW(id)                  [ROCPROFILER_BUFFER_TRACING_##id] = #id,
#define KIND(id, domain, option) ROW(id)
#define KIND_MARKER(id)          ROW(id)
#define KIND_EXTENDED(id, ...)   ROW(id) ROW(id##_EXT)
#include "trace/kinds.def"
};

static void test_every_kind_has_a_row(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++) {
        const bool recorded = kind != ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT &&
                              kind != ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION &&
                              kind != ROCPROFILER_BUFFER_TRACING_HIP_STREAM;
        if (recorded && !rows[kind]) fail_msg("kind %u has no row", kind);
        if (!recorded) assert_null(rows[kind]);
    }
}

/* Numbers from 1, each once. */
static void check_numbers(const unsigned *numbers, size_t count)
{
    unsigned found[OUT_DOMAIN_COUNT + 1] = {0}, used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!numbers[i]) continue;
        assert_in_range(numbers[i], 1, OUT_DOMAIN_COUNT);
        found[numbers[i]]++;
        used++;
    }
    for (unsigned i = 1; i <= used; i++)
        assert_int_equal(found[i], 1);
}

static void test_numbers_have_no_gaps(void **state)
{
    enum { BUFFER = 1, CALLBACK = 2 };
#define DOMAIN(id, type, shape, category, slices, paradigm, file, row, stats, by, list, place,     \
               ...)                                                                                \
    slices,
    static const unsigned slices[] = {
#include "trace/kinds.def"
    };
#define DOMAIN(id, type, shape, category, slices, paradigm, file, row, stats, by, list, place,     \
               ...)                                                                                \
    list == BUFFER ? (place) : 0,
    static const unsigned buffers[] = {
#include "trace/kinds.def"
    };
#define DOMAIN(id, type, shape, category, slices, paradigm, file, row, stats, by, list, place,     \
               ...)                                                                                \
    list == CALLBACK ? (place) : 0,
    static const unsigned callbacks[] = {
#include "trace/kinds.def"
    };
    (void)state;
    check_numbers(slices, OUT_DOMAIN_COUNT);
    check_numbers(buffers, OUT_DOMAIN_COUNT);
    check_numbers(callbacks, OUT_DOMAIN_COUNT);
}

static void test_records_find_their_domain(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < TRACE_TYPE_COUNT; type++) {
        const int domain = out_domain_of(trace_head(type, 0, 0, 0, sizeof(trace_timed_t)));
        assert_in_range(domain + 1, 0, OUT_DOMAIN_COUNT);
        if (type == TRACE_API || type < TRACE_API) assert_int_equal(domain, -1);
    }
    assert_int_equal(out_domain_of(trace_head(TRACE_DISPATCH, 0, 0, 0, 32)), OUT_KERNEL_DISPATCH);
    assert_int_equal(out_domain_of(trace_head(TRACE_COUNTERS, 0, 0, 0, 32)),
                     OUT_COUNTER_COLLECTION);
    for (uint32_t kind = 1; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++) {
        const int domain = out_domain_of(trace_head(TRACE_API, kind, 0, 0, sizeof(trace_timed_t)));
        if (domain < 0) continue;
        assert_true(out_domains[domain].shape == OUT_CALL ||
                    out_domains[domain].shape == OUT_RANGE ||
                    out_domains[domain].shape == OUT_EVENT);
    }
    assert_int_equal(
        out_domain_of(trace_head(TRACE_API, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, 0, 0, 32)),
        -1);
}

static void test_formats_are_words_of_the_option(void **state)
{
    const char *words = trace_settings[TRACE_SET_OUTPUT_FORMAT].words;
    unsigned count = 1;
    (void)state;
    for (const char *at = words; *at; at++)
        count += *at == ' ';
    assert_int_equal(count, OUT_FORMAT_COUNT);
#define X(name, file, writer) assert_true(trace_word_among(words, #name, strlen(#name), NULL) >= 0);
    OUT_FORMATS(X)
#undef X
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_a_row),
        cmocka_unit_test(test_numbers_have_no_gaps),
        cmocka_unit_test(test_records_find_their_domain),
        cmocka_unit_test(test_formats_are_words_of_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
