/* race_detector.c - only in builds for the race detector: the one file of the preloaded library
 * that is instrumented. It is empty, but the compiler adds a constructor that starts the detector's
 * runtime. A program that is not instrumented would otherwise call it before it is ready. */
typedef int preload_nothing_else_t;
