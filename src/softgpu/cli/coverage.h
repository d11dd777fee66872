/* coverage.h - which instructions there are, and which of them the executor executes.
 *
 * Apart from the launcher's options because it looks at files and at the executor, and runs
 * nothing. */
#ifndef SOFTGPU_CLI_COVERAGE_H
#define SOFTGPU_CLI_COVERAGE_H

/* Without files: prints a table of Markdown with a row for each GPU. With files: looks for code
 * objects in them, whatever they are embedded in, and prints of each which instructions it has and
 * how often; if its GPU is not known, it prints that instead. Returns the exit status: 0; 1 if a
 * file has instructions of a known GPU that are not executed; 125 if a file cannot be read or has
 * no code object. */
int coverage(int count, char *const *files);

#endif
