/* format.h - numbers in database files, as defined by https://www.sqlite.org/fileformat2.html,
 * whose terms are used here.
 *
 * They are big-endian. pages.c, which copies pages, and scan.c, which reads rows from pages, share
 * these functions; each has further details of the format itself. */
#ifndef CROCPROF_DB_FORMAT_H
#define CROCPROF_DB_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DB_INDEX_INTERIOR = 2, DB_TABLE_INTERIOR = 5, DB_INDEX_LEAF = 10, DB_TABLE_LEAF = 13 };
enum { DB_HEADER_BYTES = 100, DB_DEPTH_MOST = 20 };

static inline uint32_t db_get2(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t db_get4(const unsigned char *at)
{
    return db_get2(at) << 16 | db_get2(at + 2);
}

/* Reads a varint at *at, and moves *at behind it; returns false if it does not end before `end`. */
static inline bool db_get_varint(const unsigned char **at, const unsigned char *end,
                                 uint64_t *number)
{
    *number = 0;
    for (int i = 0; i < 9 && *at < end; i++) {
        const unsigned char byte = *(*at)++;
        if (i == 8) {
            *number = *number << 8 | byte;
            return true;
        }
        *number = *number << 7 | (byte & 0x7f);
        if (byte < 0x80) return true;
    }
    return false;
}

/* Returns whether the header is that of a database in the form that this program writes, too: with
 * a rollback journal, in UTF-8, without reserved bytes in each page, and without auto-vacuum. */
static inline bool db_is_plain(const unsigned char *h)
{
    enum {
        WRITE_VERSION = 18,
        READ_VERSION,
        RESERVED,
        FORMAT = 44,
        LARGEST_ROOT = 52,
        ENCODING = 56
    };
    return memcmp(h, "SQLite format 3", 16) == 0 && h[WRITE_VERSION] == 1 && h[READ_VERSION] == 1 &&
           h[RESERVED] == 0 && db_get4(h + FORMAT) == 4 && db_get4(h + LARGEST_ROOT) == 0 &&
           db_get4(h + ENCODING) == 1;
}

/* Returns the size of a page in bytes, according to the header; 0 if the header has no valid
 * size. */
static inline uint32_t db_page_bytes(const unsigned char *h)
{
    const uint32_t bytes = db_get2(h + 16) == 1 ? 65536 : db_get2(h + 16);
    return bytes >= 512 && !(bytes & (bytes - 1)) ? bytes : 0;
}

/* Returns how many bytes of a payload are on its page itself; the others are on overflow pages. */
static inline uint64_t db_local_bytes(uint32_t page_bytes, bool table, uint64_t bytes)
{
    const uint32_t most = table ? page_bytes - 35 : (page_bytes - 12) * 64 / 255 - 23;
    const uint32_t least = (page_bytes - 12) * 32 / 255 - 23;
    if (bytes <= most) return bytes;
    const uint64_t local = least + (bytes - least) % (page_bytes - 4);
    return local > most ? least : local;
}

#endif
