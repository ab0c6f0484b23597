// Which machine file a command reads, and what it says of the machine that the command runs on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/compiler.h"
#include "runtime/base/status.h"

namespace woa::tools {

// Where `woa calibrate` leaves its file unless told otherwise: woa/machine.yaml in $XDG_CONFIG_HOME, which is
// $HOME/.config by default. Nothing where neither variable holds an absolute path.
std::optional<std::filesystem::path> default_machine_file();

// Of a file that has diagnostics, in one line.
std::string first_problem(const MachineFile& file);

// This machine's processor as the system names it.
std::string processor_name();

// The file that --machine names, or if `option` is empty the default one. A default file that cannot be read, is
// damaged, or was measured on another processor is left out, after a warning on stderr that says what to do; one that
// --machine names is for its reader to judge, with a warning if it was measured elsewhere.
std::optional<std::filesystem::path> machine_file(const std::string& option);

// The inline limit that this file has for the transport, or kDefaultInlineBytes. kInvalid: the file that --machine
// names is damaged; the message holds its first problem.
Result<std::uint32_t> measured_inline_limit(const std::string& option, std::string_view transport);

}  // namespace woa::tools
