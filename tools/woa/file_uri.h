// Paths of files as URIs (RFC 3986, RFC 8089).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace woa::tools {

// The path part of a URI: all but unreserved characters and slashes is percent-encoded.
std::string uri_path(std::string_view path);
// `file://` and the absolute path.
std::string file_uri(const std::filesystem::path& path);
// The path of a `file://` URI without a host or with `localhost`; nothing for others.
std::optional<std::filesystem::path> path_of(std::string_view uri);

}  // namespace woa::tools
