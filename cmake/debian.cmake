# The Debian package: what `make install` installs, below /usr. `make deb`, or cpack in a build tree.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME crocprof)
set(CPACK_PACKAGE_VENDOR crocprof)
set(CPACK_PACKAGE_CONTACT "crocprof <crocprof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ROCm GPU profiling stack in C, with a software GPU")
set(CPACK_PACKAGE_DESCRIPTION
    "rocprofv3, the libraries behind it and their headers, binary compatible with AMD's, and a software gfx90a GPU for machines without one.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # xz takes half a minute
# Other packages' libraries from what ours are linked with; ours find each other by their own paths.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdw1")
# the same files in the same places
set(CPACK_DEBIAN_PACKAGE_CONFLICTS "rocprofiler-sdk, rocprofiler-register, rocprofiler, roctracer")
include(CPack)
