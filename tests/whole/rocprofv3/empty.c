/* empty.c - stands where rocprofv3 wants a library that the tests have no use for. */
extern int rocprofv3_test_empty;
int rocprofv3_test_empty;
