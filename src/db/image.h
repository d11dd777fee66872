/* image.h - the schema of a file as bytes that can be compared with those of other files.
 *
 * Databases that one program has written have the same tables, indexes and views; what differs in
 * their texts is the id of the process, with which the names of tables end. An image has zeros in
 * its place: files are alike if their images have the same bytes. Used where files that are alike
 * need not be parsed (peek.h, swap.h). */
#ifndef CROCPROF_DB_IMAGE_H
#define CROCPROF_DB_IMAGE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DB_GUID_BYTES = 36 }; /* in its usual form */

typedef struct {
    char guid[DB_GUID_BYTES + 1]; /* as in the names of tables */
    char *bytes;
    size_t count;
    uint32_t *roots; /* of each row of the schema: the page of the table's root, or 0 */
    size_t rows;
    uint32_t metadata, processes; /* roots of these two tables */
} db_image_t;

/* Makes the image of a file that nobody changes meanwhile. False: the file's schema is not as
 * usual, or there is no memory; then there is nothing to free. */
bool db_image_read(db_image_t *i, sqlite3_file *file);
void db_image_free(db_image_t *i);

/* Whether the file has the schema that it had: another program may have changed it. */
bool db_image_lasts(const db_image_t *i, sqlite3_file *file);

/* Whether both files have the same tables, indexes and views. */
bool db_image_alike(const db_image_t *a, const db_image_t *b);
/* Whether their tables begin at the same pages, too, and SQLite reads both with the same schema. */
bool db_image_same(const db_image_t *a, const db_image_t *b);

#endif
