/* columns.c - see columns.h. */
#include "rocpd/columns.h"

#define NUMBER(id, column)   {.name = (column)},
#define OPTIONAL(id, column) {.name = (column), .optional = true},
#define OWN                  {.name = "guid", .text = true}, {.name = "event_id"},
#define OF_EVENT             {.name = "guid", .text = true}, ROCPD_EVENT_COLUMNS(NUMBER)

static const db_wanted_t calls[] = {OWN ROCPD_CALL_COLUMNS(NUMBER)};
static const db_wanted_t kernels[] = {OWN ROCPD_KERNEL_COLUMNS(NUMBER)
                                          ROCPD_NODE_COLUMNS(OPTIONAL)};
static const db_wanted_t copies[] = {OWN ROCPD_COPY_COLUMNS(NUMBER) ROCPD_NODE_COLUMNS(OPTIONAL)};
static const db_wanted_t of_calls[] = {
    OF_EVENT ROCPD_CALL_EVENT_COLUMNS(NUMBER){.name = "extdata", .text = true}};
static const db_wanted_t of_others[] = {OF_EVENT};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

const db_records_t rocpd_calls = {"rocpd_region", calls,           of_calls,
                                  COUNT(calls),   COUNT(of_calls), .by_event = true};
const db_records_t rocpd_kernels = {"rocpd_kernel_dispatch", kernels,          of_others,
                                    COUNT(kernels),          COUNT(of_others), .by_event = true};
const db_records_t rocpd_copies = {"rocpd_memory_copy", copies,           of_others,
                                   COUNT(copies),       COUNT(of_others), .by_event = false};
