// A folder with a kernel's source and room for a cache, for tests of PTX.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/base/file.h"
#include "tests/support/catch.h"

namespace woa::test {

struct PtxFolder {
  PtxFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "woa-ptx-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~PtxFolder() { std::filesystem::remove_all(path); }
  PtxFolder(const PtxFolder&) = delete;
  PtxFolder& operator=(const PtxFolder&) = delete;

  // Writes a file, and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    REQUIRE(write_file(path / name, text).ok());
    return path / name;
  }

  std::filesystem::path path;
};

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline std::string kernel_source(const std::string& expression) {
  return "#include \"woa_cuda.h\"\n"
         "WOA_KERNEL(k, const woa_u8 *in, woa_u64 b, woa_dims d, woa_u8 *out, woa_u64 ob, woa_dims od) {\n"
         "  out[WOA_X] = " +
         expression + ";\n}\n";
}

}  // namespace woa::test
