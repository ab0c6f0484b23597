// A folder of kernel descriptions that a test makes up; it goes with its content.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace woa::test {

class KernelFolder {
 public:
  KernelFolder() : path_((std::filesystem::temp_directory_path() / "woa-kernels-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  ~KernelFolder() {
    std::error_code ignored;  // it lies where the system cleans up
    std::filesystem::remove_all(path_, ignored);
  }
  KernelFolder(const KernelFolder&) = delete;
  KernelFolder& operator=(const KernelFolder&) = delete;

  void add(const std::string& kernel, const std::string& description) {
    const std::filesystem::path folder = std::filesystem::path(path_) / kernel;
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "kernel.yaml") << description;
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// For stages whose kernels are functions: they are never looked for.
inline constexpr char kOneVariant[] = "variants: {cpu: {}}\n";
inline constexpr char kTwoVariants[] =
    "variants: {cpu: {}, opencl: {size: true, source: k.cl, entry: k, global: [bytes]}}\n";

}  // namespace woa::test
