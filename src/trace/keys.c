/* keys.c - see keys.h. A new key is one function and one row of `keys`. Facts about the process are
 * in trace_keys_t, which trace_keys_current() fills in from /proc and system calls; ranks and the
 * forms of times are variables, read by its env(); %psize% alone reads /proc when it is replaced.
 * Spellings and values are those of rocprofv3's output keys. */
#include "trace/keys.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "trace/ranks.h"
#include "trace/settings.h"

typedef struct {
    char text[TRACE_PATH_MAX];
    size_t used;
    bool overflow;
    bool nowhere; /* a key needed the working directory, which has been deleted */
} text_t;

static void add(text_t *t, const char *text, size_t bytes)
{
    if (t->used + bytes >= sizeof(t->text)) {
        t->overflow = true;
        return;
    }
    memcpy(t->text + t->used, text, bytes);
    t->used += bytes;
    t->text[t->used] = 0;
}

static void add_text(text_t *t, const char *text)
{
    add(t, text, strlen(text));
}

static void add_number(text_t *t, long number)
{
    char digits[24];
    add(t, digits, (size_t)snprintf(digits, sizeof(digits), "%ld", number));
}

/* Appends a word of the command line in a form fit for a file name: without slashes, and without
 * leading dots or underscores. */
static void add_word(text_t *t, const char *word)
{
    while (*word == '/' || *word == '.' || *word == '_')
        word++;
    for (; *word; word++)
        add(t, *word == '/' ? "_" : word, 1);
}

/* Returns the tag: the name of the program's file without folders. */
static const char *tag_of(const trace_keys_t *k)
{
    if (!k->argc) return "";
    const char *slash = strrchr(k->argv[0], '/');
    return slash ? slash + 1 : k->argv[0];
}

/* Returns the index of the first argument; a double hyphen directly after the program is not an
 * argument. */
static int first_argument(const trace_keys_t *k)
{
    return k->argc > 1 && strcmp(k->argv[1], "--") == 0 ? 2 : 1;
}

static void key_args(text_t *t, const trace_keys_t *k)
{
    int first = first_argument(k);
    for (int i = first; i < k->argc; i++) {
        if (i > first) add(t, "_", 1);
        add_word(t, k->argv[i]);
    }
}

static void key_tag(text_t *t, const trace_keys_t *k)
{
    add_text(t, tag_of(k));
}

static void key_argt(text_t *t, const trace_keys_t *k)
{
    key_tag(t, k);
    key_args(t, k);
}

static void key_argv(text_t *t, const trace_keys_t *k)
{
    if (k->argc) add_word(t, k->argv[0]);
    if (k->argc > first_argument(k)) add(t, "_", 1);
    key_args(t, k);
}

static void key_hostname(text_t *t, const trace_keys_t *k)
{
    add_text(t, k->hostname);
}
static void key_pid(text_t *t, const trace_keys_t *k)
{
    add_number(t, k->pid);
}
static void key_ppid(text_t *t, const trace_keys_t *k)
{
    add_number(t, k->ppid);
}
static void key_pgid(text_t *t, const trace_keys_t *k)
{
    add_number(t, k->pgid);
}
/* The id of the process's session. */
static void key_psid(text_t *t, const trace_keys_t *k)
{
    add_number(t, k->sid);
}
static void key_cwd(text_t *t, const trace_keys_t *k)
{
    if (!*k->cwd) t->nowhere = true;
    add_text(t, k->cwd);
}

static ssize_t read_file(const char *path, char *data, size_t bytes)
{
    size_t used = 0;
    int fd = base_file_open(path, O_RDONLY, 0);
    if (fd < 0) return -1;
    for (ssize_t n = 1; n > 0 && used < bytes; used += (size_t)n) {
        n = read(fd, data + used, bytes - used);
        if (n < 0) break;
    }
    close(fd);
    return (ssize_t)used;
}

/* Number of the children of this process's parent, this process included. */
static void key_psize(text_t *t, const trace_keys_t *k)
{
    char path[64], data[65536];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)k->ppid, (int)k->ppid);
    ssize_t n = read_file(path, data, sizeof(data));
    long count = 0;
    for (ssize_t i = 0; i < n; i++)
        count += data[i] == ' ';
    add_number(t, count ? count : 1);
}

static const char *variable(const void *keys, const char *name)
{
    return ((const trace_keys_t *)keys)->env(name);
}

static trace_rank_t rank_here(const trace_keys_t *k)
{
    return trace_rank_told(&(trace_variables_t){variable, k});
}

static void key_rank(text_t *t, const trace_keys_t *k)
{
    long rank = rank_here(k).rank;
    add_number(t, rank >= 0 ? rank : 0);
}

static void key_size(text_t *t, const trace_keys_t *k)
{
    long size = rank_here(k).size;
    add_number(t, size >= 0 ? size : 1);
}

/* The rank; for a process without a rank, its process id, so that no two processes have the same
 * value. */
static void key_nid(text_t *t, const trace_keys_t *k)
{
    long rank = rank_here(k).rank;
    add_number(t, rank >= 0 ? rank : (long)k->pid);
}

/* The rank among the ranks of the same node; 0 if it is not known. */
static void key_local_rank(text_t *t, const trace_keys_t *k)
{
    long rank = rank_here(k).local_rank;
    add_number(t, rank >= 0 ? rank : 0);
}

/* The number of the node within the job; 0 if the launcher does not set it. */
static void key_node(text_t *t, const trace_keys_t *k)
{
    long node = rank_here(k).node;
    add_number(t, node >= 0 ? node : 0);
}

/* Some launchers let the user choose the job's id, which may then contain slashes. */
static void key_job(text_t *t, const trace_keys_t *k)
{
    const char *job = rank_here(k).job;
    add_word(t, job ? job : "0");
}

static void add_time(text_t *t, const trace_keys_t *k, trace_setting_id_t setting)
{
    char text[256];
    struct tm tm;
    const char *format = k->env(trace_settings[setting].variable);
    localtime_r(&k->launch, &tm);
    add(t, text,
        strftime(text, sizeof(text), format && *format ? format : trace_setting_default(setting),
                 &tm));
}

static void key_launch_date(text_t *t, const trace_keys_t *k)
{
    add_time(t, k, TRACE_SET_DATE_FORMAT);
}

static void key_launch_time(text_t *t, const trace_keys_t *k)
{
    add_time(t, k, TRACE_SET_TIME_FORMAT);
}

typedef struct {
    const char *name;
    char letter; /* letter of the short form, or 0 */
    void (*value)(text_t *, const trace_keys_t *);
} output_key_t;

static const output_key_t keys[] = {
    {"argv", 0, key_argv},
    {"args", 0, key_args},
    {"argt", 0, key_argt},
    {"tag", 0, key_tag},
    {"hostname", 'h', key_hostname},
    {"pid", 'p', key_pid},
    {"ppid", 0, key_ppid},
    {"pgid", 0, key_pgid},
    {"psid", 0, key_psid},
    {"psize", 0, key_psize},
    {"job", 'j', key_job},
    {"rank", 'r', key_rank},
    {"size", 's', key_size},
    {"local_rank", 0, key_local_rank},
    {"node", 0, key_node},
    {"nid", 0, key_nid},
    {"cwd", 0, key_cwd},
    {"launch_date", 0, key_launch_date},
    {"launch_time", 0, key_launch_time},
};

static const output_key_t *find_key(const char *name, size_t bytes)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (strlen(keys[i].name) == bytes && memcmp(keys[i].name, name, bytes) == 0)
            return &keys[i];
    return NULL;
}

static const output_key_t *find_letter(char letter)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (keys[i].letter == letter) return &keys[i];
    return NULL;
}

typedef struct {
    const trace_keys_t *k;
    text_t *out;
    char *why;
    size_t why_bytes;
    int depth;       /* how deeply the variable whose value is being expanded is nested in others */
    unsigned values; /* number of variables whose values have been inserted so far */
} expansion_t;

static int expand_text(expansion_t *e, const char *name);

/* The value of a variable may contain keys of other variables. The limits on depth and number end
 * the expansion of a variable that contains itself, and of variables whose values multiply. */
static int expand_value(expansion_t *e, const char *variable, const char *value)
{
    enum { DEPTH_MAX = 16, VALUES_MAX = 1000 };
    char fit[TRACE_PATH_MAX];
    value += strspn(value, "\t /");
    if (snprintf(fit, sizeof(fit), "%s", value) >= (int)sizeof(fit)) e->out->overflow = true;
    for (char *at = fit; *at; at++)
        if (strchr("\t /", *at)) *at = '_';
    if (++e->depth > DEPTH_MAX || ++e->values > VALUES_MAX) {
        snprintf(e->why, e->why_bytes, "variable %s has keys that never end", variable);
        return -1;
    }
    int result = expand_text(e, fit);
    e->depth--;
    return result;
}

/* ---- the three kinds of keys: each function replaces one, if the text at `at` begins with it, and
 * returns the length of the key, 0 if there is no such key, or -1 for an error ---- */

/* %env{X}% %ENV{X}% $env{X} $ENV{X} %q{X}: the value of the variable X, made fit for a file
 * name. */
static long expand_env(expansion_t *e, const char *at)
{
    static const char *const begins[] = {"%env{", "%ENV{", "$env{", "$ENV{", "%q{"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (strncmp(at, begins[i], strlen(begins[i])) == 0) name = at + strlen(begins[i]);
    if (!name) return 0;
    size_t bytes = 0;
    while (isupper((unsigned char)name[bytes]) || isdigit((unsigned char)name[bytes]) ||
           name[bytes] == '_')
        bytes++;
    char variable[256];
    if (!bytes || name[bytes] != '}' || bytes >= sizeof(variable)) {
        snprintf(e->why, e->why_bytes,
                 "malformed key at '%.40s': needs a variable of capital letters, digits and "
                 "underscores, and a closing brace",
                 at);
        return -1;
    }
    memcpy(variable, name, bytes);
    variable[bytes] = 0;
    const char *end = name + bytes + 1;
    if (*at == '%' && *end == '%') end++;
    const char *value = e->k->env(variable);
    if (value && expand_value(e, variable, value) != 0) return -1;
    return end - at;
}

/* %argN% and {argN}: if there is no such argument, the separators that follow the key are removed
 * with it. */
static long expand_argument(expansion_t *e, const char *at, const char *word, size_t bytes)
{
    if (bytes < 4 || strncmp(word, "arg", 3) != 0 || !isdigit((unsigned char)word[3])) return 0;
    char *end;
    long n = strtol(word + 3, &end, 10);
    if (end != word + bytes) return 0;
    const char *behind = word + bytes + 1;
    if (n < e->k->argc)
        add_word(e->out, e->k->argv[n]);
    else
        behind += strspn(behind, "-_/");
    return behind - at;
}

static long expand_word(expansion_t *e, const char *at)
{
    char close = *at == '{' ? '}' : '%';
    const char *word = at + 1;
    size_t bytes = 0;
    while (islower((unsigned char)word[bytes]) || isdigit((unsigned char)word[bytes]) ||
           word[bytes] == '_')
        bytes++;
    bool closed = bytes && word[bytes] == close;
    if (closed) {
        const output_key_t *key = find_key(word, bytes);
        if (key) {
            key->value(e->out, e->k);
            return (long)bytes + 2;
        }
        long used = expand_argument(e, at, word, bytes);
        if (used) return used;
    }
    if (close == '}') return 0;
    const output_key_t *key = bytes ? find_letter(word[0]) : NULL;
    if (key && !islower((unsigned char)word[1]) && !isdigit((unsigned char)word[1])) {
        key->value(e->out, e->k);
        return 2;
    }
    if (!closed) return 0;
    snprintf(e->why, e->why_bytes, "unknown key '%.*s'", (int)bytes + 2, at);
    return -1;
}

static int expand_text(expansion_t *e, const char *name)
{
    while (*name) {
        long used = 0;
        if (*name == '%' || *name == '$') used = expand_env(e, name);
        if (used == 0 && (*name == '%' || *name == '{')) used = expand_word(e, name);
        if (used < 0) return -1;
        if (used == 0) {
            add(e->out, name, 1);
            used = 1;
        }
        name += used;
    }
    return 0;
}

int trace_keys_expand(const trace_keys_t *k, const char *name, char *out, size_t out_bytes,
                      char *why, size_t why_bytes)
{
    text_t text = {.used = 0};
    expansion_t e = {.k = k, .out = &text, .why = why, .why_bytes = why_bytes};
    if (expand_text(&e, name) != 0) return -1;
    if (text.nowhere) {
        snprintf(why, why_bytes, "the working directory has no name (was it removed?)");
        return -1;
    }
    if (!text.overflow && text.used < out_bytes) {
        memcpy(out, text.text, text.used + 1);
        return 0;
    }
    size_t most = out_bytes < TRACE_PATH_MAX ? out_bytes : TRACE_PATH_MAX;
    snprintf(why, why_bytes, "longer than %zu bytes after its keys are replaced", most - 1);
    return -1;
}

/* The struct, the command line and the pointers to its words are one allocation, so that
 * trace_keys_free() can stay a single free(). */
trace_keys_t *trace_keys_current(void)
{
    enum { COMMAND_MAX = 32768, WORDS_MAX = 1024 };
    struct facts {
        trace_keys_t k;
        char host[HOST_NAME_MAX + 1], cwd[PATH_MAX], command[COMMAND_MAX + 1];
        char *words[WORDS_MAX + 1];
    } *f = calloc(1, sizeof(*f));
    if (!f) return NULL;
    f->k = (trace_keys_t){.argv = f->words,
                          .pid = getpid(),
                          .ppid = getppid(),
                          .pgid = getpgrp(),
                          .sid = getsid(0),
                          .launch = time(NULL),
                          .hostname = f->host,
                          .cwd = f->cwd,
                          .env = base_env};
    gethostname(f->host, sizeof(f->host) - 1);
    if (!getcwd(f->cwd, sizeof(f->cwd))) f->cwd[0] = 0;
    ssize_t bytes = read_file("/proc/self/cmdline", f->command, COMMAND_MAX);
    for (char *at = f->command; at < f->command + bytes && f->k.argc < WORDS_MAX;
         at += strlen(at) + 1)
        f->words[f->k.argc++] = at;
    return &f->k;
}

void trace_keys_of_command(trace_keys_t *k, char **argv)
{
    k->argv = argv;
    for (k->argc = 0; argv[k->argc];)
        k->argc++;
}

void trace_keys_free(trace_keys_t *k)
{
    free(k);
}
