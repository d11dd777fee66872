/* progress.h - a progress bar on the terminal.
 *
 * It appears after two seconds, only on a terminal, and is erased at the end. The caller passes the
 * time, so that the bar can be tested. */
#ifndef CROCPROF_OUTPUT_PROGRESS_H
#define CROCPROF_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { OUT_PROGRESS_AFTER_MS = 2000, OUT_PROGRESS_EVERY_MS = 200 };

typedef struct {
    int fd;
    bool wanted, shown;
    const char *label;
    uint64_t total, done;
    uint64_t began_ns, drawn_ns;
} out_progress_t;

/* `terminal` says whether `fd` is a terminal. `label` must live as long as the bar. */
void out_progress_begin(out_progress_t *p, int fd, bool terminal, const char *label, uint64_t total,
                        uint64_t now_ns);
/* Notes that `more` of the total has been done. */
void out_progress_step(out_progress_t *p, uint64_t more, uint64_t now_ns);
void out_progress_end(out_progress_t *p);

#endif
