/* Includes the parts of cereal that the library's structures need. The program supplies cereal's
 * headers, of any version 1.x, on the include path. */
#pragma once

/* HIP's headers define this macro. The C++ library has the same name in attributes. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include <cereal/archives/binary.hpp>
#include <cereal/archives/json.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/atomic.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/stack.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#pragma pop_macro("__noinline__")

/** If cereal is in another namespace, define both before including this header. */
#ifndef ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN
#define ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN                                                     \
    namespace cereal                                                                               \
    {
#endif
#ifndef ROCPROFILER_SDK_CEREAL_NAMESPACE_END
#define ROCPROFILER_SDK_CEREAL_NAMESPACE_END } // namespace cereal
#endif
