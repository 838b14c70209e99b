#include "exporter/web/request_head.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rlrun {
namespace {

constexpr std::string_view kKnownMethods[] = {
    "GET",     "HEAD",    "POST",  "PUT",   "DELETE",
    "CONNECT", "OPTIONS", "TRACE", "PATCH", "PRI"};
constexpr std::string_view kOtherMethod = "PATCH";
constexpr std::size_t kLongestMethod = 64;
// The library answers these itself, before it is known who asks.
constexpr std::string_view kHidden[] = {"expect:", "range:"};

bool IsTokenCharacter(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";  // RFC 9110, 5.6.2
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kSigns.find(c) != kSigns.npos;
}

// `text` begins with `front`, which is in lower case.
bool BeginsWith(std::string_view text, std::string_view front) {
  return text.size() >= front.size() &&
         std::equal(
             front.begin(), front.end(), text.begin(), [](char want, char is) {
               return want == std::tolower(static_cast<unsigned char>(is));
             });
}

void PrepareMethod(std::string* head) {
  const std::size_t end = head->find(' ');
  if (end == head->npos || end == 0 || end > kLongestMethod) return;
  const std::string_view method = std::string_view(*head).substr(0, end);
  if (!std::all_of(method.begin(), method.end(), &IsTokenCharacter)) return;
  if (std::find(std::begin(kKnownMethods), std::end(kKnownMethods), method) ==
      std::end(kKnownMethods)) {
    head->erase(0, end);
    head->insert(0, kOtherMethod);
  }
}

void PrepareTarget(std::string* head) {
  const std::size_t line_end = head->find('\n');
  const std::size_t begin = head->find(' ') + 1;  // 0: no blank
  if (begin == 0 || begin > line_end) return;
  const std::string_view target = std::string_view(*head).substr(begin);
  if (!BeginsWith(target, "http://") && !BeginsWith(target, "https://")) return;
  const std::size_t host = head->find("//", begin) + 2;
  const std::size_t end = head->find_first_of("/? \r\n", host);
  if (end == head->npos) return;
  head->erase(begin, end - begin);
  if ((*head)[begin] != '/') head->insert(begin, 1, '/');
}

void HideHeaders(std::string* head) {
  for (std::size_t at = head->find('\n'); at != head->npos;
       at = head->find('\n', at + 1)) {
    for (const std::string_view name : kHidden) {
      if (BeginsWith(std::string_view(*head).substr(at + 1), name)) {
        (*head)[at + 1] = 'X';
      }
    }
  }
}

}  // namespace

std::string PreparedHead(std::string head) {
  PrepareMethod(&head);
  PrepareTarget(&head);
  HideHeaders(&head);
  return head;
}

}  // namespace rlrun
