/* Splits a version in one number into its parts. */
#pragma once

#include <rocprofiler-sdk/fwd.h>

#include <cstdint>

namespace rocprofiler
{
namespace sdk
{
namespace version
{
/** Returns the parts of major * FactorV * FactorV + minor * FactorV + patch. */
template <uint64_t FactorV = 100>
constexpr rocprofiler_version_triplet_t compute_version_triplet(uint64_t version)
{
    static_assert(FactorV > 1, "nothing to take apart");
    return {static_cast<uint32_t>(version / (FactorV * FactorV)),
            static_cast<uint32_t>(version / FactorV % FactorV),
            static_cast<uint32_t>(version % FactorV)};
}
} // namespace version
} // namespace sdk
} // namespace rocprofiler
