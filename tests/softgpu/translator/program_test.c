/* program_test.c - softgpu-translator by itself: what it answers, and when it ends. */
#include "softgpu/exec/translate_internal.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    int socket;
    pid_t process;
} rig_t;

/* ---- the process ---- */

static translator_hello_t begin(rig_t *r)
{
    char path[PATH_MAX] = "";
    int end[2];
    translator_hello_t hello;
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    strcpy(strrchr(path, '/') + 1, TRANSLATOR_PROGRAM);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end), 0);
    r->process = fork();
    assert_true(r->process >= 0);
    if (!r->process) {
        dup2(end[1], STDIN_FILENO);
        execl(path, path, NULL);
        _exit(1);
    }
    close(end[1]);
    r->socket = end[0];
    assert_int_equal(recv(end[0], &hello, sizeof hello, MSG_WAITALL), sizeof hello);
    return hello;
}

/* Closes the socket; returns the status of the process. */
static int end(rig_t *r)
{
    int status;
    close(r->socket);
    assert_int_equal(waitpid(r->process, &status, 0), r->process);
    return status;
}

static void send_to(const rig_t *r, const void *from, size_t bytes)
{
    assert_int_equal(send(r->socket, from, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
}

static void ask(const rig_t *r, translator_request_t request, const void *bytes)
{
    send_to(r, &request, sizeof request);
    send_to(r, bytes, request.bytes);
}

/* What follows the reply, with a zero behind it, to be freed. */
static char *answer(const rig_t *r, translator_reply_t *reply)
{
    assert_int_equal(recv(r->socket, reply, sizeof *reply, MSG_WAITALL), sizeof *reply);
    char *bytes = calloc(1, reply->bytes + 1);
    assert_non_null(bytes);
    if (reply->bytes)
        assert_int_equal(recv(r->socket, bytes, reply->bytes, MSG_WAITALL), (ssize_t)reply->bytes);
    return bytes;
}

/* Gives the library; returns the names of its functions, to be freed. */
static char *give_library(const rig_t *r, size_t *bytes)
{
    const isa_library_t *library = isa_library_for(isa_core_by_name("avx2"));
    translator_request_t request = {.kind = TRANSLATOR_LIBRARY,
                                    .bytes = (uint64_t)(library->behind - library->bitcode),
                                    .level = TRANSLATOR_LESS};
    translator_reply_t reply;
    strcpy(request.cpu, library->cpu);
    ask(r, request, library->bitcode);
    char *names = answer(r, &reply);
    assert_int_equal(reply.failed, 0);
    *bytes = reply.bytes;
    return names;
}

/* ---- tests ---- */

#define PASSES "function(instcombine)"
#define TEXT   "define i32 @translated(i32 %a) {\n %b = add i32 %a, 0\n ret i32 %b\n}\n"

static void compiles(void **state)
{
    static const char work[] = PASSES "\0" TEXT;
    rig_t r;
    size_t bytes, found = 0;
    translator_reply_t reply;
    (void)state;
    const translator_hello_t hello = begin(&r);
    assert_int_equal(hello.process, r.process);
    assert_int_equal(hello.version, TRANSLATOR_VERSION);
    char *names = give_library(&r, &bytes);
    for (const char *c = names; c < names + bytes; c += strlen(c) + 1)
        found += !strcmp(c, "isa_chunk_v_add_u32") || !strcmp(c, "s_add_u32") || *c == '\0';
    assert_true(found >= 1);
    free(names);
    ask(&r, (translator_request_t){.kind = TRANSLATOR_COMPILE, .bytes = sizeof work - 1}, work);
    char *object = answer(&r, &reply);
    assert_int_equal(reply.failed, 0);
    assert_memory_equal(object, "\177ELF", 4);
    assert_true(reply.time_e6 > 0);
    free(object);
    assert_int_equal(end(&r), 0);
}

/* An error of which LLVM tells its handler alone, and then makes code without the operation. */
#define WITHOUT_REGISTER                                                                           \
    PASSES "\0define void @translated(i32 %a) {\n call void asm sideeffect \"\", "                 \
           "\"{nowhere}\"(i32 %a)\n ret void\n}\n"

static const struct {
    const char *bytes;
    size_t size;
    uint32_t library;
    const char *says;
} wrong[] = {
    {PASSES "\0 no assembly", sizeof PASSES "\0 no assembly" - 1, 0, "expected"},
    {"no-pass\0" TEXT, sizeof "no-pass\0" TEXT - 1, 0, "no-pass"},
    {PASSES "\0" TEXT, sizeof PASSES "\0" TEXT - 1, 1, "no library"},
    {WITHOUT_REGISTER, sizeof WITHOUT_REGISTER - 1, 0, "nowhere"},
    {PASSES, sizeof PASSES - 1, 0, "no code"},
    {"", 0, 0, "no code"},
};

/* A request that it cannot carry out is answered by a text, and the next one is served. */
static void refuses(void **state)
{
    rig_t r;
    size_t bytes;
    translator_reply_t reply;
    (void)state;
    begin(&r);
    free(give_library(&r, &bytes));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ask(&r,
            (translator_request_t){
                .kind = TRANSLATOR_COMPILE, .bytes = wrong[k].size, .library = wrong[k].library},
            wrong[k].bytes);
        char *why = answer(&r, &reply);
        assert_int_equal(reply.failed, 1);
        if (!strstr(why, wrong[k].says)) fail_msg("'%s' does not say '%s'", why, wrong[k].says);
        free(why);
    }
    ask(&r, (translator_request_t){.kind = TRANSLATOR_LIBRARY, .bytes = 4}, "none");
    char *why = answer(&r, &reply);
    assert_int_equal(reply.failed, 1);
    assert_non_null(strstr(why, "bitcode"));
    free(why);
    assert_int_equal(end(&r), 0);
}

/* It ends at a request beyond its limits. */
static void ends_at_limits(void **state)
{
    static const translator_request_t beyond[] = {{.bytes = TRANSLATOR_MOST + 1},
                                                  {.library = TRANSLATOR_LIBRARIES}};
    (void)state;
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        rig_t r;
        char c;
        begin(&r);
        send_to(&r, &beyond[k], sizeof beyond[k]);
        assert_int_equal(recv(r.socket, &c, 1, 0), 0);
        assert_int_equal(end(&r), 0);
    }
}

/* It ends when its socket is closed, also while LLVM is at work, here on passes without an end. */
static void ends_at_work(void **state)
{
    static const char work[] = "repeat<1000000000>(globaldce)\0" TEXT;
    rig_t r;
    size_t bytes;
    (void)state;
    begin(&r);
    free(give_library(&r, &bytes));
    ask(&r, (translator_request_t){.kind = TRANSLATOR_COMPILE, .bytes = sizeof work - 1}, work);
    assert_int_equal(poll(&(struct pollfd){r.socket, POLLIN, 0}, 1, 300), 0);
    const int status = end(&r);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGIO);
}

int main(void)
{
    rig_t r;
    const isa_core_t *core = isa_core_by_name("avx2");
    if (!core || !isa_library_for(core)) return 77;
    const bool loaded = *begin(&r).llvm.path;
    end(&r);
    if (!loaded) {
        fprintf(stderr, "there is no LLVM\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiles), cmocka_unit_test(refuses),
                                       cmocka_unit_test(ends_at_limits),
                                       cmocka_unit_test(ends_at_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
