/* lines.c - source lines of addresses, from the DWARF line tables of a code object.
 *
 * Versions 2 to 5, as compilers for these GPUs write them. Apart because the tables are a language
 * of their own. A table that breaks its rules ends there, and what it had said until then holds. */
#include "disasm/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *at, *end;
    bool broken;
    bool wide; /* offsets of 64 bits */
} reader_t;

static uint64_t number(reader_t *r, unsigned bytes)
{
    uint64_t value = 0;
    if ((uint64_t)(r->end - r->at) < bytes) {
        r->broken = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t uleb(reader_t *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint64_t byte = number(r, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static int64_t sleb(reader_t *r)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = number(r, 1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

static const char *text(reader_t *r)
{
    const uint8_t *end = r->at < r->end ? memchr(r->at, '\0', (size_t)(r->end - r->at)) : NULL;
    const char *text_ = (const char *)r->at;
    if (!end) {
        r->broken = true;
        r->at = r->end;
        return "";
    }
    r->at = end + 1;
    return text_;
}

static const char *text_of(const dis_section_t *s, uint64_t at)
{
    return s->data && at < s->size && memchr(s->data + at, '\0', s->size - at)
               ? (const char *)s->data + at
               : "";
}

/* ---- names of files ---- */

/* A table's files; indices of the object's names. */
typedef struct {
    const char **folders;
    uint32_t *files;
    size_t folder_count, file_count;
} names_t;

static bool add_file(dis_object_t *o, names_t *n, const char *folder, const char *name)
{
    if (o->file_count == o->file_room) {
        const size_t room = o->file_room ? 2 * o->file_room : 16;
        char **files = realloc(o->files, room * sizeof *files);
        if (!files) return false;
        o->files = files;
        o->file_room = room;
    }
    uint32_t *grown = realloc(n->files, (n->file_count + 1) * sizeof *grown);
    if (!grown) return false;
    n->files = grown;
    char *path = NULL;
    if (*name == '/' || !*folder) folder = "";
    if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0) return false;
    n->files[n->file_count++] = (uint32_t)o->file_count;
    o->files[o->file_count++] = path;
    return true;
}

static bool add_folder(names_t *n, const char *name)
{
    const char **grown = realloc(n->folders, (n->folder_count + 1) * sizeof *grown);
    if (!grown) return false;
    n->folders = grown;
    n->folders[n->folder_count++] = name;
    return true;
}

/* Versions 2 to 4: folders and files from 1 on; 0 is the folder of the compilation. */
static bool read_names_old(dis_object_t *o, reader_t *r, names_t *n)
{
    bool good = add_folder(n, "") && add_file(o, n, "", "");
    while (good && !r->broken) {
        const char *name = text(r);
        if (!*name) break;
        good = add_folder(n, name);
    }
    while (good && !r->broken) {
        const char *name = text(r);
        if (!*name) break;
        const uint64_t folder = uleb(r);
        uleb(r), uleb(r); /* time, size */
        good = add_file(o, n, folder < n->folder_count ? n->folders[folder] : "", name);
    }
    return good && !r->broken;
}

enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2, FORMATS_MAX = 16 };
enum {
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

static void pass(reader_t *r, uint64_t bytes)
{
    if ((uint64_t)(r->end - r->at) < bytes) {
        r->broken = true;
        bytes = (uint64_t)(r->end - r->at);
    }
    r->at += bytes;
}

/* One value of an entry: its text, or its number. */
static uint64_t read_form(const dis_object_t *o, reader_t *r, uint64_t form, const char **name)
{
    const unsigned offset = r->wide ? 8 : 4;
    switch (form) {
    case FORM_STRING: *name = text(r); return 0;
    case FORM_LINE_STRP: *name = text_of(&o->line_str, number(r, offset)); return 0;
    case FORM_STRP: *name = text_of(&o->str, number(r, offset)); return 0;
    case FORM_DATA1: return number(r, 1);
    case FORM_DATA2: return number(r, 2);
    case FORM_DATA4: return number(r, 4);
    case FORM_DATA8: return number(r, 8);
    case FORM_UDATA: return uleb(r);
    case FORM_DATA16: pass(r, 16); return 0;
    case FORM_BLOCK: pass(r, uleb(r)); return 0;
    case FORM_BLOCK1: pass(r, number(r, 1)); return 0;
    case FORM_BLOCK2: pass(r, number(r, 2)); return 0;
    case FORM_BLOCK4: pass(r, number(r, 4)); return 0;
    default: r->broken = true; return 0;
    }
}

/* Version 5: what an entry has is described first. */
static bool read_entries(dis_object_t *o, reader_t *r, names_t *n, bool files)
{
    uint64_t content[FORMATS_MAX], form[FORMATS_MAX];
    const uint64_t formats = number(r, 1);
    if (formats > FORMATS_MAX) return false;
    for (uint64_t i = 0; i < formats; i++) {
        content[i] = uleb(r);
        form[i] = uleb(r);
    }
    const uint64_t count = uleb(r);
    if (count && !formats) return false;
    for (uint64_t k = 0; k < count && !r->broken; k++) {
        const char *name = "";
        uint64_t folder = 0;
        for (uint64_t i = 0; i < formats && !r->broken; i++) {
            const char *read = "";
            const uint64_t value = read_form(o, r, form[i], &read);
            if (content[i] == CONTENT_PATH) name = read;
            if (content[i] == CONTENT_FOLDER) folder = value;
        }
        if (!files && !add_folder(n, name)) return false;
        if (files && !add_file(o, n, folder < n->folder_count ? n->folders[folder] : "", name))
            return false;
    }
    return !r->broken;
}

/* ---- the program of a table ---- */

typedef struct {
    uint8_t least, range, first_special; /* bytes of an instruction, line range, opcode base */
    int8_t base;
    uint8_t lengths[256];
} rules_t;

typedef struct {
    uint64_t address, file;
    int64_t line;
} state_t;

static bool add_row(dis_object_t *o, const names_t *n, const state_t *s, bool end)
{
    if (o->row_count == o->row_room) {
        const size_t room = o->row_room ? 2 * o->row_room : 256;
        dis_row_t *rows = realloc(o->rows, room * sizeof *rows);
        if (!rows) return false;
        o->rows = rows;
        o->row_room = room;
    }
    const bool known = !end && s->file < n->file_count && s->line > 0 && s->line <= UINT32_MAX;
    o->rows[o->row_count] = (dis_row_t){.address = s->address,
                                        .file = known ? n->files[s->file] : 0,
                                        .line = known ? (uint32_t)s->line : 0,
                                        .order = o->row_count};
    o->row_count++;
    return true;
}

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE,
    BLOCK,
    CONST_ADD,
    FIXED_ADD
};
enum { EXT_END = 1, EXT_ADDRESS = 2 };

static bool extended(dis_object_t *o, const names_t *n, reader_t *r, state_t *s)
{
    const uint64_t length = uleb(r);
    if (r->broken || !length || (uint64_t)(r->end - r->at) < length) return false;
    const uint8_t *next = r->at + length;
    const uint64_t opcode = number(r, 1);
    bool good = true;
    if (opcode == EXT_END) {
        good = add_row(o, n, s, true);
        *s = (state_t){.file = 1, .line = 1};
    } else if (opcode == EXT_ADDRESS && length == 9) {
        s->address = number(r, 8);
    }
    r->at = next;
    return good;
}

static bool standard(dis_object_t *o, const names_t *n, reader_t *r, const rules_t *rules,
                     state_t *s, uint64_t opcode)
{
    switch (opcode) {
    case COPY: return add_row(o, n, s, false);
    case ADVANCE_PC: s->address += uleb(r) * rules->least; return true;
    case ADVANCE_LINE: s->line = (int64_t)((uint64_t)s->line + (uint64_t)sleb(r)); return true;
    case SET_FILE: s->file = uleb(r); return true;
    case CONST_ADD:
        s->address += (255u - rules->first_special) / rules->range * (uint64_t)rules->least;
        return true;
    case FIXED_ADD: s->address += number(r, 2); return true;
    default: /* columns, blocks, prologues, and what may come */
        for (unsigned i = 0; i < rules->lengths[opcode]; i++)
            uleb(r);
        return true;
    }
}

static void run(dis_object_t *o, const names_t *n, reader_t *r, const rules_t *rules)
{
    state_t s = {.file = 1, .line = 1};
    bool good = true;
    while (good && !r->broken && r->at < r->end) {
        const uint64_t opcode = number(r, 1);
        if (opcode >= rules->first_special) {
            const unsigned step = (unsigned)opcode - rules->first_special;
            s.address += step / rules->range * (uint64_t)rules->least;
            s.line =
                (int64_t)((uint64_t)s.line + (uint64_t)(rules->base + (int)(step % rules->range)));
            good = add_row(o, n, &s, false);
        } else if (!opcode) {
            good = extended(o, n, r, &s);
        } else {
            good = standard(o, n, r, rules, &s, opcode);
        }
    }
}

static void read_table(dis_object_t *o, reader_t *r)
{
    names_t names = {0};
    rules_t rules = {0};
    const uint64_t version = number(r, 2);
    if (version < 2 || version > 5) return;
    if (version == 5) number(r, 2); /* sizes of addresses and selectors */
    const uint64_t header = number(r, r->wide ? 8 : 4);
    if (r->broken || (uint64_t)(r->end - r->at) < header) return;
    const uint8_t *program = r->at + header;
    rules.least = (uint8_t)number(r, 1);
    if (version >= 4) number(r, 1); /* operations of an instruction: one */
    number(r, 1);                   /* statements: all */
    rules.base = (int8_t)number(r, 1);
    rules.range = (uint8_t)number(r, 1);
    rules.first_special = (uint8_t)number(r, 1);
    if (!rules.range || !rules.first_special) return;
    for (unsigned i = 1; i < rules.first_special; i++)
        rules.lengths[i] = (uint8_t)number(r, 1);
    bool good = version == 5 ? read_entries(o, r, &names, false) && read_entries(o, r, &names, true)
                             : read_names_old(o, r, &names);
    if (good) {
        r->at = program;
        run(o, &names, r, &rules);
    }
    free(names.folders);
    free(names.files);
}

static int by_address(const void *a, const void *b)
{
    const dis_row_t *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    /* the end of one function before the beginning of the next */
    if (!x->line != !y->line) return x->line ? 1 : -1;
    return x->order < y->order ? -1 : 1;
}

void dis_lines_read(dis_object_t *o)
{
    o->lines_read = true;
    if (!o->line.data) return;
    reader_t r = {.at = o->line.data, .end = o->line.data + o->line.size};
    while (r.end - r.at >= 4) {
        uint64_t length = number(&r, 4);
        const bool wide = length == 0xffffffff;
        if (wide) length = number(&r, 8);
        if (r.broken || length > (uint64_t)(r.end - r.at)) break;
        reader_t table = {.at = r.at, .end = r.at + length, .wide = wide};
        read_table(o, &table);
        r.at += length;
    }
    if (o->row_count) qsort(o->rows, o->row_count, sizeof *o->rows, by_address);
}

void dis_lines_free(dis_object_t *o)
{
    for (size_t i = 0; i < o->file_count; i++)
        free(o->files[i]);
    free(o->files);
    free(o->rows);
}

bool dis_object_line(dis_object_t *o, uint64_t address, const char **file, uint32_t *line)
{
    if (!o->lines_read) dis_lines_read(o);
    size_t first = 0, end = o->row_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (o->rows[middle].address <= address)
            first = middle + 1;
        else
            end = middle;
    }
    if (!first || !o->rows[first - 1].line) return false;
    *file = o->files[o->rows[first - 1].file];
    *line = o->rows[first - 1].line;
    return true;
}
