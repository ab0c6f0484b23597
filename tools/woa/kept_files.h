// Checks that no output of a command overwrites an input or another output. Files are compared by identity, so that
// another spelling, a link and a second name of one file are seen.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "library/read_files.h"
#include "runtime/base/status.h"
#include "tools/woa/name_pattern.h"

namespace woa::tools {

struct WrittenFile {
  std::string option;  // "--dot"
  NamePattern path;    // %i stands for any number; there is no %n
};

// The file behind the name of a stream. A pipe is the same one by all its names.
struct StreamFile {
  dev_t device = 0;
  ino_t number = 0;
  bool two_way = false;  // a terminal, a socket or another device: what is written does not come back
  bool operator==(const StreamFile&) const = default;
};

// `standard`: the descriptor that "-" means. Nothing: there is no such file.
std::optional<StreamFile> stream_file(const std::string& path, int standard);

// The files among `written` that have a path; the others' options were not given.
std::vector<WrittenFile> given(std::vector<WrittenFile> written);

// kInvalid: one of `written` would overwrite one of `read`, or is the same file as another, or is `-`, which stands for
// no stream here. The message has both options. Call before anything is written. Pipes and devices lose nothing.
Status check_kept(const std::vector<WrittenFile>& written, const std::vector<ReadFile>& read);

}  // namespace woa::tools
