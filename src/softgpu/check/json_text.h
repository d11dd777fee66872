/* json_text.h - texts as JSON has them, for every format of the report that is JSON.
 *
 * Apart because the launcher writes some, too. Needs nothing of the device. */
#ifndef SOFTGPU_CHECK_JSON_TEXT_H
#define SOFTGPU_CHECK_JSON_TEXT_H

#include <stdio.h>

extern const char chk_version[];

/* Writes the text between quotes, escaped; bytes that are no UTF-8 become U+FFFD. */
void chk_json_string(FILE *f, const char *text);
/* The words of the command line, a list. */
void chk_json_command(FILE *f);

#endif
