/* counting.c - see counting.h. */
#include "counting.h"

#include <hsa/hsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "counting: %s\n", what);
    exit(1);
}

counting_t *counting_create(uint32_t engines, uint32_t cus)
{
    return counting_on(rig_create_shaped(engines, cus));
}

counting_t *counting_on(rig_t *rig)
{
    static counting_t *last;
    counting_t *c = calloc(1, sizeof *c);
    c->older = last;
    last = c;
    c->rig = rig;
    must(rig_aql(c->rig, &c->queue), "no queue");
    c->ib_va = rig_alloc(c->rig, 4 * COUNTING_DWORDS);
    c->ib = rig_ptr(c->rig, c->ib_va);
    c->out_va = rig_alloc(c->rig, 4 * COUNTING_DWORDS);
    c->done = rig_signal(c->rig, 0);
    return c;
}

/* ---- packets ---- */

static void put(counting_t *c, const uint32_t *dwords, uint32_t n)
{
    must(c->n + n <= COUNTING_DWORDS, "packets too long");
    memcpy(c->ib + c->n, dwords, 4 * n);
    c->n += n;
}

static uint32_t header(uint32_t opcode, uint32_t dwords)
{
    return 3u << 30 | (dwords - 2) << 16 | opcode << 8;
}

void counting_set(counting_t *c, uint32_t reg, uint32_t value)
{
    const bool sh = reg < 0x3000;
    const uint32_t dw[] = {header(sh ? 0x76 : 0x79, 3), reg - (sh ? 0x2c00 : 0xc000), value};
    put(c, dw, 3);
}

unsigned counting_copy(counting_t *c, uint32_t reg)
{
    const uint64_t to = c->out_va + 4ull * c->n_out;
    /* from a performance counter register to memory, 32 bits, confirmed */
    const uint32_t dw[] = {header(0x40, 6), 4 | 5 << 8 | 1 << 20, reg, 0,
                           (uint32_t)to,    (uint32_t)(to >> 32)};
    put(c, dw, 6);
    return c->n_out++;
}

void counting_predicate(counting_t *c, uint32_t xccs, uint32_t dwords)
{
    const uint32_t dw[] = {header(0x23, 2), xccs << 24 | dwords};
    put(c, dw, 2);
}

void counting_flush_waves(counting_t *c)
{
    const uint32_t dw[] = {header(0x46, 2), 7 | 4 << 8};
    put(c, dw, 2);
}

void counting_acquire(counting_t *c, uint32_t coher_cntl, uint64_t blocks)
{
    const uint32_t dw[] = {
        header(0x58, 7), coher_cntl, (uint32_t)blocks, (uint32_t)(blocks >> 32), 0, 0, 0x10};
    put(c, dw, 7);
}

void counting_release(counting_t *c, uint32_t actions)
{
    const uint32_t dw[] = {header(0x49, 8), 0x14 | 5 << 8 | actions, 0, 0, 0, 0, 0, 0};
    put(c, dw, 8);
}

const uint32_t *counting_send(counting_t *c)
{
    uint32_t p[16] = {HSA_PACKET_TYPE_VENDOR_SPECIFIC | 1 << HSA_PACKET_HEADER_BARRIER | 1 << 16,
                      header(0x3f, 4),
                      (uint32_t)c->ib_va,
                      (uint32_t)(c->ib_va >> 32),
                      c->n | 1 << 23,
                      10};
    amd_signal_t *signal = rig_signal_at(c->rig, c->done);
    __atomic_store_n((int64_t *)&signal->value, 1, __ATOMIC_RELEASE);
    memcpy(p + 14, &c->done, 8);
    rig_submit(&c->queue, p);
    must(rig_wait(c->rig, c->done, 0), "packets did not complete");
    c->n = c->n_out = 0;
    return rig_ptr(c->rig, c->out_va);
}

uint32_t counting_read(counting_t *c, uint32_t index, uint32_t reg)
{
    counting_set(c, REG_GRBM_GFX_INDEX, index);
    counting_copy(c, reg);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    return counting_send(c)[0];
}

/* ---- registers of the blocks' slots ---- */

static const struct {
    uint32_t select[8], low[8];
    int high; /* distance from the low half */
} registers[BLOCKS] = {
    [GRBM] = {{0xd840, 0xd841}, {0xd040, 0xd043}, 1},
    [CPC] = {{0xd809, 0xd803}, {0xd006, 0xd004}, 1},
    [SPI] = {{0xd980, 0xd981, 0xd982, 0xd983, 0xd988, 0xd989},
             {0xd181, 0xd183, 0xd185, 0xd187, 0xd189, 0xd18b},
             -1},
    [SQ] = {{0xd9c0, 0xd9c1, 0xd9c2, 0xd9c3, 0xd9c4, 0xd9c5, 0xd9c6, 0xd9c7},
            {0xd1c0, 0xd1c2, 0xd1c4, 0xd1c6, 0xd1c8, 0xd1ca, 0xd1cc, 0xd1ce},
            1},
    [TA] = {{0xdac0, 0xdac2}, {0xd2c0, 0xd2c2}, 1},
    [TD] = {{0xdb00, 0xdb02}, {0xd300, 0xd302}, 1},
    [TCP] = {{0xdb40, 0xdb42, 0xdb44, 0xdb45}, {0xd340, 0xd342, 0xd344, 0xd346}, 1},
    [TCC] = {{0xdb80, 0xdb82, 0xdb84, 0xdb85}, {0xd380, 0xd382, 0xd384, 0xd386}, 1},
};

uint32_t counting_select_reg(counting_block_t block, unsigned slot)
{
    return registers[block].select[slot];
}

uint32_t counting_low_reg(counting_block_t block, unsigned slot)
{
    return registers[block].low[slot];
}

uint32_t counting_high_reg(counting_block_t block, unsigned slot)
{
    return registers[block].low[slot] + registers[block].high;
}

/* ---- whole counters ---- */

void counting_clear(counting_t *c)
{
    c->n_wanted = 0;
    memset(c->used, 0, sizeof c->used);
}

unsigned counting_want(counting_t *c, counting_block_t block, unsigned event)
{
    must(c->n_wanted < COUNTING_MAX, "too many counters");
    c->wanted[c->n_wanted].block = block;
    c->wanted[c->n_wanted].slot = c->used[block]++;
    c->wanted[c->n_wanted].event = event;
    must(registers[block].select[c->used[block] - 1], "no slot left");
    return c->n_wanted++;
}

void counting_start(counting_t *c)
{
    enum { SQ_MASKS = 0x0f0ff000 };
    counting_flush_waves(c);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, REG_CLOCKS, 1);
    counting_set(c, REG_CP_PERFMON_CNTL, 0);
    for (unsigned i = 0; i < c->n_wanted; i++)
        counting_set(c, counting_select_reg(c->wanted[i].block, c->wanted[i].slot),
                     c->wanted[i].event | (c->wanted[i].block == SQ ? SQ_MASKS : 0));
    counting_set(c, REG_SQ_MASK, 0xffffffff);
    counting_set(c, REG_SQ_CTRL, (uint32_t)SQ_CTRL_ALL);
    counting_set(c, REG_ENABLE, 1);
    counting_set(c, REG_CP_PERFMON_CNTL, 0);
    counting_set(c, REG_CP_PERFMON_CNTL, 1);
    counting_flush_waves(c);
    counting_send(c);
}

void counting_stop(counting_t *c)
{
    counting_flush_waves(c);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, REG_CP_PERFMON_CNTL, 2);
    counting_send(c);
}

uint64_t counting_value(counting_t *c, unsigned wanted, uint32_t engine, uint32_t instance)
{
    const counting_block_t block = c->wanted[wanted].block;
    const unsigned slot = c->wanted[wanted].slot;
    counting_set(c, REG_GRBM_GFX_INDEX, 1u << 29 | engine << 16 | instance);
    counting_copy(c, counting_low_reg(block, slot));
    counting_copy(c, counting_high_reg(block, slot));
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    const uint32_t *out = counting_send(c);
    return out[0] | (uint64_t)out[1] << 32;
}

uint64_t counting_sum(counting_t *c, unsigned wanted, uint32_t engines, uint32_t instances)
{
    uint64_t sum = 0;
    for (uint32_t e = 0; e < engines; e++)
        for (uint32_t i = 0; i < instances; i++)
            sum += counting_value(c, wanted, e, i);
    return sum;
}

void counting_dispatch(counting_t *c, const rig_dispatch_t *how)
{
    rig_dispatch_t d = *how;
    amd_signal_t *signal = rig_signal_at(c->rig, c->done);
    __atomic_store_n((int64_t *)&signal->value, 1, __ATOMIC_RELEASE);
    d.signal = c->done;
    d.barrier = true;
    rig_dispatch(&c->queue, &d);
    must(rig_wait(c->rig, c->done, 0), "the kernel did not complete");
}

void counting_sq(counting_t *c, const rig_dispatch_t *d, uint32_t engines, const unsigned *events,
                 unsigned n, uint64_t *out)
{
    for (unsigned first = 0; first < n; first += 8) {
        counting_clear(c);
        const unsigned many = n - first < 8 ? n - first : 8;
        for (unsigned i = 0; i < many; i++)
            counting_want(c, SQ, events[first + i]);
        counting_start(c);
        counting_dispatch(c, d);
        counting_stop(c);
        for (unsigned i = 0; i < many; i++)
            out[first + i] = counting_sum(c, i, engines, 1);
    }
}
