#include <cerrno>
#include <cstring>

#include "exporter/tail/file_source.h"

namespace rlrun {

IoStatus IoStatus::FromErrno(int error) {
  switch (error) {
    case 0:
      return Ok();
    case ENOENT:
    case ENOTDIR:
      return {IoCode::kNotFound, error};
    case EACCES:
    case EPERM:
      return {IoCode::kDenied, error};
    case ESTALE:
      return {IoCode::kStale, error};
    case EMFILE:
    case ENFILE:
      return {IoCode::kTooManyFiles, error};
    case ELOOP:
      return {IoCode::kLoop, error};
    default:
      return {IoCode::kError, error};
  }
}

std::string IoStatus::Message() const {
  if (ok()) return "ok";
  // Unlike strerror, neither translated nor in need of a buffer.
  const char* text = ::strerrordesc_np(error);
  return text != nullptr ? text : "error " + std::to_string(error);
}

}  // namespace rlrun
