#include "tools/woa/lsp_messages.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "runtime/base/scalar.h"
#include "runtime/base/text.h"

namespace woa::tools {
namespace {

constexpr std::size_t kMostMessageBytes = 64U << 20;
constexpr std::size_t kMostHeaderBytes = 4096;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\r") + 1;
  return text.substr(begin, std::max(begin, end) - begin);
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// The first line of `text`, with its end; empty if it has none yet.
std::string_view first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

Status bad_header(std::string_view header, std::string_view why) {
  return {Code::kInvalid, "the header '" + printable(header.substr(0, header.find('\n'))) + "' " + std::string(why) +
                              "; expected `Content-Length: BYTES` of 1 to " + std::to_string(kMostMessageBytes)};
}

}  // namespace

Result<std::size_t> content_length(std::string_view header) {
  std::optional<std::size_t> found;
  for (std::string_view rest = header; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = without_blanks(rest.substr(0, end - (rest[end - 1] == '\n' ? 1 : 0)));
    rest.remove_prefix(end);
    const std::size_t colon = line.find(':');
    if (!same_but_for_case(line.substr(0, colon), "content-length")) continue;
    const auto bytes = parse_digits(without_blanks(line.substr(std::min(colon, line.size() - 1) + 1)));
    if (!bytes || *bytes == 0 || *bytes > kMostMessageBytes) return bad_header(line, "has no length that can be");
    if (found && *found != *bytes) return bad_header(line, "contradicts the length before it");
    found = *bytes;
  }
  if (!found) return bad_header(header, "has no length");
  return *found;
}

bool LspMessages::waiting() const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return !bytes_.empty() || ::poll(&input, 1, 0) > 0;
}

Result<std::string> LspMessages::take_header() {
  for (std::size_t read = 0;;) {
    const std::string_view line = first_line(std::string_view(bytes_).substr(read));
    const bool blank = without_blanks(line.substr(0, line.empty() ? 0 : line.size() - 1)).empty();
    if (!line.empty() && blank && read > 0) {
      std::string header = bytes_.substr(0, read);
      bytes_.erase(0, read + line.size());
      return header;
    }
    if (!line.empty() && blank) {  // before a header: skipped, as in HTTP
      bytes_.erase(0, line.size());
    } else if (!line.empty()) {
      read += line.size();
    } else if (bytes_.size() > kMostHeaderBytes) {
      return {Code::kInvalid, "a message without a header: expected `Content-Length: BYTES` and an empty line"};
    } else if (!read_more()) {
      return {Code::kUnavailable, "the client has closed its end"};
    }
  }
}

Result<std::string> LspMessages::next() {
  WOA_ASSIGN_OR_RETURN(const auto header, take_header());
  WOA_ASSIGN_OR_RETURN(const auto length, content_length(header));
  while (bytes_.size() < length)
    if (!read_more()) return {Code::kUnavailable, "the client has closed its end within a message"};
  std::string body = bytes_.substr(0, length);
  bytes_.erase(0, length);
  return body;
}

bool LspMessages::read_more() {
  std::array<char, 65536> part{};
  ssize_t count = 0;
  do count = ::read(STDIN_FILENO, part.data(), part.size());
  while (count < 0 && errno == EINTR);
  if (count > 0) bytes_.append(part.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace woa::tools
