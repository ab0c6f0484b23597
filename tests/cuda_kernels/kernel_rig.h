// A kernel's cuda variant on a device, beside its cpu variant.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/memory/pages.h"
#include "tests/support/kernel_under_test.h"

namespace woa::test {

// A kernel that the back-end has loaded twice for each set of parameters: launched for each firing, and resident.
//
// The payload of each port ends with the last page of its memory. So a kernel that reads or stores beyond it has an
// illegal address, where the memory behind belongs to nobody: always on the test double, by chance on a device.
class KernelRig {
 public:
  // `kernel`: its folder in the build. `most_bytes`: of a port's payload. Skips the test case where no device is.
  KernelRig(const std::string& kernel, const std::vector<Params>& params, std::uint64_t most_bytes);
  ~KernelRig();

  // Interpreted kernels are slow.
  [[nodiscard]] bool is_simulated() const { return backend_->description().simulated; }

  // The cpu variant's results. Fails the test if both ways on the device do not give them, bit for bit, or publish no
  // packet. `params`: number of the set.
  Answer compare(std::size_t params, const std::vector<Token>& ins);

 private:
  struct Stage;
  void add_stages(const std::string& kernel, const Params& params, std::uint64_t most_bytes);
  void load();
  void run(Stage& stage, const std::vector<Token>& ins, const Answer& expected);

  Plan plan_;
  std::vector<std::unique_ptr<Stage>> stages_;  // of each set of parameters the launched one, then the resident one
  std::unique_ptr<Mapping> ring_;
  std::uint32_t firings_ = 0;
  std::unique_ptr<DoorbellLine> line_ = std::make_unique<DoorbellLine>();
  std::unique_ptr<Backend> backend_;
};

}  // namespace woa::test
