# What the Find modules of rocDecode and rocJPEG have in common.
include(FindPackageHandleStandardArgs)

# Looks for header and library of a package below ROCM_PATH, and reads its version from the macros of its
# version header.
macro(rocprofiler_sdk_find_decoder NAME LOWER UPPER)
  find_path(${NAME}_ROOT_DIR include/${LOWER}/${LOWER}.h HINTS ${ROCM_PATH} ENV ROCM_PATH PATHS /opt/rocm /usr)
  find_path(${NAME}_INCLUDE_DIR ${LOWER}/${LOWER}.h HINTS ${${NAME}_ROOT_DIR} PATH_SUFFIXES include)
  find_library(${NAME}_LIBRARY ${LOWER} HINTS ${${NAME}_ROOT_DIR} PATH_SUFFIXES lib lib64)
  mark_as_advanced(${NAME}_ROOT_DIR ${NAME}_INCLUDE_DIR ${NAME}_LIBRARY)
  set(${NAME}_VERSION)
  if(EXISTS "${${NAME}_INCLUDE_DIR}/${LOWER}/${LOWER}_version.h")
    foreach(part MAJOR MINOR MICRO)
      file(STRINGS "${${NAME}_INCLUDE_DIR}/${LOWER}/${LOWER}_version.h" line REGEX "define ${UPPER}_${part}_VERSION")
      if(line MATCHES "VERSION +([0-9]+)")
        list(APPEND ${NAME}_VERSION ${CMAKE_MATCH_1})
      endif()
    endforeach()
    list(JOIN ${NAME}_VERSION "." ${NAME}_VERSION)
  endif()
  find_package_handle_standard_args(${NAME} REQUIRED_VARS ${NAME}_LIBRARY ${NAME}_INCLUDE_DIR
                                    VERSION_VAR ${NAME}_VERSION)
  if(${NAME}_FOUND AND NOT TARGET ${NAME}::${NAME})
    add_library(${NAME}::${NAME} INTERFACE IMPORTED)
    target_include_directories(${NAME}::${NAME} INTERFACE "${${NAME}_INCLUDE_DIR}")
    target_link_libraries(${NAME}::${NAME} INTERFACE "${${NAME}_LIBRARY}")
  endif()
endmacro()
