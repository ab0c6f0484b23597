// Files that are read as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/base/status.h"

namespace woa {

// All of a plain file, or its first `most_bytes` if it is larger. Never waits, as reading a pipe or a terminal would,
// and never goes on for ever, as a device would. The message is a reason that follows what could not be read:
// kNotFound, "there is no such file"; kUnavailable, "it is a folder", "it is a pipe, a socket or a device, not a file",
// or the system's words.
Result<std::string> read_regular_file(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace woa
