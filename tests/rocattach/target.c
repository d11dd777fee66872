/* target.c - a process that can be attached, with a tool that takes as long as a test wants.
 *
 * It says "ready", then "attached" and "detached" for each such call. With an argument each call
 * waits for a byte on standard input first. The end comes by a signal. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <rocprofiler-register/rocprofiler-register.h>

static bool waits;

/* Of the fake SDK: a function that it calls inside of the attach and of the detach. */
static void set_callback(const char *name, int (*function)(void))
{
    int (**callback)(void) = (int (**)(void))dlsym(RTLD_DEFAULT, name);
    if (callback) *callback = function;
}

static int say(const char *word)
{
    char byte;
    if (waits && read(STDIN_FILENO, &byte, 1) != 1) return 1;
    return write(STDOUT_FILENO, word, strlen(word)) < 0;
}

static int attached(void)
{
    /* what a compiler may keep in registers that a call does not preserve, all of it changed */
    __asm__ volatile("xor %%edi, %%edi; xor %%esi, %%esi; xor %%edx, %%edx; xor %%r8d, %%r8d;"
                     "xor %%r9d, %%r9d; xor %%r10d, %%r10d; xor %%r11d, %%r11d; pxor %%xmm7, %%xmm7"
                     :
                     :
                     : "rdi", "rsi", "rdx", "r8", "r9", "r10", "r11", "xmm7", "cc");
    return say("attached\n");
}

static int detached(void)
{
    return say("detached\n");
}

static uint32_t import(void)
{
    return 10000;
}

int main(int argc, char **argv)
{
    void *functions[8] = {(void *)sizeof functions}, *table = functions;
    rocprofiler_register_library_indentifier_t id;
    (void)argv;
    waits = argc > 1;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (!dlopen(getenv("ROCPROFILER_REGISTER_LIBRARY"), RTLD_NOW | RTLD_GLOBAL)) return 1;
    set_callback("fake_sdk_inside", NULL);
    rocprofiler_register_library_api_table("roctx", import, 40100, &table, 1, &id);
    set_callback("fake_sdk_inside", attached);
    set_callback("fake_sdk_at_detach", detached);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
    for (;;)
        pause();
}
