/* table.h - writes the rows of a cursor in one of several forms, for people or programs.
 *
 * Each form is a row of a table in table.c. Aligned forms run the statement twice, first to measure
 * the cells. */
#ifndef CROCPROF_ROCPD_TABLE_H
#define CROCPROF_ROCPD_TABLE_H

#include "db/db.h"
#include "output/file.h"

typedef enum {
    ROCPD_CONSOLE,
    ROCPD_CSV,
    ROCPD_HTML,
    ROCPD_JSON,
    ROCPD_MD,
    ROCPD_PDF,
    ROCPD_CLIPBOARD /* columns with tabs between them, as spreadsheets take them */
} rocpd_form_t;

/* The form of this name; the end of the name of a file in this form. */
rocpd_form_t rocpd_form(const char *name);
const char *rocpd_form_end(rocpd_form_t form);

/* Writes all rows, and nothing at all if there are none; the cursor is still to be ended, which
 * says whether these are all. Returns their number, or -1 with the reason told. */
long long rocpd_table_write(out_file_t *f, db_cursor_t *rows, rocpd_form_t form);

/* The same behind rows that were written before, without a head; for forms that have no end. */
long long rocpd_table_go_on(out_file_t *f, db_cursor_t *rows, rocpd_form_t form);

#endif
