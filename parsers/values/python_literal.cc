#include "parsers/values/python_literal.h"

#include <algorithm>
#include <limits>

#include "parsers/values/python_number.h"
#include "parsers/values/python_string.h"

namespace rlrun {
namespace {

constexpr std::size_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

}  // namespace

// Reads one text into a document; brackets that are open stand on a stack.
class PyReader {
 public:
  PyReader(std::string_view text, const PyLimits& limits, PyDocument* document)
      : text_(text), limits_(limits), document_(*document) {}

  PyStatus Read() {
    if (text_.size() > std::min(limits_.bytes, kMaxBytes)) {
      at_ = limits_.bytes;
      return Fail("too long");
    }
    while (error_.empty()) {
      while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
      if (at_ == text_.size()) {
        return stack_.empty() && has_root_ ? PyStatus::kOk : Cut();
      }
      if (stack_.empty() && has_root_) return Fail("text behind the literal");
      ReadToken();
      if (is_cut_) return Cut();
    }
    return Fail(error_);
  }

 private:
  using Kind = PyValue::Kind;
  using Node = PyDocument::Node;
  enum class Want : std::uint8_t {
    kItem,       // an item or the closing bracket
    kColon,      // behind a key
    kDictValue,  // behind the colon
    kDelimiter,  // `,` or the closing bracket
    kAny         // behind the first item of a brace: it may be a key
  };
  struct Frame {
    std::uint32_t node;
    char open;
    Want want = Want::kItem;
    bool decided;  // a brace is a dict or a set, a parenthesis a tuple
    std::uint32_t children = 0;
    std::uint32_t whole_children = 0;
    std::uint32_t whole;  // nodes up to the end of the last whole item
  };

  PyStatus Fail(std::string_view error) {
    document_.nodes_.clear();
    document_.error_ = error;
    document_.error_at_ = at_;
    return PyStatus::kError;
  }

  void ReadToken() {
    const char c = text_[at_];
    if (stack_.empty()) return ReadValue(c);
    Frame& top = stack_.back();
    const bool closes = c == ']' || c == '}' || c == ')';
    switch (top.want) {
      case Want::kItem:
        if (closes) return Close(c);
        return ReadValue(c);
      case Want::kDictValue:
        return ReadValue(c);
      case Want::kColon:
      case Want::kAny:
        if (c == ':') return TakeColon(&top);
        if (top.want == Want::kColon) break;
        [[fallthrough]];
      case Want::kDelimiter:
        if (closes) return Close(c);
        if (c == ',') return TakeComma(&top);
        break;
    }
    error_ =
        top.want == Want::kColon ? "expected :" : "expected , or a bracket";
  }

  void TakeColon(Frame* top) {
    top->decided = true;
    top->want = Want::kDictValue;
    ++at_;
  }

  void TakeComma(Frame* top) {
    if (!top->decided) {
      if (top->open == '{') document_.nodes_[top->node].kind = Kind::kSet;
      top->decided = true;
    }
    MarkWhole(top);
    top->want = Want::kItem;
    ++at_;
  }

  void MarkWhole(Frame* frame) {
    frame->whole = NodeCount();
    frame->whole_children = frame->children;
  }

  std::uint32_t NodeCount() const {
    return static_cast<std::uint32_t>(document_.nodes_.size());
  }

  // A new node at the end; nullptr: there are too many.
  Node* Add(Kind kind) {
    if (document_.nodes_.size() >= limits_.values) {
      error_ = "too many values";
      return nullptr;
    }
    Node& node = document_.nodes_.emplace_back();
    node.kind = kind;
    node.next = NodeCount();
    return &node;
  }

  void ReadValue(char c) {
    if (c == '[') return Open(c, Kind::kList);
    if (c == '{') return Open(c, Kind::kDict);
    if (c == '(') return Open(c, Kind::kTuple);
    if (IsPyStringFront(text_.substr(at_))) return ReadStrings();
    ReadScalar();
  }

  void Open(char c, Kind kind) {
    if (stack_.size() >= limits_.depth) {
      error_ = "too deep";
      return;
    }
    if (Add(kind) == nullptr) return;
    stack_.push_back({.node = NodeCount() - 1,
                      .open = c,
                      .decided = c == '[',
                      .whole = NodeCount()});
    ++at_;
  }

  void Close(char c) {
    const Frame frame = stack_.back();
    const char open = c == ']' ? '[' : c == '}' ? '{' : '(';
    if (open != frame.open) {
      error_ = "another bracket is open";
      return;
    }
    Node& node = document_.nodes_[frame.node];
    node.size = frame.children;
    node.next = NodeCount();
    if (!frame.decided && frame.children == 1) {
      if (c == '}') node.kind = Kind::kSet;
      if (c == ')') Unwrap(frame.node);
    }
    stack_.pop_back();
    ++at_;
    TakeItem();
    // Nothing that may follow can be a part of it.
    if (!stack_.empty() && stack_.back().want == Want::kDelimiter) {
      MarkWhole(&stack_.back());
    }
  }

  // `(x)` is x: the node of the parenthesis goes.
  void Unwrap(std::uint32_t parenthesis) {
    std::vector<Node>& nodes = document_.nodes_;
    nodes.erase(nodes.begin() + parenthesis);
    for (std::size_t i = parenthesis; i < nodes.size(); ++i) --nodes[i].next;
  }

  // An item has been read into the open bracket.
  void TakeItem() {
    if (stack_.empty()) {
      has_root_ = true;
      return;
    }
    Frame& top = stack_.back();
    ++top.children;
    if (top.open != '{' || top.want == Want::kDictValue) {
      top.want = Want::kDelimiter;
    } else if (!top.decided) {
      top.want = Want::kAny;
    } else {
      top.want = document_.nodes_[top.node].kind == Kind::kSet
                     ? Want::kDelimiter
                     : Want::kColon;
    }
  }

  void ReadStrings() {
    std::string& out = document_.text_;
    const std::size_t begin = out.size();
    std::optional<bool> is_bytes;
    do {
      const PyString one = ReadPyString(text_.substr(at_), &out);
      at_ += one.size;
      error_ = one.error;
      if (error_.empty() && is_bytes.value_or(one.is_bytes) != one.is_bytes) {
        error_ = "bytes and text in one string";
      }
      is_cut_ = one.cut;
      if (is_cut_ || !error_.empty()) return;
      is_bytes = one.is_bytes;
      while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    } while (IsPyStringFront(text_.substr(at_)));
    Node* node = Add(*is_bytes ? Kind::kBytes : Kind::kString);
    if (node == nullptr) return;
    node->text = begin;
    node->size = static_cast<std::uint32_t>(out.size() - begin);
    TakeItem();
  }

  void ReadScalar() {
    const PyScalar scalar = ReadPyScalar(text_.substr(at_));
    // What touches the end of the text may be the front of something else.
    if (scalar.touches_end && !stack_.empty()) {
      is_cut_ = true;
      return;
    }
    error_ = scalar.error;
    if (!error_.empty()) return;
    at_ += scalar.size;
    constexpr Kind kKinds[] = {Kind::kNone, Kind::kBool,  Kind::kInt,
                               Kind::kInt,  Kind::kFloat, Kind::kSet};
    Node* node = Add(kKinds[static_cast<std::size_t>(scalar.kind)]);
    if (node == nullptr) return;
    node->too_big = scalar.kind == PyScalar::Kind::kBigInt;
    if (node->too_big || node->kind == Kind::kFloat) {
      node->real = scalar.real;
    } else {
      node->integer = scalar.integer;
    }
    TakeItem();
  }

  // The text has ended: closes what is open behind its last whole item.
  PyStatus Cut() {
    bool child_is_cut = false;
    while (!stack_.empty()) {
      Frame frame = stack_.back();
      Node& node = document_.nodes_[frame.node];
      const bool is_value = frame.want == Want::kDictValue ||
                            (frame.want == Want::kItem &&
                             (frame.open != '{' || node.kind == Kind::kSet));
      if (child_is_cut && is_value) {
        ++frame.children;
        MarkWhole(&frame);
      }
      document_.nodes_.resize(frame.whole);
      node.size = frame.whole_children;
      node.next = frame.whole;
      stack_.pop_back();
      child_is_cut = true;
    }
    if (!child_is_cut) document_.nodes_.clear();
    document_.error_ = "the text ends too early";
    document_.error_at_ = text_.size();
    return PyStatus::kCut;
  }

  std::string_view text_;
  const PyLimits& limits_;
  PyDocument& document_;
  std::vector<Frame> stack_;
  std::size_t at_ = 0;
  bool has_root_ = false;
  bool is_cut_ = false;
  std::string_view error_;
};

PyStatus PyDocument::Parse(std::string_view text, const PyLimits& limits) {
  nodes_.clear();
  text_.clear();
  error_ = {};
  error_at_ = 0;
  return PyReader(text, limits, this).Read();
}

PyValue PyDocument::root() const {
  if (nodes_.empty()) return {};
  return {this, 0, static_cast<std::uint32_t>(nodes_.size())};
}

}  // namespace rlrun
