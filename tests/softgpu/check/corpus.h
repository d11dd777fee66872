// corpus.h - a file of programs with one error each, and the same without: PROGRAM NAME [right]
//
// A row names the function that is a program. Lines that are expected in reports bear a comment
// "bug: NAME", "made: NAME" or another word; corpus.py looks for them. One file for a family of
// findings.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

static bool right; // the repaired twin

enum { N = 1000, GROUP = 256, GROUPS = 4 };

static int *allocate(int **at, size_t count)
{
    if (hipMalloc(at, count * sizeof(int)) != hipSuccess) *at = nullptr; // made: allocate
    return *at;
}

struct row_t {
    const char *name;
    void (*run)();
};

template <size_t n> static int run(const row_t (&rows)[n], int argc, char **argv)
{
    right = argc > 2 && !std::strcmp(argv[2], "right");
    for (const row_t &row : rows)
        if (argc > 1 && !std::strcmp(row.name, argv[1])) {
            row.run();
            std::puts("done");
            return 0;
        }
    std::fprintf(stderr, "%s: no such name\n", argc > 1 ? argv[1] : "no name");
    return 2;
}
