/* race_detector.c - only in builds for the race detector: the one file of the preloaded library
 * that is instrumented. It has no code of its own, but the compiler adds a constructor that starts
 * the detector's runtime. Without this file, a program that is not instrumented would call that
 * runtime before it is ready. */
typedef int preload_nothing_else_t;
