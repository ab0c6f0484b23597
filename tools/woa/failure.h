// How a command says that it failed: an error on stderr, with --json also the one object on stdout, and an exit code.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/base/status.h"

namespace woa::tools {

// `text` for a terminal: control characters but newlines become `?`.
std::string printable(std::string text);

// `woa: error[CODE]: MESSAGE` on stderr.
void print_error(const Status& status);
// {"code", "message"}: what stands under `error` in every object.
nlohmann::json error_json(const Status& status);
// One object on stdout; bytes that are no UTF-8 are shown as such.
void print_json(const nlohmann::json& object);
// print_error(), with `json` also {"ok": false, "error"} on stdout. Returns `exit_code`.
int fail(const Status& status, int exit_code, bool json);

}  // namespace woa::tools
