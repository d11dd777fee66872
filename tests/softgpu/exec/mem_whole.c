/* mem_whole.c - aligned elements of 4, 8 and 16 bytes move whole: nobody sees half of one.
 *
 * Two threads share a few elements. One stores elements whose dwords are all the same number, the
 * other loads them and looks for two numbers in one element. On every core, by every path: lanes
 * side by side, scattered, some of them, all at one place; global memory, buffers, LDS, scalar
 * loads. */
#include "mem_rig.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 6000, ELEMENT = 16, DATA = 8 };

/* How lanes choose their element of ELEMENT bytes: 64 places for side by side, few for the others.
 */
typedef enum { SIDE_BY_SIDE, SCATTERED, SOME, ONE_PLACE, WAYS } way_t;
static const char *const way_names[WAYS] = {"side by side", "scattered", "some lanes", "one place"};

typedef struct {
    const char *store, *load;
    unsigned dwords;
    uint64_t base; /* added to a lane's offset in v[0:1] */
} exchange_t;

static const exchange_t exchanges[] = {
    {"global_store_dword v[0:1], v8, off", "global_load_dword v16, v[0:1], off", 1, RIG_VA},
    {"global_store_dwordx2 v[0:1], v[8:9], off", "global_load_dwordx2 v[16:17], v[0:1], off", 2,
     RIG_VA},
    {"global_store_dwordx4 v[0:1], v[8:11], off", "global_load_dwordx4 v[16:19], v[0:1], off", 4,
     RIG_VA},
    {"flat_store_dwordx4 v[0:1], v[8:11]", "flat_load_dwordx4 v[16:19], v[0:1]", 4, RIG_VA},
    {"buffer_store_dwordx4 v[8:11], v0, s[4:7], 0 offen",
     "buffer_load_dwordx4 v[16:19], v0, s[4:7], 0 offen", 4, 0},
    {"ds_write_b64 v0, v[8:9]", "ds_read_b64 v[16:17], v0", 2, 0},
    {"ds_write_b128 v0, v[8:11]", "ds_read_b128 v[16:19], v0", 4, 0},
    {"global_store_dwordx2 v[0:1], v[8:9], off", "s_load_dwordx2 s[16:17], s[2:3], 0x0", 2, RIG_VA},
    {"global_store_dwordx4 v[0:1], v[8:11], off", "s_load_dwordx4 s[16:19], s[2:3], 0x0", 4,
     RIG_VA},
};
enum { EXCHANGES = sizeof exchanges / sizeof *exchanges };

typedef struct {
    rig_t *rig;
    const isa_inst_t *inst;
    const char *text;
    atomic_bool *over;
} writer_t;

static void set_up(rig_t *r, const exchange_t *x, way_t way)
{
    const unsigned bytes = 4 * x->dwords;
    for (unsigned l = 0; l < 64; l++) {
        const unsigned place = way == SIDE_BY_SIDE ? l : way == ONE_PLACE ? 0 : l * 5 % 7;
        const uint64_t va = x->base + (uint64_t)place * (way == SIDE_BY_SIDE ? bytes : ELEMENT);
        r->rows[0][l] = (uint32_t)va;
        r->rows[1][l] = (uint32_t)(va >> 32);
    }
    r->wave.exec = way == SOME ? UINT64_C(0x0ffe00f0ff7fffef) : UINT64_MAX;
    r->wave.sgpr[2] = (uint32_t)RIG_VA;
    r->wave.sgpr[3] = (uint32_t)(RIG_VA >> 32);
    const uint32_t buffer[4] = {(uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32), RIG_EXTENT, 0x27000};
    memcpy(&r->wave.sgpr[4], buffer, sizeof buffer);
}

static void *write_on(void *user)
{
    const writer_t *w = user;
    for (uint32_t n = 1; !atomic_load(w->over); n++) {
        for (unsigned k = 0; k < 4; k++)
            for (unsigned l = 0; l < 64; l++)
                w->rig->rows[DATA + k][l] = n;
        rig_run(w->rig, w->inst, w->text);
    }
    return NULL;
}

/* The first lane of whose element two dwords differ, or -1. */
static int torn(const rig_t *r, const exchange_t *x)
{
    if (x->load[0] == 's') {
        for (unsigned k = 1; k < x->dwords; k++)
            if (r->wave.sgpr[16 + k] != r->wave.sgpr[16]) return 0;
        return -1;
    }
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 1; k < x->dwords; k++)
            if (r->rows[16 + k][l] != r->rows[16][l]) return (int)l;
    return -1;
}

static void check(rig_t *reader, rig_t *writer, const exchange_t *x, const isa_inst_t *inst,
                  way_t way)
{
    atomic_bool over = false;
    writer_t w = {.rig = writer, .inst = inst, .text = x->store, .over = &over};
    pthread_t thread;
    memset(reader->low, 0, sizeof reader->low);
    memset(reader->lds, 0, sizeof reader->lds);
    memset(reader->rows + 16, 0, 4 * sizeof *reader->rows);
    set_up(reader, x, way);
    set_up(writer, x, way);
    assert_int_equal(pthread_create(&thread, NULL, write_on, &w), 0);
    int lane = -1;
    for (unsigned n = 0; n < ROUNDS && lane < 0; n++) {
        rig_run(reader, inst + 1, x->load);
        lane = torn(reader, x);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    if (lane >= 0)
        fail_msg("%s: %s, %s: lane %d has 0x%08x and 0x%08x in one element", reader->core->name,
                 x->load, way_names[way], lane, reader->rows[16][lane],
                 reader->rows[16 + x->dwords - 1][lane]);
}

static void elements_move_whole(void **state)
{
    rig_program_t p = {0};
    (void)state;
    for (unsigned k = 0; k < EXCHANGES; k++) {
        rig_add(&p, "%s", exchanges[k].store);
        rig_add(&p, "%s", exchanges[k].load);
    }
    rig_assemble(&p);
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *reader = rig_create(rig_cores[c]), *writer = rig_create(rig_cores[c]);
        if (!reader) continue;
        /* the writer's memory is the reader's */
        writer->dispatch.memory = reader->memory;
        writer->group.lds = reader->lds;
        for (unsigned k = 0; k < EXCHANGES; k++)
            for (way_t way = 0; way < WAYS; way++)
                check(reader, writer, &exchanges[k], &p.inst[2 * k], way);
        rig_destroy(writer);
        rig_destroy(reader);
    }
    rig_free(&p);
}

/* A program of the GPU relies on what AVX's makers promise; without AVX there is no such promise.
 * The two threads race on purpose, which is all that a race detector would tell. */
int main(void)
{
#ifdef __SANITIZE_THREAD__
    return 77;
#endif
    if (!asm_available() || !__builtin_cpu_supports("avx")) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_move_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
