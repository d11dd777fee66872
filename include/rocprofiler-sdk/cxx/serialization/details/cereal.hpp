/* The parts of cereal that the library's structures need. Its headers are the user's: any
 * version 1.x, on the include path. */
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

/** Define both before the include if cereal's namespace is another. */
#ifndef ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN
#define ROCPROFILER_SDK_CEREAL_NAMESPACE_BEGIN                                                     \
    namespace cereal                                                                               \
    {
#endif
#ifndef ROCPROFILER_SDK_CEREAL_NAMESPACE_END
#define ROCPROFILER_SDK_CEREAL_NAMESPACE_END } // namespace cereal
#endif
