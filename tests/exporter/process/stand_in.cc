// Does nothing, under any command line: opens the file named by STAND_IN_OPEN,
// says on descriptor STAND_IN_READY that it runs, and waits until
// standard input ends or it is killed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

int main() {
  if (const char* path = std::getenv("STAND_IN_OPEN")) {
    if (::open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) return 1;
  }
  if (const char* ready = std::getenv("STAND_IN_READY")) {
    const int fd = std::atoi(ready);
    if (::write(fd, "r", 1) != 1) return 1;
    ::close(fd);
  }
  char byte;
  while (::read(0, &byte, 1) > 0) {
  }
  return 0;
}
