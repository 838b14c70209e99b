# cmake -D CLANG_FORMAT=.. -D SOURCE_DIR=.. -P check_format.cmake: every source
# file is formatted as .clang-format says.
if(NOT CLANG_FORMAT)
  message("skipped: clang-format-14 is not installed")
  return()
endif()
set(files)
foreach(directory parsers exporter tests)
  foreach(suffix h cc)
    file(GLOB_RECURSE found ${SOURCE_DIR}/${directory}/*.${suffix})
    list(APPEND files ${found})
  endforeach()
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${files}
  WORKING_DIRECTORY ${SOURCE_DIR} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "run clang-format-14 -i on the files above")
endif()
