# woa_library, woa_kernels, woa_test, woa_fuzz: these make every target of the project, so that all are alike.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(WOA_CCACHE)
  # Two build folders share what they have in common: tests build the project once more, as its users do.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${WOA_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

# `make build` builds `programs`: everything but tests. `essentials` are those that a Python package holds: library, program, kernels.
add_custom_target(essentials)
add_custom_target(programs DEPENDS essentials)

# Warnings and include root of our own targets; never leaks to a library's headers.
add_library(woa_settings INTERFACE)
target_include_directories(woa_settings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR})
target_compile_options(woa_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(WOA_WERROR)
  target_compile_options(woa_settings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(woa_settings INTERFACE -Wno-sign-conversion)  # -Wconversion of GCC leaves it out
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(woa_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false positives in std::string, GCC bug 105329
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(woa_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>)  # notes about GCC before 4.6
endif()
target_link_libraries(woa_settings INTERFACE Threads::Threads)
if(WOA_SANITIZE)
  add_compile_options(-fsanitize=${WOA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${WOA_SANITIZE})
  if(WOA_SANITIZE MATCHES "undefined")
    # Each check's place is a pointer: 800,000 relocations of `woa`, which thousands of short processes would make.
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
endif()
if(WOA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Unity builds: up to WOA_UNITY_BATCH files of a target are compiled together, because the standard library is most of
# each compilation. A debug build compiles files apart, so that a change costs one file.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(woa_unity_default OFF)
else()
  set(woa_unity_default ON)
endif()
option(WOA_UNITY "Compile the files of a target together" ${woa_unity_default})
set(WOA_UNITY_BATCH 16)

# woa_together(NAME): the unity build of every library and program of ours.
function(woa_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${WOA_UNITY} UNITY_BUILD_BATCH_SIZE ${WOA_UNITY_BATCH})
endfunction()

# Code that runs only briefly is not optimized under sanitizers: the optimizer would take much longer than it saves.
function(woa_brief name)
  if(WOA_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
endfunction()

# woa_library(NAME SOURCES ... [DEPS woa targets] [PRIVATE_DEPS libraries no header shows])
function(woa_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  woa_together(${name})
  target_link_libraries(${name} PUBLIC woa_settings ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
endfunction()

# woa_kernels(NAME ... [SOURCES ... | default: NAME/NAME_cpu.c or .cc] [LIBRARIES ...] [REQUIRES OPENSSL|JPEG|PNG ...] [FOLDER kernels])
# Builds <build>/FOLDER/NAME/ of each NAME/, with kernel.yaml, libNAME.so, and NAME.cl, NAME.cu and NAME.ptx where they are
# there; without a required library, the reason in unavailable.txt. The global property woa_kernels_of_FOLDER lists those
# that are built.
function(woa_kernels)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES;LIBRARIES;REQUIRES" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER kernels)
  endif()
  set(why)
  foreach(need ${arg_REQUIRES})
    if(NOT WOA_HAVE_${need})
      set(why "${WOA_WHY_NOT_${need}}\n")
    endif()
  endforeach()
  foreach(name ${arg_UNPARSED_ARGUMENTS})
    woa_kernel(${name})
  endforeach()
endfunction()

# One of woa_kernels(), with that function's variables.
function(woa_kernel name)
  set(out ${PROJECT_BINARY_DIR}/${arg_FOLDER}/${name})
  file(REMOVE ${out}/unavailable.txt)
  file(GLOB files CONFIGURE_DEPENDS ${name}/kernel.yaml ${name}/${name}.cl ${name}/${name}.cu ${name}/${name}.ptx)
  foreach(file ${files})
    cmake_path(GET file FILENAME leaf)
    configure_file(${file} ${out}/${leaf} COPYONLY)
  endforeach()
  if(why)
    file(WRITE ${out}/unavailable.txt "${why}")
    return()
  endif()
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${name}/${name}_cpu.c ${name}/${name}_cpu.cc)
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY woa_kernels_of_${arg_FOLDER} ${name})
  if(arg_FOLDER STREQUAL "kernels")
    add_dependencies(essentials ${name})
  else()
    add_dependencies(programs ${name})
  endif()
  target_link_libraries(${name} PRIVATE woa_settings ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${out})
endfunction()

# Tests need the same settings, or the precompiled headers would not fit. The linker takes the first copy of an inline function, a test's,
# so tests without optimization would run parts of the library without it. -O3 would compile them longer than it shortens their runs.
# Under sanitizers, where no speed matters, -O1 compiles them three times as long.
function(woa_test_settings name)
  target_link_libraries(${name} PRIVATE woa_settings woa_catch)
  target_compile_options(${name} PRIVATE -O1)
  woa_brief(${name})  # the last -O counts
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which gives these, where it optimizes, for the standard library's own code
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized -Wno-free-nonheap-object -Wno-mismatched-new-delete)
  endif()
  if(WOA_SANITIZE MATCHES "undefined")
    # This halves their compile time. The address sanitizer finds null pointers too, and the tested code checks
    # alignment.
    target_compile_options(${name} PRIVATE -fno-sanitize=null,alignment)
  endif()
  target_compile_definitions(${name} PRIVATE WOA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WOA_BUILD_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

if(WOA_BUILD_TESTS)
  add_custom_target(check_programs)  # of tests that woa_check_only names
  # Catch and our main, built once and without sanitizers (Catch is large and not ours).
  add_library(woa_catch STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cc)
  target_include_directories(woa_catch PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(woa_catch PRIVATE -O0)
  if(WOA_SANITIZE)
    target_compile_options(woa_catch PRIVATE -fno-sanitize=all)
  endif()
  target_link_libraries(woa_catch PUBLIC Catch2::Catch2)
  if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
    target_compile_definitions(woa_catch PUBLIC WOA_CATCH3)
    set(WOA_NO_TESTS_FAILS)  # Catch2 3 does so by default
  else()
    set(WOA_NO_TESTS_FAILS -w NoTests)
  endif()
  # Headers that every test includes, parsed once.
  add_library(woa_test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/support/headers.cc)
  woa_test_settings(woa_test_headers)
  target_precompile_headers(woa_test_headers PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/catch.h <filesystem> <functional> <map> <memory>
                                                     <string> <thread> <vector>)
endif()

# Sets up test sources of a test program, or of a library that several tests share.
function(woa_test_sources name)
  woa_test_settings(${name})
  target_precompile_headers(${name} REUSE_FROM woa_test_headers)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${WOA_UNITY})
endfunction()

# woa_test(NAME SOURCES ... [IN program] [DEPS ...] [LABELS ...] [ENVIRONMENT ...] [TIMEOUT seconds])
# One entry of ctest: the test cases of these sources, run alone in their own process. `program` holds them, one program
# a layer, because linking is a program's main cost. Without IN the program is named NAME: for tests that replace a
# library. The sources' names are the tags that select cases, so they differ within a program. Exit code 77 is a skip,
# with its reason on stdout (WOA_REQUIRE turns it into a failure, tests/support/require.h).
function(woa_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;IN" "SOURCES;DEPS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_IN)
    set(arg_IN ${name})
  endif()
  woa_test_program(${arg_IN} GROUP ${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  list(FILTER arg_SOURCES INCLUDE REGEX "_(test|cts)\\.cc$")
  list(TRANSFORM arg_SOURCES REPLACE "^(.*/)?([^/]*)\\.cc$" "[#\\2]")
  list(JOIN arg_SOURCES "," cases)
  add_test(NAME ${name} COMMAND ${arg_IN} ${WOA_NO_TESTS_FAILS} "-#" ${cases})
  set_property(GLOBAL PROPERTY woa_cases_of_${name} "${arg_IN};${cases}")
  set(cost 10)
  if(arg_TIMEOUT)
    set(cost ${arg_TIMEOUT})
  else()
    set(arg_TIMEOUT 240)
  endif()
  if(WOA_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")  # sanitizers slow some code down twentyfold
    list(APPEND arg_ENVIRONMENT WOA_SIZES=small)
  endif()
  # Long tests start first, or one of them would run alone at the end.
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT} COST ${cost} LABELS "${arg_LABELS}"
                                          ENVIRONMENT "POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/pocl-cache;${arg_ENVIRONMENT}")
endfunction()

# woa_test_program(NAME GROUP unity-group SOURCES ... DEPS ...): adds sources to the program; the first call makes it.
function(woa_test_program name)
  cmake_parse_arguments(arg "" "GROUP" "SOURCES;DEPS" ${ARGN})
  if(NOT TARGET ${name})
    add_executable(${name})
    woa_test_sources(${name})
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(source ${arg_SOURCES})
    if(NOT source MATCHES "^[$]")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    endif()
    if(source IN_LIST sources)
      continue()
    endif()
    target_sources(${name} PRIVATE ${source})
    if(NOT source MATCHES "^[$]")
      set_property(SOURCE ${source} TARGET_DIRECTORY ${name} PROPERTY UNITY_GROUP ${arg_GROUP})
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
endfunction()

# woa_property_test(NAME SOURCES ... IN program ...): a woa_test that needs rapidcheck.
function(woa_property_test name)
  if(WOA_HAVE_RAPIDCHECK)
    woa_test(${name} ${ARGN})
    cmake_parse_arguments(arg "" "IN" "" ${ARGN})
    target_include_directories(${arg_IN} SYSTEM PRIVATE ${WOA_RAPIDCHECK_INCLUDE})
    target_link_libraries(${arg_IN} PRIVATE ${WOA_RAPIDCHECK_LIBRARY})
  else()
    woa_unavailable_test(${name} rapidcheck "${WOA_WHY_NOT_RAPIDCHECK}")
  endif()
endfunction()

# woa_test_again(NAME TEST VARIABLE=VALUE [LEFT_OUT source]): runs TEST again as NAME, with VARIABLE set and without
# `source`.
function(woa_test_again name test variable)
  cmake_parse_arguments(arg "" "LEFT_OUT" "" ${ARGN})
  get_property(cases GLOBAL PROPERTY woa_cases_of_${test})
  list(GET cases 0 program)
  list(GET cases 1 tags)
  string(REPLACE ",[#${arg_LEFT_OUT}]" "" tags "${tags}")
  add_test(NAME ${name} COMMAND ${program} ${WOA_NO_TESTS_FAILS} "-#" "${tags}")
  foreach(property SKIP_RETURN_CODE TIMEOUT COST LABELS ENVIRONMENT)
    get_property(value TEST ${test} PROPERTY ${property})
    set_tests_properties(${name} PROPERTIES ${property} "${value}")
  endforeach()
  string(REPLACE ";" "\\;" variable "${variable}")  # one value, not a list
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "${variable}")
endfunction()

# woa_check_only(TEST...): `make check` and .ci/run run these, `make test` does not. It shows that the build of this machine works: each
# suite in sizes that take seconds, without what is the same on every machine (proofs, mutants), and without a second build.
function(woa_check_only)
  foreach(test ${ARGN})
    get_property(labels TEST ${test} PROPERTY LABELS)
    set_property(TEST ${test} PROPERTY LABELS ${labels} check)
  endforeach()
endfunction()

# woa_check_program(PROGRAM...): all of its tests are `make check`'s, so `make test` does not build it.
function(woa_check_program)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(check_programs ${ARGN})
endfunction()

# woa_sizes(TEST): runs TEST again for each size but the default (tests/support/chosen_size.h).
function(woa_sizes test)
  foreach(size small min)
    woa_test_again(${test}_${size} ${test} WOA_CTS_SIZE=${size})
    woa_check_only(${test}_${size})
  endforeach()
endfunction()

# woa_unavailable_test(NAME NEED "reason" [LABELS ...]): skips, in place of a test whose library or program was not
# found.
function(woa_unavailable_test name need reason)
  cmake_parse_arguments(arg "" "" "LABELS" ${ARGN})
  if(NOT TARGET unavailable_test)
    add_executable(unavailable_test ${PROJECT_SOURCE_DIR}/tests/support/unavailable_test.cc)
    target_link_libraries(unavailable_test PRIVATE woa_settings)
    set_target_properties(unavailable_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endif()
  string(REPLACE ";" "," reason "${reason}")  # CMake takes `;` for a list
  add_test(NAME ${name} COMMAND unavailable_test ${need} ${reason})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${arg_LABELS}")
endfunction()

# woa_fuzz(NAME SOURCES ... DEPS ...): a libFuzzer target in <build>/fuzz; only with WOA_FUZZ. `fuzzers` builds all.
if(WOA_FUZZ)
  add_custom_target(fuzzers)
endif()
function(woa_fuzz name)
  if(NOT WOA_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE woa_settings ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()
