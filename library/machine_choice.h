// Chooses the machine file of a command, and reads from it what holds on this machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "runtime/base/status.h"

namespace woa {

// The default place of the file that `woa calibrate` writes: woa/machine.yaml in $XDG_CONFIG_HOME, which is
// $HOME/.config by default. Nothing if neither variable holds an absolute path.
std::optional<std::filesystem::path> default_machine_file();

// The first diagnostic of a file that has some, in one line.
std::string first_problem(const MachineFile& file);

// This machine's processor as the system names it.
std::string processor_name();

// The file that --machine names, or if `option` is empty the default one. A default file that cannot be read, is
// damaged, or was measured on another processor is left out, after a warning that says what to do. A file that
// --machine names is left to its reader, with a warning if it was measured elsewhere.
std::optional<std::filesystem::path> machine_file(const std::string& option, const OnMessage& warn);

// The transport's inline limit in that file, or kDefaultInlineBytes. kInvalid: the file that --machine names is
// damaged; the message holds its first problem.
Result<std::uint32_t> measured_inline_limit(const std::string& option, std::string_view transport,
                                            const OnMessage& warn);

}  // namespace woa
