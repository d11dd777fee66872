# rocDecode of ROCm: rocDecode_FOUND, rocDecode_ROOT_DIR, rocDecode_INCLUDE_DIR, rocDecode_LIBRARY, rocDecode_VERSION, target rocDecode::rocDecode.
include("${CMAKE_CURRENT_LIST_DIR}/rocprofiler-sdk-find-decoder.cmake")
rocprofiler_sdk_find_decoder(rocDecode rocdecode ROCDECODE)
