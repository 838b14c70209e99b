#include "exporter/app/command.h"
namespace rlrun {
int Serve(const CommandOptions&) { return kExitFailure; }
}
