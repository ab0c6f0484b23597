// Messages speak of options as the command line has them. Programs that use the library have no command line.
#pragma once

#include <string>
#include <string_view>

namespace woa {

// The message for a program: "raise --deadline" becomes "raise option deadline", and "`--copies`" "option `copies`",
// for every option of woa_options(). Commands in backquotes, and options of commands alone, stay as they are.
std::string by_option_names(std::string_view message);

}  // namespace woa
