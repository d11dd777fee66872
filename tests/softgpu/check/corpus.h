// corpus.h - a file of programs with one error each, and the same without: PROGRAM NAME[,NAME...] [right], or all for NAME
//
// A row names the function that is a program; several run one after another. Lines that are expected in reports bear a comment
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
    char none[] = "no name", *rest = argc > 1 ? argv[1] : none;
    while (const char *name = strsep(&rest, ",")) {
        const row_t *row = rows;
        if (!std::strcmp(name, "all")) {
            for (; row < rows + n; row++)
                row->run();
            continue;
        }
        while (row < rows + n && std::strcmp(row->name, name))
            row++;
        if (row == rows + n) {
            std::fprintf(stderr, "%s: no such name\n", name);
            return 2;
        }
        row->run();
        std::puts("done");
    }
    return 0;
}
