# rocJPEG of ROCm: rocJPEG_FOUND, rocJPEG_ROOT_DIR, rocJPEG_INCLUDE_DIR, rocJPEG_LIBRARY, rocJPEG_VERSION, target rocJPEG::rocJPEG.
include("${CMAKE_CURRENT_LIST_DIR}/rocprofiler-sdk-find-decoder.cmake")
rocprofiler_sdk_find_decoder(rocJPEG rocjpeg ROCJPEG)
