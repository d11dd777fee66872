/* own_tables.h - names of the tables of a database that AMD's schema does not have.
 *
 * They are apart because the writer of databases and the reader that joins many databases have to
 * agree. No name may be the beginning of another up to an underscore. */
#ifndef CROCPROF_OUTPUT_OWN_TABLES_H
#define CROCPROF_OUTPUT_OWN_TABLES_H

#define OUT_OWN_TABLES(X)                                                                          \
    X(COUNTED, "crocprof_counted")         /* kernels whose instructions were counted */           \
    X(KERNEL_CODE, "crocprof_kernel_code") /* properties of these kernels' code */                 \
    X(INSTRUCTION, "crocprof_instruction")                                                         \
    X(SOURCE, "crocprof_source")

typedef enum {
#define X(id, name) OUT_OWN_##id,
    OUT_OWN_TABLES(X)
#undef X
        OUT_OWN_COUNT
} out_own_table_t;

#endif
