// Questions to a value of a tree that python_literal.cc has read.
#include "parsers/values/python_literal.h"

namespace rlrun {

PyValue::Kind PyValue::kind() const {
  return present() ? document_->nodes_[at_].kind : Kind::kAbsent;
}

std::optional<bool> PyValue::AsBool() const {
  if (kind() != Kind::kBool) return std::nullopt;
  return document_->nodes_[at_].integer != 0;
}

std::optional<std::int64_t> PyValue::AsInt() const {
  if (kind() != Kind::kInt || document_->nodes_[at_].too_big) {
    return std::nullopt;
  }
  return document_->nodes_[at_].integer;
}

std::optional<double> PyValue::AsDouble() const {
  if (const auto integer = AsInt()) return static_cast<double>(*integer);
  if (kind() != Kind::kFloat && kind() != Kind::kInt) return std::nullopt;
  return document_->nodes_[at_].real;
}

std::optional<std::string_view> PyValue::AsString() const {
  if (kind() != Kind::kString && kind() != Kind::kBytes) return std::nullopt;
  const PyDocument::Node& node = document_->nodes_[at_];
  return std::string_view(document_->text_).substr(node.text, node.size);
}

std::size_t PyValue::size() const {
  if (kind() < Kind::kTuple) return 0;
  const std::size_t children = document_->nodes_[at_].size;
  return kind() == Kind::kDict ? children / 2 : children;
}

PyValue PyValue::First() const {
  if (size() == 0) return {};
  return {document_, at_ + 1, document_->nodes_[at_].next};
}

PyValue PyValue::Next() const {
  if (!present()) return {};
  const std::uint32_t next = document_->nodes_[at_].next;
  return next < end_ ? PyValue(document_, next, end_) : PyValue();
}

PyValue PyValue::Get(std::string_view key) const {
  if (kind() != Kind::kDict) return {};
  PyValue found;
  for (PyValue k = First(); k.present();) {
    const PyValue value = k.Next();
    if (k.kind() == Kind::kString && k.AsString() == key) found = value;
    k = value.Next();
  }
  return found;
}

PyValue PyValue::Find(std::string_view path) const {
  PyValue at = *this;
  for (;;) {
    const PyValue whole = at.Get(path);
    const std::size_t dot = path.find('.');
    if (whole.present() || dot == std::string_view::npos) return whole;
    at = at.Get(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
}

}  // namespace rlrun
