/* asm.c - runs the LLVM assembler for tests.
 *
 * A file of its own, so that only one file of the tests starts processes. Assembly goes through an
 * object file whose .text is found by its ELF headers. */
#include "asm.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The assemblers that the tests know, the one that they are written for first. */
static const char *const known[] = {"llvm-mc-15", "llvm-mc-17", "llvm-mc-21", "llvm-mc-22",
                                    "llvm-mc"};

static bool runs(const char *name)
{
    char command[256];
    snprintf(command, sizeof(command), "%s --version >/dev/null 2>&1", name);
    return system(command) == 0;
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

void asm_set_gpu(const char *name)
{
    gpu = name;
}

bool asm_knows_gpu(const char *name)
{
    char command[256];
    snprintf(command, sizeof(command),
             "%s -triple=amdgcn-amd-amdhsa -mcpu=help /dev/null 2>&1 | grep -qw %s", llvm_mc(),
             name);
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

/* Feeds `text` to llvm-mc with these options; its output, malloc'ed. `strict`: exit status 0 only
 * (the disassembler gives another when a bracketed row is no instruction). */
static char *run_mc(const char *options, const char *text, bool strict, size_t *size)
{
    char path[] = "/tmp/crocprof-asm-XXXXXX", command[512], *output = NULL;
    int fd = mkstemp(path);
    if (fd < 0) return NULL;
    size_t left = strlen(text);
    for (const char *at = text; left;) {
        ssize_t n = write(fd, at, left);
        if (n <= 0) goto out;
        at += n;
        left -= (size_t)n;
    }
    snprintf(command, sizeof(command), "%s -triple=amdgcn-amd-amdhsa -mcpu=%s %s %s", llvm_mc(),
             gpu, options, path);
    FILE *in = popen(command, "r");
    if (!in) goto out;
    output = read_all(in, size);
    int status = pclose(in);
    /* The shell reports a crash as 128 and more. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) >= 128 || (strict && WEXITSTATUS(status))) {
        if (strict) fprintf(stderr, "'%s' failed on:\n%.2000s\n", command, text);
        free(output);
        output = NULL;
    }
out:
    close(fd);
    unlink(path);
    return output;
}

size_t asm_words(const char *text, uint32_t **words)
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
    char *listing = run_mc("-disassemble 2>/dev/null", text, false, &size);
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
    char *listing = run_mc("-disassemble 2>/dev/null", text, false, &length);
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
