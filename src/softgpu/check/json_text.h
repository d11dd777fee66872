/* json_text.h - the facts about a run that JSON and SARIF files have in common: version and command
 * line.
 *
 * A file of its own because the launcher uses it, too: it needs no part of the device. */
#ifndef SOFTGPU_CHECK_JSON_TEXT_H
#define SOFTGPU_CHECK_JSON_TEXT_H

#include "base/escape.h"

extern const char chk_version[];

/* Writes the process's command line as a JSON list of strings. */
void chk_json_command(FILE *f);

#endif
