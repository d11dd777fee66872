/* code.c - the instruction at an address: its kind, by which it is matched with the trace, its
 * length, and its branch target.
 *
 * The decoder gets each instruction as text from its caller's callback and does not decode
 * encodings. It is apart because a new instruction changes only the table of mnemonics here. Each
 * address is requested once. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/grow.h"

/* ---- kinds ---- */

/* The first row whose text is the beginning of the mnemonic has its kind. A mnemonic that begins
 * with s_ and has no row is scalar. */
static const struct {
    const char *begins;
    dec_line_kind_t kind;
} kinds[] = {
    {"v_", DEC_LINE_VALU},
    {"s_barrier_wait", DEC_LINE_IMMEDIATE},
    {"s_barrier_leave", DEC_LINE_IMMEDIATE},
    {"s_barrier_", DEC_LINE_MESSAGE},
    {"s_barrier", DEC_LINE_BARRIER},
    {"s_waitcnt", DEC_LINE_IMMEDIATE},
    {"s_wait_alu", DEC_LINE_UNKNOWN},
    {"s_wait_", DEC_LINE_IMMEDIATE},
    {"s_delay_alu", DEC_LINE_UNKNOWN},
    {"s_singleuse", DEC_LINE_UNKNOWN},
    {"s_set_vgpr", DEC_LINE_UNKNOWN},
    {"s_clause", DEC_LINE_IMMEDIATE},
    {"s_inst_prefetch", DEC_LINE_IMMEDIATE},
    {"s_set_inst_prefetch", DEC_LINE_IMMEDIATE},
    {"s_version", DEC_LINE_IMMEDIATE},
    {"s_nop", DEC_LINE_IMMEDIATE},
    {"s_sleep", DEC_LINE_IMMEDIATE},
    {"s_wakeup", DEC_LINE_IMMEDIATE},
    {"s_sendmsg", DEC_LINE_MESSAGE},
    {"s_setprio", DEC_LINE_IMMEDIATE},
    {"s_setkill", DEC_LINE_IMMEDIATE},
    {"s_trap", DEC_LINE_IMMEDIATE},
    {"s_endpgm", DEC_LINE_MESSAGE},
    {"s_icache_inv", DEC_LINE_IMMEDIATE},
    {"s_incperflevel", DEC_LINE_IMMEDIATE},
    {"s_decperflevel", DEC_LINE_IMMEDIATE},
    {"s_sethalt", DEC_LINE_IMMEDIATE},
    {"s_ttracedata", DEC_LINE_IMMEDIATE},
    {"s_load", DEC_LINE_SMEM},
    {"s_store", DEC_LINE_SMEM},
    {"s_buffer", DEC_LINE_SMEM},
    {"s_atomic", DEC_LINE_SMEM},
    {"s_atc_probe", DEC_LINE_SMEM},
    {"s_scratch", DEC_LINE_SMEM},
    {"s_dcache", DEC_LINE_SMEM},
    {"s_memtime", DEC_LINE_SMEM},
    {"s_memrealtime", DEC_LINE_SMEM},
    {"s_prefetch", DEC_LINE_SMEM},
    {"s_gl1_inv", DEC_LINE_SMEM},
    {"s_get_waveid", DEC_LINE_SMEM},
    {"s_", DEC_LINE_SALU},
    {"buffer_", DEC_LINE_VMEM},
    {"tbuffer_", DEC_LINE_VMEM},
    {"image_bvh", DEC_LINE_BVH},
    {"image_", DEC_LINE_VMEM},
    {"global_", DEC_LINE_VMEM},
    {"scratch_", DEC_LINE_VMEM},
    {"flat_", DEC_LINE_FLAT},
    {"ds_", DEC_LINE_LDS},
    {"lds_", DEC_LINE_LDS},
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static dec_line_kind_t kind_of(const char *text)
{
    const char *end = strchr(text, ' '), *branch = strstr(text, "branch");
    if (branch && (!end || branch < end)) return DEC_LINE_BRANCH;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(text, kinds[i].begins)) return kinds[i].kind;
    return DEC_LINE_UNKNOWN;
}

/* Sets the target of a branch. Its operand is a number of 4-byte words from the next instruction;
 * it has 16 bits, which disassemblers print with or without a sign. */
static void set_target(dec_line_t *line, const char *text)
{
    enum { WORD = 4, POSITIVE = 32767, RANGE = 65536, MOST = 65535, LEAST = -32768 };
    const char *operand = strrchr(text, ' ');
    char *end = NULL;
    if (!operand) return;
    long words = strtol(operand + 1, &end, 0);
    if (end == operand + 1 || *end || words > MOST || words < LEAST) return;
    if (words > POSITIVE) words -= RANGE;
    line->target = line->next + (uint64_t)(words * WORD);
    line->targeted = true;
}

static void read_text(dec_line_t *line, char *text, uint64_t bytes)
{
    char *comment = strstr(text, "//");
    if (!comment) comment = strchr(text, ';');
    if (comment) *comment = '\0';
    for (size_t n = strlen(text); n && (text[n - 1] == ' ' || text[n - 1] == '\t'); n--)
        text[n - 1] = '\0';
    line->known = *text && bytes;
    line->next = line->pc.address + bytes;
    line->kind = kind_of(text);
    line->scaled = begins(text, "v_mfma_scale_");
    line->meets = begins(text, "s_barrier_wait");
    line->wait = line->meets || begins(text, "s_waitcnt") || begins(text, "s_wait_");
    if (line->kind == DEC_LINE_BRANCH) set_target(line, text);
}

/* ---- look-up ---- */

/* Requests the text from the caller; requests it again with a larger buffer if the callback says
 * so. Returns false if there is no memory. */
static bool request_text(dec_code_t *c, dec_line_t *line)
{
    enum { FIRST_ROOM = 256, ROOM_MAX = 1 << 20 };
    for (uint64_t room = c->text_room ? c->text_room : FIRST_ROOM; room <= ROOM_MAX;) {
        if (room > c->text_room) {
            if (!base_resize(&c->text, room + 1, 1)) return false;
            c->text_room = room;
        }
        uint64_t bytes = 0, size = c->text_room;
        const dec_status_t status = c->callback(c->text, &bytes, &size, line->pc, c->user);
        if (status == DEC_NO_MEMORY && size > c->text_room) {
            room = size;
            continue;
        }
        if (status != DEC_SUCCESS || size > c->text_room) return true;
        c->text[size] = '\0';
        read_text(line, c->text, bytes);
        return true;
    }
    return true;
}

static dec_line_t *find(dec_line_t *lines, size_t room, dec_pc_t pc)
{
    const uint64_t spread = BASE_GOLDEN;
    uint64_t hash = (pc.address ^ pc.code_object_id << 48) * spread;
    for (size_t i = (size_t)(hash >> 32) & (room - 1);; i = (i + 1) & (room - 1)) {
        dec_line_t *line = &lines[i];
        const bool empty = !line->pc.address && !line->pc.code_object_id && !line->known;
        if (empty ||
            (line->pc.address == pc.address && line->pc.code_object_id == pc.code_object_id))
            return line;
    }
}

static bool make_room(dec_code_t *c)
{
    enum { FIRST_ROOM = 256 };
    if (c->count < c->room / 2) return true;
    const size_t room = c->room ? 2 * c->room : FIRST_ROOM;
    dec_line_t *lines = calloc(room, sizeof *lines);
    if (!lines) return false;
    for (size_t i = 0; i < c->room; i++)
        if (c->lines[i].pc.address || c->lines[i].pc.code_object_id)
            *find(lines, room, c->lines[i].pc) = c->lines[i];
    free(c->lines);
    c->lines = lines;
    c->room = room;
    return true;
}

const dec_line_t *dec_code_at(dec_code_t *c, dec_pc_t pc)
{
    static const dec_line_t nothing = {.kind = DEC_LINE_UNKNOWN};
    if (!c->callback || (!pc.address && !pc.code_object_id)) return &nothing;
    if (!make_room(c)) return NULL;
    dec_line_t *line = find(c->lines, c->room, pc);
    if (line->pc.address || line->pc.code_object_id) return line;
    dec_line_t asked = {.pc = pc, .kind = DEC_LINE_UNKNOWN};
    if (!request_text(c, &asked)) return NULL;
    *line = asked;
    c->count++;
    return line;
}

void dec_code_free(dec_code_t *c)
{
    free(c->lines);
    free(c->text);
    c->lines = NULL;
    c->text = NULL;
    c->count = c->room = c->text_room = 0;
}
