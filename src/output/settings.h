/* settings.h - the settings of a run as AMD's tool writes them: into JSON files, into config.json,
 * beside a process in databases.
 *
 * One table of keys; values are those of the ROCPROF_* variables, or the defaults that hold. */
#ifndef CROCPROF_OUTPUT_SETTINGS_H
#define CROCPROF_OUTPUT_SETTINGS_H

#include "output/config.h"
#include "output/json.h"

typedef enum { OUT_SETTINGS_OUTPUT, OUT_SETTINGS_ALL } out_settings_t;

/* The members of the object; the caller has opened it. */
void out_settings_members(out_json_t *j, const out_config_t *c, const out_model_t *m,
                          out_settings_t which);

/* config.json: settings, command, what this program was made of, environment. */
void out_settings_file(out_file_t *f, const out_config_t *c, const out_model_t *m);

/* The environment of the process, as the members of an object. */
void out_environment_members(out_json_t *j, const out_model_t *m);

/* The command as an array of words. */
void out_command_array(out_json_t *j, const char *key, const out_model_t *m);

#endif
