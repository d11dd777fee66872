/* progress.c - see progress.h. */
#include "output/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 40, MS = 1000000 };

static void put(const out_progress_t *p, const char *text)
{
    ssize_t ignored = write(p->fd, text, strlen(text));
    (void)ignored; /* if the terminal is gone, no bar is needed */
}

void out_progress_begin(out_progress_t *p, int fd, bool terminal, const char *label, uint64_t total,
                        uint64_t now_ns)
{
    *p = (out_progress_t){
        .fd = fd, .wanted = terminal && total, .label = label, .total = total, .began_ns = now_ns};
}

void out_progress_step(out_progress_t *p, uint64_t more, uint64_t now_ns)
{
    char line[128], bar[WIDTH + 1];
    p->done += more;
    if (!p->wanted || now_ns - p->began_ns < (uint64_t)OUT_PROGRESS_AFTER_MS * MS) return;
    if (p->shown && now_ns - p->drawn_ns < (uint64_t)OUT_PROGRESS_EVERY_MS * MS) return;
    /* some formats read some records twice: the bar must not show more than all */
    uint64_t done = p->done < p->total ? p->done : p->total;
    size_t full = (size_t)((double)done / (double)p->total * (double)WIDTH);
    memset(bar, '#', full);
    memset(bar + full, '.', WIDTH - full);
    bar[WIDTH] = 0;
    snprintf(line, sizeof(line), "\r%s [%s] %3.0f%%", p->label, bar,
             100.0 * (double)done / (double)p->total);
    put(p, line);
    p->shown = true;
    p->drawn_ns = now_ns;
}

void out_progress_end(out_progress_t *p)
{
    if (p->shown) put(p, "\r\033[K");
    p->shown = p->wanted = false;
}
