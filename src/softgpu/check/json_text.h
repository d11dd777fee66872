/* json_text.h - strings as JSON writes them.
 *
 * A file of its own because the launcher uses it, too. Needs nothing of the device. */
#ifndef SOFTGPU_CHECK_JSON_TEXT_H
#define SOFTGPU_CHECK_JSON_TEXT_H

#include <stdio.h>

extern const char chk_version[];

/* Writes the string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void chk_json_string(FILE *f, const char *text);
/* Writes the process's command line, a list of strings. */
void chk_json_command(FILE *f);

#endif
