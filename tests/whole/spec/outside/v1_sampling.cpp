/* v1_sampling.cpp - section 5.5, as it is printed: counters of the GPU, read between kernels from a
 * queue of the context. What the example leaves unset is filled with a pattern before. */
#include "v1_common.h"
#include "work.h"

#include <cstring>
#include <unistd.h>

int main(int argc, char **argv) // [METRIC], of GPUs that have no GPUBusy
{
   // Sampling rate
   uint32_t sampling_rate = 0;
   // Sampling count
   uint32_t sampling_count = 4;
   // HSA status
   hsa_status_t status = HSA_STATUS_ERROR;
   // HSA agent
   hsa_agent_t agent;
   // Profiling context
   rocprofiler_t* context = NULL;
   // Profiling properties
   rocprofiler_properties_t properties;

   if (!fill_once()) return 1;
   hsa_iterate_agents(first_gpu, &agent);

   // Profiling feature objects
   const unsigned feature_count = 2;
   rocprofiler_feature_t feature[feature_count];
   std::memset(static_cast<void *>(feature), 0xa5, sizeof feature);

   // Counters and metrics
   feature[0].kind = ROCPROFILER_FEATURE_KIND_METRIC;
   feature[0].name = argc > 1 ? argv[1] : "GPUBusy";
   feature[1].kind = ROCPROFILER_FEATURE_KIND_METRIC;
   feature[1].name = "SQ_WAVES";

   // Creating profiling context with standalone queue
   properties = {};
   properties.queue_depth = 128;
   status = rocprofiler_open(agent, feature, feature_count, &context,
            ROCPROFILER_MODE_STANDALONE| ROCPROFILER_MODE_CREATEQUEUE|
            ROCPROFILER_MODE_SINGLEGROUP, &properties);
   check_status(status);

   // Start counters and sample them in the loop with the sampling rate
   status = rocprofiler_start(context, 0);
   check_status(status);

   for (unsigned ind = 0; ind < sampling_count; ++ind) {
      sleep(sampling_rate);
      if (!fill_once()) return 1;
      status = rocprofiler_read(context, 0);
      check_status(status);
      status = rocprofiler_get_data(context, 0);
      check_status(status);
      status = rocprofiler_get_metrics(context);
      check_status(status);
      if (feature[0].data.result_double < 0 || feature[0].data.result_double > 100) return 1;
      print_results(feature + 1, feature_count - 1);
   }

   // Stop counters
   status = rocprofiler_stop(context, 0);
   check_status(status);

   // Finishing cleanup
   // Deleting profiling context will delete all allocated resources
   status = rocprofiler_close(context);
   check_status(status);
   return 0;
}
