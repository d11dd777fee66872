/* report.c - findings: which are new, what is written of them, what there was in the end. */
#include "softgpu/check/check.h"

#include "base/env.h"
#include "base/file.h"
#include "base/kernel_name.h"
#include "base/lines.h"
#include "base/log.h"
#include "softgpu/check/sink.h"
#include "softgpu/device/memory.h"
#include "softgpu/device/names.h"
#include "softgpu/isa/isa.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    unsigned family;
    const char *name, *text;
} kinds[] = {
#define X(id, family, name, text, help) {CHK_##family, name, text},
    CHK_KINDS(X)
#undef X
};

static const struct {
    unsigned bit;
    const char *name;
} families[] = {
#define X(id, name) {CHK_##id, name},
    CHK_FAMILIES(X)
#undef X
};

/* Findings that are equal for those who read them. */
typedef struct {
    chk_kind_t kind;
    uint64_t pc, place;
    uint64_t waves, lanes;
} equal_t;

static struct {
    pthread_once_t once;
    unsigned wanted;
    const char *kernel; /* part of the names of those that are looked at, NULL: all */
    base_lines_t lines;
    pthread_mutex_t lock;
    equal_t *equal;
    size_t n, room;
    uint64_t lost;
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- options ---- */

/* Names between commas; "1" and "" are what is on when nothing is named. */
static unsigned families_of(const char *text)
{
    unsigned wanted = 0;
    if (!*text || strcmp(text, "1") == 0) return CHK_MEMORY | CHK_SYNC;
    if (strcmp(text, "0") == 0) return 0;
    while (*text) {
        const size_t bytes = strcspn(text, ",");
        bool known = false;
        for (size_t k = 0; k < sizeof families / sizeof *families; k++)
            if (strlen(families[k].name) == bytes && !strncmp(families[k].name, text, bytes)) {
                wanted |= families[k].bit;
                known = true;
            }
        if (bytes && !known)
            base_error("SOFTGPU_CHECK: \"%.*s\" is no family of findings", (int)bytes, text);
        text += bytes + (text[bytes] == ',');
    }
    return wanted;
}

static void in_forked_child(void)
{
    pthread_mutex_init(&state.lock, NULL);
    state.n = 0;
    state.lost = 0;
}

static void read_options(void)
{
    const char *wanted = base_env("SOFTGPU_CHECK");
    if (!wanted) return;
    state.wanted = families_of(wanted);
    state.kernel = base_env("SOFTGPU_CHECK_KERNEL");
    pthread_atfork(NULL, NULL, in_forked_child);
    base_lines_open(&state.lines, "SOFTGPU_CHECK_OUTPUT", "findings go");
}

unsigned chk_wanted(void)
{
    pthread_once(&state.once, read_options);
    return state.wanted;
}

const char *chk_kernels(void)
{
    return state.kernel;
}

/* ---- text ---- */

static void add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t room, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list words;
    va_start(words, format);
    vsnprintf(text + used, room - used, format, words);
    va_end(words);
}

/* "0 bytes after the 4096 bytes that hipMalloc gave out at app.cpp:52" */
static void add_place(char *text, size_t room, uint64_t va)
{
    chk_place_t p;
    char made[512], gone[512];
    if (!chk_place_near(va, &p)) {
        add(text, room, "in no allocation");
        return;
    }
    const unsigned long long size = p.end - p.begin;
    chk_where_call(&p.made, made, sizeof made);
    if (va < p.begin)
        add(text, room, "%llu bytes before", (unsigned long long)(p.begin - va));
    else if (va >= p.end)
        add(text, room, "%llu bytes after", (unsigned long long)(va - p.end));
    else
        add(text, room, "%llu bytes inside", (unsigned long long)(va - p.begin));
    add(text, room, " the %llu bytes that %s gave out%s%s", size, p.call, *made ? " at " : "",
        made);
    if (p.live) return;
    chk_where_call(&p.gone, gone, sizeof gone);
    add(text, room, " and %s took back%s%s", p.gone_by, *gone ? " at " : "", gone);
}

/* "  saxpy(float*, int) at saxpy.hip:14": a line of its own */
static void add_kernel(char *text, size_t room, const sg_memory_t *m, uint64_t kernel_object,
                       uint64_t pc)
{
    char *symbol = sg_kernel_name(m, kernel_object);
    char *kernel = symbol ? base_kernel_name(symbol) : NULL;
    char function[512], line[1024];
    chk_where_code(m, pc, function, sizeof function, line, sizeof line);
    add(text, room, "  %s", kernel ? kernel : "");
    if (*function && symbol && strcmp(function, symbol) != 0) {
        char *name = base_kernel_name(function);
        add(text, room, ", in %s", name ? name : function);
        free(name);
    }
    add(text, room, "%s%s\n", *line ? " at " : "", line);
    free(kernel);
    free(symbol);
}

static void add_instruction(char *text, size_t room, const uint32_t *words, uint32_t n)
{
    isa_inst_t decoded;
    char instruction[128] = "";
    if (n && isa_decode(words, n, &decoded) > 0)
        isa_disassemble(&decoded, instruction, sizeof instruction);
    add(text, room, "    %s", instruction);
}

static void add_other(char *text, size_t room, const sg_memory_t *m, const chk_other_t *o)
{
    add(text, room, "  %s", o->what);
    if (!o->pc) {
        add(text, room, "\n");
        return;
    }
    add(text, room, ", lane %u of wave %u, group (%u,%u,%u)\n", o->lane, o->wave, o->group[0],
        o->group[1], o->group[2]);
    add_kernel(text, room, m, o->kernel_object, o->pc);
    add_instruction(text, room, o->words, o->n_words);
    add(text, room, "\n");
}

static void put(const char *text)
{
    base_lines_write(&state.lines, text, strlen(text));
}

static void write_out(const chk_finding_t *f)
{
    char text[4096] = "";
    const size_t room = sizeof text;
    add(text, room, "softgpu: error: %s", kinds[f->kind].text);
    if (f->bytes) add(text, room, " of %u bytes", f->bytes);
    if (f->pc) {
        if (f->lanes)
            add(text, room, ", lane %u of", f->lane);
        else
            add(text, room, ",");
        add(text, room, " wave %u, group (%u,%u,%u)\n", f->wave, f->group[0], f->group[1],
            f->group[2]);
        add_kernel(text, room, f->memory, f->kernel_object, f->pc);
    } else {
        add(text, room, "\n");
    }
    if (f->n_words) {
        const size_t begin = strlen(text);
        add_instruction(text, room, f->words, f->n_words);
        add(text, room, "%*s %u lane%s of this wave\n", (int)(begin + 52 - strlen(text)), "",
            f->lanes, f->lanes == 1 ? "" : "s");
    }
    if (f->call) {
        char at[512];
        chk_where_call(f->stack, at, sizeof at);
        add(text, room, "  %s%s%s\n", f->call, *at ? " at " : "", at);
    }
    if (f->at_address) {
        add(text, room, "  address 0x%llx is ", (unsigned long long)f->va);
        add_place(text, room, f->va);
        add(text, room, "\n");
    }
    if (f->other.what) add_other(text, room, f->memory, &f->other);
    if (f->more) add(text, room, "  %s\n", f->more);
    put(text);
}

/* ---- findings ---- */

/* Under the lock: counts it; true if it is the first. */
static bool is_new(const chk_finding_t *f, uint64_t place)
{
    for (size_t k = 0; k < state.n; k++) {
        equal_t *e = &state.equal[k];
        if (e->kind != f->kind || e->pc != f->pc || e->place != place) continue;
        e->waves++;
        e->lanes += f->lanes;
        return false;
    }
    if (state.n == state.room) {
        const size_t room = state.room ? 2 * state.room : 64;
        equal_t *grown = realloc(state.equal, room * sizeof *grown);
        if (!grown) {
            state.lost++;
            return false;
        }
        state.equal = grown;
        state.room = room;
    }
    state.equal[state.n++] = (equal_t){f->kind, f->pc, place, 1, f->lanes};
    return true;
}

/* The launcher counts bytes. */
static void tell_launcher(void)
{
    const char *name = base_env(SOFTGPU_CHECK_COUNT);
    const int fd = name ? base_file_open(name, O_WRONLY | O_APPEND, 0) : -1;
    if (fd < 0) return;
    if (write(fd, "", 1) < 0) base_error("%s: %s", name, strerror(errno));
    close(fd);
}

void chk_report(const chk_finding_t *f)
{
    chk_place_t near;
    if (!(chk_wanted() & kinds[f->kind].family)) return;
    const uint64_t place = f->at_address && chk_place_near(f->va, &near) ? near.serial : 0;
    pthread_mutex_lock(&state.lock);
    if (is_new(f, place)) {
        write_out(f);
        tell_launcher();
    }
    pthread_mutex_unlock(&state.lock);
}

void chk_summary(void)
{
    char text[4096] = "";
    uint64_t errors = 0;
    if (!chk_wanted()) return;
    pthread_mutex_lock(&state.lock);
    for (unsigned kind = 0; kind < CHK_KIND_COUNT; kind++) {
        uint64_t different = 0, waves = 0, lanes = 0;
        for (size_t k = 0; k < state.n; k++)
            if (state.equal[k].kind == kind) {
                different++;
                waves += state.equal[k].waves;
                lanes += state.equal[k].lanes;
            }
        errors += different;
        if (different)
            add(text, sizeof text, "softgpu:   %-20s %llu different, %llu times, %llu lanes\n",
                kinds[kind].name, (unsigned long long)different, (unsigned long long)waves,
                (unsigned long long)lanes);
    }
    char head[160];
    snprintf(head, sizeof head, "softgpu: %llu error%s%s\n", (unsigned long long)errors,
             errors == 1 ? "" : "s", state.lost ? ", and some for which there was no memory" : "");
    put(head);
    put(text);
    pthread_mutex_unlock(&state.lock);
}
