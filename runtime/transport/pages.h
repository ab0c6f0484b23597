// Pages of memory from the system. Internal to runtime/transport.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/base/status.h"
#include "runtime/transport/transport.h"

namespace woa {

// Maps `bytes` of `descriptor`, or zeroed private memory if it is -1. kExhausted with the system's reason.
Result<std::unique_ptr<Mapping>> map_pages(int descriptor, std::size_t bytes, Access access);

// "call: the system's reason" for the current errno.
std::string system_error(const char* call);

}  // namespace woa
