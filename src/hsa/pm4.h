/* pm4.h - PM4 commands that more than one library sends: for invalidating caches and counting
 * waves; and the AQL packet that makes the GPU execute commands.
 *
 * The numbers are those of AMD's public PM4 headers, for gfx9 and for later GPUs where those
 * differ. */
#ifndef HSA_PM4_H
#define HSA_PM4_H

#include <hsa/hsa_ven_amd_aqlprofile.h>
#include <stdint.h>
#include <string.h>

enum {
    HSA_PM4_ACQUIRE_WORDS = 7,
    HSA_PM4_ACQUIRE_WORDS_GFX10 = 8,
    HSA_PM4_COUNTED_WORDS = 3,
    HSA_PM4_STREAMED = 1 << 28
};

/* Headers of packets that make the GPU execute commands when everything before is over. FENCED:
 * caches are written back and invalidated before and after, for the whole system. */
enum {
    HSA_PM4_BARRIER =
        HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER,
    HSA_PM4_FENCED = HSA_PM4_BARRIER |
                     HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                     HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
};

static inline uint32_t hsa_pm4_header(uint32_t opcode, uint32_t dwords)
{
    return 3u << 30 | (dwords - 2) << 16 | opcode << 8;
}

/* Writes an ACQUIRE_MEM for `blocks` blocks of 256 bytes from block `first` on: L2 writes back its
 * dirty lines there, and no cache holds any of the blocks afterwards. */
static inline void hsa_pm4_acquire(uint32_t words[HSA_PM4_ACQUIRE_WORDS], uint64_t first,
                                   uint64_t blocks)
{
    enum {
        OP_ACQUIRE_MEM = 0x58,
        TC_WB = 1 << 18,
        TCL1 = 1 << 22,
        TC = 1 << 23,
        SH_KCACHE = 1 << 27,
        SH_ICACHE = 1 << 29,
        POLL_INTERVAL = 0x10
    };
    words[0] = hsa_pm4_header(OP_ACQUIRE_MEM, HSA_PM4_ACQUIRE_WORDS);
    words[1] = TC | TCL1 | TC_WB | SH_ICACHE | SH_KCACHE;
    words[2] = (uint32_t)blocks;
    words[3] = (uint32_t)(blocks >> 32) & 0xff;
    words[4] = (uint32_t)first;
    words[5] = (uint32_t)(first >> 32) & 0xff;
    words[6] = POLL_INTERVAL;
}

/* The same for all addresses on gfx10 and later, whose packet has other bits, in an eighth word. */
static inline void hsa_pm4_acquire_all_gfx10(uint32_t words[HSA_PM4_ACQUIRE_WORDS_GFX10])
{
    enum {
        OP_ACQUIRE_MEM = 0x58,
        GLI_INV = 1, /* all instructions */
        GLK_INV = 1 << 7,
        GLV_INV = 1 << 8,
        GL1_INV = 1 << 9,
        GL2_INV = 1 << 14,
        GL2_WB = 1 << 15,
        POLL_INTERVAL = 0x10
    };
    words[0] = hsa_pm4_header(OP_ACQUIRE_MEM, HSA_PM4_ACQUIRE_WORDS_GFX10);
    words[1] = 0;
    words[2] = UINT32_MAX; /* in blocks of 256 bytes: lower and upper half */
    words[3] = 0xff;
    words[4] = words[5] = 0;
    words[6] = POLL_INTERVAL;
    words[7] = GLI_INV | GLK_INV | GLV_INV | GL1_INV | GL2_INV | GL2_WB;
}

/* Writes commands that make the queue's waves be counted: COMPUTE_PERFCOUNT_ENABLE. */
static inline void hsa_pm4_counted(uint32_t words[HSA_PM4_COUNTED_WORDS])
{
    enum { OP_SET_SH_REG = 0x76, COMPUTE_PERFCOUNT_ENABLE = 0x2e0b - 0x2c00 };
    words[0] = hsa_pm4_header(OP_SET_SH_REG, HSA_PM4_COUNTED_WORDS);
    words[1] = COMPUTE_PERFCOUNT_ENABLE;
    words[2] = 1;
}

/* Fills in the commands of a vendor packet, by which the GPU executes the `dwords` words at
 * `address`. `flags`: HSA_PM4_STREAMED if caches need not keep the words, else 0. */
static inline void hsa_pm4_packet(uint64_t address, uint32_t dwords, uint32_t flags,
                                  hsa_ext_amd_aql_pm4_packet_t *packet)
{
    enum { OP_INDIRECT_BUFFER = 0x3f, VENDOR_PM4_IB = 1, VALID = 1 << 23, WORDS_LEFT = 10 };
    const uint32_t words[] = {hsa_pm4_header(OP_INDIRECT_BUFFER, 4), (uint32_t)address & ~3u,
                              (uint32_t)(address >> 32), dwords | VALID | flags, WORDS_LEFT};
    memset(packet->pm4_command, 0, sizeof packet->pm4_command);
    packet->pm4_command[0] = VENDOR_PM4_IB;
    memcpy(packet->pm4_command + 1, words, sizeof words);
}

#endif
