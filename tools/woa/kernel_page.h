// The page of a kernel: `woa devices` and `woa explain KERNEL`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compiler/compiler.h"

namespace woa::tools {

// Ports, parameters with their defaults, variants and their limits (docs/commands.md lists the keys). For a kernel that
// cannot be used: the reason, and what is known.
nlohmann::json to_json(const KernelListing& kernel);

// The kernel of that name on the kernel path.
std::optional<KernelListing> find_kernel(const std::string& name);
// The kernel name most like `name`; empty: none is like it.
std::string nearest_kernel(const std::string& name);

// Prints the kernel's page, or with `as_json` one object. Returns the exit code.
int explain_kernel(const KernelListing& kernel, bool as_json);

}  // namespace woa::tools
