// The files of a folder, one per instance, and how the files of several folders pair up.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/status.h"

namespace woa::tools {

struct FolderFiles {
  std::string option;  // "--in text"
  std::filesystem::path folder;
  std::vector<std::filesystem::path> files;  // by name, numbers in names compared as numbers
  std::string left_out;                      // other entries of the folder, for a warning; empty: none
};

// Leaves out names that begin with a dot, folders, pipes, sockets and devices. kNotFound: no file is left, or one is a
// link that leads nowhere. kUnavailable with the system's reason.
Result<FolderFiles> list_files(const std::string& option, const std::filesystem::path& folder);

// Empty if files at the same place in both have the same name but for extensions: they go together by name. Otherwise
// the warning that they go together by order. kInvalid: the folders hold different numbers of files.
Result<std::string> pair_files(const FolderFiles& a, const FolderFiles& b);

}  // namespace woa::tools
