/* look.h - a first look into files, before a command reads them: views, versions, processes.
 *
 * For base.c, whose rocpd_base_t keeps what is found. rocpd_find_places() and its like, which ask
 * for processes, are declared in base.h and are here, too. */
#ifndef CROCPROF_ROCPD_LOOK_H
#define CROCPROF_ROCPD_LOOK_H

#include "db/peek.h"
#include "rocpd/base.h"

/* Looks into the file with this number. Its version is compared with *version, or becomes this, if
 * it is NULL; columns of our own tables are added to `own`, and its processes to `places`. Of the
 * first file its views are added to `views`, and *likeness becomes what others are compared with;
 * both may be NULL. 0, or -1 with the reason told. */
int rocpd_look(const rocpd_files_t *files, size_t number, rocpd_base_t *views, char **version,
               rocpd_columns_t own[OUT_OWN_COUNT], rocpd_base_t *places, db_likeness_t **likeness);

/* Looks into all files, if there are many by several processes, and notes in `b` what they have:
 * their processes, if these files are those of `b`. 0, or -1 with the reason told. */
int rocpd_look_into_all(rocpd_base_t *b, const rocpd_files_t *files, const rocpd_options_t *o);

/* Adds the processes of a file; `data` is a rocpd_base_t. 0, or -1 with the reason told. */
int rocpd_add_places(const db_t *db, size_t number, void *data);
void rocpd_forget_places(rocpd_base_t *b);

/* Tells that memory has run out while databases are opened. -1. */
int rocpd_look_no_memory(void);

#endif
