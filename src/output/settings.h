/* settings.h - the settings of a run in the form of AMD's tool: for JSON files, for config.json,
 * and for the rows of processes in databases.
 *
 * There is one table of keys; values are those of the ROCPROF_* variables, or their defaults. */
#ifndef CROCPROF_OUTPUT_SETTINGS_H
#define CROCPROF_OUTPUT_SETTINGS_H

#include "output/config.h"
#include "output/json.h"

typedef enum { OUT_SETTINGS_OUTPUT, OUT_SETTINGS_ALL } out_settings_t;

/* Writes the members of an object that the caller has opened. */
void out_settings_members(out_json_t *j, const out_config_t *c, const out_model_t *m,
                          out_settings_t which);

/* Writes config.json: settings, command, how this program was built, environment. */
void out_settings_file(out_file_t *f, const out_config_t *c, const out_model_t *m);

/* Writes the environment of the process, as the members of an object. */
void out_environment_members(out_json_t *j, const out_model_t *m);

/* Writes the command as an array of words. */
void out_command_array(out_json_t *j, const char *key, const out_model_t *m);

#endif
