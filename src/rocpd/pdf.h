/* pdf.h - writes a table as a PDF document: cells in columns, the heading on each page.
 *
 * The cairo library draws the pages; it is loaded when it is needed. */
#ifndef CROCPROF_ROCPD_PDF_H
#define CROCPROF_ROCPD_PDF_H

#include <stdbool.h>

#include "base/table.h"
#include "output/file.h"

typedef struct rocpd_pdf rocpd_pdf_t;

/* Begins a document that is written to the file, which the caller closes. `shape` has to live as
 * long as the document. Returns NULL after reporting the reason. */
rocpd_pdf_t *rocpd_pdf_begin(out_file_t *f, int columns, const base_column_t *shape);
/* Sets a cell of the current row; the first row is the heading. */
void rocpd_pdf_cell(rocpd_pdf_t *p, int column, const char *text);
/* Ends the row. */
void rocpd_pdf_row(rocpd_pdf_t *p);
/* Ends the document and frees it; returns false after reporting the reason. */
bool rocpd_pdf_end(rocpd_pdf_t *p);

#endif
