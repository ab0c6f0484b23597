// Files that are written as a whole.
#pragma once

#include <filesystem>
#include <string_view>

#include "runtime/base/status.h"

namespace woa {

// Writes `text` at the side and puts it in the place of `path`: nobody reads half of it, an earlier file stays as it is
// if that fails, and who is ended by a signal while he finds out what to write leaves nothing behind. What is no plain
// file (a pipe, a device, a link), or is in a folder that takes no new file, is written to directly. kNotFound
// (there is no such folder) and kUnavailable name the path and the system's reason.
Status write_file(const std::filesystem::path& path, std::string_view text);

// Whether write_file() could, as far as can be known before: ahead of long work. Leaves everything as it was. As there.
Status check_writable(const std::filesystem::path& path);

}  // namespace woa
