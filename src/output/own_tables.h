/* own_tables.h - tables of a database that AMD's schema does not have: their names.
 *
 * Apart since who writes them and who reads many databases as one have to agree. None may be the
 * beginning of another's name up to an underscore. */
#ifndef CROCPROF_OUTPUT_OWN_TABLES_H
#define CROCPROF_OUTPUT_OWN_TABLES_H

#define OUT_OWN_TABLES(X)                                                                          \
    X(COUNTED, "crocprof_counted")         /* kernels of which instructions were counted */        \
    X(KERNEL_CODE, "crocprof_kernel_code") /* what is known of their code */                       \
    X(INSTRUCTION, "crocprof_instruction")                                                         \
    X(SOURCE, "crocprof_source")

typedef enum {
#define X(id, name) OUT_OWN_##id,
    OUT_OWN_TABLES(X)
#undef X
        OUT_OWN_COUNT
} out_own_table_t;

#endif
