#include "compiler/expand/includes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/parse/files.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

class IncludeLoader {
 public:
  IncludeLoader(GraphFile& file, Report& report) : file_(file), report_(report) {}

  void load_all(const fs::path& path, const fs::path& folder, const std::vector<IncludeRef>& includes) {
    around_.push_back({path, file_identity(path)});
    for (const KernelRef& kernel : file_.kernels) kernels_.insert(file_identity(folder / kernel.path));
    for (const IncludeRef& include : includes) load(include, folder);
  }

 private:
  struct Around {
    fs::path path;  // as written
    fs::path identity;
  };

  void load(const IncludeRef& include, const fs::path& folder) {
    const fs::path path = folder / include.path;
    fs::path id = file_identity(path);
    const auto cycle = std::find_if(around_.begin(), around_.end(), [&](const Around& a) { return a.identity == id; });
    if (cycle != around_.end()) return report_cycle(include, cycle - around_.begin());
    if (seen_.contains(id) || !within_limits(include)) return;
    seen_.insert(id);
    const bool all_named = std::exchange(file_.all_named, false);  // until it is read
    const bool all_kernels = std::exchange(file_.all_kernels, false);
    const std::optional<std::string> text = read_file(path, include.place, report_);
    if (!text) return;
    bytes_ += text->size();
    if (bytes_ > kMaxIncludedBytes) return report_limit(include, "64 MiB in all");
    const std::uint32_t source = report_.add_source(path.string(), *text);
    report_.set_includer(source, include.place);
    file_.folders[source] = path.parent_path();
    std::optional<GraphLibrary> library = read_library(source, report_);
    if (!library) return;
    file_.all_named = all_named && library->all_named;
    file_.all_kernels = all_kernels && library->all_kernels;
    add(*library, path.parent_path());
    around_.push_back({path, std::move(id)});
    for (const IncludeRef& inner : library->includes) load(inner, path.parent_path());
    around_.pop_back();
  }

  void add(GraphLibrary& library, const fs::path& folder) {
    std::move(library.graphs.begin(), library.graphs.end(), std::back_inserter(file_.graphs));
    std::set<fs::path> own;
    for (KernelRef& kernel : library.kernels) {
      fs::path id = file_identity(folder / kernel.path);
      if (!kernels_.contains(id)) file_.kernels.push_back(std::move(kernel));
      own.insert(std::move(id));
    }
    kernels_.merge(own);
  }

  void report_cycle(const IncludeRef& include, std::ptrdiff_t first) {
    std::string cycle;
    for (auto at = around_.begin() + first; at != around_.end(); ++at) cycle += quote_path(at->path) + " -> ";
    report_.error(problem::kIncludeCycle, include.place,
                  cat("this file includes itself: ", cycle, quote_path((around_.begin() + first)->path)),
                  "remove one of these includes; move what both files need into a third one");
  }

  bool within_limits(const IncludeRef& include) {
    if (seen_.size() >= kMaxIncludedFiles) {
      report_limit(include, cat(kMaxIncludedFiles, " files"));
    } else if (around_.size() > kMaxIncludeDepth) {
      report_limit(include, cat(kMaxIncludeDepth, " files deep"));
    } else {
      return true;
    }
    return false;
  }

  void report_limit(const IncludeRef& include, std::string_view limit) {
    file_.all_named = file_.all_kernels = false;
    if (std::exchange(over_limit_, true)) return;
    report_.error(problem::kTooManyIncludes, include.place, cat("more is included than ", limit),
                  "put sub-graphs that belong together into one file");
  }

  GraphFile& file_;
  Report& report_;
  std::vector<Around> around_;  // the files that include each other, from the graph to the one being read
  std::set<fs::path> seen_;     // identities
  std::set<fs::path> kernels_;  // identities of kernel.yaml files
  std::size_t bytes_ = 0;
  bool over_limit_ = false;
};

}  // namespace

void load_includes(GraphFile& file, const fs::path& path, const fs::path& folder, Report& report) {
  file.folders[file.source] = folder;
  if (file.includes.empty()) return;
  const std::vector<IncludeRef> includes = file.includes;  // a copy: loading changes `file`
  IncludeLoader(file, report).load_all(path, folder, includes);
}

}  // namespace woa
