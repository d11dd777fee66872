/* otf2_mpi_test.c - calls of MPI in an archive where memory runs out: what is known of ranks stays
 * as it was, and the archive has an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "output/otf2_mpi.h"

/* A message to no rank, so that no event is written. */
static void call(otf2_mpi_t *m, int32_t rank, int32_t size)
{
    const trace_mpi_function_t *f = trace_mpi_find("MPI_Send");
    trace_mpi_t c = {TRACE_MPI_NO_NUMBERS};
    uint64_t events = 0;
    assert_non_null(f);
    c.communicator = TRACE_MPI_WORLD;
    c.rank = rank;
    c.size = size;
    c.destination = -1;
    c.call.head = trace_head(TRACE_MPI, TRACE_KIND_MPI_API, trace_mpi_number(f), 1, sizeof(c));
    assert_int_equal(otf2_mpi_begins(m, NULL, 1, &c, &events), 0);
    assert_int_equal(events, 0);
}

static uint32_t number_text(void *data, const char *name)
{
    (void)name;
    return (*(uint32_t *)data)++;
}

static void a_size_without_memory(void **state)
{
    (void)state;
    const struct rlimit little = {(rlim_t)1 << 32, RLIM_INFINITY};
    struct rlimit before;
    otf2_mpi_t m = {0};
    uint32_t texts = 0;
    call(&m, 1, 4);
    assert_int_equal(m.error, OTF2_SUCCESS);
    assert_int_equal(otf2_mpi_missing(&m), 3);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    call(&m, 2, INT32_MAX); /* its locations take 16 GiB */
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(m.error, OTF2_ERROR_MEM_FAULT);
    assert_int_equal(otf2_mpi_missing(&m), 3);
    otf2_mpi_define(&m, NULL, 2, number_text, &texts, false);
    assert_int_equal(texts, 3); /* MPI, MPI_COMM_SELF, MPI_COMM_WORLD */
    otf2_mpi_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_size_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
