/* table.h - rows of a statement, shown as people or programs want them.
 *
 * One row of `forms` for each way; aligned ones read the rows twice, so statements are run twice.
 */
#ifndef CROCPROF_ROCPD_TABLE_H
#define CROCPROF_ROCPD_TABLE_H

#include <sqlite3.h>

#include "output/file.h"

typedef enum {
    ROCPD_CONSOLE,
    ROCPD_CSV,
    ROCPD_HTML,
    ROCPD_JSON,
    ROCPD_MD,
    ROCPD_PDF,
    ROCPD_CLIPBOARD /* columns with tabs between them, as tables of calculations take them */
} rocpd_form_t;

/* The form of a name, and what ends a file of it. */
rocpd_form_t rocpd_form(const char *name);
const char *rocpd_form_end(rocpd_form_t form);

/* All rows of the statement; nothing at all where there are none. Their number; ROCPD_OF_SQLITE:
 * see sqlite3_errmsg; ROCPD_TOLD: the reason has been told. */
enum { ROCPD_OF_SQLITE = -1, ROCPD_TOLD = -2 };
long long rocpd_table_write(out_file_t *f, sqlite3_stmt *s, rocpd_form_t form);

#endif
