# Helpers shared by every room's CMakeLists.txt: warning flags, sanitizers, and
# crocprof_library(), which gives each public library its version script and soname.
set(CROCPROF_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                      -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror=implicit)

add_library(crocprof_options INTERFACE)
target_compile_options(crocprof_options INTERFACE ${CROCPROF_WARNINGS} -fno-semantic-interposition)
target_compile_definitions(crocprof_options INTERFACE _GNU_SOURCE)
target_include_directories(crocprof_options INTERFACE ${CMAKE_SOURCE_DIR}/include
                           ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
if(CROCPROF_SANITIZE)
  target_compile_options(crocprof_options INTERFACE -fsanitize=${CROCPROF_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(crocprof_options INTERFACE -fsanitize=${CROCPROF_SANITIZE})
else()
  target_link_options(crocprof_options INTERFACE -Wl,--no-undefined)
endif()

# crocprof_library(target OUTPUT name SOVERSION n MAP file SOURCES ... LIBS ... [SUBDIR dir])
function(crocprof_library target)
  cmake_parse_arguments(A "" "OUTPUT;SOVERSION;MAP;SUBDIR" "SOURCES;LIBS" ${ARGN})
  add_library(${target} SHARED ${A_SOURCES})
  target_link_libraries(${target} PRIVATE crocprof_options ${A_LIBS})
  # libraries of an installation find each other beside themselves
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${A_OUTPUT} INSTALL_RPATH "$ORIGIN")
  if(DEFINED A_SOVERSION)
    set_target_properties(${target} PROPERTIES SOVERSION ${A_SOVERSION}
                          VERSION ${PROJECT_VERSION})
  endif()
  if(A_SUBDIR)
    set_target_properties(${target} PROPERTIES
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/${A_SUBDIR})
  endif()
  if(A_MAP)
    target_link_options(${target} PRIVATE
                        -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${A_MAP})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${A_MAP})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION lib/${A_SUBDIR})
endfunction()

# crocprof_by_python(program): "python3 PROGRAM" runs it, as what AMD delivers as scripts is run by some. Python
# takes a file for an archive if a ZIP directory lies in its last 64 KiB. So the archive is a section, which
# stays the last but for some headers where the program is stripped, and at the end, where symbols follow it.
set(by_python ${CMAKE_BINARY_DIR}/generated/by-python.zip)
function(crocprof_by_python program)
  if(NOT EXISTS ${by_python})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys, zipfile
with zipfile.ZipFile(sys.argv[2], 'w') as z, open(sys.argv[1]) as f: z.writestr(zipfile.ZipInfo('__main__.py'), f.read())"
                    ${CMAKE_SOURCE_DIR}/cmake/by-python/__main__.py ${by_python} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --add-section .python=${by_python} $<TARGET_FILE:${program}>
    COMMAND sh -c "cat \"$1\" >>\"$2\"" - ${by_python} $<TARGET_FILE:${program}> VERBATIM)
endfunction()

# Programs of some 25 MB, those with the executor, are linked by LLVM's linker in half the time; small ones are not.
if(CROCPROF_LLD AND NOT EXISTS ${CROCPROF_LLD}) # it was removed after the build tree was configured
  unset(CROCPROF_LLD CACHE)
  unset(CROCPROF_LLD_LINKS CACHE)
endif()
find_program(CROCPROF_LLD ld.lld HINTS /usr/lib/llvm-15/bin /usr/lib/llvm-21/bin /usr/lib/llvm-22/bin)
if(CROCPROF_LLD AND NOT CROCPROF_SANITIZE)
  get_filename_component(folder ${CROCPROF_LLD} DIRECTORY)
  include(CheckLinkerFlag)
  check_linker_flag(C "-fuse-ld=lld;-B${folder}" CROCPROF_LLD_LINKS)
endif()
# crocprof_link_large(target library ...): how a program of the tests that links these is linked
function(crocprof_link_large target)
  crocprof_label_of(label ${ARGN})
  if(CROCPROF_LLD_LINKS AND label STREQUAL gpu)
    get_filename_component(folder ${CROCPROF_LLD} DIRECTORY)
    target_link_options(${target} PRIVATE -fuse-ld=lld -B${folder})
  endif()
endfunction()

# crocprof_unit_test(name SOURCES ... LIBS ...): a cmocka program, registered as unit.<name>; status
# 77 says that it was skipped. Its label follows from the libraries. UNIT_CASES chooses some of its functions
function(crocprof_unit_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(unit_${name} ${A_SOURCES} $<TARGET_OBJECTS:unit_cases>)
  target_link_libraries(unit_${name} PRIVATE crocprof_options ${A_LIBS} cmocka)
  crocprof_link_large(unit_${name} ${A_LIBS})
  # cmocka 2 warns of assertions for which cmocka 1.1 has no other name
  target_compile_definitions(unit_${name} PRIVATE CMOCKA_DISABLE_DEPRECATION_WARNINGS)
  set_target_properties(unit_${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
  add_test(NAME unit.${name} COMMAND unit_${name})
  crocprof_label_program(unit.${name} unit_${name} ${A_LIBS})
  set(limit 120)
  if(CROCPROF_SANITIZE)
    set(limit 600)
  endif()
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${limit} SKIP_RETURN_CODE 77)
endfunction()

# CROCPROF_GPU is the product of share/gpus that the suite's HIP programs are compiled for (CROCPROF_ARCH),
# and that scripts/run-tests has softgpu be. Programs that are about one GPU name theirs.
set(CROCPROF_GPU mi210 CACHE STRING "product that the tests' HIP programs are compiled for and run on")

# crocprof_arch_of(variable product): the architecture of a product of share/gpus; nothing if there is no such product
function(crocprof_arch_of variable product)
  file(STRINGS ${CMAKE_SOURCE_DIR}/share/gpus/products.tsv row REGEX "^${product}\t")
  string(REGEX REPLACE "^[^\t]*\t([^\t]*)\t.*" "\\1" arch "${row}")
  set(${variable} "${arch}" PARENT_SCOPE)
endfunction()

crocprof_arch_of(CROCPROF_ARCH ${CROCPROF_GPU})
if(NOT CROCPROF_ARCH OR NOT EXISTS ${CMAKE_SOURCE_DIR}/share/softgpu/${CROCPROF_GPU}.profile)
  message(FATAL_ERROR "CROCPROF_GPU: softgpu is no ${CROCPROF_GPU}: softgpu --list-gpus shows what it can be")
endif()

# crocprof_hip(output source [LONG] [GPU name] [FLAGS ...] [DEPENDS ...]): compiles a HIP program for the suite's GPU, or
# that named, at -O2, unless the flags say otherwise; libraries are -l or -Wl,FILE, since hipcc takes any file behind
# the source for HIP. A target of the caller's has to want the output; another one, which no other wants,
# makes the output alone, for `make test TESTS=...`. LONG: only tests labelled long run the program, so
# no target of a folder builds it, but the target long_programs does.
find_program(HIPCC hipcc)
function(crocprof_hip output source)
  cmake_parse_arguments(A "LONG" "GPU" "FLAGS;DEPENDS" ${ARGN})
  get_filename_component(source ${source} ABSOLUTE)
  if(NOT A_GPU)
    set(A_GPU ${CROCPROF_ARCH})
  endif()
  if(NOT "${A_FLAGS}" MATCHES "(^|;)-O[0-3s](;|$)")
    list(PREPEND A_FLAGS -O2)
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/hip-compile ${CMAKE_BINARY_DIR}/tests/hip_headers ${HIPCC}
            --offload-arch=${A_GPU} ${source} -o ${output} ${A_FLAGS}
    DEPENDS ${source} ${A_DEPENDS} VERBATIM)
  if(A_LONG)
    crocprof_long_output(${output})
  else()
    crocprof_output_target(target ${output})
  endif()
endfunction()

# crocprof_output_target(variable output): the target that makes a custom command's output alone
function(crocprof_output_target variable output)
  file(RELATIVE_PATH target ${CMAKE_BINARY_DIR} ${output})
  string(REPLACE "/" "." target ${target})
  add_custom_target(${target} DEPENDS ${output})
  set_property(GLOBAL APPEND PROPERTY crocprof_hip "${target}\t${output}\t${CMAKE_CURRENT_BINARY_DIR}\n")
  set(${variable} ${target} PARENT_SCOPE)
endfunction()

# crocprof_long_output(output): what a custom command makes and only tests labelled long use
function(crocprof_long_output output)
  crocprof_output_target(target ${output})
  set_property(GLOBAL APPEND PROPERTY crocprof_long ${target})
endfunction()

# crocprof_fuzz_test(name LIBS ... [SOURCES ...] [SEEDS file ...] [RUNS n]): tests/fuzz/<name>.c fed
# with the seeds, those of tests/fuzz/corpus/<name> among them, and with random bytes, registered as
# fuzz.<name>. In a tree with CROCPROF_FUZZ the program is libFuzzer's, and fuzz_<name>.seeds beside it
# has the names of the seeds, by which scripts/run-fuzz knows its targets
function(crocprof_fuzz_test name)
  cmake_parse_arguments(A "" "RUNS" "LIBS;SOURCES;SEEDS" ${ARGN})
  file(GLOB kept CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}/*)
  list(APPEND kept ${A_SEEDS})
  if(NOT A_RUNS)
    set(A_RUNS 20000)
  endif()
  add_executable(fuzz_${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}.c ${A_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE ${A_LIBS})
  crocprof_link_large(fuzz_${name} ${A_LIBS})
  if(CROCPROF_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(JOIN kept "," seeds)
    file(WRITE ${CMAKE_BINARY_DIR}/tests/fuzz/fuzz_${name}.seeds "${seeds}")
  else()
    target_sources(fuzz_${name} PRIVATE $<TARGET_OBJECTS:fuzz_standalone>)
  endif()
  set_target_properties(fuzz_${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fuzz)
  add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${kept} -runs=${A_RUNS})
  crocprof_label_program(fuzz.${name} fuzz_${name} ${A_LIBS})
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
endfunction()

# crocprof_cases(name script argument ...): a test for each class of a unittest file, <name>.<class>; its arguments and
# the class's name come behind the script. TESTS_OF_<name> is the list of them. A class whose name begins with Long
# is for make test-long. The test suite looks that no case is left out
function(crocprof_cases name script)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} lines REGEX "^class [A-Za-z]+[(]|^    def test_")
  set(classes "")
  foreach(line ${lines})
    if(line MATCHES "^class ([A-Za-z]+)[(](.*)[)]")
      set(class ${CMAKE_MATCH_1})
      if(NOT CMAKE_MATCH_2 IN_LIST classes) # whose cases it has
        continue()
      endif()
    endif()
    list(APPEND classes ${class})
  endforeach()
  list(REMOVE_DUPLICATES classes)
  set(tests "")
  foreach(class ${classes})
    string(TOLOWER ${class} lower)
    add_test(NAME ${name}.${lower} COMMAND ${Python3_EXECUTABLE} ${script} ${ARGN} ${class})
    list(APPEND tests ${name}.${lower})
    if(class MATCHES "^Long")
      crocprof_long(${name}.${lower})
    endif()
  endforeach()
  set(TESTS_OF_${name} ${tests} PARENT_SCOPE)
endfunction()

# crocprof_skipped(name reason): a test that does not apply here, shown as skipped
function(crocprof_skipped name reason)
  message(STATUS "test ${name} is skipped: ${reason}")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES TIMEOUT 60 LABELS fast SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

# crocprof_missing(name package): stands for tests that cannot be built here, is shown as skipped,
# and says which Debian package they want
function(crocprof_missing name package)
  message(STATUS "tests ${name} are skipped: they need ${package}")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs ${package}")
  set_tests_properties(${name} PROPERTIES TIMEOUT 60 LABELS fast SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

# crocprof_links(link target ...): links in the build tree, which mirrors an installation, and installed.
function(crocprof_links)
  set(links ${ARGN})
  while(links)
    list(POP_FRONT links link target)
    get_filename_component(directory ${link} DIRECTORY)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
    file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/${link} SYMBOLIC)
    install(FILES ${CMAKE_BINARY_DIR}/${link} DESTINATION ${directory})
  endwhile()
endfunction()
