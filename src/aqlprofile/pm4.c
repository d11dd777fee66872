/* pm4.c - the PM4 packets of gfx9 that program and read counters.
 *
 * Apart because this file knows how packets are laid out (AMD's public PM4 headers for gfx9).
 * Packets that other libraries send, too, are in hsa/pm4.h. The same words drive a real GPU. */
#include "aqlprofile/internal.h"
#include "hsa/pm4.h"

enum {
    OP_WRITE_DATA = 0x37,
    OP_WAIT_REG_MEM = 0x3c,
    OP_COPY_DATA = 0x40,
    OP_EVENT_WRITE = 0x46,
    OP_SET_SH_REG = 0x76,
    OP_SET_UCONFIG_REG = 0x79,

    SH_BEGIN = 0x2c00,
    SH_END = 0x3000,
    UCONFIG_BEGIN = 0xc000,
    UCONFIG_END = 0x10000
};

/* COPY_DATA, first word */
enum {
    COPY_FROM_REGISTER = 0,
    COPY_FROM_MEMORY = 1,
    COPY_IMMEDIATE = 5,
    COPY_CLOCK = 9,
    COPY_FROM_STREAMED = 1 << 13,
    COPY_TO_REGISTER = 0,
    COPY_TO_MEMORY = 5 << 8,
    COPY_64_BITS = 1 << 16,
    COPY_TO_STREAMED = 1 << 25,
    COPY_CONFIRM = 1 << 20
};

static void put(aql_pm4_t *pm4, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, pm4->count++)
        if (pm4->count < pm4->capacity) pm4->words[pm4->count] = words[i];
}

#define PUT(pm4, ...)                                                                              \
    put(pm4, (const uint32_t[]){__VA_ARGS__},                                                      \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

void aql_pm4_wait_idle(aql_pm4_t *pm4)
{
    enum { CS_PARTIAL_FLUSH = 7, INDEX_PARTIAL_FLUSH = 4 << 8 };
    PUT(pm4, hsa_pm4_header(OP_EVENT_WRITE, 2), CS_PARTIAL_FLUSH | INDEX_PARTIAL_FLUSH);
}

void aql_pm4_set(aql_pm4_t *pm4, uint32_t reg, uint32_t value)
{
    if (reg >= SH_BEGIN && reg < SH_END)
        PUT(pm4, hsa_pm4_header(OP_SET_SH_REG, 3), reg - SH_BEGIN, value);
    else
        PUT(pm4, hsa_pm4_header(OP_SET_UCONFIG_REG, 3), (reg - UCONFIG_BEGIN) & 0xffff, value);
}

void aql_pm4_write_register(aql_pm4_t *pm4, uint32_t reg, const uint32_t *words, uint32_t count)
{
    enum { TO_REGISTER = 0, SAME_ADDRESS = 1 << 16 };
    PUT(pm4, hsa_pm4_header(OP_WRITE_DATA, count + 4), TO_REGISTER | SAME_ADDRESS, reg, 0);
    put(pm4, words, count);
}

void aql_pm4_store_register(aql_pm4_t *pm4, uint32_t reg, uint64_t address, bool confirm)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        COPY_FROM_REGISTER | COPY_FROM_STREAMED | COPY_TO_MEMORY | COPY_TO_STREAMED |
            (confirm ? COPY_CONFIRM : 0),
        reg, 0, (uint32_t)address, (uint32_t)(address >> 32));
}

void aql_pm4_copy_value(aql_pm4_t *pm4, uint32_t reg, uint32_t value)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6), COPY_IMMEDIATE | COPY_TO_REGISTER, value, 0, reg, 0);
}

void aql_pm4_copy_memory(aql_pm4_t *pm4, uint32_t reg, uint64_t address)
{
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6),
        COPY_FROM_MEMORY | COPY_FROM_STREAMED | COPY_TO_REGISTER | COPY_CONFIRM, (uint32_t)address,
        (uint32_t)(address >> 32), reg, 0);
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
    PUT(pm4, hsa_pm4_header(OP_COPY_DATA, 6), COPY_CLOCK | COPY_FROM_STREAMED | COPY_TO_REGISTER, 0,
        0, reg, 0);
}

void aql_pm4_wait_clear(aql_pm4_t *pm4, uint32_t reg, uint32_t mask)
{
    enum { EQUAL = 3, POLL_INTERVAL = 4 };
    PUT(pm4, hsa_pm4_header(OP_WAIT_REG_MEM, 7), EQUAL, reg, 0, 0, mask, POLL_INTERVAL);
}

void aql_pm4_flush(aql_pm4_t *pm4, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address >> 8;
    uint32_t words[HSA_PM4_ACQUIRE_WORDS];
    hsa_pm4_acquire(words, first, ((address + bytes + 255) >> 8) - first);
    put(pm4, words, HSA_PM4_ACQUIRE_WORDS);
}

hsa_status_t aql_pm4_check(uint32_t bytes)
{
    enum { WORDS_MAX = 0xfffff }; /* the packet's field has 20 bits */
    if (bytes / 4 <= WORDS_MAX) return HSA_STATUS_SUCCESS;
    return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                    "a list of %u commands is more than one packet can have executed, %d",
                    bytes / 4, WORDS_MAX);
}

void aql_pm4_packet(const void *commands, uint32_t bytes, hsa_ext_amd_aql_pm4_packet_t *packet)
{
    hsa_pm4_packet((uintptr_t)commands, bytes / 4, HSA_PM4_STREAMED, packet);
}
