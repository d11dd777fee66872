/* race_detector.c - only in builds for the race detector: the one file of the preloaded library that
 * is instrumented. It is empty; the compiler adds a constructor that starts the detector's runtime,
 * which programs that are not instrumented would otherwise use before it is ready. */
typedef int preload_nothing_else_t;
