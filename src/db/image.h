/* image.h - the schema of a file as bytes that can be compared with those of other files.
 *
 * Databases that one program has written have the same tables, indexes and views; their texts
 * differ only in the id of the process, with which the names of tables end. An image has zeros
 * instead of the id, so files have the same schema if their images have the same bytes. Images are
 * used so that not every file of the same schema has to be parsed (peek.h, swap.h). */
#ifndef CROCPROF_DB_IMAGE_H
#define CROCPROF_DB_IMAGE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DB_GUID_BYTES = 36 }; /* length in its usual form */

typedef struct {
    char guid[DB_GUID_BYTES + 1]; /* as in the names of tables */
    char *bytes;
    size_t count;
    uint32_t *roots; /* root page of the table or index for each row of the schema, or 0 */
    size_t rows;
    uint32_t metadata, processes; /* root pages of these two tables */
} db_image_t;

/* Makes the image of a file, which must not change meanwhile. Returns false if the file's schema is
 * unusual, or if there is no memory; then there is nothing to free. */
bool db_image_read(db_image_t *i, sqlite3_file *file);
void db_image_free(db_image_t *i);

/* Returns whether the file still has the schema of the image, since another program may have
 * changed it. */
bool db_image_lasts(const db_image_t *i, sqlite3_file *file);

/* Returns whether both files have the same tables, indexes and views. */
bool db_image_alike(const db_image_t *a, const db_image_t *b);
/* Returns whether their tables also begin at the same pages, and SQLite reads both with the same
 * schema. */
bool db_image_same(const db_image_t *a, const db_image_t *b);

#endif
