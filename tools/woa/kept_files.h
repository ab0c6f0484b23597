// Nothing that a command writes takes the place of what it reads, nor of what else it writes. Files are compared by
// what they are, so that another spelling, a link and a second name of one file are seen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"
#include "tools/woa/name_pattern.h"

namespace woa::tools {

struct WrittenFile {
  std::string option;  // "--dot"
  NamePattern path;    // its %i stands for any number; it has no %n
};

struct ReadFile {
  std::string reason;  // what it is read for: "--profile"
  std::filesystem::path path;
};

// The files among `written` that have a path: for options that may not be given.
std::vector<WrittenFile> given(std::vector<WrittenFile> written);

// kInvalid: one of `written` would overwrite one of `read`, or is the same file as another, or is `-`, which stands for
// no stream here. The message has both options. To be asked before anything is written. Pipes and devices lose nothing.
Status check_kept(const std::vector<WrittenFile>& written, const std::vector<ReadFile>& read);

// What a run of the plan reads: kernels with their libraries and sources, and parameters that are files.
std::vector<ReadFile> read_by(const Plan& plan);

}  // namespace woa::tools
