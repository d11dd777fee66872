/* coverage.h - which instructions there are, and which of them the executor executes.
 *
 * Apart from the launcher's options because it looks at files and at the executor, and runs
 * nothing. */
#ifndef SOFTGPU_CLI_COVERAGE_H
#define SOFTGPU_CLI_COVERAGE_H

/* Without files: prints a row for each GPU, as a table of Markdown. With files: for each code
 * object in them, in whatever they are embedded, which instructions it has and how often; of a GPU
 * that is not known, that it is not. Returns the exit status: 0, 1 if a file has instructions of a
 * known GPU that are not executed, 125 if one cannot be read or has no code object. */
int coverage(int count, char *const *files);

#endif
