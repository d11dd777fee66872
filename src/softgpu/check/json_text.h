/* json_text.h - what JSON and SARIF files say of the run: version, command line.
 *
 * A file of its own because the launcher uses it, too. Needs nothing of the device. */
#ifndef SOFTGPU_CHECK_JSON_TEXT_H
#define SOFTGPU_CHECK_JSON_TEXT_H

#include "base/escape.h"

extern const char chk_version[];

/* Writes the process's command line, a list of strings. */
void chk_json_command(FILE *f);

#endif
