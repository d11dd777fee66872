/* table.h - writes the rows of a cursor in one of several forms.
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
    ROCPD_CLIPBOARD /* columns with tabs between them, the form of spreadsheets */
} rocpd_form_t;

/* Return the form of this name; and the end of file names in this form. */
rocpd_form_t rocpd_form(const char *name);
const char *rocpd_form_end(rocpd_form_t form);

/* Writes all rows, and nothing at all if there are none. The caller still has to call db_end(),
 * which reports whether all rows were read. Returns their number, or -1 after reporting the
 * reason. */
long long rocpd_table_write(out_file_t *f, db_cursor_t *rows, rocpd_form_t form);

/* Continues after rows that were written before, without a heading; only for forms that have no
 * end. */
long long rocpd_table_go_on(out_file_t *f, db_cursor_t *rows, rocpd_form_t form);

#endif
