// How a command says that it failed: an error on stderr, with --json also the one object on stdout, and an exit code.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::tools {

// `text` for a terminal, which may have several lines.
std::string printable_lines(std::string_view text);

// `woa: error[CODE]: MESSAGE` on stderr.
void print_error(const Status& status);
// `woa: warning: TEXT` on stderr.
void print_warning(std::string_view text);
// {"code", "message"}: what stands under `error` in every object.
nlohmann::json error_json(const Status& status);
// One object where answers go; bytes that are no UTF-8 are shown as such.
void print_json(const nlohmann::json& object);
// Whether it has been called.
bool has_answered();
// Where answers go: stdout, until a program has another place (process.h).
std::FILE* answer_stream();
void set_answer_stream(std::FILE* stream);
// print_error(), with `json` also {"ok": false, "error"} on stdout. Returns `exit_code`.
int fail(const Status& status, int exit_code, bool json);

}  // namespace woa::tools
