/* pdf.h - a table as pages: cells in columns, the heading on each page.
 *
 * Drawn by cairo, which is loaded when it is needed. */
#ifndef CROCPROF_ROCPD_PDF_H
#define CROCPROF_ROCPD_PDF_H

#include <stdbool.h>

#include "output/file.h"

typedef struct rocpd_pdf rocpd_pdf_t;

/* A document that goes to the file, which stays the caller's. `widths` in characters, `right`:
 * columns whose cells stand to the right; both as long as the document. NULL with the reason told.
 */
rocpd_pdf_t *rocpd_pdf_begin(out_file_t *f, int columns, const int *widths, const bool *right);
/* A cell of the row that is being made; the texts of the first row are the heading. */
void rocpd_pdf_cell(rocpd_pdf_t *p, int column, const char *text);
/* The row is whole. */
void rocpd_pdf_row(rocpd_pdf_t *p);
/* The document is whole, and given back; false with the reason told. */
bool rocpd_pdf_end(rocpd_pdf_t *p);

#endif
