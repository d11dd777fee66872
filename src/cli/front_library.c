/* front_library.c - the front's start, its system calls, and the functions of the C library that
 * the front and the files which it shares with the launcher call. They are as short as can be: each
 * is called some hundred times. Calls of the system do not set errno: what they return is the
 * negative number of the error. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/front.h"

/* When the kernel starts a program, the stack pointer is the address that front_begin() takes. The
 * kernel aligns it as it likes; a call needs an alignment to 16 bytes. */
__asm__(".text\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call front_begin\n"
        "    hlt\n"
        ".size _start, . - _start\n");

static long call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

void front_write(int fd, const char *bytes, size_t count)
{
    call(SYS_write, fd, (intptr_t)bytes, (long)count);
}

void front_exit(int status)
{
    for (;;)
        call(SYS_exit_group, status, 0, 0);
}

ssize_t readlink(const char *restrict path, char *restrict target, size_t bytes)
{
    return call(SYS_readlink, (intptr_t)path, (intptr_t)target, (long)bytes);
}

int access(const char *path, int mode)
{
    return (int)call(SYS_access, (intptr_t)path, mode, 0);
}

/* On x86-64 the C library's structure is the kernel's. */
int stat(const char *restrict path, struct stat *restrict found)
{
    return (int)call(SYS_stat, (intptr_t)path, (intptr_t)found, 0);
}

int execve(const char *path, char *const argv[], char *const environment[])
{
    return (int)call(SYS_execve, (intptr_t)path, (intptr_t)argv, (intptr_t)environment);
}

/* ---- memory, which the compiler calls, too ---- */

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = (unsigned char)byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t bytes)
{
    const unsigned char *a = one, *b = other;
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}

/* ---- texts ---- */

size_t strlen(const char *text)
{
    size_t bytes = 0;
    while (text[bytes])
        bytes++;
    return bytes;
}

/* From glibc 2.43 on strchr() is a macro, too, which the parentheses keep from being expanded. */
char *(strchr)(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text) return NULL;
    return (char *)(uintptr_t)text;
}

static size_t span(const char *text, const char *set, bool in)
{
    size_t bytes = 0;
    while (text[bytes] && (strchr(set, text[bytes]) != NULL) == in)
        bytes++;
    return bytes;
}

size_t strspn(const char *text, const char *set)
{
    return span(text, set, true);
}

size_t strcspn(const char *text, const char *set)
{
    return span(text, set, false);
}

int strncmp(const char *one, const char *other, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && one[i] && one[i] == other[i])
        i++;
    return i == bytes ? 0 : (unsigned char)one[i] - (unsigned char)other[i];
}

int strcmp(const char *one, const char *other)
{
    return strncmp(one, other, SIZE_MAX);
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int strncasecmp(const char *one, const char *other, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && one[i] && lower(one[i]) == lower(other[i]))
        i++;
    return i == bytes ? 0 : lower(one[i]) - lower(other[i]);
}

int strcasecmp(const char *one, const char *other)
{
    return strncasecmp(one, other, SIZE_MAX);
}
