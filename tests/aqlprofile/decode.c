/* decode.c - see decode.h. An unknown register prints as its number, an unknown packet is an error.
 */
#include "decode.h"

#include <string.h>

static const struct {
    uint32_t first, count, stride;
    const char *name;
} registers[] = {
    {0xc200, 1, 1, "GRBM_GFX_INDEX"},
    {0xc330, 1, 1, "SQ_THREAD_TRACE_BASE"},
    {0xc331, 1, 1, "SQ_THREAD_TRACE_SIZE"},
    {0xc332, 1, 1, "SQ_THREAD_TRACE_MASK"},
    {0xc333, 1, 1, "SQ_THREAD_TRACE_TOKEN_MASK"},
    {0xc334, 1, 1, "SQ_THREAD_TRACE_PERF_MASK"},
    {0xc335, 1, 1, "SQ_THREAD_TRACE_CTRL"},
    {0xc336, 1, 1, "SQ_THREAD_TRACE_MODE"},
    {0xc337, 1, 1, "SQ_THREAD_TRACE_BASE2"},
    {0xc338, 1, 1, "SQ_THREAD_TRACE_TOKEN_MASK2"},
    {0xc339, 1, 1, "SQ_THREAD_TRACE_WPTR"},
    {0xc33a, 1, 1, "SQ_THREAD_TRACE_STATUS"},
    {0xc33b, 1, 1, "SQ_THREAD_TRACE_HIWATER"},
    {0xc33c, 1, 1, "SQ_THREAD_TRACE_CNTR"},
    {0xc340, 4, 1, "SQ_THREAD_TRACE_USERDATA"},
    {0x2e0b, 1, 1, "COMPUTE_PERFCOUNT_ENABLE"},
    {0xdcbf, 1, 1, "RLC_PERFMON_CLK_CNTL"},
    {0xd808, 1, 1, "CP_PERFMON_CNTL"},
    {0xd9e0, 1, 1, "SQ_PERFCOUNTER_CTRL"},
    {0xd9e1, 1, 1, "SQ_PERFCOUNTER_MASK"},
    {0xd9c0, 16, 1, "SQ_SELECT"},
    {0xd1c0, 16, 2, "SQ_LO"},
    {0xd1c1, 16, 2, "SQ_HI"},
    {0xd840, 2, 1, "GRBM_SELECT"},
    {0xd040, 2, 3, "GRBM_LO"},
    {0xd041, 2, 3, "GRBM_HI"},
    {0xd980, 4, 1, "SPI_SELECT"},
    {0xd181, 6, 2, "SPI_LO"},
    {0xd180, 6, 2, "SPI_HI"},
    {0xda40, 4, 1, "SX_SELECT"},
    {0xd240, 4, 2, "SX_LO"},
    {0xd241, 4, 2, "SX_HI"},
    {0xdb40, 2, 2, "TCP_SELECT"},
    {0xd340, 4, 2, "TCP_LO"},
    {0xd341, 4, 2, "TCP_HI"},
    {0xdb80, 2, 2, "TCC_SELECT"},
    {0xd380, 4, 2, "TCC_LO"},
    {0xd381, 4, 2, "TCC_HI"},
};

static const char *name_of(uint32_t reg)
{
    static char names[2][40];
    static int turn;
    char *name = names[turn ^= 1];
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        uint32_t at = (reg - registers[i].first) / registers[i].stride;
        if (reg < registers[i].first || (reg - registers[i].first) % registers[i].stride ||
            at >= registers[i].count)
            continue;
        if (registers[i].count == 1) return registers[i].name;
        snprintf(name, sizeof names[0], "%s[%u]", registers[i].name, at);
        return name;
    }
    snprintf(name, sizeof names[0], "register 0x%x", reg);
    return name;
}

static const char *value_of(uint32_t reg, uint32_t value, uint64_t results)
{
    static char text[64], part[3][12];
    if (reg == 0xc330) { /* an address in pages, bits 43:12 */
        uint64_t offset = ((uint64_t)value << 12) - (results & UINT64_C(0xfffffffffff));
        snprintf(text, sizeof text, "results+0x%llx", (unsigned long long)offset);
        return text;
    }
    if (reg == 0xc337) return value == results >> 44 ? "its high bits" : "other high bits";
    if (reg != 0xc200) {
        snprintf(text, sizeof text, "0x%x", value);
        return text;
    }
    for (int i = 0; i < 3; i++) { /* instance, array, engine */
        static const int all[] = {30, 29, 31};
        if (value >> all[i] & 1)
            snprintf(part[i], sizeof part[i], "all");
        else
            snprintf(part[i], sizeof part[i], "%u", value >> 8 * i & 0xff);
    }
    snprintf(text, sizeof text, "engine %s, array %s, instance %s", part[2], part[1], part[0]);
    return text;
}

static void print_address(FILE *out, uint64_t at, uint64_t results, uint64_t size)
{
    if (at >= results && at < results + size)
        fprintf(out, "results+0x%llx", (unsigned long long)(at - results));
    else
        fprintf(out, "elsewhere");
}

static bool print_packet(FILE *out, const uint32_t *dw, uint32_t n, uint64_t results, uint64_t size)
{
    uint32_t opcode = dw[0] >> 8 & 0xff;
    uint64_t low = n > 4 ? dw[4] : 0, high = n > 5 ? dw[5] : 0;
    if (opcode == 0x46 && n == 2 && dw[1] == 0x407) {
        fprintf(out, "  wait until idle\n");
    } else if ((opcode == 0x79 || opcode == 0x76) && n == 3) {
        uint32_t reg = dw[1] + (opcode == 0x79 ? 0xc000 : 0x2c00);
        fprintf(out, "  %s = %s\n", name_of(reg), value_of(reg, dw[2], results));
    } else if (opcode == 0x40 && n == 6) {
        uint32_t from = dw[1] & 15, to = dw[1] >> 8 & 15;
        fprintf(out, "  ");
        if (to == 5) print_address(out, low | high << 32, results, size);
        if (to == 0) fprintf(out, "%s", name_of(dw[4]));
        fprintf(out, to == 5 || to == 0 ? " = " : "destination? = ");
        if (from == 0) fprintf(out, "%s", name_of(dw[2]));
        if (from == 1) print_address(out, dw[2] | (uint64_t)dw[3] << 32, results, size);
        if (from == 5) fprintf(out, "0x%x", dw[2]);
        if (from == 9) fprintf(out, "clock");
        fprintf(out, "%s%s\n", dw[1] >> 16 & 1 ? ", 64 bits" : "",
                dw[1] >> 20 & 1 ? ", confirmed" : "");
    } else if (opcode == 0x58 && n == 7) {
        uint64_t first = (dw[4] | (uint64_t)dw[5] << 32) << 8, bytes = (uint64_t)dw[2] << 8;
        bool all = first <= results && first + bytes >= results + size;
        fprintf(out, "  flush 0x%x over %s\n", dw[1], all ? "the results" : "its control");
    } else if (opcode == 0x3c && n == 7) {
        fprintf(out, "  wait: %s 0x%x, function %u, reference 0x%x, mask 0x%x\n",
                dw[1] >> 4 & 3 ? "memory" : "register", dw[2], dw[1] & 7, dw[4], dw[5]);
    } else {
        fprintf(out, "  packet 0x%08x of %u words is unknown\n", dw[0], n);
        return false;
    }
    return true;
}

bool decode_packet(FILE *out, const hsa_ext_amd_aql_pm4_packet_t *packet, const void *results,
                   uint64_t size)
{
    uint32_t ib[5];
    memcpy(ib, packet->pm4_command + 1, sizeof ib);
    if (packet->pm4_command[0] != 1 || ib[0] != 0xc0023f00 || ib[4] != 10 ||
        (ib[3] & ~0xfffffu) != 0x10800000) {
        fprintf(out, "  no indirect buffer: %x %08x %08x %u\n", packet->pm4_command[0], ib[0],
                ib[3], ib[4]);
        return false;
    }
    const uint32_t *words = (const uint32_t *)(uintptr_t)(ib[1] | (uint64_t)ib[2] << 32);
    uint32_t count = ib[3] & 0xfffff;
    for (uint32_t at = 0; at < count;) {
        uint32_t n = (words[at] >> 16 & 0x3fff) + 2;
        if (words[at] >> 30 != 3 || at + n > count) {
            fprintf(out, "  word %u: 0x%08x begins no packet\n", at, words[at]);
            return false;
        }
        if (!print_packet(out, words + at, n, (uintptr_t)results, size)) return false;
        at += n;
    }
    return true;
}
