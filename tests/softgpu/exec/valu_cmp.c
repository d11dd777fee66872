/* valu_cmp.c - compares of all types and predicates, with and without EXEC.
 *
 * Rows are made from one list of predicates per kind; a float predicate is a choice of the four
 * outcomes less, equal, greater, unordered, which is how the manual numbers them. */
#include "valu_rig.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static inline int outcome_signed(int64_t a, int64_t b)
{
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}
static inline int outcome_unsigned(uint64_t a, uint64_t b)
{
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}
static inline int outcome_float(double a, double b)
{
    return isnan(a) || isnan(b) ? UNORDERED
           : isless(a, b)       ? LESS
           : isgreater(a, b)    ? GREATER
                                : EQUAL;
}

/* The operand as a double: exact for every float format. */
#define OUTCOME_i16(a, b) outcome_signed(a, b)
#define OUTCOME_i32(a, b) outcome_signed(a, b)
#define OUTCOME_i64(a, b) outcome_signed(a, b)
#define OUTCOME_u16(a, b) outcome_unsigned(a, b)
#define OUTCOME_u32(a, b) outcome_unsigned(a, b)
#define OUTCOME_u64(a, b) outcome_unsigned(a, b)
#define OUTCOME_f16(a, b) outcome_float((double)(a), (double)(b))
#define OUTCOME_f32(a, b) outcome_float((double)(a), (double)(b))
#define OUTCOME_f64(a, b) outcome_float(a, b)

#define FUNCTION(name, T, set)                                                                     \
    static uint64_t ref_##name##_##T(lane_t *x)                                                    \
    {                                                                                              \
        x->out = OUTCOME_##T(GET_##T(x->a), GET_##T(x->b)) & (set);                                \
        return 0;                                                                                  \
    }
#define ENTRY(name, T, set)                                                                        \
    {"v_cmp_" #name "_" #T " vcc, A, B", none, {T, T, none}, OUT, ref_##name##_##T},               \
        {"v_cmpx_" #name "_" #T " vcc, A, B", none, {T, T, none}, OUT | CMPX, ref_##name##_##T},

#define INT_TYPES(R, name, set)                                                                    \
    R(name, i16, set)                                                                              \
    R(name, u16, set) R(name, i32, set) R(name, u32, set) R(name, i64, set) R(name, u64, set)
#define FLOAT_TYPES(R, name, set) R(name, f16, set) R(name, f32, set) R(name, f64, set)

#define ROWS(R)                                                                                    \
    INT_TYPES(R, f, 0)                                                                             \
    INT_TYPES(R, lt, LESS)                                                                         \
    INT_TYPES(R, eq, EQUAL)                                                                        \
    INT_TYPES(R, le, LESS | EQUAL)                                                                 \
    INT_TYPES(R, gt, GREATER)                                                                      \
    INT_TYPES(R, ne, LESS | GREATER)                                                               \
    INT_TYPES(R, ge, GREATER | EQUAL)                                                              \
    INT_TYPES(R, t, LESS | EQUAL | GREATER)                                                        \
    FLOAT_TYPES(R, f, 0)                                                                           \
    FLOAT_TYPES(R, lt, LESS)                                                                       \
    FLOAT_TYPES(R, eq, EQUAL)                                                                      \
    FLOAT_TYPES(R, le, LESS | EQUAL)                                                               \
    FLOAT_TYPES(R, gt, GREATER)                                                                    \
    FLOAT_TYPES(R, lg, LESS | GREATER)                                                             \
    FLOAT_TYPES(R, ge, GREATER | EQUAL)                                                            \
    FLOAT_TYPES(R, o, LESS | EQUAL | GREATER)                                                      \
    FLOAT_TYPES(R, u, UNORDERED)                                                                   \
    FLOAT_TYPES(R, nge, UNORDERED | LESS)                                                          \
    FLOAT_TYPES(R, nlg, UNORDERED | EQUAL)                                                         \
    FLOAT_TYPES(R, ngt, UNORDERED | LESS | EQUAL)                                                  \
    FLOAT_TYPES(R, nle, UNORDERED | GREATER)                                                       \
    FLOAT_TYPES(R, neq, UNORDERED | LESS | GREATER)                                                \
    FLOAT_TYPES(R, nlt, UNORDERED | EQUAL | GREATER)                                               \
    FLOAT_TYPES(R, tru, 15)

ROWS(FUNCTION)

/* Class of a number, by the C library's classification. */
static unsigned class_of(type_t t, uint64_t raw)
{
    const uint64_t x = raw & (sign_bit(t) * 2 - 1);
    const bool negative = x & sign_bit(t);
    const double d = t == f16 ? (double)as_f16(x) : t == f32 ? (double)as_f32(x) : as_f64(x);
    const bool denormal = flush_one(t, x) != x;
    if (is_nan(t, x)) return quiet(t, x) == x ? 1 : 0;
    if (isinf(d)) return negative ? 2 : 9;
    if (d == 0) return negative ? 5 : 6;
    return denormal ? (negative ? 4 : 7) : negative ? 3 : 8;
}
#define CLASS_FUNCTION(T)                                                                          \
    static uint64_t ref_class_##T(lane_t *x)                                                       \
    {                                                                                              \
        x->out = x->b >> class_of(T, x->a) & 1;                                                    \
        return 0;                                                                                  \
    }
#define CLASS_ENTRY(T)                                                                             \
    {"v_cmp_class_" #T " vcc, A, B", none, {T, u32, none}, OUT | RAW, ref_class_##T},              \
        {"v_cmpx_class_" #T " vcc, A, B", none, {T, u32, none}, OUT | CMPX | RAW, ref_class_##T},
CLASS_FUNCTION(f16)
CLASS_FUNCTION(f32)
CLASS_FUNCTION(f64)

static const row_t rows[] = {ROWS(ENTRY) CLASS_ENTRY(f16) CLASS_ENTRY(f32) CLASS_ENTRY(f64)};

static void compares(void **state)
{
    (void)state;
    test_rows(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compares)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
