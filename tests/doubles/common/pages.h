// How the process maps pages.
#pragma once

#include <cstddef>

namespace woa::doubles {

enum class Pages { kWritable, kReadOnly, kUnmapped };

// The weakest of all pages that hold the bytes.
Pages pages_of(const void* at, std::size_t bytes);

}  // namespace woa::doubles
