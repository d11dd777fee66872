/* settings.h - the settings of rocprofv3: one table for the command line, the environment of the
 * program, and whoever reads it there.
 *
 * The rows are in settings.def. A setting reaches its reader as an environment variable: rocprofv3
 * sets it from its option, the program's processes inherit it, run.conf keeps it for a later
 * conversion, config.json shows it. */
#ifndef CROCPROF_TRACE_SETTINGS_H
#define CROCPROF_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    TRACE_FORM_BOOL,    /* [BOOL]; the option alone means true */
    TRACE_FORM_NOT,     /* the same, but the variable gets the opposite */
    TRACE_FORM_TEXT,    /* one word */
    TRACE_FORM_NUMBER,  /* a whole number */
    TRACE_FORM_INTEGER, /* the same, also in hexadecimal with 0x */
    TRACE_FORM_CHOICE,  /* one of `words` */
    TRACE_FORM_CHOICES, /* one or more of `words` */
    TRACE_FORM_WORDS,   /* one or more words */
    TRACE_FORM_PARTS,   /* [BOOL], or some of `words`, which the second variable gets */
    TRACE_FORM_GROUPS   /* one or more words; each use of the option makes a group */
} trace_form_t;

typedef enum { TRACE_ANYWHERE, TRACE_COMMAND_LINE, TRACE_FILES } trace_where_t;

typedef struct {
    const char *name; /* of the option, without the hyphens; NULL: there is only the variable */
    trace_form_t form;
    const char *group;    /* heading in --help */
    const char *help;     /* "{default}" in it stands for the word and the fallback */
    const char *alias;    /* another name of the option, or NULL */
    char letter;          /* of the option; 0: none */
    bool from_variable;   /* rocprofv3 reads the option from its variable, if it is not given */
    bool per_attach;      /* may differ from one attach to a process to the next */
    trace_where_t place;  /* where the option may stand; TRACE_FILES: input files (-i) */
    const char *words;    /* choices, separated by blanks; or the word's name in --help */
    const char *variable; /* environment variable that gets the value; NULL: none */
    const char *also;     /* others, separated by blanks; for PARTS the one that gets the parts */
    const char *joined;   /* between the words of a list in the variable; NULL: a line feed */
    const char *fallback; /* the variable's default; NULL: "no" for BOOL and PARTS, "yes" for NOT,
                             else "" */
    uint64_t least, most; /* limits of a number; most 0: none */
    const char *implies;  /* options turned on unless they are given, separated by blanks */
} trace_setting_t;

/* Those with an option come first, in the order of --help. */
typedef enum {
#define OPTION(id, ...)   TRACE_SET_##id,
#define VARIABLE(id, ...) TRACE_SET_##id,
#include "trace/settings.def"
    TRACE_SET_COUNT
} trace_setting_id_t;

extern const trace_setting_t trace_settings[TRACE_SET_COUNT];

/* What options have to do with each other. Each is a word of a list with blanks between its words:
 * the name of the option, or of a key of input files with its underscores, as messages show it; or
 * name=value: the option with this value. */
typedef struct {
    enum {
        TRACE_TOGETHER, /* all of `options` are given, or none */
        TRACE_NEEDS,    /* each of `options` needs one of the others to be on */
        TRACE_EXCLUDES  /* none of `options` may be on together with one of the others */
    } relation;
    const char *options, *others;
    const char *reason; /* or NULL */
} trace_rule_t;

extern const trace_rule_t trace_rules[];
extern const size_t trace_rule_count;

/* Where the value of a variable is looked up: the environment of a process that runs, or what is
 * kept of one that has run. */
typedef struct {
    const char *(*value)(const void *from, const char *name); /* NULL: it is not set */
    const void *from;
} trace_variables_t;

extern const trace_variables_t trace_environment; /* of this process, see base/env.h */

/* The value that holds where none is given; never NULL. */
const char *trace_setting_default(trace_setting_id_t id);

/* The value of the setting's variable: NULL if it is not set, or empty. */
const char *trace_setting_given_in(const trace_variables_t *v, trace_setting_id_t id);

/* The value or the default. */
const char *trace_setting_in(const trace_variables_t *v, trace_setting_id_t id);

/* Is the option on? For NOT that is the opposite of what the variable says. */
bool trace_setting_on_in(const trace_variables_t *v, trace_setting_id_t id);

/* The same in the environment of this process. */
const char *trace_setting_given(trace_setting_id_t id);
const char *trace_setting(trace_setting_id_t id);
bool trace_setting_on(trace_setting_id_t id);

/* A number within the row's limits; any other is reported, and the default holds. */
uint64_t trace_setting_number(trace_setting_id_t id);

/* Place of the value among `words`, in any case; -1: it is none of them. */
int trace_setting_choice(trace_setting_id_t id);

/* Sets the variable of the setting. 0, or -1 with errno. */
int trace_setting_set(trace_setting_id_t id, const char *value);

/* Place of a word of `bytes` in a list with blanks between its words, in any case; -1: it is not
 * there. `found`, unless NULL, is where the word is in the list. */
int trace_word_among(const char *list, const char *word, size_t bytes, const char **found);

#endif
