# libdw of elfutils: libdw_FOUND, libdw_INCLUDE_DIR, libdw_LIBRARY, target libdw::libdw. pkg-config is asked
# first, then libdw_ROOT and the usual places are looked through.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_libdw QUIET libdw)
endif()
find_path(libdw_INCLUDE_DIR elfutils/libdw.h HINTS ${PC_libdw_INCLUDE_DIRS} ${libdw_ROOT} PATH_SUFFIXES include)
find_library(libdw_LIBRARY dw HINTS ${PC_libdw_LIBRARY_DIRS} ${libdw_ROOT} PATH_SUFFIXES lib lib64)
mark_as_advanced(libdw_INCLUDE_DIR libdw_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdw REQUIRED_VARS libdw_LIBRARY libdw_INCLUDE_DIR
                                  VERSION_VAR PC_libdw_VERSION)
if(libdw_FOUND AND NOT TARGET libdw::libdw)
  add_library(libdw::libdw INTERFACE IMPORTED)
  target_include_directories(libdw::libdw INTERFACE "${libdw_INCLUDE_DIR}")
  target_link_libraries(libdw::libdw INTERFACE "${libdw_LIBRARY}")
endif()
