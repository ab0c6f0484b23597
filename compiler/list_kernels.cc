// What is on the kernel path, for `woa devices`.
#include <algorithm>

#include "compiler/check/kernel_catalog.h"
#include "compiler/compiler.h"
#include "compiler/report.h"

namespace woa {

std::vector<KernelListing> list_kernels(const std::vector<std::filesystem::path>& kernel_path) {
  Report report;
  KernelCatalog catalog(kernel_path, report);
  std::vector<KernelListing> list;
  for (const std::string& name : catalog.names()) {
    KernelListing entry{name, "", {}, ""};
    const auto* found = catalog.find(name, {});
    if (found == nullptr || (!found->kernel && found->unavailable.empty())) {
      entry.reason = "its kernel.yaml has errors";
    } else {
      entry.reason = found->unavailable;
    }
    if (found != nullptr && found->kernel) {
      entry.summary = found->kernel->summary;
      for (const auto& [kind, variant] : found->kernel->variants) entry.variants.push_back(kind);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace woa
