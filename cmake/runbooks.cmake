# rlrun_runbooks(TARGET): compiles the texts of alerts/runbooks into TARGET as
# the table that exporter/report/runbooks.h declares.
function(rlrun_runbooks target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/alerts/runbooks/*.md)
  list(SORT files)
  set(rows "")
  set(count 0)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"rlrun-text(${text})rlrun-text\"},\n")
    math(EXPR count "${count} + 1")
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY
      CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/runbook_texts.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY NEWLINE_STYLE UNIX CONTENT
"#include <array>

#include \"exporter/report/runbooks.h\"

namespace rlrun {

std::span<const Runbook> Runbooks() {
  static constexpr std::array<Runbook, @count@> kTable = {{
@rows@  }};
  return kTable;
}

}  // namespace rlrun
")
  target_sources(${target} PRIVATE ${source})
endfunction()
