# Read by CMake after each project() of AMD's tests (CMAKE_PROJECT_INCLUDE). What their build would download, it gets
# here: two libraries of C++, from the checkout's submodules where they are checked out, and a program that reads
# traces, which stays away. Nothing else of their build may be changed here.
if(NOT PROJECT_IS_TOP_LEVEL OR TARGET rocprofiler-sdk::rocprofiler-sdk-cereal)
  return()
endif()
set(conformance_external ${CMAKE_SOURCE_DIR}/../external)

# cereal: AMD's variant of it, else Debian's libcereal-dev
add_library(rocprofiler-sdk-cereal INTERFACE)
add_library(rocprofiler-sdk::rocprofiler-sdk-cereal ALIAS rocprofiler-sdk-cereal)
target_compile_definitions(rocprofiler-sdk-cereal INTERFACE CEREAL_THREAD_SAFE=1)
if(EXISTS ${conformance_external}/cereal/include)
  target_include_directories(rocprofiler-sdk-cereal SYSTEM INTERFACE ${conformance_external}/cereal/include)
endif()

# Perfetto's SDK, else a stand-in that keeps nothing
if(EXISTS ${conformance_external}/perfetto/sdk/perfetto.cc)
  add_library(conformance-perfetto STATIC EXCLUDE_FROM_ALL ${conformance_external}/perfetto/sdk/perfetto.cc)
  set_target_properties(conformance-perfetto PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_STANDARD 17)
  target_include_directories(conformance-perfetto SYSTEM PUBLIC ${conformance_external}/perfetto/sdk)
else()
  add_library(conformance-perfetto INTERFACE)
  target_include_directories(conformance-perfetto SYSTEM INTERFACE ${CMAKE_CURRENT_LIST_DIR}/perfetto/sdk)
endif()
add_library(rocprofiler-sdk::rocprofiler-sdk-perfetto ALIAS conformance-perfetto)

# nothing is downloaded where this file exists
file(WRITE ${CMAKE_BINARY_DIR}/pytest-packages/trace_processor_shell.linux_clang_release "")
