// The fields of one protobuf message, in the order of its bytes. Knows the wire
// format and no schema.
//
//   08 07 12 02 68 69  ->  field 1, varint 7; field 2, bytes "hi"
//
// Accepts: varints up to 10 bytes, 64-bit, length-delimited, 32-bit fields.
// Ignores: nothing; fields that nobody wants are the caller's to pass over.
// Rejects: a field that ends behind the message, groups, field number 0; Next
//   is then false and damaged() true.
// Views; not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "parsers/blocks/little_endian.h"

namespace rlrun {

class ProtoFields {
 public:
  enum class Type : std::uint8_t {
    kVarint = 0,
    kFixed64 = 1,
    kBytes = 2,
    kFixed32 = 5
  };

  explicit ProtoFields(std::string_view message) : rest_(message) {}

  // Moves to the first or next field; false: there is none.
  bool Next() {
    if (rest_.empty() || damaged_) return false;
    std::uint64_t tag = 0;
    if (!Varint(&tag) || tag >> 3 == 0 || tag >> 32 != 0) return Damaged();
    number_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<Type>(tag & 7u);
    switch (type_) {
      case Type::kVarint:
        bytes_ = {};
        return Varint(&value_) || Damaged();
      case Type::kFixed64:
        return Take(8);
      case Type::kFixed32:
        return Take(4);
      case Type::kBytes:
        return (Varint(&value_) && Take(value_)) || Damaged();
    }
    return Damaged();
  }
  bool damaged() const { return damaged_; }

  std::uint32_t number() const { return number_; }
  Type type() const { return type_; }
  bool Is(std::uint32_t number, Type type) const {
    return number_ == number && type_ == type;
  }
  std::uint64_t value() const { return value_; }  // kVarint
  // kBytes: its content; kFixed32 and kFixed64: 4 and 8 bytes.
  std::string_view bytes() const { return bytes_; }

 private:
  bool Damaged() {
    damaged_ = true;
    return false;
  }
  bool Take(std::uint64_t size) {
    if (size > rest_.size()) return Damaged();
    bytes_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool Varint(std::uint64_t* value) {
    *value = 0;
    for (unsigned i = 0; i < 10 && i < rest_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      *value |= static_cast<std::uint64_t>(byte & 0x7Fu) << (7 * i);
      if (byte < 0x80u) {
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  std::string_view rest_;
  std::string_view bytes_;
  std::uint64_t value_ = 0;
  std::uint32_t number_ = 0;
  Type type_ = Type::kVarint;
  bool damaged_ = false;
};

}  // namespace rlrun
