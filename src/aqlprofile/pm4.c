/* pm4.c - the PM4 packets that program and read counters.
 *
 * It is apart because only here packets are laid out (after AMD's public PM4 headers); family.c has
 * the differences between families of GPUs. Packets that other libraries send, too, are in
 * hsa/pm4.h. A real GPU executes the same words. */
#include "aqlprofile/internal.h"
#include "hsa/pm4.h"

enum {
    OP_PRED_EXEC = 0x23,
    OP_WRITE_DATA = 0x37,
    OP_WAIT_REG_MEM = 0x3c,
    OP_COPY_DATA = 0x40,
    OP_EVENT_WRITE = 0x46,
    OP_ACQUIRE_MEM = 0x58,
    OP_SET_SH_REG = 0x76,
    OP_SET_UCONFIG_REG = 0x79,

    CONFIG_BEGIN = 0x2000, /* privileged registers */
    SH_BEGIN = 0x2c00,
    SH_END = 0x3000,
    CONFIG_END = 0xa000,
    UCONFIG_BEGIN = 0xc000
};

/* COPY_DATA, first word */
enum {
    COPY_FROM_REGISTER = 0,
    COPY_FROM_MEMORY = 1,
    COPY_FROM_PERFCOUNTER = 4,
    COPY_CLOCK = 9,
    COPY_FROM_STREAMED = 1 << 13,
    COPY_TO_REGISTER = 0,
    COPY_TO_PERFCOUNTER = 4 << 8,
    COPY_TO_MEMORY = 5 << 8,
    COPY_64_BITS = 1 << 16,
    COPY_TO_STREAMED = 1 << 25,
    COPY_CONFIRM = 1 << 20
};

aql_pm4_t aql_pm4_list(const aql_agent_t *agent, uint32_t *words, uint32_t capacity)
{
    return (aql_pm4_t){words, words ? capacity : 0, 0, agent->gpu->family, agent->xccs};
}

static void put(aql_pm4_t *pm4, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, pm4->count++)
        if (pm4->count < pm4->capacity) pm4->words[pm4->count] = words[i];
}

#define PUT(pm4, ...)                                                                              \
    put(pm4, (const uint32_t[]){__VA_ARGS__},                                                      \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Returns whether the command processor has to access the register by the path for privileged
 * registers. On a GPU with several XCCs, AMD's library does not use that path, since the firmware
 * can hang on it there. */
static bool by_perfcounter_path(const aql_pm4_t *pm4, uint64_t reg)
{
    return pm4->xccs == 1 && reg >= CONFIG_BEGIN && reg < CONFIG_END;
}

void aql_pm4_wait_idle(aql_pm4_t *pm4)
{
    enum { CS_PARTIAL_FLUSH = 7, INDEX_PARTIAL_FLUSH = 4 << 8 };
    PUT(pm4, hsa_pm4_header(OP_EVENT_WRITE, 2), CS_PARTIAL_FLUSH | INDEX_PARTIAL_FLUSH);
}

void aql_pm4_finish_trace(aql_pm4_t *pm4)
{
    enum { THREAD_TRACE_FINISH = 0x37 };
    PUT(pm4, hsa_pm4_header(OP_EVENT_WRITE, 2), THREAD_TRACE_FINISH);
}

void aql_pm4_set(aql_pm4_t *pm4, uint32_t reg, uint32_t value)
{
    if (reg >= SH_BEGIN && reg < SH_END)
        PUT(pm4, hsa_pm4_header(OP_SET_SH_REG, 3), reg - SH_BEGIN, value);
    else if (reg >= UCONFIG_BEGIN)
        PUT(pm4, hsa_pm4_header(OP_SET_UCONFIG_REG, 3), (reg - UCONFIG_BEGIN) & 0xffff, value);
    else
        aql_pm4_copy_value(pm4, reg, value);
}

void aql_pm4_write_register(aql_pm4_t *pm4, uint32_t reg, const uint32_t *words, uint32_t count)
{
    enum { TO_REGISTER = 0, SAME_ADDRESS = 1 << 16 };
    PUT(pm4, hsa_pm4_header(OP_WRITE_DATA, count + 4), TO_REGISTER | SAME_ADDRESS, reg, 0);
    put(pm4, words, count);
}

void aql_pm4_store_register(aql_pm4_t *pm4, uint64_t reg, uint64_t address, bool confirm)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        pm4->family->copy_register |
            (uint32_t)(by_perfcounter_path(pm4, reg) ? COPY_FROM_PERFCOUNTER : COPY_FROM_REGISTER) |
            (confirm ? COPY_CONFIRM : 0),
        (uint32_t)reg, (uint32_t)(reg >> 32), (uint32_t)address, (uint32_t)(address >> 32));
}

void aql_pm4_copy_value(aql_pm4_t *pm4, uint64_t reg, uint32_t value)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        pm4->family->copy_value |
            (uint32_t)(by_perfcounter_path(pm4, reg) ? COPY_TO_PERFCOUNTER : COPY_TO_REGISTER),
        value, 0, (uint32_t)reg, (uint32_t)(reg >> 32));
}

void aql_pm4_copy_memory(aql_pm4_t *pm4, uint32_t reg, uint64_t address)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        COPY_FROM_MEMORY | COPY_FROM_STREAMED | COPY_TO_REGISTER | COPY_TO_STREAMED,
        (uint32_t)address, (uint32_t)(address >> 32), reg, 0);
}

void aql_pm4_store_clock(aql_pm4_t *pm4, uint64_t address)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        COPY_CLOCK | COPY_FROM_STREAMED | COPY_TO_MEMORY | COPY_TO_STREAMED | COPY_CONFIRM |
            COPY_64_BITS,
        0, 0, (uint32_t)address, (uint32_t)(address >> 32));
}

void aql_pm4_copy_clock(aql_pm4_t *pm4, uint32_t reg)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        COPY_CLOCK | COPY_FROM_STREAMED | COPY_TO_REGISTER | COPY_TO_STREAMED | COPY_CONFIRM, 0, 0,
        reg, 0);
}

static void wait_for(aql_pm4_t *pm4, uint32_t comparison, uint32_t reg, uint32_t reference,
                     uint32_t mask, uint32_t interval)
{
    PUT(pm4, hsa_pm4_header(OP_WAIT_REG_MEM, 7), comparison, reg, 0, reference, mask, interval);
}

void aql_pm4_wait_clear(aql_pm4_t *pm4, uint32_t reg, uint32_t mask, uint32_t interval)
{
    enum { EQUAL = 3 };
    wait_for(pm4, EQUAL, reg, 0, mask, interval);
}

void aql_pm4_wait_not_one(aql_pm4_t *pm4, uint32_t reg, uint32_t mask, uint32_t interval)
{
    enum { NOT_EQUAL = 4 };
    wait_for(pm4, NOT_EQUAL, reg, 1, mask, interval);
}

void aql_pm4_flush(aql_pm4_t *pm4, uint64_t address, uint64_t bytes)
{
    enum { BLOCK = 256, POLL_INTERVAL = 0x10 };
    const aql_family_t *family = pm4->family;
    const uint64_t first = address / BLOCK, blocks = (address + bytes + BLOCK - 1) / BLOCK - first;
    PUT(pm4, hsa_pm4_header(OP_ACQUIRE_MEM, family->flush_control ? 8 : 7), family->flushed_caches,
        (uint32_t)blocks, (uint32_t)(blocks >> 32) & 0xff, (uint32_t)first,
        (uint32_t)(first >> 32) & 0xff, POLL_INTERVAL);
    if (family->flush_control) PUT(pm4, family->flush_control);
}

/* ---- packets for one XCC ---- */

uint32_t aql_pm4_begin_xcc(aql_pm4_t *pm4, uint32_t xcc)
{
    enum { XCC_SHIFT = 24 };
    if (pm4->xccs > 1) PUT(pm4, hsa_pm4_header(OP_PRED_EXEC, 2), 1u << (XCC_SHIFT + xcc));
    return pm4->count;
}

void aql_pm4_end_xcc(aql_pm4_t *pm4, uint32_t begin)
{
    if (pm4->xccs > 1 && begin <= pm4->capacity)
        pm4->words[begin - 1] |= (pm4->count - begin) & AQL_XCC_WORDS_MAX;
}

/* ---- lists ---- */

hsa_status_t aql_pm4_check(uint32_t bytes)
{
    enum { WORDS_MAX = 0xfffff }; /* the packet's field has 20 bits */
    if (bytes / 4 <= WORDS_MAX) return HSA_STATUS_SUCCESS;
    return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                    "a list of %u commands is more than one packet can have executed, %d",
                    bytes / 4, WORDS_MAX);
}

void aql_pm4_packet(const aql_agent_t *agent, const void *commands, uint32_t bytes,
                    hsa_ext_amd_aql_pm4_packet_t *packet)
{
    hsa_pm4_packet((uintptr_t)commands, bytes / 4, agent->gpu->family->command_policy, packet);
}
