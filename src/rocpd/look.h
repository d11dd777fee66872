/* look.h - a survey of files before a command reads them: views, versions, processes.
 *
 * base.c calls it, and rocpd_base_t keeps the results. rocpd_find_places() and the other functions
 * on processes, which base.h declares, are defined in look.c, too. */
#ifndef CROCPROF_ROCPD_LOOK_H
#define CROCPROF_ROCPD_LOOK_H

#include "db/peek.h"
#include "rocpd/base.h"

/* Surveys the file with this number. Its version is compared with *version, or becomes *version if
 * that is NULL; columns of this project's tables are added to `own`, and the file's processes to
 * `places`. For the first file, its views are added to `views`, and *likeness becomes the schema
 * with which others are compared; both may be NULL. Returns 0, or -1 after reporting the reason. */
int rocpd_look(const rocpd_files_t *files, size_t number, rocpd_base_t *views, char **version,
               rocpd_columns_t own[OUT_OWN_COUNT], rocpd_base_t *places, db_likeness_t **likeness);

/* Surveys all files, by several processes if there are many, and notes the results in `b`: also the
 * processes, if these are the files of `b`. Returns 0, or -1 after reporting the reason. */
int rocpd_look_into_all(rocpd_base_t *b, const rocpd_files_t *files, const rocpd_options_t *o);

/* Adds the processes of a file; `data` is a rocpd_base_t. Returns 0, or -1 after reporting the
 * reason. */
int rocpd_add_places(const db_t *db, size_t number, void *data);
void rocpd_forget_places(rocpd_base_t *b);

/* Reports that memory has run out while databases are opened. Returns -1. */
int rocpd_look_no_memory(void);

#endif
