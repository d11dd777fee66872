/* asm_kept.c - an assembler that is started once and asked many times: preloaded into llvm-mc by
 * asm.c.
 *
 * Most of llvm-mc's time is its start: the loader relocates all of LLVM. Here it has started, and a
 * copy of it, which is made by fork() in front of main(), does what is asked. What is asked is in
 * asm_kept.h. */
#include "asm_kept.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_t(int, char **, char **);
typedef int start_t(main_t *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

enum { WORDS = 32 };

static main_t *assembler;
static int asked; /* the socket */

static void redirect(const char *path, int flags, int to)
{
    const int fd = open(path, flags);
    if (fd < 0 || dup2(fd, to) < 0) _exit(127);
    close(fd);
}

/* In the copy: the program as if it had been started with these words. */
static void answer(asm_question_t *q, char **environment)
{
    char *words[WORDS + 1] = {(char *)"llvm-mc"}, *rest = NULL;
    int n = 1;
    for (char *w = strtok_r(q->words, " ", &rest); w && n < WORDS; w = strtok_r(NULL, " ", &rest))
        words[n++] = w;
    close(asked);
    redirect(q->input, O_RDONLY, STDIN_FILENO);
    redirect(q->output, O_WRONLY | O_TRUNC, STDOUT_FILENO);
    if (q->quiet) redirect("/dev/null", O_WRONLY, STDERR_FILENO);
    exit(assembler(n, words, environment));
}

static int serve(int argc, char **argv, char **environment)
{
    asm_question_t q;
    int status = 0;
    (void)argc;
    (void)argv;
    while (write(asked, &status, sizeof status) == sizeof status &&
           read(asked, &q, sizeof q) == sizeof q) {
        const pid_t copy = fork();
        if (copy == 0) answer(&q, environment);
        if (copy < 0) return 1;
        while (waitpid(copy, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    return 0;
}

/* No header of glibc declares it. */
int __libc_start_main(main_t *program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack);

/* glibc's, which calls main(). A shell may stand in front of llvm-mc: it runs as it is. */
__attribute__((visibility("default"))) int __libc_start_main(main_t *program, int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack)
{
    start_t *start;
    const char *fd = getenv(ASM_KEPT_SOCKET), *name = strrchr(argv[0], '/');
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    if (fd && strncmp(name ? name + 1 : argv[0], "llvm-mc", 7) == 0) {
        asked = atoi(fd);
        assembler = program;
        program = serve;
    }
    return start(program, argc, argv, init, fini, rtld_fini, stack);
}
