// Runs of small graphs: their kernels as functions that choose as the reference does.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/compiler.h"
#include "tests/integration/semantics/driven_run.h"
#include "tests/integration/semantics/reference.h"

namespace woa::test {

class SmallRun {
 public:
  // `graph` must outlive this object.
  explicit SmallRun(const SmallGraph& graph);

  // Enough to take every path through a graph without loops, within bounds.
  [[nodiscard]] std::uint64_t instances() const noexcept { return instances_; }
  // The reference's result for an instance.
  [[nodiscard]] Meaning meaning(std::uint64_t instance) const;
  // Ready to be driven; `plan` is the compiler's. With `tight` every edge has the blocks of one instance only.
  [[nodiscard]] CertifiedPlan prepared(CertifiedPlan plan, std::uint32_t window, bool tight) const;
  [[nodiscard]] const Functions& functions() const noexcept { return functions_; }
  // How the run differs from the reference; empty if it does not.
  [[nodiscard]] std::string difference(const Driven& driven) const;

 private:
  [[nodiscard]] int choose(std::uint64_t instance, int stage, int choices,
                           const std::vector<std::string>& inputs) const;
  void fire(Firing& firing, int stage) const;

  const SmallGraph& graph_;
  std::vector<std::uint64_t> radix_;  // by stage: of its digit in an instance's number
  std::uint64_t instances_ = 1;
  bool loops_ = false;
  Functions functions_;
};

}  // namespace woa::test
