// The one assertion of the fuzz targets: works in every build type and stops
// the process, which both libFuzzer and the replay report.
#pragma once

#include <cstdio>
#include <cstdlib>

#define RLRUN_CHECK(condition)                                             \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                        \
    }                                                                      \
  } while (false)
