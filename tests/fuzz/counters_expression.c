/* counters_expression.c - fuzz target: any bytes as the expression of a counter.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. The
 * catalogue is made once; each input adds one counter to it, and it is made anew when ids run out.
 */
#include "counters_common.h"

static ctr_catalogue_t *fresh(void)
{
    ctr_catalogue_t *catalogue = NULL;
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (ctr_definitions_add_builtin(definitions) != CTR_OK ||
        ctr_catalogue_create(definitions, "gfx90a", CTR_GENERATION_V1, 0, check_report, NULL,
                             &catalogue, NULL) != CTR_OK)
        abort();
    ctr_definitions_destroy(definitions);
    return catalogue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ctr_catalogue_t *catalogue;
    static unsigned number;
    char name[16] = "N";
    ctr_error_t error = {0};
    const ctr_counter_t *counter;
    if (!catalogue || ++number % 1000 == 0) {
        ctr_catalogue_destroy(catalogue);
        catalogue = fresh();
    }
    for (unsigned i = 0, n = number; i < 8; i++, n >>= 4)
        name[1 + i] = (char)('a' + n % 16);
    if (ctr_catalogue_add(catalogue, name, 9, (const char *)data, size, "", 0, &counter, &error) !=
        CTR_OK) {
        check_report(&error, NULL);
        return 0;
    }
    use_plan(catalogue, counter);
    return 0;
}
