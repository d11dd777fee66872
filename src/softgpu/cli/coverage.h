/* coverage.h - lists instructions, of GPUs or of files, with whether the executor executes them.
 *
 * Separate from the launcher because it reads files and the executor's tables, and runs no
 * program. */
#ifndef SOFTGPU_CLI_COVERAGE_H
#define SOFTGPU_CLI_COVERAGE_H

/* Without files: prints a table of Markdown with a row for each GPU. With files: searches them for
 * code objects, whatever these are embedded in, and prints for each its instructions and their
 * numbers, or that its GPU is unknown. Returns the exit status: 0; 1 if a file has instructions of
 * a known GPU that are not executed; 125 if a file cannot be read or has no code object. */
int coverage(int count, char *const *files);

#endif
