// The system's files about cards, for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace woa::test {

// A folder in the place of "/".
class SystemFiles {
 public:
  SystemFiles() { std::filesystem::create_directories(root_ / "sys/bus/pci/devices"); }
  ~SystemFiles() { std::filesystem::remove_all(root_); }
  SystemFiles(const SystemFiles&) = delete;
  SystemFiles& operator=(const SystemFiles&) = delete;

  std::filesystem::path add(const std::string& address, const std::string& vendor, const std::string& driver) {
    const std::filesystem::path folder = root_ / "sys/bus/pci/devices" / address;
    std::filesystem::create_directories(folder);
    write(folder / "vendor", vendor + "\n");
    if (!driver.empty()) std::filesystem::create_symlink("../../../bus/pci/drivers/" + driver, folder / "driver");
    return folder;
  }
  void load_driver(const std::string& version) {
    std::filesystem::create_directories(root_ / "sys/module/xocl");
    write(root_ / "sys/module/xocl/version", version + "\n");
  }
  // The driver xocl adds this to a function.
  void start(const std::filesystem::path& function, const std::string& shell, const std::string& node) {
    std::filesystem::create_directories(function / "rom.u.0");
    write(function / "rom.u.0/VBNV", shell + "\n");
    std::filesystem::create_directories(function / "drm" / node);
    std::filesystem::create_directories(function / "drm/card0");
  }
  void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_ = std::filesystem::temp_directory_path() / ("system-" + std::to_string(::getpid()));
};

}  // namespace woa::test
