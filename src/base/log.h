/* log.h - log messages: one line each on stderr, meant for people and never parsed by programs.
 *
 * Every library and program of the project logs through base_log(). The level of a domain comes
 * from one environment variable per library, which is passed once to base_log_init(). Logging
 * takes nothing from the heap and no lock, so it may be called from anywhere but a signal handler.
 * A long line has pages of its own while it is written; if there are none, it ends with the number
 * of bytes that are left out. If standard error is a pipe that does not block and is full,
 * base_log() waits for its reader, but at most a second. The number of bytes that are then
 * missing stands in front of the next line, and until it can be written, further lines are left
 * out. */
#ifndef CROCPROF_BASE_LOG_H
#define CROCPROF_BASE_LOG_H

#include <stdbool.h>

typedef enum {
    BASE_LOG_NONE = 0,
    BASE_LOG_FATAL,
    BASE_LOG_ERROR,
    BASE_LOG_WARNING,
    BASE_LOG_INFO,
    BASE_LOG_TRACE
} base_log_level_t;

/* The level in force, BASE_LOG_WARNING by default. Read it before building an expensive message. */
extern base_log_level_t base_log_level;

/* Sets the prefix of each line ("rocprofiler-register") and the level from the environment
 * variable `variable` (a name of the enum in lower case, or a number 0-5); other values are
 * reported once and leave the default. Under AT_SECURE the variable is ignored. */
void base_log_init(const char *prefix, const char *variable);

/* Writes "prefix: level: text\n" if `level` is enabled; in one write call, unless a pipe takes only
 * a part of it. */
void base_log(base_log_level_t level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the descriptor of standard error, or -1 if the program was started without one: number 2
 * is then a file of the program. It is determined when the library is loaded. A library that is
 * loaded later cannot determine it, so the code that loads it calls base_log_set_stderr. */
int base_log_stderr(void);
void base_log_set_stderr(bool has_stderr);

/* From this call on lines are appended to the file `path`, which is opened for each line. If `path`
 * is NULL or too long, they go to standard error. To be called before other threads log. */
void base_log_to(const char *path);

#define base_error(...)   base_log(BASE_LOG_ERROR, __VA_ARGS__)
#define base_warning(...) base_log(BASE_LOG_WARNING, __VA_ARGS__)
#define base_info(...)                                                                             \
    do {                                                                                           \
        if (base_log_level >= BASE_LOG_INFO) base_log(BASE_LOG_INFO, __VA_ARGS__);                 \
    } while (0)
#define base_trace(...)                                                                            \
    do {                                                                                           \
        if (base_log_level >= BASE_LOG_TRACE) base_log(BASE_LOG_TRACE, __VA_ARGS__);               \
    } while (0)

#endif
