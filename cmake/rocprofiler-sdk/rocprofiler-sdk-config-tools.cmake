# Behind the targets of rocprofiler-sdk: its programs as imported targets, what other packages' headers
# need without their libraries, Find modules, and commands that ask about GPUs.
list(APPEND CMAKE_MODULE_PATH "${rocprofiler-sdk_CMAKE_DIR}/Modules")

foreach(program bin/rocprofv3 bin/rocprofv3-avail share/rocprofiler-sdk/convert-counters-collection-format.py)
  get_filename_component(name ${program} NAME_WE)
  if(NOT TARGET rocprofiler-sdk::${name})
    add_executable(rocprofiler-sdk::${name} IMPORTED)
    set_target_properties(rocprofiler-sdk::${name} PROPERTIES
                          IMPORTED_LOCATION "${rocprofiler-sdk_ROOT_DIR}/${program}")
  endif()
endforeach()

# The headers include those of HIP and HSA, the C++ headers for code objects those of comgr and libdw.
# HIP's package stops a project that has no C++; its headers are found without it then.
include("${rocprofiler-sdk_CMAKE_DIR}/rocprofiler-sdk-config-nolink-target.cmake")
if(NOT TARGET rocprofiler-sdk::rocprofiler-sdk-external-nolink)
  add_library(rocprofiler-sdk::rocprofiler-sdk-external-nolink INTERFACE IMPORTED)
  find_path(ROCPROFILER_SDK_HIP_INCLUDE hip/hip_version.h
            HINTS "${rocprofiler-sdk_ROOT_DIR}" ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES include)
  mark_as_advanced(ROCPROFILER_SDK_HIP_INCLUDE)
  target_compile_definitions(rocprofiler-sdk::rocprofiler-sdk-external-nolink
                             INTERFACE __HIP_PLATFORM_AMD__=1)
  if(ROCPROFILER_SDK_HIP_INCLUDE)
    target_include_directories(rocprofiler-sdk::rocprofiler-sdk-external-nolink SYSTEM
                               INTERFACE "${ROCPROFILER_SDK_HIP_INCLUDE}")
  endif()
  get_property(rocprofiler-sdk_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT TARGET hip::host AND "CXX" IN_LIST rocprofiler-sdk_languages)
    find_package(hip QUIET CONFIG HINTS "${rocprofiler-sdk_ROOT_DIR}" ENV ROCM_PATH PATHS /opt/rocm)
  endif()
  foreach(package AMDDeviceLibs hsa-runtime64 amd_comgr)
    find_package(${package} QUIET CONFIG HINTS "${rocprofiler-sdk_ROOT_DIR}" ENV ROCM_PATH PATHS /opt/rocm)
  endforeach()
  find_package(libdw QUIET MODULE)
  rocprofiler_config_nolink_target(rocprofiler-sdk::rocprofiler-sdk-external-nolink hip::host
                                   hsa-runtime64::hsa-runtime64 amd_comgr libdw::libdw)
  target_link_libraries(rocprofiler-sdk::rocprofiler-sdk
                        INTERFACE rocprofiler-sdk::rocprofiler-sdk-external-nolink)

  # The inline functions of the C++ headers for code objects call comgr, libdw and libelf. A script of the
  # linker names these libraries, so that they become needed by programs that call them and by no others.
  set(rocprofiler-sdk_needed "")
  foreach(library amd_comgr dw elf)
    find_library(ROCPROFILER_SDK_LIBRARY_${library} ${library}
                 HINTS "${rocprofiler-sdk_ROOT_DIR}" ENV ROCM_PATH PATHS /opt/rocm PATH_SUFFIXES lib)
    mark_as_advanced(ROCPROFILER_SDK_LIBRARY_${library})
    if(ROCPROFILER_SDK_LIBRARY_${library})
      string(APPEND rocprofiler-sdk_needed " \"${ROCPROFILER_SDK_LIBRARY_${library}}\"")
    endif()
  endforeach()
  if(rocprofiler-sdk_needed)
    set(rocprofiler-sdk_script "${CMAKE_BINARY_DIR}/CMakeFiles/rocprofiler-sdk-code-objects.ld")
    file(WRITE "${rocprofiler-sdk_script}" "INPUT(AS_NEEDED(${rocprofiler-sdk_needed} ))\n")
    target_link_libraries(rocprofiler-sdk::rocprofiler-sdk-headers
                          INTERFACE rocprofiler-sdk::rocprofiler-sdk-external-nolink "${rocprofiler-sdk_script}")
  endif()
endif()

# rocprofiler_sdk_get_gfx_architectures(VAR [ECHO] [PREFIX text] [DELIM text]): VAR becomes the names of
# the GPUs' architectures, each once, in their order, as rocminfo has them; where there is no GPU, those of
# the software GPU. Without rocminfo VAR stays as it is.
function(rocprofiler_sdk_get_gfx_architectures VAR)
  cmake_parse_arguments(A "ECHO" "PREFIX;DELIM" "" ${ARGN})
  find_program(rocminfo_EXECUTABLE rocminfo HINTS "${rocprofiler-sdk_ROOT_DIR}" ENV ROCM_PATH
               PATHS /opt/rocm PATH_SUFFIXES bin)
  mark_as_advanced(rocminfo_EXECUTABLE)
  if(NOT rocminfo_EXECUTABLE)
    return()
  endif()
  set(command "${rocminfo_EXECUTABLE}")
  set(softgpu "${rocprofiler-sdk_ROOT_DIR}/bin/softgpu")
  if(NOT EXISTS /dev/kfd AND EXISTS "${softgpu}")
    list(PREPEND command "${softgpu}" --)
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(AUTHOR_WARNING "${command} ended with ${status}: ${text}")
  endif()
  string(REGEX MATCHALL "Name: +gfx[0-9a-f]+" names "${text}")
  list(TRANSFORM names REPLACE "Name: +" "")
  list(REMOVE_DUPLICATES names)
  set(${VAR} "${names}" PARENT_SCOPE)
  if(A_ECHO)
    if(NOT DEFINED A_DELIM)
      set(A_DELIM ", ")
    endif()
    list(JOIN names "${A_DELIM}" text)
    message(STATUS "${A_PREFIX}${VAR}: ${text}")
  endif()
endfunction()

# Whether the first GPU is none of those whose names match; TRUE if there is none.
function(_rocprofiler_sdk_first_gpu_lacks VAR pattern)
  cmake_parse_arguments(A "ECHO" "PREFIX" "" ${ARGN})
  set(gpus)
  rocprofiler_sdk_get_gfx_architectures(gpus)
  list(JOIN gpus ";" names)
  set(lacks TRUE)
  if("${names}" MATCHES "^(${pattern})(;|$)")
    set(lacks FALSE)
  endif()
  set(${VAR} ${lacks} PARENT_SCOPE)
  if(A_ECHO)
    message(STATUS "${A_PREFIX}${VAR}: ${lacks}")
  endif()
endfunction()

# rocprofiler_sdk_pc_sampling_disabled(VAR [ECHO] [PREFIX text]): whether the first GPU cannot be sampled.
function(rocprofiler_sdk_pc_sampling_disabled VAR)
  _rocprofiler_sdk_first_gpu_lacks(${VAR} "gfx90a|gfx94[0-9a-f]|gfx95[0-9a-f]" ${ARGN})
  set(${VAR} ${${VAR}} PARENT_SCOPE)
endfunction()

# The same for stochastic sampling.
function(rocprofiler_sdk_pc_sampling_stochastic_disabled VAR)
  _rocprofiler_sdk_first_gpu_lacks(${VAR} "gfx94[0-9a-f]|gfx95[0-9a-f]" ${ARGN})
  set(${VAR} ${${VAR}} PARENT_SCOPE)
endfunction()
