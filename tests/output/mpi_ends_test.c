/* mpi_ends_test.c - which calls of MPI bound the clocks of nodes: what two ranks have selected of
 * calls that belong together has the same keys, and of others has not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "output/mpi_ends.h"

enum { SIZE = 4, ENDS = 64, OTHER = 77 };

/* What a rank has selected. */
typedef struct {
    trace_clock_end_t ends[ENDS];
    size_t count;
} taken_t;

static mpi_ends_t e;
static int32_t me;
static uint64_t now, lasts; /* `lasts`: how long the next call takes */

static trace_mpi_t new_call(uint64_t communicator)
{
    trace_mpi_t c = {TRACE_MPI_NO_NUMBERS};
    c.communicator = communicator;
    c.rank = me;
    c.size = SIZE;
    return c;
}

/* Adds a call, which begins 10 ns after the one before it and takes 5 ns. */
static void put(const char *name, trace_mpi_t c, const trace_mpi_done_t *done)
{
    struct {
        trace_mpi_t call;
        trace_mpi_done_t done;
    } record = {c, done ? *done : (trace_mpi_done_t){0}};
    const trace_mpi_function_t *f = trace_mpi_find(name);
    assert_non_null(f);
    record.call.call.head = trace_head(TRACE_MPI, TRACE_KIND_MPI_API, trace_mpi_number(f), 1,
                                       done ? sizeof(record) : sizeof(record.call));
    record.call.count = done != NULL;
    record.call.call.start = now += 10;
    record.call.call.end = now + (lasts ? lasts : 5);
    lasts = 0;
    out_mpi_ends_add(&e, &record.call);
}

static void begin(int32_t rank)
{
    e = (mpi_ends_t){0};
    me = rank;
    now = 1000;
    put("MPI_Init", new_call(TRACE_MPI_WORLD), NULL);
}

static taken_t end(void)
{
    taken_t t = {.count = 0};
    trace_clock_end_t *ends = out_mpi_ends_take(&e, &t.count);
    assert_in_range(t.count, 0, ENDS);
    for (size_t i = 0; i < t.count; i++)
        t.ends[i] = ends[i];
    free(ends);
    out_mpi_ends_free(&e);
    return t;
}

static void message(const char *name, uint64_t communicator, int32_t peer, int32_t tag,
                    uint64_t request)
{
    trace_mpi_t c = new_call(communicator);
    const trace_mpi_function_t *f = trace_mpi_find(name);
    const bool sends = f->class == TRACE_MPI_SEND || f->class == TRACE_MPI_ISEND;
    *(sends ? &c.destination : &c.source) = peer;
    *(sends ? &c.send_tag : &c.receive_tag) = tag;
    c.request = request;
    put(name, c, NULL);
}

static void wait_for(uint64_t request, int32_t peer, int32_t tag)
{
    const trace_mpi_done_t done = {.request = request, .peer = peer, .tag = tag};
    put("MPI_Wait", new_call(0), &done);
}

static void collective(const char *name, uint64_t communicator, int32_t root, uint64_t sent,
                       uint64_t received)
{
    trace_mpi_t c = new_call(communicator);
    c.root = root;
    c.sent = sent;
    c.received = received;
    put(name, c, NULL);
}

static void send_three(void)
{
    begin(0);
    message("MPI_Send", TRACE_MPI_WORLD, 1, 7, 0);
    message("MPI_Isend", TRACE_MPI_WORLD, 1, 7, 3);
    message("MPI_Send", TRACE_MPI_WORLD, 1, 8, 0);
}

/* ---- messages ---- */

static void messages(void **state)
{
    (void)state;
    send_three();
    const taken_t sent = end();
    begin(1);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 8, 0);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 7, 0);
    message("MPI_Irecv", TRACE_MPI_WORLD, 0, 7, 5);
    wait_for(5, 0, 7);
    const taken_t got = end();
    static const size_t order[] = {2, 0, 1};
    assert_int_equal(sent.count, 3);
    assert_int_equal(got.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sent.ends[i].from, 1020 + 10 * i);
        assert_int_equal(sent.ends[i].to, 0);
        assert_int_equal(got.ends[i].from, 0);
        assert_int_equal(got.ends[i].key, sent.ends[order[i]].key);
    }
    assert_int_equal(got.ends[0].to, 1025);
    assert_int_equal(got.ends[1].to, 1035);
    assert_int_equal(got.ends[2].to, 1055); /* the end of the wait */
}

/* A receive of any source or tag may have got any of its stream's messages. */
static void any_source(void **state)
{
    (void)state;
    begin(1);
    message("MPI_Irecv", TRACE_MPI_WORLD, TRACE_MPI_ANY, 7, 5);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 7, 0);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 8, 0);
    wait_for(5, 0, 7);
    taken_t got = end();
    assert_int_equal(got.count, 1);
    assert_int_equal(got.ends[0].to, 1045);
    begin(1);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 8, 0);
    message("MPI_Irecv", TRACE_MPI_WORLD, 0, TRACE_MPI_ANY, 0); /* nobody will tell which */
    got = end();
    assert_int_equal(got.count, 0);
}

/* MPI_PROC_NULL is nobody, of any tag, too; a receive whose request has no number takes its place.
 */
static void no_request(void **state)
{
    (void)state;
    send_three();
    const taken_t sent = end();
    begin(1);
    message("MPI_Irecv", TRACE_MPI_WORLD, TRACE_MPI_NULL, TRACE_MPI_ANY, 0);
    message("MPI_Irecv", TRACE_MPI_WORLD, TRACE_MPI_NULL, 7, 0);
    message("MPI_Recv", TRACE_MPI_WORLD, TRACE_MPI_NULL, TRACE_MPI_ANY, 0);
    message("MPI_Irecv", TRACE_MPI_WORLD, 0, 7, 0);
    message("MPI_Recv", TRACE_MPI_WORLD, 0, 7, 0);
    const taken_t got = end();
    assert_int_equal(got.count, 1);
    assert_int_equal(got.ends[0].key, sent.ends[1].key);
}

/* On two threads: which of the two is the first for MPI is not known. */
static void overlapping(void **state)
{
    (void)state;
    for (uint64_t takes = 10; takes <= 11; takes++) {
        begin(1);
        message("MPI_Recv", TRACE_MPI_WORLD, 0, 8, 0);
        lasts = takes;
        message("MPI_Recv", TRACE_MPI_WORLD, 0, 7, 0);
        message("MPI_Recv", TRACE_MPI_WORLD, 0, 7, 0);
        assert_int_equal(end().count, takes == 10 ? 3 : 1);
    }
    for (uint64_t takes = 10; takes <= 11; takes++) {
        begin(0);
        lasts = takes;
        message("MPI_Send", TRACE_MPI_WORLD, 1, 7, 0);
        message("MPI_Send", TRACE_MPI_WORLD, 1, 7, 0);
        assert_int_equal(end().count, takes == 10 ? 2 : 0);
    }
}

/* A program that has a new tag for each message. */
static void tags(void **state)
{
    (void)state;
    enum { MORE = 1000 };
    begin(0);
    for (int32_t tag = 0; tag < MPI_ENDS_STREAMS_MOST + MORE; tag++)
        message("MPI_Send", TRACE_MPI_WORLD, 1, tag, 0);
    message("MPI_Send", TRACE_MPI_WORLD, 1, 0, 0);
    assert_int_equal(e.orders.count, MPI_ENDS_STREAMS_MOST);
    assert_in_range(e.until.count, 1, MPI_ENDS_STREAMS_MOST);
    assert_in_range(e.count, TRACE_CLOCK_ENDS_MOST / 3, TRACE_CLOCK_ENDS_MOST);
    assert_false(e.partial);
    out_mpi_ends_free(&e);
}

/* ---- collectives ---- */

static void collectives(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool root_begins, root_ends, begins, ends;
    } rows[] = {{"MPI_Barrier", true, true, true, true},
                {"MPI_Allreduce", true, true, true, true},
                {"MPI_Allgather", true, true, true, true},
                {"MPI_Alltoall", true, true, true, true},
                {"MPI_Reduce_scatter_block", true, true, true, true},
                {"MPI_Bcast", true, false, false, true},
                {"MPI_Scatter", true, false, false, true},
                {"MPI_Reduce", false, true, true, false},
                {"MPI_Gather", false, true, true, false},
                {"MPI_Scan", false, false, false, false},
                {"MPI_Allgatherv", false, false, false, false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        taken_t got[2];
        for (int32_t rank = 0; rank < 2; rank++) {
            begin(rank);
            /* the root gives in place: what it gives is 0 bytes */
            collective(rows[i].name, TRACE_MPI_WORLD, 0, rank ? 8 : 0, 8);
            got[rank] = end();
            const bool begins = rank ? rows[i].begins : rows[i].root_begins;
            const bool ends = rank ? rows[i].ends : rows[i].root_ends;
            assert_int_equal(got[rank].count, begins || ends);
            assert_int_equal(got[rank].ends[0].from, begins ? 1020 : 0);
            assert_int_equal(got[rank].ends[0].to, ends ? 1025 : 0);
        }
        assert_int_equal(got[0].ends[0].key, got[1].ends[0].key);
    }
}

/* Where no byte moves, only a barrier waits; such a collective is counted like all others. */
static void no_bytes(void **state)
{
    (void)state;
    taken_t got[2];
    for (int32_t rank = 0; rank < 2; rank++) {
        begin(rank);
        collective(rank ? "MPI_Scan" : "MPI_Allreduce", TRACE_MPI_WORLD, 0, 0, 0);
        collective("MPI_Barrier", TRACE_MPI_WORLD, TRACE_MPI_NONE, 0, 0);
        got[rank] = end();
        assert_int_equal(got[rank].count, 1);
        assert_int_equal(got[rank].ends[0].from, 1030);
    }
    assert_int_equal(got[0].ends[0].key, got[1].ends[0].key);
}

static void nonblocking(void **state)
{
    (void)state;
    begin(1);
    trace_mpi_t c = new_call(OTHER);
    c.request = 9;
    put("MPI_Ibarrier", c, NULL);
    assert_int_equal(e.count, 0);
    wait_for(9, TRACE_MPI_NONE, TRACE_MPI_NONE);
    const taken_t got = end();
    assert_int_equal(got.count, 1);
    assert_int_equal(got.ends[0].from, 1020);
    assert_int_equal(got.ends[0].to, 1035);
}

/* ---- communicators, and calls that are missing ---- */

static void two_groups(void **state)
{
    (void)state;
    const uint64_t communicator = OTHER | TRACE_MPI_TWO_GROUPS;
    begin(0);
    message("MPI_Send", communicator, 1, 7, 0);
    message("MPI_Recv", communicator, 1, 7, 0);
    message("MPI_Irecv", communicator, 1, TRACE_MPI_ANY, 0);
    collective("MPI_Barrier", communicator, TRACE_MPI_NONE, 0, 0);
    message("MPI_Send", TRACE_MPI_SELF, 0, 7, 0);
    message("MPI_Send", OTHER, 1, 7, 0);
    const taken_t got = end();
    assert_int_equal(got.count, 1);
    assert_int_equal(got.ends[0].from, 1070);
}

static void begun_before(void **state)
{
    (void)state;
    e = (mpi_ends_t){0};
    me = 0;
    collective("MPI_Barrier", TRACE_MPI_WORLD, TRACE_MPI_NONE, 0, 0);
    assert_int_equal(end().count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),   cmocka_unit_test(any_source),
        cmocka_unit_test(no_request), cmocka_unit_test(overlapping),
        cmocka_unit_test(tags),       cmocka_unit_test(collectives),
        cmocka_unit_test(no_bytes),   cmocka_unit_test(nonblocking),
        cmocka_unit_test(two_groups), cmocka_unit_test(begun_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
