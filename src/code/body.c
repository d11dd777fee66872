/* body.c - analyses the code of a kernel: classes of instructions, loops, spills, lines.
 *
 * Instructions of GPUs in src/isa are decoded by its table; for other GPUs, LLVM's disassembler
 * writes the text (disasm.h). From there on both are treated in the same way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "code/kernels.h"
#include "insight/blocks.h"
#include "insight/frames.h"
#include "isa/isa.h"
#include "isa/table.h"

/* PROLOGUE: number of instructions at the beginning among which the compiler may move the
 * descriptor of scratch to other registers. ROUNDS: assumed number of iterations of each loop, for
 * the share of hot code, in loops up to DEPTH_COUNTED. */
enum { TEXT_BYTES = 160, PROLOGUE = 64, ROUNDS = 10, DEPTH_COUNTED = 4 };

typedef enum { NO_SPILL, STORE, RELOAD, LANE_WRITE, LANE_READ } spill_t;

typedef struct {
    uint8_t klass, spill; /* code_class_t, spill_t */
} note_t;

/* The source line of an instruction. */
typedef struct {
    const char *file; /* NULL: not known */
    uint32_t line, index;
} place_t;

typedef struct {
    code_body_t *body;
    dis_object_t *object;
    const dis_kernel_row_t *row;
    const isa_arch_t *arch;         /* NULL: LLVM disassembles */
    char resource[CODE_WORD_BYTES]; /* registers to which the descriptor of scratch was moved */
    ins_step_t *steps;
    note_t *notes;
    place_t *places; /* NULL: source lines are not known */
    size_t count;
} reader_t;

/* ---- instructions ---- */

/* Returns whether the operands are needed, and not only the name. */
static bool needs_operands(const char *name)
{
    static const char *const begins[] = {"buffer_", "scratch_", "v_readlane_", "v_writelane_",
                                         "s_mov_b64"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (base_begins_with(name, begins[i])) return true;
    return false;
}

/* Writes the instruction's text; operands that are not needed may be missing. Returns the
 * instruction's size, 0 if there is no valid instruction. */
static uint32_t text_of(const reader_t *r, uint64_t address, const uint8_t *at, uint64_t left,
                        char text[TEXT_BYTES])
{
    uint32_t words[ISA_MAX_DWORDS] = {0};
    uint64_t bytes = 0;
    isa_inst_t decoded;
    if (!r->arch)
        return dis_object_text(r->object, address, text, TEXT_BYTES, &bytes) ? (uint32_t)bytes : 0;
    const unsigned n = left < sizeof(words) ? (unsigned)left / 4 : ISA_MAX_DWORDS;
    memcpy(words, at, n * sizeof(*words));
    const int size = isa_decode(r->arch, words, n, &decoded);
    if (size <= 0) return 0;
    const char *name = isa_table[decoded.op].mnemonic;
    if (needs_operands(name))
        isa_disassemble(r->arch, &decoded, text, TEXT_BYTES);
    else
        snprintf(text, TEXT_BYTES, "%s", name);
    return (uint32_t)size * 4;
}

/* ---- spills ---- */

/* Follows the descriptor of scratch, for ABIs that use one: it is in s[0:3] at first, and compilers
 * may move it to other registers at the beginning. */
static void follow_resource(reader_t *r, const char *text)
{
    char word[CODE_WORD_BYTES];
    unsigned first, last;
    if (!base_begins_with(text, "s_mov_b64") || r->count > PROLOGUE) return;
    if (strcmp(code_word(text, 2, word), "s[0:1]") != 0) return;
    if (sscanf(code_word(text, 1, word), "s[%u:%u]", &first, &last) == 2)
        snprintf(r->resource, sizeof(r->resource), "s[%u:%u]", first, first + 3);
}

/* Returns the class of an instruction. Buffer instructions access scratch if they use its
 * descriptor. */
static code_class_t class_of(const reader_t *r, const char *text)
{
    char word[CODE_WORD_BYTES];
    const code_class_t c = code_class_of(text);
    if ((c != CODE_VMEM_LOAD && c != CODE_VMEM_STORE) || !r->row->scratch_bytes ||
        !base_begins_with(text, "buffer_"))
        return c;
    code_word(text, 3, word);
    if (strcmp(word, "s[0:3]") != 0 && strcmp(word, r->resource) != 0) return c;
    return c == CODE_VMEM_LOAD ? CODE_SCRATCH_LOAD : CODE_SCRATCH_STORE;
}

/* Returns whether the instruction spills or reloads: a spill is an access to scratch at a fixed
 * address, in a kernel with spilled registers according to its notes; arrays are mostly accessed by
 * an index. */
static spill_t spill_of(const reader_t *r, const char *text, code_class_t c)
{
    char word[CODE_WORD_BYTES];
    const bool lane = r->row->sgpr_spills && code_word(text, 3, word)[0] >= '0' && *word <= '9';
    if (lane && base_begins_with(text, "v_writelane_")) return LANE_WRITE;
    if (lane && base_begins_with(text, "v_readlane_")) return LANE_READ;
    if ((c != CODE_SCRATCH_LOAD && c != CODE_SCRATCH_STORE) || !r->row->vgpr_spills)
        return NO_SPILL;
    /* the address is the first operand of a store of scratch_, else it follows the data */
    const unsigned address = base_begins_with(text, "scratch_store_") ? 1 : 2;
    if (strcmp(code_word(text, address, word), "off") != 0) return NO_SPILL;
    return c == CODE_SCRATCH_LOAD ? RELOAD : STORE;
}

static void add_spill(code_spills_t *to, spill_t spill)
{
    to->stores += spill == STORE;
    to->reloads += spill == RELOAD;
    to->lane_writes += spill == LANE_WRITE;
    to->lane_reads += spill == LANE_READ;
}

static void add_class(code_mix_t *to, code_class_t c)
{
    to->all++;
    to->of[c]++;
}

/* ---- matrix instructions ---- */

static bool add_matrix(code_body_t *b, const char *text)
{
    char name[CODE_WORD_BYTES];
    code_word(text, 0, name);
    for (size_t i = 0; i < b->matrix_count; i++)
        if (strcmp(b->matrix[i].name, name) == 0) {
            b->matrix[i].count++;
            return true;
        }
    char *copy = BASE_GROW_BY_ONE(b->matrix, b->matrix_count) ? strdup(name) : NULL;
    if (copy) b->matrix[b->matrix_count++] = (code_named_t){copy, 1};
    return copy;
}

static int by_count(const void *a, const void *b)
{
    const code_named_t *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* ---- the pass over the code ---- */

static bool add_instruction(reader_t *r, uint64_t address, const uint8_t *at, uint32_t bytes,
                            const char *text)
{
    const code_class_t c = class_of(r, text);
    const code_flow_t flow = code_flow_of(text);
    const uint64_t target =
        address + 4 + (uint64_t)((int64_t)(int16_t)(uint16_t)(at[0] | at[1] << 8) * 4);
    follow_resource(r, text);
    r->steps[r->count] = (ins_step_t){.address = address,
                                      .bytes = bytes,
                                      .branches = flow == CODE_JUMPS || flow == CODE_MAY_JUMP,
                                      .falls = flow != CODE_JUMPS && flow != CODE_LEAVES,
                                      .target = target};
    r->notes[r->count] = (note_t){(uint8_t)c, (uint8_t)spill_of(r, text, c)};
    add_class(&r->body->mix, c);
    add_spill(&r->body->spills, (spill_t)r->notes[r->count].spill);
    r->body->calls += flow == CODE_CALLS;
    r->count++;
    return c != CODE_MATRIX || add_matrix(r->body, text);
}

static bool read_instructions(reader_t *r, const uint8_t *code)
{
    char text[TEXT_BYTES];
    for (uint64_t at = 0; at + 4 <= r->row->code_bytes;) {
        const uint64_t left = r->row->code_bytes - at;
        uint32_t bytes = text_of(r, r->row->code + at, code + at, left, text);
        if (!bytes || bytes > left) {
            r->body->unreadable++;
            at += 4;
            continue;
        }
        if (!add_instruction(r, r->row->code + at, code + at, bytes, text)) return false;
        at += bytes;
    }
    if (r->body->matrix_count)
        qsort(r->body->matrix, r->body->matrix_count, sizeof(*r->body->matrix), by_count);
    return true;
}

static void weigh(reader_t *r)
{
    double all = 0;
    for (size_t i = 0; i < r->count; i++) {
        double weight = 1;
        for (uint32_t d = 0; d < r->steps[i].depth && d < DEPTH_COUNTED; d++)
            weight *= (double)ROUNDS;
        r->body->hot[r->notes[i].klass] += weight;
        all += weight;
    }
    for (size_t c = 0; all > 0 && c < CODE_CLASS_COUNT; c++)
        r->body->hot[c] /= all;
}

/* ---- places ---- */

static int by_place(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    const int files = x->file && y->file ? strcmp(x->file, y->file) : !x->file - !y->file;
    if (files) return files;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Finds the user's source line of each instruction. Returns false without memory. */
static bool find_places(reader_t *r)
{
    dis_inlined_t list[INS_INLINED_MAX];
    const char *file;
    uint32_t line;
    size_t known = 0;
    if (!r->count) return true;
    ins_instruction_t *one = calloc(1, sizeof(*one));
    r->places = calloc(r->count, sizeof(*r->places));
    for (size_t i = 0; one && r->places && i < r->count; i++) {
        const uint64_t address = r->steps[i].address;
        r->places[i].index = (uint32_t)i;
        if (!dis_object_line(r->object, address, &file, &line)) continue;
        one->function = "";
        one->file = file;
        one->line = line;
        one->inlined = list;
        one->inlined_count = dis_object_inlined(r->object, address, list, INS_INLINED_MAX);
        const ins_frame_t frame =
            ins_frame(one, ins_user_level(one, dis_object_unit(r->object, address)));
        r->places[i].file = frame.file;
        r->places[i].line = frame.line;
        known++;
    }
    const bool good = one && r->places;
    free(one);
    if (known) return good;
    free(r->places);
    r->places = NULL;
    return good;
}

static bool same_line(const place_t *a, const place_t *b)
{
    return a->file && b->file && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Sums the instructions of each line. It sorts `places` by line: afterwards they are not in the
 * order of the code. */
static bool add_lines(reader_t *r)
{
    code_body_t *b = r->body;
    if (!r->places) return true;
    qsort(r->places, r->count, sizeof(*r->places), by_place);
    for (size_t i = 0; i < r->count && r->places[i].file; i++) {
        const place_t *p = &r->places[i];
        if (!i || !same_line(p, p - 1)) {
            char *file = BASE_GROW_BY_ONE(b->lines, b->line_count) ? strdup(p->file) : NULL;
            if (!file) return false;
            b->lines[b->line_count++] = (code_line_t){.file = file, .line = p->line};
        }
        code_line_t *line = &b->lines[b->line_count - 1];
        const uint32_t depth = r->steps[p->index].depth;
        if (depth > line->depth) line->depth = depth;
        add_class(&line->mix, (code_class_t)r->notes[p->index].klass);
        add_spill(&line->spills, (spill_t)r->notes[p->index].spill);
    }
    return true;
}

/* ---- loops ---- */

static int by_address(const void *key, const void *loop)
{
    const uint64_t address = *(const uint64_t *)key, other = ((const code_loop_t *)loop)->address;
    return address < other ? -1 : address > other;
}

static bool begin_loops(reader_t *r)
{
    code_body_t *b = r->body;
    for (size_t i = 0; i < r->count; i++) {
        const ins_step_t *s = &r->steps[i];
        if (!s->depth || s->loop != s->address) continue;
        if (!BASE_GROW_BY_ONE(b->loops, b->loop_count)) return false;
        b->loops[b->loop_count++] = (code_loop_t){.address = s->address, .depth = s->depth};
    }
    return true;
}

/* Widens the range of the loop's lines, all of which are in the file of its first instruction with
 * a line. */
static bool add_place(code_loop_t *l, const place_t *p)
{
    if (!p->file || (l->file && strcmp(l->file, p->file) != 0)) return true;
    if (!l->file) {
        l->file = strdup(p->file);
        l->first_line = l->last_line = p->line;
    }
    if (p->line && p->line < l->first_line) l->first_line = p->line;
    if (p->line > l->last_line) l->last_line = p->line;
    return l->file;
}

static bool add_loops(reader_t *r)
{
    code_body_t *b = r->body;
    if (!begin_loops(r)) return false;
    for (size_t i = 0; i < r->count; i++) {
        const ins_step_t *s = &r->steps[i];
        code_loop_t *l = s->depth && b->loop_count ? bsearch(&s->loop, b->loops, b->loop_count,
                                                             sizeof(*b->loops), by_address)
                                                   : NULL;
        if (!l) continue;
        add_class(&l->mix, (code_class_t)r->notes[i].klass);
        add_spill(&l->spills, (spill_t)r->notes[i].spill);
        if (r->places && !add_place(l, &r->places[i])) return false;
    }
    return true;
}

/* ---- the analysis ---- */

bool code_body_read(code_body_t *body, dis_object_t *object, const dis_kernel_row_t *row,
                    bool lines)
{
    reader_t r = {
        .body = body, .object = object, .row = row, .arch = isa_arch_named(dis_object_gpu(object))};
    uint64_t left;
    *body = (code_body_t){0};
    const uint8_t *code = row->code_bytes ? dis_object_bytes(object, row->code, &left) : NULL;
    if (!code)
        snprintf(body->why, sizeof(body->why), "the code object has no symbol with its size");
    else if (!r.arch && !dis_object_disassembles(object))
        snprintf(body->why, sizeof(body->why), "no disassembler here knows %s",
                 dis_object_gpu(object));
    if (*body->why) return true;
    const size_t most = row->code_bytes / 4 + 1;
    r.steps = calloc(most, sizeof(*r.steps));
    r.notes = calloc(most, sizeof(*r.notes));
    bool good = r.steps && r.notes && read_instructions(&r, code) &&
                (!r.count || ins_blocks_find(r.steps, r.count)) && (!lines || find_places(&r)) &&
                add_loops(&r) && add_lines(&r);
    if (good) weigh(&r);
    body->known = good;
    free(r.steps);
    free(r.notes);
    free(r.places);
    return good;
}

void code_body_free(code_body_t *b)
{
    for (size_t i = 0; i < b->matrix_count; i++)
        free(b->matrix[i].name);
    for (size_t i = 0; i < b->loop_count; i++)
        free(b->loops[i].file);
    for (size_t i = 0; i < b->line_count; i++)
        free(b->lines[i].file);
    free(b->matrix);
    free(b->loops);
    free(b->lines);
    *b = (code_body_t){0};
}
