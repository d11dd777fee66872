/* pages.c - see pages.h. format.h has the layout of numbers in a file. */
#include "db/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "db/format.h"

static void put4(unsigned char *at, uint32_t number)
{
    for (int i = 3; i >= 0; i--, number >>= 8)
        at[i] = (unsigned char)number;
}

/* ---- files ---- */

/* Most bytes of a file that is read and written at once. The databases of most ranks are smaller,
 * and a call of the system for each page would take longer than the copy. */
enum { SMALL_BYTES = 8 << 20 };

/* Reads a small file as a whole. Without memory for that, its pages are read one by one. */
static void read_whole(db_pages_t *p)
{
    const size_t bytes = (size_t)p->pages * p->page_bytes;
    if (bytes > SMALL_BYTES) return;
    p->whole = malloc(bytes);
    p->kept = calloc(p->pages, sizeof(*p->kept));
    if (p->whole && p->kept && pread(p->fd, p->whole, bytes, 0) == (ssize_t)bytes) return;
    free(p->whole);
    p->whole = NULL;
}

int db_pages_open(db_pages_t *p, const char *path)
{
    unsigned char header[DB_HEADER_BYTES];
    struct stat st;
    *p = (db_pages_t){.fd = base_file_open(path, O_RDONLY, 0)};
    if (p->fd >= 0 && fstat(p->fd, &st) == 0 &&
        pread(p->fd, header, sizeof(header), 0) == sizeof(header) && db_is_plain(header)) {
        p->page_bytes = db_page_bytes(header);
        if (p->page_bytes) p->pages = (uint32_t)(st.st_size / p->page_bytes);
        p->seen = calloc(p->pages / 8 + 1, 1);
        if (p->pages && p->seen) {
            read_whole(p);
            return 1;
        }
    }
    db_pages_close(p);
    return 0;
}

void db_pages_close(db_pages_t *p)
{
    if (p->fd >= 0) close(p->fd);
    free(p->seen);
    free(p->whole);
    free(p->kept);
    *p = (db_pages_t){.fd = -1};
}

/* ---- trees ---- */

/* The state of one copy. */
typedef struct {
    db_pages_t *p;
    const db_tree_t *tree;
    int to;
    uint32_t *next;
} copy_t;

/* The place in the other file of the page with a new number. */
static off_t offset_of(const db_pages_t *p, uint32_t number)
{
    return (off_t)(db_pages_number(p->page_bytes, number) - 1) * p->page_bytes;
}

/* Gets the bytes of a page that was not copied before; NULL if it was, or cannot be read. Pages are
 * numbered from 1. end_page() takes the bytes back. */
static unsigned char *begin_page(const copy_t *c, uint32_t number)
{
    db_pages_t *p = c->p;
    if (number < 2 || number > p->pages || p->seen[number / 8] & 1u << number % 8) return NULL;
    p->seen[number / 8] |= (unsigned char)(1u << number % 8);
    const off_t offset = (off_t)(number - 1) * p->page_bytes;
    if (p->whole) return p->whole + offset;
    unsigned char *page = malloc(p->page_bytes);
    if (page && pread(p->fd, page, p->page_bytes, offset) == (ssize_t)p->page_bytes) return page;
    free(page);
    return NULL;
}

/* Writes a page, or keeps it for db_pages_write(). */
static bool write_page(const copy_t *c, uint32_t number, unsigned char *page)
{
    db_pages_t *p = c->p;
    const uint32_t bytes = p->page_bytes;
    if (c->to < 0) return true;
    if (!p->whole) return pwrite(c->to, page, bytes, offset_of(p, number)) == (ssize_t)bytes;
    p->kept[number - p->first] = (struct iovec){page, bytes};
    return true;
}

/* Writes the page with a new number if it is good; `page` may be NULL. Returns whether it is good
 * and was written. */
static bool end_page(const copy_t *c, uint32_t number, unsigned char *page, bool good)
{
    good = page && good && write_page(c, number, page);
    if (!c->p->whole) free(page);
    return good;
}

/* Stores a reference to the page with a new number. */
static void put_link(const copy_t *c, unsigned char *link, uint32_t number)
{
    put4(link, number ? db_pages_number(c->p->page_bytes, number) : 0);
}

/* Copies the chain of overflow pages whose first number is at `link`, and stores the new number
 * there; the pages hold `bytes`. */
static bool copy_chain(const copy_t *c, unsigned char *link, uint64_t bytes)
{
    const uint32_t each = c->p->page_bytes - 4;
    uint32_t from = db_get4(link);
    bool good = true;
    put_link(c, link, *c->next);
    while (good && bytes) {
        const uint32_t number = (*c->next)++;
        unsigned char *page = begin_page(c, from);
        bytes -= bytes < each ? bytes : each;
        if (page) {
            from = db_get4(page);
            good = !bytes == !from; /* the chain must end with its bytes */
            put_link(c, page, bytes ? *c->next : 0);
        }
        good = end_page(c, number, page, good);
    }
    return good;
}

/* Returns whether a record's head is complete and has a serial type for each column; it must be
 * NULL for a column that is not stored. */
static bool is_record(const unsigned char *at, const unsigned char *end, uint64_t bytes,
                      const db_tree_t *tree)
{
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
    const unsigned char *begin = at;
    uint64_t head, type, content = 0;
    unsigned column = 0;
    if (!db_get_varint(&at, end, &head) || head > (uint64_t)(end - begin)) return false;
    for (end = begin + head; at < end;) {
        if (!db_get_varint(&at, end, &type) || type == 10 || type == 11) return false;
        if (++column == tree->key && type) return false;
        content += type < 10 ? sizes[type] : (type - 12) / 2;
        if (column > tree->columns || content > bytes) return false;
    }
    return column == tree->columns && head + content == bytes;
}

/* Copies the part of a cell's payload that is on overflow pages. `at` stands behind the cell's
 * numbers. */
static bool copy_payload(const copy_t *c, unsigned char *page, unsigned char *at, uint64_t bytes)
{
    const uint64_t local = db_local_bytes(c->p->page_bytes, c->tree->columns, bytes);
    const unsigned char *end = page + c->p->page_bytes;
    if (local + (local < bytes ? 4 : 0) > (uint64_t)(end - at)) return false;
    if (c->tree->columns && !is_record(at, at + local, bytes, c->tree)) return false;
    return local == bytes || copy_chain(c, at + local, bytes - local);
}

static uint32_t copy_tree(const copy_t *c, uint32_t from, unsigned depth);

/* Copies a child page, and stores its new number in the reference to it. */
static bool copy_child(const copy_t *c, unsigned char *link, unsigned depth)
{
    const uint32_t number = copy_tree(c, db_get4(link), depth + 1);
    put_link(c, link, number);
    return number;
}

static bool copy_cell(const copy_t *c, unsigned char *page, unsigned char *cell, bool interior,
                      unsigned depth)
{
    const unsigned char *end = page + c->p->page_bytes, *at = cell + (interior ? 4 : 0);
    uint64_t bytes, rowid;
    if (interior && (end - cell < 4 || !copy_child(c, cell, depth))) return false;
    if (interior && c->tree->columns) return db_get_varint(&at, end, &rowid);
    if (!db_get_varint(&at, end, &bytes) || bytes > 1u << 30) return false;
    if (c->tree->columns && !db_get_varint(&at, end, &rowid)) return false;
    return copy_payload(c, page, page + (at - page), bytes);
}

static bool copy_cells(const copy_t *c, unsigned char *page, unsigned depth)
{
    const bool interior = *page == DB_TABLE_INTERIOR || *page == DB_INDEX_INTERIOR;
    const uint32_t head = interior ? 12 : 8, count = db_get2(page + 3);
    if (c->tree->columns ? *page != DB_TABLE_INTERIOR && *page != DB_TABLE_LEAF
                         : *page != DB_INDEX_INTERIOR && *page != DB_INDEX_LEAF)
        return false;
    if (head + 2 * count > c->p->page_bytes) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t offset = db_get2(page + head + 2 * i);
        if (offset < head + 2 * count || offset >= c->p->page_bytes) return false;
        if (!copy_cell(c, page, page + offset, interior, depth)) return false;
    }
    return !interior || copy_child(c, page + 8, depth);
}

/* Copies a tree. Returns the new number of its root page; 0 if the page is malformed. */
static uint32_t copy_tree(const copy_t *c, uint32_t from, unsigned depth)
{
    unsigned char *page = depth < DB_DEPTH_MOST ? begin_page(c, from) : NULL;
    const uint32_t number = page ? (*c->next)++ : 0;
    return end_page(c, number, page, page && copy_cells(c, page, depth)) ? number : 0;
}

uint32_t db_pages_copy(db_pages_t *p, const db_tree_t *tree, int to, uint32_t *next)
{
    const copy_t c = {p, tree, to, next};
    if (!p->kept_count) p->first = *next;
    const uint32_t root = copy_tree(&c, tree->root, 0);
    if (p->whole && to >= 0) p->kept_count = *next - p->first;
    return root;
}

/* Returns how many of the kept copies from `begin` on are written by one call. */
static uint32_t count_together(const db_pages_t *p, uint32_t begin)
{
    const uint32_t first = db_pages_number(p->page_bytes, p->first + begin);
    uint32_t count = p->kept_count - begin < IOV_MAX ? p->kept_count - begin : IOV_MAX;
    while (db_pages_number(p->page_bytes, p->first + begin + count - 1) != first + count - 1)
        count--; /* behind the page that is left out */
    return count;
}

bool db_pages_write(const db_pages_t *p, int to)
{
    for (uint32_t i = 0, count; i < p->kept_count; i += count) {
        count = count_together(p, i);
        const ssize_t got = pwritev(to, p->kept + i, (int)count, offset_of(p, p->first + i));
        if (got != (ssize_t)count * p->page_bytes) {
            if (got >= 0) errno = ENOSPC;
            return false;
        }
    }
    return true;
}

uint32_t db_pages_number(uint32_t page_bytes, uint32_t number)
{
    const uint32_t left_out = (1u << 30) / page_bytes + 1;
    return number < left_out ? number : number + 1;
}

/* ---- the other file ---- */

int db_pages_begin(const char *path, uint32_t page_bytes, uint32_t pages)
{
    enum { COUNTER = 24, SIZE = 28, FORMAT = 44, ENCODING = 56, VALID_FOR = 92 };
    unsigned char header[DB_HEADER_BYTES];
    const uint32_t last = db_pages_number(page_bytes, pages);
    db_t db;
    if (db_make(&db, path) != 0) return -1;
    /* setting the version is a change, so that SQLite writes the first page */
    int result = db_runf(&db, path,
                         "PRAGMA journal_mode = OFF; PRAGMA page_size = %u; PRAGMA "
                         "user_version = 0",
                         page_bytes);
    if (db_close(&db) != 0) result = -1;
    if (result != 0) return -1;
    const int fd = base_file_open(path, O_RDWR, 0);
    ssize_t got = fd < 0 ? -1 : pread(fd, header, sizeof(header), 0);
    bool good = got == sizeof(header);
    if (got >= 0 && !good) errno = EIO;
    if (good) {
        put4(header + SIZE, last);
        put4(header + FORMAT, 4);
        put4(header + ENCODING, 1);
        memcpy(header + VALID_FOR, header + COUNTER, 4);
        got = pwrite(fd, header, sizeof(header), 0);
        if (got >= 0 && got != sizeof(header)) errno = ENOSPC;
        good = got == sizeof(header) && ftruncate(fd, (off_t)last * page_bytes) == 0;
    }
    if (!good) base_error("%s: the database cannot be made: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return good ? 0 : -1;
}

int db_schema_begin(db_schema_t *s, const char *path)
{
    *s = (db_schema_t){0};
    if (db_make(&s->db, path) != 0) return -1;
    sqlite3_db_config(s->db.handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    if (db_run(&s->db,
               "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA writable_schema = ON; "
               "BEGIN",
               "writing the schema") == 0) {
        db_rows(&s->row, &s->db, "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", "");
        return 0;
    }
    db_close(&s->db);
    return -1;
}

int db_schema_add(db_schema_t *s, const char *type, const char *name, const char *table,
                  uint32_t root, const char *sql)
{
    db_again(&s->row, "tttit", type, name, table, (int64_t)root, sql);
    db_next(&s->row);
    if (!*s->row.why) return 0;
    base_error("%s: %s", name, s->row.why);
    return -1;
}

int db_schema_end(db_schema_t *s, int result)
{
    db_drop(&s->row);
    if (result == 0) result = db_run(&s->db, "COMMIT", "writing the schema");
    if (db_close(&s->db) != 0) result = -1;
    return result;
}
