// The environment as a launcher would have set it, for as long as this lives.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace woa::test {

class Variables {
 public:
  // Takes every launcher's variables away, also those of one that started this test, and sets these.
  explicit Variables(const std::vector<std::pair<std::string, std::string>>& set) {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      if (value != nullptr) before_.emplace_back(name, value);
      ::unsetenv(name);
    }
    for (const auto& [name, value] : set) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const char* name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  static constexpr const char* kNames[] = {
      "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",          "PMI_SIZE",         "SLURM_PROCID",
      "SLURM_STEP_NUM_TASKS", "PMIX_NAMESPACE",       "PMIX_RANK",         "PMIX_SERVER_URI2", "PMIX_SERVER_URI21",
      "PMIX_SERVER_URI3",     "PMIX_SERVER_URI4",     "PMIX_SERVER_URI41", "PMIX_VERSION"};
  std::vector<std::pair<std::string, std::string>> before_;
};

}  // namespace woa::test
