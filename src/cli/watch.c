/* watch.c - rocprofv3 watch DIR: follows a run from another terminal.
 *
 * It only reads the run's stores, so the run is not disturbed. On a terminal the table is drawn
 * every second until q is pressed; elsewhere it is printed once. */
#include "cli/watch.h"

#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/program.h"
#include "cli/launch.h"
#include "output/follow.h"
#include "results/grid.h"
#include "results/values.h"

enum { EVERY_MS = 1000, ROWS_USUAL = 24, ROWS_AROUND = 6 };

typedef struct {
    bool once;
    const char *directory;
} arguments_t;

static const struct argp_option options[] = {
    {"once", '1', NULL, 0, "print what there is now, and end", 0}, {0}};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    arguments_t *a = state->input;
    switch (key) {
    case '1': a->once = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num) argp_usage(state);
        a->directory = word;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp command = {
    options,
    take_option,
    "[DIR]",
    "Follows the runs whose output directory is DIR (or the working directory): kernels by time, "
    "refreshed each second; q ends it.",
    NULL,
    NULL,
    NULL};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

static void print(FILE *out, const out_followed_t *f, double rate, size_t most)
{
    static const char *const heads[] = {"Kernel", ">Calls",   ">Total",
                                        ">Mean",  ">Longest", ">Share"};
    char text[3][RES_SHOWN_BYTES];
    res_grid_t g;
    fprintf(out, "%u process%s, %u ended; %llu records, %llu dropped", f->processes,
            f->processes == 1 ? "" : "es", f->ended, (unsigned long long)f->counts.received,
            (unsigned long long)f->counts.dropped);
    if (rate >= 0) fprintf(out, "; %.0f kernels/s", rate);
    fputs("\n\n", out);
    res_grid_begin(&g, heads, sizeof(heads) / sizeof(*heads));
    for (size_t i = 0; i < f->kernel_count && i < most; i++) {
        const out_followed_kernel_t *k = &f->kernels[i];
        res_grid_cell(&g, "%.60s", k->name);
        res_grid_cell(&g, "%llu", (unsigned long long)k->calls);
        res_grid_cell(&g, "%s", res_shown((double)k->total_ns, RES_TIME, text[0]));
        res_grid_cell(&g, "%s",
                      res_shown((double)k->total_ns / (double)k->calls, RES_TIME, text[1]));
        res_grid_cell(&g, "%s", res_shown((double)k->longest_ns, RES_TIME, text[2]));
        res_grid_cell(&g, "%.1f %%",
                      f->total_ns ? 100.0 * (double)k->total_ns / (double)f->total_ns : 0);
    }
    res_grid_text(&g, out);
    res_grid_free(&g);
}

/* Draws the table and erases the rest of the last one. */
static void draw(const char *directory, const out_followed_t *f, double rate)
{
    struct winsize size;
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > ROWS_AROUND;
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return;
    fputs("rocprofv3 watch ", to);
    base_put(to, BASE_TERMINAL, directory);
    fputs(": q ends it\n", to);
    print(to, f, rate, (known ? size.ws_row : ROWS_USUAL) - ROWS_AROUND);
    if (fclose(to) == 0) {
        fputs("\033[H", stdout);
        for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
            printf("%.*s\033[K%s", known ? size.ws_col - 1 : 80, line, rest ? "\n" : "");
        fputs("\033[J", stdout);
        fflush(stdout);
    }
    free(text);
}

/* Waits a second. Returns false after q, at the end of the input, or after a signal. */
static bool goes_on(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (poll(&input, 1, EVERY_MS) <= 0) return !interrupted;
    return read(STDIN_FILENO, &key, 1) == 1 && key != 'q' && key != 'Q' && !interrupted;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int follow_on_terminal(out_follow_t *f, const char *directory)
{
    struct termios before, raw;
    struct sigaction action = {.sa_handler = on_signal};
    const out_followed_t *now;
    uint64_t calls = 0;
    double at = 0;
    if (tcgetattr(STDIN_FILENO, &before) != 0) return -1;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs("\033[?1049h\033[?25l", stdout);
    while ((now = out_follow_look(f))) {
        const double then = at;
        at = seconds();
        draw(directory, now, then > 0 ? (double)(now->calls - calls) / (at - then) : -1);
        calls = now->calls;
        if (!goes_on()) break;
    }
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    if (now) print(stdout, now, -1, SIZE_MAX);
    return now ? 0 : -1;
}

int cli_watch_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 watch"; /* for help texts */
    arguments_t a = {.directory = "."};
    argp_err_exit_status = CLI_EXIT_USAGE;
    argv[0] = name;
    if (base_program_options(&command, argc, argv, &a) != 0) return CLI_EXIT_USAGE;
    out_follow_t *f = out_follow_begin(a.directory);
    int result = f ? 0 : -1;
    if (f && !a.once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        result = follow_on_terminal(f, a.directory);
    } else if (f) {
        const out_followed_t *now = out_follow_look(f);
        if (now && now->processes)
            print(stdout, now, -1, SIZE_MAX);
        else if (now)
            base_error("%s: no run that records is here", a.directory);
        result = now ? (int)!now->processes : -1;
    }
    if (result < 0) base_error("watch: %s", strerror(errno ? errno : ENOMEM));
    out_follow_end(f);
    return result ? CLI_EXIT_USAGE : 0;
}
