# What other projects need to build against an installation: CMake packages under AMD's names,
# pkg-config files, all relative to where they stand, so that the tree may be moved.
include(CMakePackageConfigHelpers)

# crocprof_package(target NAME package VERSION x.y.z DESCRIPTION text [REQUIRES package ...])
function(crocprof_package target)
  cmake_parse_arguments(A "" "NAME;VERSION;DESCRIPTION" "REQUIRES" ${ARGN})
  if(NOT TARGET ${target})
    return()
  endif()
  set(directory lib/cmake/${A_NAME})
  set(work ${CMAKE_BINARY_DIR}/packages)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${A_NAME})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
  install(TARGETS ${target} EXPORT ${A_NAME}-targets LIBRARY DESTINATION lib)
  install(EXPORT ${A_NAME}-targets NAMESPACE ${A_NAME}:: DESTINATION ${directory})
  get_target_property(output ${target} OUTPUT_NAME)

  set(PACKAGE_DEPENDENCIES "")
  foreach(package ${A_REQUIRES})
    string(APPEND PACKAGE_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  set(PACKAGE_NAME ${A_NAME})
  configure_package_config_file(
    ${CMAKE_SOURCE_DIR}/cmake/package-config.cmake.in ${work}/${A_NAME}-config.cmake
    INSTALL_DESTINATION ${directory})
  write_basic_package_version_file(${work}/${A_NAME}-config-version.cmake
                                   VERSION ${A_VERSION} COMPATIBILITY SameMajorVersion)
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
endfunction()

crocprof_package(rocprofiler_register NAME rocprofiler-register VERSION 0.5.0
                 DESCRIPTION "Registration of API tables of ROCm runtimes with profilers")
crocprof_package(rocprofiler_sdk_roctx NAME rocprofiler-sdk-roctx VERSION 1.0.0
                 DESCRIPTION "Marks and ranges for profilers")
crocprof_package(hsa_amd_aqlprofile NAME hsa-amd-aqlprofile VERSION 1.0.0
                 DESCRIPTION "Packets for performance counters and traces of AMD GPUs")
# its headers include those of roctx, and of HIP and HSA, which need no package of theirs
crocprof_package(rocprofiler_sdk NAME rocprofiler-sdk VERSION 1.0.0
                 REQUIRES rocprofiler-sdk-roctx hsa-amd-aqlprofile
                 DESCRIPTION "Services for profiling tools on AMD GPUs")
crocprof_package(rocprofiler64 NAME rocprofiler VERSION 8.0.0 REQUIRES hsa-amd-aqlprofile
                 DESCRIPTION "Counters of GPU kernels, first generation of the interface")
