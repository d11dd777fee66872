# Other projects' libraries that ours are linked with: `outside_NAME`, the shared one. Where the target that is linked
# has the property CROCPROF_BUNDLE it is the archive, for the bundle (bundle.cmake).
set(CROCPROF_ARCHIVES "") # those found; CROCPROF_NO_ARCHIVES: those that are missing
set(CROCPROF_NO_ARCHIVES "")
function(crocprof_outside name module archive)
  pkg_check_modules(OUTSIDE_${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  find_library(OUTSIDE_${name}_ARCHIVE ${archive})
  mark_as_advanced(OUTSIDE_${name}_ARCHIVE)
  add_library(outside_${name} INTERFACE)
  set(linked PkgConfig::OUTSIDE_${name})
  if(OUTSIDE_${name}_ARCHIVE)
    # an archive does not say what it needs itself: newer ones of SQLite need the mathematical functions
    set(linked $<IF:$<BOOL:$<TARGET_PROPERTY:CROCPROF_BUNDLE>>,${OUTSIDE_${name}_ARCHIVE},${linked}>
               $<$<BOOL:$<TARGET_PROPERTY:CROCPROF_BUNDLE>>:m>)
    set(CROCPROF_ARCHIVES ${CROCPROF_ARCHIVES} ${OUTSIDE_${name}_ARCHIVE} PARENT_SCOPE)
  else()
    set(CROCPROF_NO_ARCHIVES ${CROCPROF_NO_ARCHIVES} ${archive} PARENT_SCOPE)
  endif()
  target_link_libraries(outside_${name} INTERFACE ${linked})
  # how a compiler finds its headers does not depend on how it is linked
  target_include_directories(outside_${name} INTERFACE
                             $<TARGET_PROPERTY:PkgConfig::OUTSIDE_${name},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

crocprof_outside(yaml yaml-0.1 libyaml.a)
crocprof_outside(pcre2 libpcre2-8 libpcre2-8.a)
crocprof_outside(sqlite sqlite3 libsqlite3.a)
crocprof_outside(jansson jansson libjansson.a)
crocprof_outside(zlib zlib libz.a)
