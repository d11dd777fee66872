/* scan.c - see scan.h. format.h has the layout of numbers in a file; here are the walk through the
 * pages of a table, the decoding of records, and the search for the table. */
#include "db/scan.h"

#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "db/format.h"
#include "db/schema.h"
#include "db/swap.h"

enum { COLUMNS_MOST = 64, PAYLOAD_MOST = 16 << 20 };

/* A page on the path from the root to a leaf. */
typedef struct {
    unsigned char *bytes; /* bytes of the page */
    unsigned char *head;  /* the page's header, which on the first page is after that of the file */
    uint32_t number;      /* number of the page; 0: none was read */
    uint32_t count, next; /* number of cells; index of the next one */
} level_t;

struct db_scan {
    sqlite3_file *file;
    uint32_t page_bytes, pages, root;
    level_t levels[DB_DEPTH_MOST];
    unsigned depth; /* level of the leaf */
    bool begun, odd;
    uint64_t pages_left; /* pages that may still be read: a damaged file may refer to a page twice,
                          * and the walk must end */
    int64_t last;        /* number of the last row */
    bool found; /* db_scan_find() has gone to `sought`, and the cells have not changed since */
    int64_t sought;
    unsigned char *whole; /* buffer for a payload that is on several pages */
    size_t whole_room;
    /* For each column of the record: index, plus 1, of the cell that gets its value, or 0. */
    uint8_t cell_of[COLUMNS_MOST], all[COLUMNS_MOST]; /* `all`: for the columns that are wanted;
                                                       * `cell_of`: for those that are read now */
    unsigned columns, all_columns; /* number of columns of a record, up to the last that is
                                    * wanted */
    unsigned key;                  /* column that is the number of the row, from 1; 0: none */
    const db_wanted_t *wanted;
    unsigned count;
    db_cell_t *cells;
};

/* ---- pages ---- */

static bool read_bytes(const db_scan_t *s, void *to, uint32_t count, uint64_t from)
{
    return s->file->pMethods->xRead(s->file, to, (int)count, (sqlite3_int64)from) == SQLITE_OK;
}

static bool is_leaf(const level_t *l)
{
    return *l->head == DB_TABLE_LEAF;
}

/* Returns where the offsets of the cells begin on the page. */
static uint32_t cells_begin(const level_t *l)
{
    return (uint32_t)(l->head - l->bytes) + (is_leaf(l) ? 8 : 12);
}

/* Reads a page of the file into a level of the walk. Returns false if the page cannot be read, or
 * does not belong to the tree of a table. */
static bool read_page(db_scan_t *s, unsigned depth, uint32_t number)
{
    level_t *l = depth < DB_DEPTH_MOST ? &s->levels[depth] : NULL;
    if (!l || number < 1 || number > s->pages) return false;
    if (!l->bytes) l->bytes = malloc(s->page_bytes);
    if (!l->bytes) return false;
    l->next = 0;
    if (l->number == number) return true;
    l->number = 0;
    if (!read_bytes(s, l->bytes, s->page_bytes, (uint64_t)(number - 1) * s->page_bytes))
        return false;
    l->head = l->bytes + (number == 1 ? DB_HEADER_BYTES : 0);
    l->count = db_get2(l->head + 3);
    if ((*l->head != DB_TABLE_INTERIOR && *l->head != DB_TABLE_LEAF) ||
        cells_begin(l) + 2 * l->count > s->page_bytes)
        return false;
    l->number = number;
    return true;
}

/* Returns the cell with this index; NULL if it is outside of the page. */
static const unsigned char *cell_at(const db_scan_t *s, const level_t *l, uint32_t index)
{
    const uint32_t begin = cells_begin(l), at = db_get2(l->bytes + begin + 2 * index);
    return at >= begin + 2 * l->count && at < s->page_bytes ? l->bytes + at : NULL;
}

/* Returns the page number of the child with this index; the last child has no cell. Returns 0 if
 * there is no such child. */
static uint32_t child_of(const db_scan_t *s, const level_t *l, uint32_t index)
{
    if (index == l->count) return db_get4(l->head + 8);
    const unsigned char *cell = cell_at(s, l, index);
    return cell && l->bytes + s->page_bytes - cell >= 4 ? db_get4(cell) : 0;
}

/* Goes down to the first leaf below a page. */
static bool go_down(db_scan_t *s, unsigned depth, uint32_t number)
{
    for (; s->pages_left; depth++) {
        s->pages_left--;
        if (!read_page(s, depth, number)) return false;
        level_t *l = &s->levels[depth];
        s->depth = depth;
        if (is_leaf(l)) return true;
        number = child_of(s, l, l->next++);
    }
    return false;
}

/* Goes to the next leaf that has cells. Returns false at the end, or if the table is odd. */
static bool next_leaf(db_scan_t *s)
{
    do {
        unsigned depth = s->depth;
        while (depth && s->levels[depth - 1].next > s->levels[depth - 1].count)
            depth--;
        if (!depth) return false;
        level_t *above = &s->levels[depth - 1];
        if (!go_down(s, depth, child_of(s, above, above->next++))) {
            s->odd = true;
            return false;
        }
    } while (!s->levels[s->depth].count);
    return true;
}

/* ---- records ---- */

/* Collects a payload that continues on other pages. Returns NULL if it is malformed. */
static const unsigned char *collect(db_scan_t *s, const unsigned char *at, uint64_t local,
                                    uint64_t bytes)
{
    unsigned char link[4];
    const uint32_t each = s->page_bytes - 4;
    if (bytes > PAYLOAD_MOST) return NULL;
    if (!BASE_RESERVE(s->whole, bytes, &s->whole_room)) return NULL;
    memcpy(s->whole, at, local);
    uint32_t number = db_get4(at + local);
    for (uint64_t have = local; have < bytes;) {
        const uint64_t from = (uint64_t)(number - 1) * s->page_bytes;
        const uint32_t part = (uint32_t)(bytes - have < each ? bytes - have : each);
        if (number < 2 || number > s->pages || !read_bytes(s, link, sizeof(link), from) ||
            !read_bytes(s, s->whole + have, part, from + sizeof(link)))
            return NULL;
        have += part;
        number = db_get4(link);
    }
    return s->whole;
}

/* Reads a big-endian signed number of 1 to 8 bytes; `room` is the number of bytes that may be
 * read. */
static inline int64_t get_signed(const unsigned char *at, unsigned bytes, size_t room)
{
    uint64_t number = 0;
    if (room >= sizeof(number)) {
        memcpy(&number, at, sizeof(number));
        number = be64toh(number);
    } else {
        for (unsigned i = 0; i < bytes; i++)
            number |= (uint64_t)at[i] << (56 - 8 * i);
    }
    return (int64_t)number >> (64 - 8 * bytes);
}

/* Sets the cell of a value; the record has `room` bytes from the value's first byte on. Fields of
 * the cell that a column of this kind never uses were set at the beginning. Returns false if the
 * column should not have a value of this type. */
static inline bool set_cell(const db_scan_t *s, unsigned which, uint64_t type,
                            const unsigned char *at, uint32_t bytes, size_t room)
{
    db_cell_t *cell = &s->cells[which];
    cell->null = !type;
    if (s->wanted[which].text) {
        cell->text = type ? (const char *)at : NULL;
        cell->bytes = bytes;
        return !type || (type >= 13 && type % 2);
    }
    cell->number = type >= 8 ? (int64_t)type - 8 : type ? get_signed(at, bytes, room) : 0;
    return type != 7 && type < 10;
}

/* Decodes the record of a row. */
static bool decode(db_scan_t *s, const unsigned char *at, uint64_t bytes, int64_t row)
{
    enum { NONE = 255 };
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, NONE, NONE};
    const unsigned char *begin = at, *end = at + bytes;
    uint64_t head, type;
    if (!db_get_varint(&at, end, &head) || head > bytes) return false;
    const unsigned char *content = begin + head, *head_end = content;
    for (unsigned column = 0; column < s->columns; column++) {
        if (at < head_end && *at < 0x80)
            type = *at++;
        else if (!db_get_varint(&at, head_end, &type))
            return false;
        const uint64_t size = type < sizeof(sizes) ? sizes[type] : (type - 12) / 2;
        if (size > (uint64_t)(end - content) || (type < sizeof(sizes) && size == NONE))
            return false;
        const unsigned which = s->cell_of[column];
        if (column + 1 == s->key) {
            if (type) return false;
            if (which) s->cells[which - 1].number = row;
        } else if (which && !set_cell(s, which - 1, type, content, (uint32_t)size,
                                      (size_t)(end - content))) {
            return false;
        }
        content += size;
    }
    return true;
}

/* Reads a cell of a leaf: *payload becomes the beginning of its record. */
static bool get_row(const db_scan_t *s, const level_t *l, uint32_t index,
                    const unsigned char **payload, uint64_t *bytes, int64_t *row)
{
    const unsigned char *at = cell_at(s, l, index), *end = l->bytes + s->page_bytes;
    uint64_t number;
    if (!at || !db_get_varint(&at, end, bytes) || !db_get_varint(&at, end, &number)) return false;
    *payload = at;
    *row = (int64_t)number;
    return true;
}

static bool decode_cell(db_scan_t *s, const level_t *l, const unsigned char *at, uint64_t bytes,
                        int64_t row)
{
    const uint64_t local = db_local_bytes(s->page_bytes, true, bytes);
    if (local + (local < bytes ? 4 : 0) > (uint64_t)(l->bytes + s->page_bytes - at)) return false;
    if (local < bytes && !(at = collect(s, at, local, bytes))) return false;
    return decode(s, at, bytes, row);
}

static bool give_up(db_scan_t *s)
{
    s->odd = true;
    return false;
}

bool db_scan_next(db_scan_t *s)
{
    const unsigned char *at;
    uint64_t bytes;
    int64_t row;
    s->found = false;
    if (s->odd) return false;
    level_t *l = &s->levels[s->depth];
    if (!s->begun) {
        s->pages_left = s->pages;
        if (!go_down(s, 0, s->root)) return give_up(s);
        l = &s->levels[s->depth];
    }
    if (l->next >= l->count) {
        if (!next_leaf(s)) return false;
        l = &s->levels[s->depth];
    }
    if (!get_row(s, l, l->next++, &at, &bytes, &row)) return give_up(s);
    if ((s->begun && row <= s->last) || !decode_cell(s, l, at, bytes, row)) return give_up(s);
    s->begun = true;
    s->last = row;
    return true;
}

int64_t db_scan_row(const db_scan_t *s)
{
    return s->last;
}

void db_scan_choose(db_scan_t *s, int which)
{
    memcpy(s->cell_of, s->all, sizeof(s->cell_of));
    s->columns = s->all_columns;
    for (unsigned column = 0; which >= 0 && column < s->all_columns; column++)
        if (s->all[column] == which + 1)
            s->columns = column + 1;
        else
            s->cell_of[column] = 0;
}

void db_scan_again(db_scan_t *s)
{
    s->begun = s->found = false;
    s->depth = 0;
}

/* ---- one row ---- */

/* Reads the row number in a cell: that of a row, or the last one below a child. */
static bool row_at(const db_scan_t *s, const level_t *l, uint32_t index, int64_t *row)
{
    const unsigned char *at = cell_at(s, l, index), *end = l->bytes + s->page_bytes;
    uint64_t bytes, number;
    if (!at) return false;
    if (is_leaf(l)) {
        if (!db_get_varint(&at, end, &bytes)) return false;
    } else {
        if (end - at < 4) return false;
        at += 4;
    }
    if (!db_get_varint(&at, end, &number)) return false;
    *row = (int64_t)number;
    return true;
}

/* Finds the index of the first cell whose row number is not less; l->count if there is none. */
static bool first_from(const db_scan_t *s, const level_t *l, int64_t number, uint32_t *index)
{
    uint32_t low = 0, high = l->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        int64_t row;
        if (!row_at(s, l, middle, &row)) return false;
        if (row < number)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return true;
}

/* Goes to the leaf that would have the row. */
static bool go_to(db_scan_t *s, int64_t number)
{
    uint32_t page = s->root, index;
    for (unsigned depth = 0;; depth++) {
        if (!read_page(s, depth, page)) return false;
        const level_t *l = &s->levels[depth];
        s->depth = depth;
        if (is_leaf(l)) return true;
        if (!first_from(s, l, number, &index)) return false;
        page = child_of(s, l, index);
    }
}

/* Goes forward in the leaf to the first cell whose row number is not less, if it is near: between
 * two events of the same kind of record there are mostly few other events. Returns false if it is
 * not near. */
static bool is_near(const db_scan_t *s, const level_t *l, int64_t number, uint32_t *index)
{
    enum { NEAR = 6 };
    int64_t row;
    for (uint32_t i = l->next, end = i + NEAR; s->begun && i < end && i < l->count; i++) {
        if (!row_at(s, l, i, &row)) return false;
        *index = i;
        if (row >= number) return row == number;
    }
    return false;
}

bool db_scan_find(db_scan_t *s, int64_t number)
{
    const unsigned char *at;
    uint64_t bytes;
    int64_t row;
    uint32_t index;
    /* the record before belongs to the same event */
    if (s->found && number == s->sought) return true;
    s->found = false;
    if (s->odd) return false;
    if (!is_near(s, &s->levels[s->depth], number, &index)) {
        if (!go_to(s, number) || !first_from(s, &s->levels[s->depth], number, &index))
            return give_up(s);
        s->begun = true;
    }
    level_t *l = &s->levels[s->depth];
    if (index == l->count) return false;
    if (!get_row(s, l, index, &at, &bytes, &row)) return give_up(s);
    if (row != number) return false;
    l->next = index + 1;
    s->found = decode_cell(s, l, at, bytes, row);
    s->sought = number;
    return s->found || give_up(s);
}

bool db_scan_odd(const db_scan_t *s)
{
    return s->odd;
}

/* ---- the search for the table ---- */

/* Moves *at behind blanks and the word, in any case. */
static bool skip_word(const char **at, const char *word)
{
    while (isspace((unsigned char)**at))
        ++*at;
    const size_t length = strlen(word);
    if (strncasecmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

/* Takes a name, which may be in quotes. */
static bool take_name(const char **at, char *name, size_t room)
{
    while (isspace((unsigned char)**at))
        ++*at;
    const char quote = **at == '"' || **at == '`' ? *(*at)++ : 0;
    size_t length = 0;
    for (; isalnum((unsigned char)**at) || **at == '_'; ++*at)
        if (length + 1 < room) name[length++] = **at;
    name[length] = 0;
    if (quote && *(*at)++ != quote) return false;
    return length && length + 1 < room;
}

enum { NAME_BYTES = 256 };

/* Finds the table or view all of whose rows and columns a view shows without change. Returns false
 * if the view does anything else. */
static bool shows_all(const char *sql, char name[NAME_BYTES])
{
    const char *at = sql;
    char word[NAME_BYTES];
    if (!skip_word(&at, "CREATE") || !skip_word(&at, "VIEW") || !take_name(&at, word, sizeof(word)))
        return false;
    if (!skip_word(&at, "AS") || !skip_word(&at, "SELECT") || !skip_word(&at, "*") ||
        !skip_word(&at, "FROM") || !take_name(&at, name, NAME_BYTES))
        return false;
    if (strcasecmp(name, "db0") == 0 && *at == '.') {
        at++;
        if (!take_name(&at, name, NAME_BYTES)) return false;
    }
    while (isspace((unsigned char)*at))
        at++;
    return !*at;
}

static const char in_temp[] =
    "SELECT sql, 0 FROM temp.sqlite_master WHERE type = 'view' AND name = ?";

/* Follows a view to its table. Returns the root page of the table, or 0. */
static uint32_t find_root(const db_t *db, char name[NAME_BYTES])
{
    static const char *const schemas[] = {
        in_temp,
        "SELECT iif(type = 'view', sql, NULL), rootpage FROM db0.sqlite_master WHERE name = ? AND "
        "type IN ('view', 'table')",
        "SELECT NULL, rootpage FROM db0.sqlite_master WHERE name = ? AND type = 'table'"};
    uint32_t root = 0;
    bool good = true;
    for (size_t i = 0; good && !root && i < sizeof(schemas) / sizeof(*schemas); i++) {
        db_cursor_t c;
        char next[NAME_BYTES] = "";
        db_rows(&c, db, schemas[i], "t", name);
        if (db_next(&c)) {
            if (db_null(&c, 0))
                root = db_small(&c, 1);
            else if ((good = shows_all(db_text(&c, 0), next)))
                memcpy(name, next, sizeof(next));
        }
        db_drop(&c);
    }
    return good ? root : 0;
}

/* Finds the positions of the columns. */
static bool find_columns(db_scan_t *s, const db_t *db, const char *table)
{
    bool good = true;
    unsigned keys = 0, column = 0;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT name, pk, upper(type) = 'INTEGER', hidden FROM pragma_table_xinfo(?1, "
            "'db0')",
            "t", table);
    for (; good && db_next(&c); column++) {
        good = column < COLUMNS_MOST && !db_int(&c, 3);
        if (db_int(&c, 1) && ++keys == 1 && db_int(&c, 2)) s->key = column + 1;
        for (unsigned i = 0; good && i < s->count; i++)
            if (strcasecmp(db_text(&c, 0), s->wanted[i].name) == 0) {
                good = !s->cell_of[column];
                s->cell_of[column] = (uint8_t)(i + 1);
                s->columns = column + 1;
            }
    }
    if (*c.why) good = false;
    db_drop(&c);
    if (keys > 1) s->key = 0;
    return good;
}

/* Returns whether a column that must be there is missing. */
static bool lacks_any(const db_scan_t *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        bool there = s->wanted[i].optional;
        for (unsigned column = 0; column < s->columns; column++)
            there |= s->cell_of[column] == i + 1;
        if (!there) return true;
    }
    return false;
}

/* Begins a scan of a file's pages, for which no table is chosen yet. Returns NULL if the file is
 * unusual, or if there is no memory. */
static db_scan_t *begin(sqlite3_file *file, const db_wanted_t *wanted, unsigned count,
                        db_cell_t *cells)
{
    unsigned char header[DB_HEADER_BYTES];
    sqlite3_int64 bytes = 0;
    db_scan_t *s = file && file->pMethods && count < COLUMNS_MOST ? calloc(1, sizeof(*s)) : NULL;
    if (!s) return NULL;
    *s = (db_scan_t){.file = file, .wanted = wanted, .count = count, .cells = cells};
    memset(cells, 0, count * sizeof(*cells));
    if (file->pMethods->xFileSize(file, &bytes) == SQLITE_OK && bytes > DB_HEADER_BYTES &&
        read_bytes(s, header, sizeof(header), 0) && db_is_plain(header))
        s->page_bytes = db_page_bytes(header);
    if (s->page_bytes) s->pages = (uint32_t)((uint64_t)bytes / s->page_bytes);
    if (s->pages) return s;
    db_scan_close(s);
    return NULL;
}

/* Notes the positions of all columns that are wanted. */
static db_scan_t *keep_places(db_scan_t *s)
{
    memcpy(s->all, s->cell_of, sizeof(s->all));
    s->all_columns = s->columns;
    return s;
}

/* ---- tables of files with the same schema ---- */

/* Root page and columns of a view's table. */
typedef struct {
    char view[64];
    const db_wanted_t *wanted;
    uint32_t root;
    unsigned count, columns, key; /* `count`: of the columns that are wanted */
    uint8_t cell_of[COLUMNS_MOST];
} place_t;

/* The tables that were found in the first of such files; in the other files they are at the same
 * pages. */
struct db_places {
    size_t count;
    place_t rows[32];
};

void db_scan_forget(struct db_places *places)
{
    free(places);
}

/* Returns whether the name refers to the view of the file, and not to a temporary one. */
static bool is_of_file(const db_t *db, const char *view)
{
    db_cursor_t c;
    db_rows(&c, db, in_temp, "t", view);
    const bool of_file = !db_next(&c) && !*c.why;
    db_drop(&c);
    return of_file;
}

static bool take_place(db_scan_t *s, const db_t *db, const char *view)
{
    struct db_places **list = db_swap_places(db->swap), *places = list ? *list : NULL;
    for (size_t i = 0; places && i < places->count; i++) {
        const place_t *p = &places->rows[i];
        if (p->wanted != s->wanted || p->count != s->count || strcmp(p->view, view) != 0) continue;
        if (!is_of_file(db, view)) return false;
        s->root = p->root;
        s->columns = p->columns;
        s->key = p->key;
        memcpy(s->cell_of, p->cell_of, sizeof(s->cell_of));
        return true;
    }
    return false;
}

static void note_place(const db_scan_t *s, const db_t *db, const char *view)
{
    struct db_places **list = db_swap_places(db->swap);
    if (!list || strlen(view) >= sizeof((*list)->rows->view)) return;
    if (!*list) *list = calloc(1, sizeof(**list));
    if (!*list || (*list)->count == sizeof((*list)->rows) / sizeof((*list)->rows[0]) ||
        !is_of_file(db, view))
        return;
    place_t *p = &(*list)->rows[(*list)->count++];
    *p = (place_t){.wanted = s->wanted,
                   .count = s->count,
                   .root = s->root,
                   .columns = s->columns,
                   .key = s->key};
    snprintf(p->view, sizeof(p->view), "%s", view);
    memcpy(p->cell_of, s->cell_of, sizeof(p->cell_of));
}

db_scan_t *db_scan_open(const db_t *db, const char *view, const db_wanted_t *wanted, unsigned count,
                        db_cell_t *cells)
{
    char name[NAME_BYTES];
    sqlite3_file *file = NULL;
    sqlite3_file_control(db->handle, "db0", SQLITE_FCNTL_FILE_POINTER, &file);
    db_scan_t *s = begin(file, wanted, count, cells);
    if (!s) return NULL;
    if (take_place(s, db, view)) return keep_places(s);
    if ((size_t)snprintf(name, sizeof(name), "%s", view) < sizeof(name))
        s->root = find_root(db, name);
    db_swap_rename(db->swap, name); /* replaces the id in the name by the one that SQLite has */
    if (s->root && find_columns(s, db, name) && !lacks_any(s)) {
        note_place(s, db, view);
        return keep_places(s);
    }
    db_scan_close(s);
    return NULL;
}

db_scan_t *db_scan_at(sqlite3_file *file, uint32_t root, const db_scan_t *like,
                      const db_wanted_t *wanted, unsigned count, db_cell_t *cells)
{
    db_scan_t *s = begin(file, wanted, count, cells);
    if (!s) return NULL;
    s->root = root;
    s->columns = like ? like->all_columns : count;
    s->key = like ? like->key : 0;
    if (like) memcpy(s->cell_of, like->all, sizeof(s->cell_of));
    for (unsigned i = 0; !like && i < count; i++)
        s->cell_of[i] = (uint8_t)(i + 1);
    return keep_places(s);
}

uint32_t db_scan_root(const db_scan_t *s)
{
    return s->root;
}

void db_scan_close(db_scan_t *s)
{
    if (!s) return;
    for (unsigned i = 0; i < DB_DEPTH_MOST; i++)
        free(s->levels[i].bytes);
    free(s->whole);
    free(s);
}
