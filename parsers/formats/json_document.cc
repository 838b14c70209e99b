#include "parsers/formats/json_document.h"

#include <rapidjson/reader.h>
#include <rapidjson/stream.h>

#include <algorithm>

namespace rlrun {
namespace {

constexpr unsigned kFlags =
    rapidjson::kParseNanAndInfFlag | rapidjson::kParseInsituFlag |
    rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag;

class Handler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  explicit Handler(JsonVisitor* visitor) : visitor_(*visitor) {}

  bool StartObject() {
    if (level_ == 0) is_object_ = true;
    return Push();
  }
  bool EndObject(rapidjson::SizeType) { return Pop(); }
  bool StartArray() { return Push(); }
  bool EndArray(rapidjson::SizeType) { return Pop(); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (path_.depth <= JsonPath::kMost) {
      path_.key[path_.depth - 1] = std::string_view(text, size);
    }
    return true;
  }
  bool Int(int v) { return Number(v); }
  bool Uint(unsigned v) { return Number(v); }
  bool Int64(std::int64_t v) { return Number(static_cast<double>(v)); }
  bool Uint64(std::uint64_t v) { return Number(static_cast<double>(v)); }
  bool Double(double v) { return Number(v); }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    visitor_.Text(path_, std::string_view(text, size));
    return true;
  }
  bool Bool(bool v) {
    visitor_.Bool(path_, v);
    return true;
  }
  bool Null() {
    visitor_.Null(path_);
    return true;
  }
  bool is_object() const { return is_object_; }

 private:
  bool Number(double v) {
    visitor_.Number(path_, v);
    return true;
  }
  bool Push() {
    if (level_ != 0) visitor_.Begin(path_);
    ++level_;
    path_.depth = level_;
    if (level_ <= JsonPath::kMost) path_.key[level_ - 1] = {};
    return true;
  }
  // The key that leads to what ends is still there.
  bool Pop() {
    --level_;
    path_.depth = level_;
    if (level_ != 0) visitor_.End(path_);
    return true;
  }

  JsonVisitor& visitor_;
  std::size_t level_ = 0;
  JsonPath path_;
  bool is_object_ = false;
};

}  // namespace

DocumentParse ParseJsonDocument(std::string text, JsonVisitor* visitor) {
  Handler handler(visitor);
  rapidjson::Reader reader;
  // Text behind a NUL is not looked at: the parser takes it for the end.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t begin =
      text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t end = std::min(text.find('\0'), text.size()) - begin;
  rapidjson::InsituStringStream stream(text.data() + begin);
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, handler);
  if (parsed.IsError()) {
    const bool at_end =
        parsed.Code() == rapidjson::kParseErrorDocumentEmpty ||
        parsed.Code() == rapidjson::kParseErrorStringMissQuotationMark ||
        parsed.Offset() + 1 >= end;
    return at_end ? DocumentParse::kIncomplete : DocumentParse::kMalformed;
  }
  return handler.is_object() ? DocumentParse::kOk : DocumentParse::kMalformed;
}

}  // namespace rlrun
