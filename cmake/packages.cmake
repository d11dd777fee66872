# What other projects need to build against an installation: CMake packages under AMD's names,
# pkg-config files, all relative to where they stand, so that the tree may be moved.
include(CMakePackageConfigHelpers)

# crocprof_package(target NAME package VERSION x.y.z DESCRIPTION text [REQUIRES package ...]
#                  [HEADERS target] [PARTS] [TARGETS_FILE name] [CHECK path ...] [EXTRA file])
# HEADERS: a target of that name for the headers alone, NAME-headers to others.
# PARTS: the library is NAME-shared-library to others, NAME an interface in front of it and the headers.
# TARGETS_FILE: where the targets are, without .cmake. CHECK: what the package wants to find below the
# prefix. EXTRA: a file beside the config that it includes at its end.
function(crocprof_package target)
  cmake_parse_arguments(A "PARTS" "NAME;VERSION;DESCRIPTION;HEADERS;TARGETS_FILE;EXTRA" "REQUIRES;CHECK" ${ARGN})
  if(NOT TARGET ${target})
    return()
  endif()
  set(directory lib/cmake/${A_NAME})
  set(work ${CMAKE_BINARY_DIR}/packages)
  if(NOT A_TARGETS_FILE)
    set(A_TARGETS_FILE ${A_NAME}-targets)
  endif()
  set(name ${A_NAME})
  set(version SameMajorVersion)
  if(A_PARTS)
    set(name ${A_NAME}-shared-library)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
  install(TARGETS ${target} EXPORT ${A_NAME}-targets LIBRARY DESTINATION lib)
  set(PACKAGE_COMPONENTS shared-library)
  if(A_HEADERS)
    add_library(${A_HEADERS} INTERFACE)
    set_target_properties(${A_HEADERS} PROPERTIES EXPORT_NAME ${A_NAME}-headers)
    target_include_directories(${A_HEADERS} INTERFACE $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} INTERFACE ${A_HEADERS})
    install(TARGETS ${A_HEADERS} EXPORT ${A_NAME}-targets)
    list(PREPEND PACKAGE_COMPONENTS headers)
  endif()
  install(EXPORT ${A_NAME}-targets NAMESPACE ${A_NAME}:: DESTINATION ${directory} FILE ${A_TARGETS_FILE}.cmake)
  get_target_property(output ${target} OUTPUT_NAME)

  set(PACKAGE_DEPENDENCIES "")
  foreach(package ${A_REQUIRES})
    string(APPEND PACKAGE_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  set(PACKAGE_NAME ${A_NAME})
  set(PACKAGE_TARGETS_FILE ${A_TARGETS_FILE}.cmake)
  list(JOIN A_CHECK " " PACKAGE_CHECKED_PATHS)
  list(JOIN PACKAGE_COMPONENTS " " PACKAGE_COMPONENTS)
  set(PACKAGE_EXTRA "")
  if(A_EXTRA)
    set(PACKAGE_EXTRA "include(\"\${CMAKE_CURRENT_LIST_DIR}/${A_EXTRA}\")\n")
  endif()
  set(PACKAGE_PARTS "")
  if(A_PARTS)
    set(version SameMinorVersion)
    file(READ ${CMAKE_SOURCE_DIR}/cmake/package-parts.cmake.in parts)
    string(CONFIGURE "${parts}" PACKAGE_PARTS @ONLY)
  endif()
  configure_package_config_file(
    ${CMAKE_SOURCE_DIR}/cmake/package-config.cmake.in ${work}/${A_NAME}-config.cmake
    INSTALL_DESTINATION ${directory})
  write_basic_package_version_file(${work}/${A_NAME}-config-version.cmake
                                   VERSION ${A_VERSION} COMPATIBILITY ${version})
  install(FILES ${work}/${A_NAME}-config.cmake ${work}/${A_NAME}-config-version.cmake
          DESTINATION ${directory})

  list(JOIN A_REQUIRES ", " requires)
  file(CONFIGURE OUTPUT ${work}/${A_NAME}.pc @ONLY CONTENT [[
prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: @A_NAME@
Description: @A_DESCRIPTION@
Version: @A_VERSION@
Requires: @requires@
Libs: -L${libdir} -l@output@
Cflags: -I${includedir}
]])
  install(FILES ${work}/${A_NAME}.pc DESTINATION lib/pkgconfig)
  crocprof_environment(${A_NAME} ${A_VERSION})
endfunction()

# crocprof_environment(package version): the two ways of using an installation that ROCm has, a script to
# source and a module file; each finds the prefix from where it stands.
function(crocprof_environment PACKAGE_NAME PACKAGE_VERSION)
  string(REPLACE "-" "_" PACKAGE_VARIABLE ${PACKAGE_NAME})
  set(work ${CMAKE_BINARY_DIR}/packages/${PACKAGE_NAME})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/setup-env.sh.in ${work}/setup-env.sh @ONLY)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/modulefile.in ${work}/${PACKAGE_VERSION} @ONLY)
  install(FILES ${work}/setup-env.sh DESTINATION share/${PACKAGE_NAME})
  install(FILES ${work}/${PACKAGE_VERSION} DESTINATION share/modulefiles/${PACKAGE_NAME})
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/${PACKAGE_NAME})
endfunction()

crocprof_package(rocprofiler_register NAME rocprofiler-register VERSION 0.5.0
                 HEADERS rocprofiler_register_headers TARGETS_FILE rocprofiler-register-library-targets
                 DESCRIPTION "Registration of API tables of ROCm runtimes with profilers")
crocprof_package(rocprofiler_sdk_roctx NAME rocprofiler-sdk-roctx VERSION 1.0.0 PARTS
                 CHECK include/rocprofiler-sdk-roctx
                 DESCRIPTION "Marks and ranges for profilers")
crocprof_package(hsa_amd_aqlprofile NAME hsa-amd-aqlprofile VERSION 1.0.0
                 DESCRIPTION "Packets for performance counters and traces of AMD GPUs")
# its headers include those of roctx, and of HIP and HSA, which need no package of theirs
crocprof_package(rocprofiler_sdk NAME rocprofiler-sdk VERSION 1.0.0 PARTS HEADERS rocprofiler_sdk_headers
                 REQUIRES rocprofiler-sdk-roctx hsa-amd-aqlprofile
                 CHECK include/rocprofiler-sdk lib/rocprofiler-sdk EXTRA rocprofiler-sdk-config-tools.cmake
                 DESCRIPTION "Services for profiling tools on AMD GPUs")
crocprof_package(rocprofiler64 NAME rocprofiler VERSION 8.0.0 REQUIRES hsa-amd-aqlprofile
                 DESCRIPTION "Counters of GPU kernels, first generation of the interface")
if(TARGET rocprofiler_sdk)
  set(sdk ${CMAKE_SOURCE_DIR}/cmake/rocprofiler-sdk)
  install(FILES ${sdk}/rocprofiler-sdk-config-tools.cmake ${sdk}/rocprofiler-sdk-config-nolink-target.cmake
          DESTINATION lib/cmake/rocprofiler-sdk)
  install(DIRECTORY ${sdk}/Modules DESTINATION lib/cmake/rocprofiler-sdk)
  install(PROGRAMS ${sdk}/rocprofiler-sdk-launch-compiler DESTINATION libexec/rocprofiler-sdk)
  install(PROGRAMS ${sdk}/convert-counters-collection-format.py DESTINATION share/rocprofiler-sdk)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/samples DESTINATION share/rocprofiler-sdk)
endif()

# AMD's places for what stands elsewhere here: link, target. In the build tree as well, which mirrors an
# installation, as are the headers.
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)
set(links
  lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1 ../librocprofiler-sdk-tool.so.1
  lib/rocprofiler-sdk/librocprofiler-sdk-tool.so librocprofiler-sdk-tool.so.1
  share/rocprofiler-sdk/basic_counters.xml ../../lib/rocprofiler/gfx_metrics.xml
  share/rocprofiler-sdk/derived_counters.xml ../../lib/rocprofiler/metrics.xml)
crocprof_links(${links})
