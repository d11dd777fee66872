/* asm.c - runs the LLVM assembler for tests.
 *
 * A file of its own, so that only one file of the tests starts processes: one, which is kept
 * (asm_kept.c), or where that is not possible one for each text. Assembly goes through an object
 * file whose .text is found by its ELF headers. */
#include "asm.h"
#include "asm_kept.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The assemblers that the tests know, the one that they are written for first. */
static const char *const known[] = {"llvm-mc-15", "llvm-mc-17", "llvm-mc-21", "llvm-mc-22",
                                    "llvm-mc"};

/* Whether there is a program of that name, or at that path. */
static bool runs(const char *name)
{
    char path[4096];
    const char *folders = getenv("PATH");
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    while (folders && *folders) {
        const size_t n = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)n, folders, name);
        if (access(path, X_OK) == 0) return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

static const char *llvm_mc(void)
{
    static const char *found;
    const char *name = getenv("LLVM_MC");
    if (name && *name) return name;
    for (size_t i = 0; !found && i < sizeof(known) / sizeof(*known); i++)
        if (runs(known[i])) found = known[i];
    return found ? found : known[0];
}

bool asm_available(void)
{
    if (runs(llvm_mc())) return true;
    fprintf(stderr, "skipped: no %s (Debian package llvm-15; LLVM_MC names another)\n", llvm_mc());
    return false;
}

static const char *gpu = "gfx90a";

/* What the assembler calls the GPU. LLVM 15 has gfx940 and no gfx942, LLVM 22 the other way round;
 * what tests assemble for either is the same. */
static const char *named_here(const char *name)
{
    static const char *gfx942;
    if (strcmp(name, "gfx942") != 0) return name;
    if (!gfx942) gfx942 = !asm_knows_gpu(name) && asm_knows_gpu("gfx940") ? "gfx940" : "gfx942";
    return gfx942;
}

void asm_set_gpu(const char *name)
{
    gpu = named_here(name);
}

bool asm_takes_gpu(const char *name)
{
    return asm_knows_gpu(named_here(name));
}

bool asm_knows_gpu(const char *name)
{
    char command[256];
    snprintf(command, sizeof(command),
             "%s -triple=amdgcn-amd-amdhsa -mcpu=help /dev/null 2>&1 | grep -qE '^ *%s +- '",
             llvm_mc(), name); /* names of features may begin with a GPU's */
    return system(command) == 0;
}

unsigned asm_version(void)
{
    char command[256], line[256];
    unsigned version = 0;
    snprintf(command, sizeof(command), "%s --version 2>/dev/null", llvm_mc());
    FILE *in = popen(command, "r");
    while (in && fgets(line, sizeof(line), in)) {
        const char *at = strstr(line, "LLVM version ");
        if (at && !version) version = (unsigned)atoi(at + strlen("LLVM version "));
    }
    if (in) pclose(in);
    return version;
}

static char *read_all(FILE *in, size_t *size)
{
    size_t used = 0, room = 1 << 16;
    char *data = malloc(room);
    while (data) {
        used += fread(data + used, 1, room - used - 1, in);
        if (used < room - 1) break;
        char *more = realloc(data, room *= 2);
        if (!more) free(data);
        data = more;
    }
    if (data) {
        data[used] = 0;
        *size = used;
    }
    return data;
}

/* ---- the assembler that is kept ---- */

static struct {
    pid_t of; /* the process that has started it: a child of that starts its own */
    int socket;
} kept;

/* In the child: llvm-mc with asm_kept.c in it. What it is without that reads nothing and ends. */
static void become_kept(int socket)
{
#ifdef ASM_KEPT
    char number[16];
    const int nothing = open("/dev/null", O_RDWR);
    snprintf(number, sizeof number, "%d", socket);
    if (setenv("LD_PRELOAD", ASM_KEPT, 1) == 0 && setenv(ASM_KEPT_SOCKET, number, 1) == 0 &&
        dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
        execlp(llvm_mc(), llvm_mc(), (char *)NULL);
#endif
    (void)socket;
    _exit(127);
}

/* Starts it, or has it already; false if there is none. */
static bool keep(void)
{
    int pair[2], status;
    if (kept.of == getpid()) return kept.socket >= 0;
    kept.of = getpid();
    kept.socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) return false;
    const pid_t child = fork();
    if (child == 0) { /* and its child, so that the test has none that it has not started */
        close(pair[0]);
        if (fork() == 0) become_kept(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    if (child > 0) waitpid(child, &status, 0);
    if (child > 0 && fcntl(pair[0], F_SETFD, FD_CLOEXEC) == 0 &&
        recv(pair[0], &status, sizeof status, 0) == sizeof status) {
        kept.socket = pair[0];
        return true;
    }
    close(pair[0]);
    return false;
}

static void path_of(int fd, char *path, size_t room)
{
    snprintf(path, room, "/proc/%d/fd/%d", (int)getpid(), fd);
}

/* What the kept assembler makes of the file `input`; false if it cannot be asked. */
static bool ask(const char *words, int input, bool quiet, int *status, char **output, size_t *size)
{
    asm_question_t q = {.quiet = quiet};
    const int made = keep() ? memfd_create("made", MFD_CLOEXEC) : -1;
    FILE *in = NULL;
    path_of(input, q.input, sizeof q.input);
    path_of(made, q.output, sizeof q.output);
    snprintf(q.words, sizeof q.words, "%s", words);
    if (made >= 0 && send(kept.socket, &q, sizeof q, MSG_NOSIGNAL) == sizeof q &&
        recv(kept.socket, status, sizeof *status, 0) == sizeof *status)
        in = fdopen(made, "r");
    if (!in) {
        if (made >= 0) close(made);
        return false;
    }
    *output = read_all(in, size);
    fclose(in);
    return true;
}

/* The same by a process of its own. */
static char *start(const char *words, int input, bool quiet, int *status, size_t *size)
{
    char command[1024], path[64];
    path_of(input, path, sizeof path);
    snprintf(command, sizeof(command), "%s %s <%s%s", llvm_mc(), words, path,
             quiet ? " 2>/dev/null" : "");
    FILE *in = popen(command, "r");
    if (!in) return NULL;
    char *output = read_all(in, size);
    *status = pclose(in);
    return output;
}

/* Feeds `text` to llvm-mc with these options; its output, malloc'ed. `strict`: exit status 0 only
 * (the disassembler gives another when a bracketed row is no instruction). */
static char *run_mc(const char *options, const char *text, bool strict, size_t *size)
{
    char words[512], *output = NULL;
    int status = 0;
    const int fd = memfd_create("text", MFD_CLOEXEC);
    size_t left = strlen(text);
    if (fd < 0) return NULL;
    for (const char *at = text; left;) {
        ssize_t n = write(fd, at, left);
        if (n <= 0) goto out;
        at += n;
        left -= (size_t)n;
    }
    snprintf(words, sizeof(words), "-triple=amdgcn-amd-amdhsa -mcpu=%s %s", gpu, options);
    if (!ask(words, fd, !strict, &status, &output, size))
        output = start(words, fd, !strict, &status, size);
    /* The shell reports a crash as 128 and more. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) >= 128 || (strict && WEXITSTATUS(status))) {
        if (strict) fprintf(stderr, "'%s %s' failed on:\n%.2000s\n", llvm_mc(), words, text);
        free(output);
        output = NULL;
    }
out:
    close(fd);
    return output;
}

/* Assembles; see asm_words(). */
static size_t assemble(const char *text, uint32_t **words)
{
    size_t size = 0, n = 0;
    char *object = run_mc("-filetype=obj", text, true, &size);
    *words = NULL;
    if (!object || size < sizeof(Elf64_Ehdr)) goto out;
    Elf64_Ehdr header;
    memcpy(&header, object, sizeof(header));
    for (unsigned k = 0; k < header.e_shnum; k++) {
        Elf64_Shdr section;
        memcpy(&section, object + header.e_shoff + k * sizeof(section), sizeof(section));
        if (section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR &&
            section.sh_size) {
            *words = malloc(section.sh_size);
            if (*words) memcpy(*words, object + section.sh_offset, section.sh_size);
            n = *words ? section.sh_size / 4 : 0;
            break;
        }
    }
out:
    free(object);
    return n;
}

/* A text that was assembled before: tests run the same one in each core. */
typedef struct {
    char *key; /* the GPU and the text */
    uint32_t *words;
    size_t n;
} known_text_t;

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const known_text_t *)a)->key, ((const known_text_t *)b)->key);
}

/* Finds the text or assembles it; NULL if it does not assemble. */
static const known_text_t *know(const char *text)
{
    static void *texts;
    known_text_t *t = calloc(1, sizeof *t), **found = NULL;
    if (t && asprintf(&t->key, "%s\n%s", gpu, text) > 0) {
        found = tfind(t, &texts, compare_keys);
        if (!found && (t->n = assemble(text, &t->words))) found = tsearch(t, &texts, compare_keys);
        if (!found || *found != t) free(t->key);
    }
    if (!found || *found != t) free(t);
    return found ? *found : NULL;
}

size_t asm_words(const char *text, uint32_t **words)
{
    const known_text_t *t = know(text);
    *words = t ? malloc(4 * t->n) : NULL;
    if (*words) memcpy(*words, t->words, 4 * t->n);
    return *words ? t->n : 0;
}

/* llvm-mc's listing without directives and leading blanks. */
static void tidy(char *listing)
{
    char *to = listing;
    for (char *line = listing; line && *line;) {
        char *end = strchr(line, '\n');
        char *next = end ? end + 1 : NULL;
        if (end) *end = 0;
        while (*line == ' ' || *line == '\t')
            line++;
        if (*line && *line != '.') {
            size_t length = strlen(line);
            while (length && line[length - 1] == ' ')
                length--;
            memmove(to, line, length);
            to += length;
            *to++ = '\n';
        }
        line = next;
    }
    *to = 0;
}

static char *print_bytes(char *to, const uint32_t *words, size_t n)
{
    for (size_t k = 0; k < 4 * n; k++)
        to += sprintf(to, "0x%02x ", words[k / 4] >> 8 * (k % 4) & 0xff);
    return to;
}

char *asm_disassemble(const uint32_t *words, size_t n)
{
    size_t size;
    char *text = malloc(20 * n + 2);
    if (!text) return NULL;
    strcpy(print_bytes(text, words, n), "\n");
    char *listing = run_mc("-disassemble", text, false, &size);
    free(text);
    if (listing) tidy(listing);
    return listing;
}

char *asm_disassemble_rows(const uint32_t (*rows)[ASM_DWORDS], const unsigned *size, size_t n_rows)
{
    /* A bracketed list is disassembled on its own; an s_nop with a telling operand between the rows
     * marks where each ends. */
    static const uint32_t mark = 0xbf805ead;
    static const char mark_text[] = "s_nop 0x5ead";
    size_t length;
    char *text = malloc(n_rows * 140 + 2), *at = text;
    if (!text) return NULL;
    for (size_t r = 0; r < n_rows; r++) {
        *at++ = '[';
        at = print_bytes(at, rows[r], size[r]);
        at = stpcpy(at, "]\n[");
        at = print_bytes(at, &mark, 1);
        at = stpcpy(at, "]\n");
    }
    *at = 0;
    char *listing = run_mc("-disassemble", text, false, &length);
    free(text);
    if (!listing) return NULL;
    tidy(listing);
    /* Joins what stands before each mark into one line. */
    char *to = listing;
    for (char *line = listing; *line;) {
        char *end = strchr(line, '\n'), *next = end + 1;
        size_t n = (size_t)(end - line);
        if (n == sizeof(mark_text) - 1 && !memcmp(line, mark_text, n)) {
            *to++ = '\n';
        } else {
            if (to > listing && to[-1] != '\n') *to++ = ';';
            memmove(to, line, n);
            to += n;
        }
        line = next;
    }
    *to = 0;
    return listing;
}
