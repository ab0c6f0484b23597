// Reads and writes plans. The bytes are: "WOAPLAN\n", a little-endian u32 version, u32 length of the body, u32 CRC-32C
// of the body, then the body: a protobuf message (plan_fields.h). So truncation and corruption are distinguished from a
// bad plan.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// A file also holds proofs, which the runtime does not read: bytes of the compiler's, or none
// (compiler/certificate/certificate.h). They are the functions' last argument; null: the reader needs none.

// Deterministic: the same plan gives the same bytes.
std::string serialize(const Plan& plan, std::string_view proofs = {});

// Rejects, never repairs. kInvalid: not a plan, truncated, corrupted, or breaks validate(). kUnsupported: written by
// another version of the runtime (the message says which). Bounded in time and memory by the size of `bytes`; fuzzed.
Result<Plan> parse_plan(std::span<const std::byte> bytes, std::string* proofs = nullptr);

// True if `bytes` begin as a plan file does (to tell a plan from a graph in `woa run GRAPH|PLAN`).
bool looks_like_plan(std::span<const std::byte> bytes) noexcept;

// Files. kNotFound / kUnavailable name the path and the reason; only plain files are read. Relative kernel and file
// paths in the plan are relative to the plan file: read_plan returns them resolved (absolute), write_plan stores them
// relative if it can. Writes like write_file().
Result<Plan> read_plan(const std::filesystem::path& path, std::string* proofs = nullptr);
// kUnsupported: check_movable().
Status write_plan(const Plan& plan, const std::filesystem::path& path, std::string_view proofs = {});

}  // namespace woa
