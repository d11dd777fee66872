# Labels of tests, by which sets of them are chosen, and what has to be built before a test. Every test has a label:
#   fast  needs no hipcc and no executor of softgpu, and is short: make test-fast runs these
#   gpu   runs something on softgpu: a program under its launcher, or in a unit test its executor
#   slow  takes more than some twenty seconds, or more than some four where it would be fast otherwise; it may have gpu
#         besides
#   long  asks what a shorter test asks, of further levels of optimisation, GPUs or sizes: make test leaves it out,
#         make test-long has it; it has gpu or slow besides
# The helpers of crocprof.cmake give unit and fuzz tests theirs, crocprof_label() all others.
# Generated for scripts, in BUILD/tests: programs.tsv (target, file, folder) and uses.tsv (what tests run that
# their commands do not name: of tests whose names match a regular expression, of the fast tests of a folder), long.tsv
# (targets that their folder does not build), fast.txt.

# libraries that contain the executor, whose cores take longer to build than all else
set(CROCPROF_EXECUTOR softgpu_exec softgpu_cache softgpu_perf softgpu_check softgpu_device softgpu_counting)

# crocprof_label(label [NEEDS target ...]): the label of the tests that are registered from here on, to the next
# crocprof_label() or the end of the folder, and that have none of their own. Where the label is fast, the C programs
# and libraries that are made from here on are built for make test-fast, and so are the targets of NEEDS: what
# scripts among the tests start or load. A folder of tests begins with it.
function(crocprof_label label)
  cmake_parse_arguments(A "" "" "NEEDS" ${ARGN})
  get_property(before DIRECTORY PROPERTY crocprof_label)
  if(before)
    crocprof_label_section()
  else()
    cmake_language(DEFER CALL crocprof_label_section)
  endif()
  set_property(DIRECTORY PROPERTY crocprof_label ${label})
  if(A_NEEDS)
    set_property(GLOBAL APPEND PROPERTY crocprof_fast ${A_NEEDS})
    file(RELATIVE_PATH folder ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    string(JOIN "\t" line folder ${folder} ${A_NEEDS})
    set_property(GLOBAL APPEND PROPERTY crocprof_uses "${line}")
  endif()
endfunction()

# What is registered since the last crocprof_label() gets its label.
function(crocprof_label_section)
  get_property(label DIRECTORY PROPERTY crocprof_label)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    get_test_property(${test} LABELS own)
    if(NOT own)
      set(own ${label})
      set_tests_properties(${test} PROPERTIES LABELS ${label})
    endif()
    get_test_property(${test} COST cost)
    if("slow" IN_LIST own AND NOT cost GREATER 100) # begins before others, so that no core is left with one of these at the end
      set_tests_properties(${test} PROPERTIES COST 100)
    endif()
  endforeach()
  get_property(seen DIRECTORY PROPERTY crocprof_seen)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  set_property(DIRECTORY PROPERTY crocprof_seen ${targets})
  list(REMOVE_ITEM targets ${seen})
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    crocprof_label_of(own ${libraries})
    if(type STREQUAL UTILITY)
      continue()
    endif()
    if(label STREQUAL fast AND own STREQUAL fast)
      set_property(GLOBAL APPEND PROPERTY crocprof_fast ${target})
    elseif(NOT type STREQUAL INTERFACE_LIBRARY)
      crocprof_optimised(${target})
    endif()
    crocprof_product_code(${target})
  endforeach()
endfunction()

# crocprof_optimised(target ...): programs of fast tests that are compiled at -O2, against what tests/CMakeLists.txt says:
# threads of theirs race with the product's, or they contain hot paths of its headers, such as trace/writer.h.
function(crocprof_optimised)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O2>)
  endforeach()
endfunction()

# Files of src that a test compiles itself are tested as they are shipped, at -O2.
function(crocprof_product_code target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    string(FIND "${source}" ${CMAKE_SOURCE_DIR}/src/ place)
    if(place EQUAL 0)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O2>)
    endif()
  endforeach()
endfunction()

# crocprof_label_of(variable library ...): of the test of a program that links these
function(crocprof_label_of variable)
  set(${variable} fast PARENT_SCOPE)
  foreach(library ${ARGN})
    if(library IN_LIST CROCPROF_EXECUTOR)
      set(${variable} gpu PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# crocprof_label_program(test target library ...): the label of the test of a program that links these libraries
function(crocprof_label_program test target)
  crocprof_label_of(label ${ARGN})
  set_tests_properties(${test} PROPERTIES LABELS ${label})
  if(label STREQUAL fast)
    set_property(GLOBAL APPEND PROPERTY crocprof_fast ${target})
  endif()
endfunction()

# crocprof_areas(): the folders of tests in this one
function(crocprof_areas)
  file(GLOB areas RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(area ${areas})
    get_filename_component(area ${area} DIRECTORY)
    add_subdirectory(${area})
  endforeach()
endfunction()

# crocprof_of_default(test ...): these are about what softgpu is unless told otherwise, whichever GPU the suite is for
function(crocprof_of_default)
  set_tests_properties(${ARGN} PROPERTIES ENVIRONMENT_MODIFICATION SOFTGPU_GPU=unset:)
endfunction()

# A label more for a test, which is none of the fast ones then; the program of a unit test is not built for these. Where
# it would be fast otherwise it is compiled as theirs are, at -O0, unless crocprof_optimised() names it.
function(crocprof_label_more test label)
  if(TEST ${test})
    get_test_property(${test} LABELS labels)
    if(NOT labels)
      get_property(labels DIRECTORY PROPERTY crocprof_label)
    endif()
    list(REMOVE_ITEM labels fast)
    set_tests_properties(${test} PROPERTIES LABELS "${labels};${label}")
    if(test MATCHES "^unit[.](.*)")
      set_property(GLOBAL APPEND PROPERTY crocprof_not_fast unit_${CMAKE_MATCH_1})
    endif()
  endif()
endfunction()

# crocprof_slow(test ...): these take too long for the label that they would have
function(crocprof_slow)
  foreach(test ${ARGN})
    crocprof_label_more(${test} slow)
  endforeach()
endfunction()

# crocprof_long(test ...): make test leaves these out. HIP programs that no other test runs are made with LONG
# (crocprof_hip), others are named to crocprof_long_programs, so that they are not built for nothing.
function(crocprof_long)
  foreach(test ${ARGN})
    crocprof_label_more(${test} long)
    if(TEST ${test})
      get_test_property(${test} LABELS labels)
      if(NOT labels MATCHES "gpu|slow")
        crocprof_label_more(${test} slow)
      endif()
    endif()
  endforeach()
endfunction()

# crocprof_long_programs(target ...): only tests labelled long run these, so no folder builds them, but long_programs does.
function(crocprof_long_programs)
  foreach(target ${ARGN})
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
      set_property(GLOBAL APPEND PROPERTY crocprof_long ${target})
    endif()
  endforeach()
endfunction()

# crocprof_uses(regex [FOLDERS folder ...] [TARGETS target ...]): tests that match run, without their command's naming
# it, what these targets or folders of BUILD (tests/whole/hip, samples/sdk) make. Their own folder is known anyway.
function(crocprof_uses regex)
  cmake_parse_arguments(A "" "" "FOLDERS;TARGETS" ${ARGN})
  string(JOIN "\t" line tests ${regex} ${A_FOLDERS} ${A_TARGETS})
  set_property(GLOBAL APPEND PROPERTY crocprof_uses "${line}")
endfunction()

# crocprof_all_targets(variable folder): every target of a folder and below
function(crocprof_all_targets variable folder)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each ${below})
    crocprof_all_targets(more ${each})
    list(APPEND found ${more})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Writes down which target makes what, and makes the target fast_programs. For the end, when all targets are known.
function(crocprof_programs_of_tests)
  set(lines "")
  crocprof_all_targets(targets ${CMAKE_SOURCE_DIR})
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
      get_target_property(folder ${target} BINARY_DIR)
      string(APPEND lines "${target}\t$<TARGET_FILE:${target}>\t${folder}\n")
    endif()
  endforeach()
  get_property(hip GLOBAL PROPERTY crocprof_hip)
  string(JOIN "" hip ${hip})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/tests/programs.tsv CONTENT "${lines}${hip}")
  get_property(uses GLOBAL PROPERTY crocprof_uses)
  list(JOIN uses "\n" lines)
  file(WRITE ${CMAKE_BINARY_DIR}/tests/uses.tsv "${lines}\n")

  add_custom_target(tests_listed) # makes nothing: before any target CMake brings its files, the list of tests among them, up to date
  add_custom_target(long_programs)
  get_property(long GLOBAL PROPERTY crocprof_long)
  string(REPLACE ";" "\n" lines "${long}")
  file(WRITE ${CMAKE_BINARY_DIR}/tests/long.tsv "${lines}\n")
  if(long)
    add_dependencies(long_programs ${long})
  endif()
  get_property(fast GLOBAL PROPERTY crocprof_fast)
  list(REMOVE_DUPLICATES fast)
  get_property(others GLOBAL PROPERTY crocprof_not_fast)
  list(REMOVE_ITEM fast ${others})
  add_custom_target(fast_programs)
  foreach(target ${fast})
    if(TARGET ${target})
      add_dependencies(fast_programs ${target})
    endif()
  endforeach()
  crocprof_built_for_fast(${fast})
endfunction()

# Writes fast.txt, all that is built for make test-fast, and looks that it can be built without the executor: otherwise
# a library that brings it is missing at the top of this file.
function(crocprof_built_for_fast)
  set(queue ${ARGN})
  set(seen "")
  while(queue)
    list(POP_FRONT queue target)
    if(target MATCHES "^\\$<LINK_ONLY:(.*)>$")
      set(target ${CMAKE_MATCH_1})
    endif()
    if(NOT TARGET "${target}" OR target IN_LIST seen)
      continue()
    endif()
    if(target IN_LIST CROCPROF_EXECUTOR)
      message(FATAL_ERROR "fast tests need ${target}, which contains softgpu's executor: see cmake/tests.cmake")
    endif()
    list(APPEND seen ${target})
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES MANUALLY_ADDED_DEPENDENCIES)
      get_target_property(more ${target} ${property})
      if(more)
        list(APPEND queue ${more})
      endif()
    endforeach()
  endwhile()
  list(JOIN seen "\n" lines)
  file(WRITE ${CMAKE_BINARY_DIR}/tests/fast.txt "${lines}\n")
endfunction()
