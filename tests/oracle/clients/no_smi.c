/* no_smi.c - librocm_smi64 for LIKWID, which does not start without one: a GPU of which that
 * library can tell nothing. AMD's own finds GPUs in the graphics driver's files, where softgpu is
 * not.
 *
 * Built by clients.py; functions that LIKWID looks up and never calls answer all alike. */
#include <stdint.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 2, NO_DATA = 14 };

#define ALIKE(name, status)                                                                        \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return status;                                                                             \
    }

ALIKE(rsmi_init, SUCCESS)
ALIKE(rsmi_shut_down, SUCCESS)
ALIKE(rsmi_dev_supported_func_iterator_open, SUCCESS)
ALIKE(rsmi_dev_supported_func_iterator_close, SUCCESS)
ALIKE(rsmi_dev_supported_variant_iterator_open, NO_DATA)
ALIKE(rsmi_func_iter_next, NO_DATA)
ALIKE(rsmi_dev_power_ave_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_pci_throughput_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_pci_replay_counter_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_memory_total_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_memory_usage_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_memory_busy_percent_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_memory_reserved_pages_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_fan_rpms_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_fan_speed_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_fan_speed_max_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_temp_metric_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_volt_metric_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_overdrive_level_get, NOT_SUPPORTED)
ALIKE(rsmi_dev_ecc_count_get, NOT_SUPPORTED)
ALIKE(rsmi_compute_process_info_get, NOT_SUPPORTED)

int rsmi_func_iter_value_get(void *iterator, const char **name);
int rsmi_func_iter_value_get(void *iterator, const char **name)
{
    (void)iterator;
    *name = "none";
    return SUCCESS;
}
