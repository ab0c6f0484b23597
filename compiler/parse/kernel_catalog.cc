#include "compiler/parse/kernel_catalog.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "compiler/parse/files.h"

namespace woa {
namespace fs = std::filesystem;

KernelCatalog::KernelCatalog(const GraphFile& graph, const CompileOptions& options, Report& report)
    : kernel_path_(options.kernel_path), report_(report), incomplete_(!graph.all_kernels) {
  for (const SubgraphDecl& each : graph.graphs) graphs_.insert(each.name);
  for (const auto& [name, described] : options.program_kernels) {
    const std::uint32_t source = report.add_text(cat("kernel ", name, " of the program"), described.description);
    const auto& slot = kernels_[name] = std::make_unique<Found>();
    slot->kernel = read_kernel(source, report, KernelHome::kProgram);
    slot->program_kernel = described.number;
  }
  for (const KernelRef& ref : graph.kernels) add_user_kernel(ref, graph.folders.at(ref.place.source));
}

KernelCatalog::KernelCatalog(std::vector<fs::path> kernel_path, Report& report)
    : kernel_path_(std::move(kernel_path)), report_(report) {}

void KernelCatalog::add_user_kernel(const KernelRef& ref, const fs::path& folder) {
  const std::string file = absolute_path(folder / ref.path);
  if (const auto [known, is_new] = user_files_.try_emplace(file, ref.place); !is_new) {
    report_.error(problem::kKernelTwice, ref.place, cat(quote_path(folder / ref.path), " is listed already"),
                  "remove it from `kernels`", {{known->second, "the first time"}});
    return;
  }
  Found found = load(folder / ref.path, ref.place);
  found.file = file;
  found.place = ref.place;
  incomplete_ = incomplete_ || !found.kernel;
  if (!found.kernel) return;
  std::unique_ptr<Found>& slot = kernels_[found.kernel->name];
  if (slot != nullptr && slot->program_kernel != 0) return;
  if (slot != nullptr) {
    report_.error(problem::kKernelTwice, ref.place,
                  cat("kernel ", quote(found.kernel->name), " is in ", quote_path(slot->file), " already"),
                  "rename one of them, or remove it from `kernels`", {{slot->place, "the other one"}});
    return;
  }
  slot = std::make_unique<Found>(std::move(found));
}

KernelCatalog::Found KernelCatalog::load(const fs::path& file, const Place& place) {
  Found found;
  const std::optional<std::string> text = read_file(file, place, report_);
  if (!text) return found;
  found.kernel = read_kernel(report_.add_source(file.string(), *text), report_);
  std::ifstream reason(file.parent_path() / "unavailable.txt");
  if (reason) {
    std::getline(reason, found.unavailable);
    if (found.unavailable.empty()) found.unavailable = "no reason is given";
  }
  if (found.kernel && found.unavailable.empty()) {
    const fs::path library = file.parent_path() / found.kernel->library;
    std::error_code ignored;
    if (!fs::exists(library, ignored)) found.unbuilt = library.string();
  }
  return found;
}

// The runtime looks for a kernel by the name that its kernel.yaml gives it.
void KernelCatalog::check_name(Found& found, const std::string& folder, const fs::path& file, const Place& place) {
  if (!found.kernel || found.kernel->name == folder) return;
  report_.error(
      problem::kBadKernel, place,
      cat(quote_path(file), " describes kernel ", quote(found.kernel->name), ", but its folder is ", quote(folder)),
      "give folder and kernel the same name");
  found.kernel.reset();
}

std::vector<std::string> KernelCatalog::names() const {
  std::vector<std::string> names;
  for (const auto& [known, found] : kernels_) {
    if (found != nullptr) names.push_back(known);
  }
  for (const fs::path& folder : kernel_path_) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      if (fs::exists(entry->path() / "kernel.yaml", ignored)) names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string KernelCatalog::instead_of(const std::string& name) const {
  if (graphs_.contains(name)) return cat(quote(name), " is a sub-graph: write `graph: ", name, "`");
  if (report_.full()) return {};
  const std::vector<std::string> known = names();
  if (known.empty()) {
    std::string folders;
    for (const fs::path& folder : kernel_path_) folders += cat(folders.empty() ? " in " : " or ", quote_path(folder));
    return cat("no kernel was found at all", folders, ": set WOA_KERNEL_PATH to the folder that theirs are in");
  }
  return suggest(name, known, "kernels");
}

void KernelCatalog::report_unknown(const std::string& name, const Place& place) {
  const std::string fix = instead_of(name);
  report_.error(problem::kUnknownKernel, place, cat("there is no kernel ", quote(name)), fix);
}

const KernelCatalog::Found* KernelCatalog::find(const std::string& name, const Place& place) {
  const auto known = kernels_.find(name);
  if (known == kernels_.end()) {
    for (const fs::path& folder : kernel_path_) {
      const fs::path file = folder / name / "kernel.yaml";
      std::error_code error;
      if (!fs::exists(file, error)) continue;
      const auto& slot = kernels_[name] = std::make_unique<Found>(load(file, place));
      check_name(*slot, name, file, place);
      return slot.get();
    }
  }
  if (known == kernels_.end() || known->second == nullptr) {
    if (!incomplete_) report_unknown(name, place);
    kernels_[name] = nullptr;
    return nullptr;
  }
  return known->second.get();
}

}  // namespace woa
