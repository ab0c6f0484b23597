// Reports that a command failed: an error on stderr, with --json also the one object on stdout, and an exit code.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::tools {

// `text`, which may have several lines, made safe for a terminal.
std::string printable_lines(std::string_view text);

// `woa: error[CODE]: MESSAGE` on stderr.
void print_error(const Status& status);
// `woa: warning: TEXT` on stderr.
void print_warning(std::string_view text);
// The same, but once per text: a command may compile a graph many times.
void print_warning_once(const std::string& text);
// Prints one object to answer_stream(); U+FFFD replaces bytes that are no UTF-8.
void print_json(const nlohmann::json& object);
// True once print_json() has been called.
bool has_answered();
// The stream of answers: stdout, until a program sets another one (process.h).
std::FILE* answer_stream();
void set_answer_stream(std::FILE* stream);
// print_error(), with `json` also {"ok": false, "error"} on answer_stream(). Returns `exit_code`.
int fail(const Status& status, int exit_code, bool json);
// The exit code where something that a run needs cannot be had: a transport, the launcher, the run to join.
int code_before_run(const Status& status) noexcept;

}  // namespace woa::tools
