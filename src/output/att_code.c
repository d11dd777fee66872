/* att_code.c - the code of thread traces: listings, the cost of each instruction, its source line.
 *
 * It is apart from the traces because many traces have the same code: a function is disassembled
 * once, when its first instruction is needed. */
#include "output/att.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/golden.h"
#include "base/grow.h"
#include "base/text.h"
#include "trace/names.h"
#include "trace/store.h"

enum { TEXT_MAX = 512 };

/* Makes room for one more element. Returns false if there is no memory. */
static bool grow(out_att_code_t *c, void *array, size_t n, size_t *room, size_t element)
{
    const bool grown = base_grow(array, n, room, element);
    c->no_memory |= !grown;
    return grown;
}

/* ---- objects ---- */

void out_att_code_add(out_att_code_t *c, uint64_t id, const void *elf, size_t size)
{
    dis_object_t *object;
    if (!grow(c, &c->objects, c->object_count, &c->object_room, sizeof(*c->objects))) return;
    const dis_status_t status = dis_object_open(elf, size, &object);
    if (status == DIS_NO_MEMORY) c->no_memory = true;
    if (!status) c->objects[c->object_count++] = (out_att_object_t){id, object};
}

static dis_object_t *object_of(const out_att_code_t *c, uint64_t id)
{
    for (size_t i = 0; i < c->object_count; i++)
        if (c->objects[i].id == id) return c->objects[i].object;
    return NULL;
}

/* Calls dis_object_text(), or a newer disassembler if the first does not support the GPU. */
static size_t text_of(out_att_code_t *c, dis_object_t *object, uint64_t address, char *text,
                      size_t room, uint64_t *bytes)
{
    const size_t length = dis_object_text(object, address, text, room, bytes);
    if (length) return length;
    if (dis_object_disassembles(object)) return dis_object_text(object, address, text, room, bytes);
    c->unknown = dis_object_gpu(object);
    return 0;
}

rocprofiler_thread_trace_decoder_status_t out_att_isa(char *text, uint64_t *bytes, uint64_t *size,
                                                      out_att_pc_t pc, void *code)
{
    dis_object_t *object = object_of(code, pc.code_object_id);
    const uint64_t room = *size;
    const size_t length = object ? text_of(code, object, pc.address, text, room, bytes) : 0;
    if (!length) return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_ARGUMENT;
    *size = length < room ? length : length + 1;
    return length < room ? ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS
                         : ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_OUT_OF_RESOURCES;
}

const char *out_att_function(const out_att_code_t *c, out_att_pc_t pc)
{
    const dis_object_t *object = object_of(c, pc.code_object_id);
    const dis_symbol_t *symbol = object ? dis_object_symbol_at(object, pc.address) : NULL;
    return symbol ? symbol->name : NULL;
}

/* ---- the listing ---- */

static size_t spread(out_att_pc_t pc, size_t room)
{
    return (size_t)((pc.address ^ pc.code_object_id << 48) * BASE_GOLDEN >> 32) & (room - 1);
}

static bool same(out_att_pc_t a, out_att_pc_t b)
{
    return a.address == b.address && a.code_object_id == b.code_object_id;
}

static void place(out_att_code_t *c, uint32_t line)
{
    size_t at = spread(c->lines[line].pc, c->place_room);
    while (c->places[at])
        at = (at + 1) & (c->place_room - 1);
    c->places[at] = line + 1;
}

static bool make_places(out_att_code_t *c)
{
    enum { FIRST_ROOM = 1024 };
    if (c->line_count < c->place_room / 2) return true;
    const size_t room = c->place_room ? 2 * c->place_room : FIRST_ROOM;
    uint32_t *places = calloc(room, sizeof(*places));
    if (!places) {
        c->no_memory = true;
        return false;
    }
    free(c->places);
    c->places = places;
    c->place_room = room;
    for (uint32_t i = 0; i < c->line_count; i++)
        if (!c->lines[i].head) place(c, i);
    return true;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- waits ---- */

enum { LOAD = 1, STORE = 2, LDS = 4, SCALAR = 8, SAMPLE = 16, BVH = 32 };

/* ORDER: the counters of att.h. `text` is the part of a wait before the number of operations that
 * may be outstanding. Before gfx10 stores are counted with loads. */
static const struct {
    const char *text;
    unsigned before_gfx10, events; /* kinds of operations that it counts: before gfx10; from gfx10
                                    * on */
} counters[OUT_ATT_COUNTERS] = {
    {"vmcnt(", LOAD | STORE | SAMPLE | BVH, LOAD | SAMPLE | BVH},
    {"lgkmcnt(", LDS | SCALAR, LDS | SCALAR},
    {"s_waitcnt_vscnt null, ", 0, STORE},
    {"s_wait_loadcnt ", 0, LOAD},
    {"s_wait_storecnt ", 0, STORE},
    {"s_wait_samplecnt ", 0, SAMPLE},
    {"s_wait_bvhcnt ", 0, BVH},
    {"s_wait_dscnt ", 0, LDS},
    {"s_wait_kmcnt ", 0, SCALAR},
};

/* Waits for two counters at once: the first counter is in the upper half of the number. */
static const struct {
    const char *text;
    int upper, lower;
} pairs[] = {{"s_wait_loadcnt_dscnt ", OUT_ATT_LOAD, OUT_ATT_DS},
             {"s_wait_storecnt_dscnt ", OUT_ATT_STORE, OUT_ATT_DS}};

/* Kinds of operations that instructions start: the first row that is the beginning of the text is
 * valid. */
static const struct {
    const char *text;
    unsigned events;
} leaves[] = {
    {"global_", LOAD},           {"buffer_", LOAD},        {"tbuffer_", LOAD},
    {"scratch_", LOAD},          {"flat_", LOAD | LDS},    {"ds_", LDS},
    {"s_load", SCALAR},          {"s_store", SCALAR},      {"s_atomic", SCALAR},
    {"s_scratch", SCALAR},       {"s_buffer", SCALAR},     {"s_memtime", SCALAR},
    {"s_memrealtime", SCALAR},   {"s_sendmsg", SCALAR},    {"image_bvh", BVH},
    {"image_sample", SAMPLE},    {"image_gather", SAMPLE}, {"image_get_lod", SAMPLE},
    {"image_msaa_load", SAMPLE}, {"image_", LOAD},
};

unsigned out_att_counted(int counter, uint64_t generation)
{
    enum { GFX10 = 10 };
    return generation < GFX10 ? counters[counter].before_gfx10 : counters[counter].events;
}

/* Returns whether the instruction is a store, or an atomic that returns nothing. */
static bool stores(const char *text)
{
    if (strstr(text, "_atomic")) return !strstr(text, " glc") && !strstr(text, "ATOMIC_RETURN");
    return strstr(text, "_store");
}

void out_att_read_waits(out_att_line_t *line)
{
    enum { HALF = 8, MASK = 63 };
    const char *text = line->text;
    line->waits = begins(text, "s_waitcnt");
    for (int i = 0; i < OUT_ATT_COUNTERS; i++) {
        const char *at = strstr(text, counters[i].text);
        line->left[i] =
            at && begins(text, "s_wait") ? (int)strtol(at + strlen(counters[i].text), NULL, 0) : -1;
        line->waits |= line->left[i] >= 0;
    }
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        if (!begins(text, pairs[i].text)) continue;
        const long both = strtol(text + strlen(pairs[i].text), NULL, 0);
        line->left[pairs[i].upper] = (int)(both >> HALF & MASK);
        line->left[pairs[i].lower] = (int)(both & MASK);
        line->waits = true;
    }
    for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
        if (begins(text, leaves[i].text)) {
            line->events = leaves[i].events;
            break;
        }
    if (line->events & LOAD && stores(text)) line->events ^= LOAD | STORE;
}

static void keep_source(out_att_code_t *c, const char *file)
{
    for (size_t i = 0; i < c->source_count; i++)
        if (!strcmp(c->sources[i], file)) return;
    if (!grow(c, &c->sources, c->source_count, &c->source_room, sizeof(*c->sources))) return;
    char *copy = strdup(file);
    if (copy)
        c->sources[c->source_count++] = copy;
    else
        c->no_memory = true;
}

static out_att_line_t *add_line(out_att_code_t *c, out_att_pc_t pc, const char *text,
                                const char *source, bool head)
{
    if (!grow(c, &c->lines, c->line_count, &c->line_room, sizeof(*c->lines)) || !make_places(c))
        return NULL;
    out_att_line_t *line = &c->lines[c->line_count];
    *line = (out_att_line_t){.pc = pc,
                             .text = strdup(text),
                             .source = source ? strdup(source) : NULL,
                             .head = head,
                             .number = (uint32_t)c->line_count};
    if (!line->text || (source && !line->source)) {
        free(line->text);
        free(line->source);
        c->no_memory = true;
        return NULL;
    }
    out_att_read_waits(line);
    if (!head) place(c, (uint32_t)c->line_count);
    c->line_count++;
    return line;
}

/* Adds a line for the instruction and returns its length; 0 if there is no instruction. */
static uint64_t add_instruction(out_att_code_t *c, dis_object_t *object, out_att_pc_t pc)
{
    char text[TEXT_MAX], source[PATH_MAX + 16];
    const char *file;
    uint64_t bytes = 0;
    uint32_t number;
    if (!text_of(c, object, pc.address, text, sizeof(text), &bytes)) return 0;
    const bool known = dis_object_line(object, pc.address, &file, &number);
    if (known) {
        snprintf(source, sizeof(source), "%s:%u", file, number);
        keep_source(c, file);
    }
    return add_line(c, pc, text, known ? source : NULL, false) ? bytes : 0;
}

static void add_function(out_att_code_t *c, dis_object_t *object, uint64_t id,
                         const dis_symbol_t *symbol)
{
    char text[TEXT_MAX];
    out_att_pc_t pc = {symbol->address, id};
    char *name = trace_kernel_name(symbol->name, TRACE_NAMES_DEMANGLED);
    snprintf(text, sizeof(text), "; %s", symbol->name);
    const bool listed = add_line(c, pc, text, name ? name : symbol->name, true);
    free(name);
    for (uint64_t bytes = 1; listed && bytes && pc.address < symbol->address + symbol->size;
         pc.address += bytes)
        bytes = add_instruction(c, object, pc);
}

static out_att_line_t *find_line(const out_att_code_t *c, out_att_pc_t pc)
{
    if (!c->place_room) return NULL;
    for (size_t at = spread(pc, c->place_room); c->places[at]; at = (at + 1) & (c->place_room - 1))
        if (same(c->lines[c->places[at] - 1].pc, pc)) return &c->lines[c->places[at] - 1];
    return NULL;
}

out_att_line_t *out_att_line(out_att_code_t *c, out_att_pc_t pc)
{
    if (!pc.address && !pc.code_object_id) return NULL;
    out_att_line_t *line = find_line(c, pc);
    dis_object_t *object = line ? NULL : object_of(c, pc.code_object_id);
    if (!object) return line;
    const dis_symbol_t *symbol = dis_object_symbol_at(object, pc.address);
    if (symbol) add_function(c, object, pc.code_object_id, symbol);
    line = find_line(c, pc);
    if (!line && add_instruction(c, object, pc)) line = find_line(c, pc);
    return line;
}

void out_att_count(out_att_code_t *c, const out_att_wave_t *wave)
{
    int64_t before = wave->begin_time;
    for (uint64_t i = 0; i < wave->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &wave->instructions_array[i];
        out_att_line_t *line = out_att_line(c, n->pc);
        if (line) {
            line->hits++;
            line->latency += (uint64_t)n->duration;
            line->stall += n->stall;
            line->idle += n->time > before ? (uint64_t)(n->time - before) : 0;
        }
        before = n->time + n->duration;
    }
}

void out_att_code_clear(out_att_code_t *c)
{
    for (size_t i = 0; i < c->line_count; i++) {
        free(c->lines[i].text);
        free(c->lines[i].source);
    }
    for (size_t i = 0; i < c->source_count; i++)
        free(c->sources[i]);
    free(c->places);
    c->places = NULL;
    c->place_room = c->line_count = c->source_count = 0;
}

void out_att_code_free(out_att_code_t *c)
{
    out_att_code_clear(c);
    for (size_t i = 0; i < c->object_count; i++)
        dis_object_close(c->objects[i].object);
    free(c->objects);
    free(c->lines);
    free(c->sources);
}

/* ---- files ---- */

static out_file_t *open_in(const char *folder, const char *name, char *why, size_t why_bytes)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return out_file_open(path, why, why_bytes);
}

int out_att_code_json(out_att_code_t *c, const char *folder, char *why, size_t why_bytes)
{
    out_file_t *f = open_in(folder, "code.json", why, why_bytes);
    if (!f) return -1;
    out_json_t j = {.f = f};
    out_json_begin(&j, NULL, '{');
    out_json_begin(&j, "code", '[');
    for (size_t i = 0; i < c->line_count; i++) {
        const out_att_line_t *line = &c->lines[i];
        out_char(f, i ? ',' : '\n');
        if (i) out_char(f, '\n');
        j.comma = false;
        out_json_begin(&j, NULL, '[');
        out_json_text(&j, NULL, line->text);
        out_json_unsigned(&j, NULL, 0);
        out_json_unsigned(&j, NULL, line->number);
        if (line->source)
            out_json_text(&j, NULL, line->source);
        else
            out_text(f, ",null");
        const uint64_t numbers[] = {line->pc.code_object_id, line->pc.address, line->hits,
                                    line->latency,           line->stall,      line->idle};
        for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
            out_json_unsigned(&j, NULL, numbers[k]);
        out_json_end(&j, ']');
    }
    out_json_end(&j, ']');
    out_json_text(&j, "version", "3.0.0");
    out_json_text(&j, "header",
                  "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle");
    out_json_end(&j, '}');
    return out_file_close(f, why, why_bytes);
}

static int by_address(const void *a, const void *b)
{
    const out_att_line_t *x = *(const out_att_line_t *const *)a,
                         *y = *(const out_att_line_t *const *)b;
    if (x->pc.code_object_id != y->pc.code_object_id)
        return x->pc.code_object_id < y->pc.code_object_id ? -1 : 1;
    if (x->pc.address != y->pc.address) return x->pc.address < y->pc.address ? -1 : 1;
    return (int)y->head - (int)x->head;
}

int out_att_stats(const out_att_code_t *c, const char *path, char *why, size_t why_bytes)
{
    const out_att_line_t **sorted = malloc((c->line_count + 1) * sizeof(*sorted));
    out_file_t *f = sorted ? out_file_open(path, why, why_bytes) : NULL;
    if (!sorted) snprintf(why, why_bytes, "%s: no memory", path);
    if (!f) {
        free(sorted);
        return -1;
    }
    for (size_t i = 0; i < c->line_count; i++)
        sorted[i] = &c->lines[i];
    qsort(sorted, c->line_count, sizeof(*sorted), by_address);
    out_text(f, "\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","
                "\"Source\"\n");
    for (size_t i = 0; i < c->line_count; i++) {
        const out_att_line_t *line = sorted[i];
        out_cell(f, line->pc.code_object_id, ',');
        out_cell(f, line->pc.address, ',');
        out_quoted(f, line->text);
        out_char(f, ',');
        out_cell(f, line->hits, ',');
        out_cell(f, line->latency, ',');
        out_cell(f, line->stall, ',');
        out_cell(f, line->idle, ',');
        out_quoted(f, line->source ? line->source : "");
        out_char(f, '\n');
    }
    free(sorted);
    return out_file_close(f, why, why_bytes);
}

/* ---- sources ---- */

typedef struct {
    const char *path;
    char copy[PATH_MAX]; /* path of its copy in the folder */
} snapshot_t;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const snapshot_t *)a)->path, ((const snapshot_t *)b)->path);
}

/* Writes the tree of the files from `first` on whose paths have the same first `depth` bytes;
 * returns the index after them. */
static size_t put_tree(out_json_t *j, const snapshot_t *s, size_t first, size_t end, size_t depth)
{
    char element[PATH_MAX];
    size_t i = first;
    while (i < end && !strncmp(s[i].path, s[first].path, depth)) {
        const char *at = s[i].path + depth;
        const size_t length = strcspn(at, "/");
        snprintf(element, sizeof(element), "%.*s", (int)length, at);
        if (!at[length]) {
            out_json_pair(j, element, s[i++].copy);
            continue;
        }
        if (j->comma) out_char(j->f, ',');
        out_json_escaped(j->f, element);
        out_char(j->f, ':');
        j->comma = false;
        out_json_begin(j, NULL, '{');
        i = put_tree(j, s, i, end, depth + length + 1);
        out_json_end(j, '}');
    }
    return i;
}

static int copy_source(const snapshot_t *s, const char *folder, char *why, size_t why_bytes)
{
    out_file_t *f = open_in(folder, s->copy, why, why_bytes);
    if (!f) return -1;
    if (out_copy(f, s->path, why, why_bytes) == 0) return out_file_close(f, why, why_bytes);
    out_file_abandon(f);
    return -1;
}

static bool readable(const char *path)
{
    struct stat st;
    return *path == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int out_att_sources(const out_att_code_t *c, const char *folder, char *why, size_t why_bytes)
{
    size_t n = 0;
    int result = 0;
    snapshot_t *s = calloc(c->source_count + 1, sizeof(*s));
    if (!s) {
        snprintf(why, why_bytes, "%s: no memory", folder);
        return -1;
    }
    for (size_t i = 0; i < c->source_count; i++)
        if (readable(c->sources[i])) s[n++].path = c->sources[i];
    qsort(s, n, sizeof(*s), by_path);
    for (size_t i = 0; i < n && result == 0; i++) {
        snprintf(s[i].copy, sizeof(s[i].copy), "source_%zu_%s", i, base_last_part(s[i].path));
        result = copy_source(&s[i], folder, why, why_bytes);
    }
    out_file_t *f = n && result == 0 ? open_in(folder, "snapshots.json", why, why_bytes) : NULL;
    if (f) {
        out_json_t j = {.f = f};
        out_json_begin(&j, NULL, '{');
        out_json_begin(&j, "/", '{');
        put_tree(&j, s, 0, n, 1);
        out_json_end(&j, '}');
        out_json_end(&j, '}');
        result = out_file_close(f, why, why_bytes);
    } else if (n) {
        result = -1;
    }
    free(s);
    return result;
}
