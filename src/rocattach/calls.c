/* calls.c - makes the waiting thread of another process call a function, by ptrace.
 *
 * Some bytes where the program began, which nothing runs any more, become
 *
 *         call  *%rax            ff d0
 *         mov   %eax, %ebx       89 c3
 *     4:  mov   $34, %eax        b8 22 00 00 00
 *     9:  syscall                0f 05
 *         jmp   4                eb f7
 *
 * The thread is sent to the call, or to the syscall with other registers, and followed from one
 * system call to the next until it has come to the last one, pause(). No breakpoint is used: if we
 * are killed half way, the thread goes on, comes to pause() and waits there as it did before, and
 * the next who attaches finds it so. */
#include "rocattach/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char stub[] = {0xff, 0xd0, 0x89, 0xc3, 0xb8, SYS_pause, 0,
                                     0,    0,    0x0f, 0x05, 0xeb, 0xf7};
enum { AT_CALL = 0, AT_SYSCALL = 9, AFTER_SYSCALL = 11, RED_ZONE = 128 };
_Static_assert(sizeof stub <= sizeof((rat_call_t *)0)->code, "the stub's place");

struct rat_registers {
    struct user_regs_struct general; /* of a thread that waits; it has nothing in the others */
};

static rocattach_status_t fail(const rat_call_t *c, const char *what)
{
    int pid = c->target->pid;
    if (errno == ESRCH)
        return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND, "process %d has ended",
                        pid);
    if (errno == EPERM || errno == EACCES)
        return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED,
                        "process %d: ptrace is not permitted: it is another user's, or is being "
                        "debugged, or /proc/sys/kernel/yama/ptrace_scope allows descendants only "
                        "(0 allows all of one's own)",
                        pid);
    return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_ERROR, "process %d: %s: %s", pid, what,
                    strerror(errno));
}

static rocattach_status_t request(const rat_call_t *c, int what, const char *name, void *data)
{
    if (ptrace((enum __ptrace_request)what, c->target->thread, NULL, data) == 0)
        return ROCATTACH_STATUS_SUCCESS;
    return fail(c, name);
}

/* Until the thread stops; *status as of waitpid. */
static rocattach_status_t await(const rat_call_t *c, int *status)
{
    pid_t got;
    while ((got = waitpid(c->target->thread, status, __WALL)) < 0 && errno == EINTR)
        continue;
    if (got > 0 && WIFSTOPPED(*status)) return ROCATTACH_STATUS_SUCCESS;
    if (got > 0 || errno == ECHILD) errno = ESRCH;
    return fail(c, "waiting");
}

static rocattach_status_t read_registers(const rat_call_t *c, struct user_regs_struct *r)
{
    return request(c, PTRACE_GETREGS, "reading registers", r);
}

static rocattach_status_t write_registers(const rat_call_t *c, struct user_regs_struct *r)
{
    return request(c, PTRACE_SETREGS, "writing registers", r);
}

/* Words at a time, also where the program's own rights would not allow it. */
static rocattach_status_t poke(const rat_call_t *c, uint64_t at, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i += sizeof(long)) {
        long word = 0;
        size_t part = count - i < sizeof word ? count - i : sizeof word;
        if (part < sizeof word) {
            errno = 0;
            word = ptrace(PTRACE_PEEKDATA, c->target->thread, (void *)(at + i), NULL);
            if (errno) return fail(c, "reading memory");
        }
        memcpy(&word, (const char *)bytes + i, part);
        if (ptrace(PTRACE_POKEDATA, c->target->thread, (void *)(at + i), (void *)word) != 0)
            return fail(c, "writing memory");
    }
    return ROCATTACH_STATUS_SUCCESS;
}

static rocattach_status_t save_code(rat_call_t *c)
{
    for (size_t i = 0; i < sizeof c->code; i += sizeof(long)) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKTEXT, c->target->thread, (void *)(c->target->entry + i), 0);
        if (errno) return fail(c, "reading code");
        memcpy(c->code + i, &word, sizeof word);
    }
    return ROCATTACH_STATUS_SUCCESS;
}

rocattach_status_t rat_call_begin(rat_call_t *c, const rat_target_t *t)
{
    int status;
    *c = (rat_call_t){.target = t, .before = malloc(sizeof *c->before)};
    if (!c->before) return rat_fail(ROCATTACH_STATUS_ERROR, "%s", strerror(ENOMEM));
    rocattach_status_t result =
        request(c, PTRACE_SEIZE, "PTRACE_SEIZE", (void *)(size_t)PTRACE_O_TRACESYSGOOD);
    if (result != ROCATTACH_STATUS_SUCCESS) {
        free(c->before);
        return result;
    }
    result = request(c, PTRACE_INTERRUPT, "PTRACE_INTERRUPT", NULL);
    if (result == ROCATTACH_STATUS_SUCCESS) result = await(c, &status);
    if (result == ROCATTACH_STATUS_SUCCESS) result = read_registers(c, &c->before->general);
    if (result == ROCATTACH_STATUS_SUCCESS) result = save_code(c);
    if (result == ROCATTACH_STATUS_SUCCESS) result = poke(c, t->entry, stub, sizeof stub);
    if (result == ROCATTACH_STATUS_SUCCESS) return result;
    ptrace(PTRACE_DETACH, t->thread, NULL, NULL);
    free(c->before);
    return result;
}

/* What cannot be put back is where the process has ended. */
void rat_call_end(rat_call_t *c)
{
    poke(c, c->target->entry, c->code, sizeof c->code);
    write_registers(c, &c->before->general);
    ptrace(PTRACE_DETACH, c->target->thread, NULL, NULL);
    free(c->before);
}

/* Lets the thread run to its next stop in a system call, at the beginning or at the end of one. */
static rocattach_status_t step(const rat_call_t *c)
{
    int status, signal = 0;
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, c->target->thread, NULL, (void *)(size_t)signal) != 0)
            return fail(c, "PTRACE_SYSCALL");
        rocattach_status_t result = await(c, &status);
        if (result != ROCATTACH_STATUS_SUCCESS) return result;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return ROCATTACH_STATUS_SUCCESS;
        /* a signal is the process's own; other stops are the kernel's and carry none */
        signal = status >> 16 ? 0 : WSTOPSIG(status);
    }
}

/* Registers for a run of the stub: no system call is begun again, the stack is free below. */
static struct user_regs_struct prepare(const rat_call_t *c, unsigned offset)
{
    struct user_regs_struct r = c->before->general;
    r.rip = c->target->entry + offset;
    r.rsp = (r.rsp - RED_ZONE) & ~UINT64_C(15);
    r.orig_rax = ~UINT64_C(0);
    return r;
}

static rocattach_status_t call_system(const rat_call_t *c, long number, const uint64_t *arguments,
                                      uint64_t *answer)
{
    struct user_regs_struct r = prepare(c, AT_SYSCALL);
    r.rax = (uint64_t)number;
    r.rdi = arguments[0];
    r.rsi = arguments[1];
    r.rdx = arguments[2];
    r.r10 = arguments[3];
    r.r8 = arguments[4];
    r.r9 = arguments[5];
    rocattach_status_t result = write_registers(c, &r);
    for (int stops = 0; stops < 2 && result == ROCATTACH_STATUS_SUCCESS; stops++)
        result = step(c); /* its beginning, its end */
    if (result == ROCATTACH_STATUS_SUCCESS) result = read_registers(c, &r);
    *answer = r.rax;
    return result;
}

rocattach_status_t rat_call_push(rat_call_t *c, const void *bytes, size_t count, uint64_t *at)
{
    const uint64_t arguments[] = {
        0, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~UINT64_C(0), 0};
    rocattach_status_t result = call_system(c, SYS_mmap, arguments, at);
    if (result != ROCATTACH_STATUS_SUCCESS) return result;
    if (*at > ~UINT64_C(4095))
        return rat_fail(ROCATTACH_STATUS_ERROR, "process %d has no memory for %zu bytes: %s",
                        (int)c->target->pid, count, strerror((int)-*at));
    return poke(c, *at, bytes, count);
}

void rat_call_pop(rat_call_t *c, uint64_t at, size_t count)
{
    const uint64_t arguments[6] = {at, count};
    uint64_t ignored;
    call_system(c, SYS_munmap, arguments, &ignored);
}

rocattach_status_t rat_call_function(rat_call_t *c, uint64_t function, uint64_t first,
                                     uint64_t second, int *answer)
{
    struct user_regs_struct r = prepare(c, AT_CALL);
    r.rax = function;
    r.rdi = first;
    r.rsi = second;
    rocattach_status_t result = write_registers(c, &r);
    do {
        if (result == ROCATTACH_STATUS_SUCCESS) result = step(c);
        if (result == ROCATTACH_STATUS_SUCCESS) result = read_registers(c, &r);
    } while (result == ROCATTACH_STATUS_SUCCESS && r.rip != c->target->entry + AFTER_SYSCALL);
    *answer = (int)r.rbx;
    if (result != ROCATTACH_STATUS_SUCCESS) return result;
    r.orig_rax = ~UINT64_C(0); /* pause() is not begun: its end comes at once */
    result = write_registers(c, &r);
    return result == ROCATTACH_STATUS_SUCCESS ? step(c) : result;
}
