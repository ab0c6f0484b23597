#include "tools/woa/file_uri.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace woa::tools {

std::string uri_path(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      uri += c;
      continue;
    }
    std::array<char, 4> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    uri += escaped.data();
  }
  return uri;
}

std::string file_uri(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return "file://" + uri_path((error ? path : absolute).lexically_normal().string());
}

std::optional<std::filesystem::path> path_of(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  constexpr std::string_view kThisHost = "localhost";
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kThisHost)) uri.remove_prefix(kThisHost.size());
  if (!uri.starts_with("/")) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    if (uri[i] == '%') {
      if (i + 2 >= uri.size()) return std::nullopt;
      const auto [end, error] = std::from_chars(uri.data() + i + 1, uri.data() + i + 3, value, 16);
      if (error != std::errc() || end != uri.data() + i + 3) return std::nullopt;
      path += static_cast<char>(value);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

}  // namespace woa::tools
