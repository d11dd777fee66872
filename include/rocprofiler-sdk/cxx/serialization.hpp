/* Saves the library's structures with cereal, and loads some of them again. */
#pragma once

#include <rocprofiler-sdk/cxx/serialization/load.hpp>
#include <rocprofiler-sdk/cxx/serialization/save.hpp>
