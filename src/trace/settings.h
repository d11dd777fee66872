/* settings.h - the settings of rocprofv3: one table for the command line, for the environment of
 * the program, and for the libraries that read that environment.
 *
 * The rows are in settings.def. A setting reaches its reader as an environment variable: rocprofv3
 * sets the variable from its option, the program's processes inherit it, run.conf keeps it for a
 * later conversion, and config.json shows it. */
#ifndef CROCPROF_TRACE_SETTINGS_H
#define CROCPROF_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    TRACE_FORM_BOOL,    /* [BOOL]; the option alone means true */
    TRACE_FORM_NOT,     /* as BOOL, but the variable gets the opposite value */
    TRACE_FORM_TEXT,    /* one word */
    TRACE_FORM_NUMBER,  /* a whole number */
    TRACE_FORM_INTEGER, /* as NUMBER, but hexadecimal with 0x is allowed, too */
    TRACE_FORM_CHOICE,  /* one of `words` */
    TRACE_FORM_CHOICES, /* one or more of `words` */
    TRACE_FORM_WORDS,   /* one or more words */
    TRACE_FORM_PARTS,   /* [BOOL], or some of `words`, which the variable `also` gets */
    TRACE_FORM_GROUPS   /* one or more words; each use of the option makes a group */
} trace_form_t;

typedef enum { TRACE_ANYWHERE, TRACE_COMMAND_LINE, TRACE_FILES } trace_where_t;

typedef struct {
    const char *name; /* name of the option without its hyphens; NULL: the setting is a variable
                       * only */
    trace_form_t form;
    const char *group;    /* heading in --help */
    const char *help;     /* text for --help; "{default}" in it is replaced by the names of the word
                           * and of the default */
    const char *alias;    /* another name of the option, or NULL */
    char letter;          /* letter of the short option; 0: none */
    bool from_variable;   /* rocprofv3 takes the value from the environment if the option is not
                           * given */
    bool per_attach;      /* may differ between one attachment to a process and the next */
    trace_where_t place;  /* where the option may stand; TRACE_FILES: input files (-i) */
    const char *words;    /* the allowed words, separated by blanks; for other forms the word's name
                           * in --help */
    const char *variable; /* environment variable that gets the value; NULL: none */
    const char *also;     /* further variables that get the value, separated by blanks; for PARTS
                           * the one that gets the parts */
    const char *joined;   /* separator of the words of a list in the variable; NULL: a line feed */
    const char *fallback; /* the variable's default; NULL: "no" for BOOL and PARTS, "yes" for NOT,
                             else "" */
    uint64_t least, most; /* limits of a number; `most` 0: there are none */
    const char *implies;  /* options that this one turns on unless they are given, separated by
                           * blanks */
} trace_setting_t;

/* Settings with an option come first, in the order of --help. */
typedef enum {
#define OPTION(id, ...)   TRACE_SET_##id,
#define VARIABLE(id, ...) TRACE_SET_##id,
#include "trace/settings.def"
    TRACE_SET_COUNT
} trace_setting_id_t;

extern const trace_setting_t trace_settings[TRACE_SET_COUNT];

/* A rule about options that exclude or need each other. Both lists have words separated by blanks;
 * each word is the name of an option or of a key of input files (with underscores), as messages
 * show it, or name=value for an option with that value. */
typedef struct {
    enum {
        TRACE_TOGETHER, /* either all of `options` are given, or none */
        TRACE_NEEDS,    /* each of `options` needs one of the others to be on */
        TRACE_EXCLUDES  /* none of `options` may be on together with one of the others */
    } relation;
    const char *options, *others;
    const char *reason; /* why the rule holds, for the message; or NULL */
} trace_rule_t;

extern const trace_rule_t trace_rules[];
extern const size_t trace_rule_count;

/* Where the value of a variable is read: the environment of the running process, or the copy of it
 * that a finished run has left (run.conf). */
typedef struct {
    const char *(*value)(const void *from, const char *name); /* NULL: it is not set */
    const void *from;
} trace_variables_t;

extern const trace_variables_t trace_environment; /* reads the environment of this process, see
                                                   * base/env.h */

/* Returns whether the option traces something: those under a heading of tracing in --help do. */
bool trace_setting_traces(trace_setting_id_t id);

/* Returns the default of a setting; never NULL. */
const char *trace_setting_default(trace_setting_id_t id);

/* Returns the value of the setting's variable; NULL if it is not set, or empty. */
const char *trace_setting_given_in(const trace_variables_t *v, trace_setting_id_t id);

/* Returns the value, or the default if there is none. */
const char *trace_setting_in(const trace_variables_t *v, trace_setting_id_t id);

/* Returns whether the option is on. For the form NOT that is the opposite of the variable's
 * value. */
bool trace_setting_on_in(const trace_variables_t *v, trace_setting_id_t id);

/* The same three functions for the environment of this process. */
const char *trace_setting_given(trace_setting_id_t id);
const char *trace_setting(trace_setting_id_t id);
bool trace_setting_on(trace_setting_id_t id);

/* Returns the number if it is within the row's limits; any other is reported, and the default is
 * returned. */
uint64_t trace_setting_number(trace_setting_id_t id);

/* Returns the index of the value among `words`, without regard to case; -1 if it is none of
 * them. */
int trace_setting_choice(trace_setting_id_t id);

/* Sets the variable of the setting. Returns 0, or -1 with errno. */
int trace_setting_set(trace_setting_id_t id, const char *value);

/* Returns the index of a word of `bytes` bytes in a list whose words are separated by blanks,
 * without regard to case; -1 if it is not in the list. `found`, unless NULL, becomes the word's
 * position in the list. */
int trace_word_among(const char *list, const char *word, size_t bytes, const char **found);

#endif
