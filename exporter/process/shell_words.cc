#include "exporter/process/shell_words.h"

#include <utility>

namespace rlrun {
namespace {

class Splitter {
 public:
  std::vector<std::vector<std::string>> Split(std::string_view script) {
    for (std::size_t i = 0; i < script.size(); ++i) {
      const char c = script[i];
      if (c == '\'' || c == '"') {
        i = Quoted(script, i);
      } else if (c == '\\' && i + 1 < script.size()) {
        if (script[++i] != '\n') Add(script[i]);
      } else if (c == '#' && !in_word_) {
        while (i + 1 < script.size() && script[i + 1] != '\n') ++i;
      } else if (c == ' ' || c == '\t') {
        EndWord();
      } else if (c == '<' || c == '>') {
        i = Redirection(script, i);
      } else if (std::string_view("\n;|&(){}").find(c) != std::string::npos &&
                 !InExpansion(script, i)) {
        EndCommand();
      } else {
        Add(c);
      }
    }
    EndCommand();
    return std::move(commands_);
  }

 private:
  // `${X}` is part of its word; so is `{a,b}` behind other text.
  bool InExpansion(std::string_view script, std::size_t i) {
    if (script[i] == '{' && in_word_) {
      ++braces_;
      return true;
    }
    if (script[i] == '}' && braces_ > 0) {
      --braces_;
      return true;
    }
    return false;
  }

  // The index of the closing quote.
  std::size_t Quoted(std::string_view script, std::size_t i) {
    const char quote = script[i];
    in_word_ = true;
    for (++i; i < script.size() && script[i] != quote; ++i) {
      if (quote == '"' && script[i] == '\\' && i + 1 < script.size()) ++i;
      word_ += script[i];
    }
    return i;
  }

  // The last index of the operator: `>`, `>>`, `2>&1`, `&>`, `<`.
  std::size_t Redirection(std::string_view script, std::size_t i) {
    if (word_.find_first_not_of("0123456789") != std::string::npos) EndWord();
    word_.clear();  // the number of a descriptor
    in_word_ = false;
    while (i + 1 < script.size() &&
           (script[i + 1] == '>' || script[i + 1] == '<')) {
      ++i;
    }
    if (i + 1 < script.size() && script[i + 1] == '&') {
      ++i;
      while (i + 1 < script.size() &&
             ((script[i + 1] >= '0' && script[i + 1] <= '9') ||
              script[i + 1] == '-')) {
        ++i;
      }
    }
    return i;
  }

  void Add(char c) {
    word_ += c;
    in_word_ = true;
  }
  void EndWord() {
    if (in_word_) command_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
    braces_ = 0;
  }
  void EndCommand() {
    EndWord();
    if (!command_.empty()) commands_.push_back(std::move(command_));
    command_.clear();
  }

  std::vector<std::vector<std::string>> commands_;
  std::vector<std::string> command_;
  std::string word_;
  bool in_word_ = false;
  int braces_ = 0;
};

}  // namespace

std::vector<std::vector<std::string>> SplitShell(std::string_view script) {
  return Splitter().Split(script);
}

}  // namespace rlrun
