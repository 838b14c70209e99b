# Functions for rooms, warnings and sanitizers.

# Our own targets only: warnings, all of them errors, and the sanitizers.
function(rlrun_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(RLRUN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(RLRUN_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${RLRUN_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${RLRUN_SANITIZE})
    if(RLRUN_SANITIZE MATCHES undefined)
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=undefined)
    endif()
  endif()
endfunction()

# rlrun_room(DIR [ROOM_OR_LIBRARY...]): every .cc of DIR as one static library
# `a_b` for DIR a/b; a room without .cc files is an interface library.
function(rlrun_room directory)
  string(REPLACE "/" "_" name ${directory})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*.cc)
  set(links)
  foreach(item ${ARGN})
    string(REPLACE "/" "_" item ${item})
    list(APPEND links ${item})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    rlrun_warnings(${name})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${links})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${links})
  endif()
endfunction()

# rlrun_test(DIR [LIBRARY...]): every *_test.cc of tests/DIR as one gtest binary,
# linked with the room DIR.
function(rlrun_test directory)
  string(REPLACE "/" "_" name ${directory})
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/tests/${directory}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  set(target test_${name})
  set(timeout 300)  # seconds
  if(RLRUN_SANITIZE)
    set(timeout 900)
  endif()
  add_executable(${target} ${sources})
  rlrun_warnings(${target})
  target_link_libraries(${target} PRIVATE ${ARGN} tests_support
    GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST
    TEST_PREFIX "${directory}/" WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    PROPERTIES TIMEOUT ${timeout})
  set_property(GLOBAL APPEND PROPERTY RLRUN_TEST_SOURCES ${sources})
endfunction()
