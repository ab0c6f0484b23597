// Finds kernels by name: among those of the program, those that the graph names, then in the folders of the kernel
// path.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/options.h"
#include "compiler/parse/graph_file.h"
#include "compiler/parse/kernel_file.h"

namespace woa {

class KernelCatalog {
 public:
  struct Found {
    std::optional<KernelDecl> kernel;  // nothing: the file has errors, or the kernel is not available
    std::string file;                  // absolute path of a user's kernel.yaml; empty on the kernel path
    std::string unavailable;           // why it is not available; else empty
    std::string unbuilt;               // path of its library, if no such file is there; else empty
    Place place = {};                  // of a user's kernel: the entry of the graph that names its file
    std::uint32_t program_kernel = 0;  // number of a kernel of the program; 0: it is another
  };

  // Reads the program's kernels and the user's.
  KernelCatalog(const GraphFile& graph, const CompileOptions& options, Report& report);
  // Without a graph: the kernel path only.
  KernelCatalog(std::vector<std::filesystem::path> kernel_path, Report& report);

  // The kernel of that name, read once; null after a report at `place`. The errors of its file are reported once.
  const Found* find(const std::string& name, const Place& place);
  // The kernel that `file` describes, whatever its name. `place` is of the entry that names the file.
  Found load(const std::filesystem::path& file, const Place& place);
  // Names of all kernels, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  void add_user_kernel(const KernelRef& ref, const std::filesystem::path& folder);
  void check_name(Found& found, const std::string& folder, const std::filesystem::path& file, const Place& place);
  [[nodiscard]] std::string instead_of(const std::string& name) const;  // a fix
  void report_unknown(const std::string& name, const Place& place);

  std::vector<std::filesystem::path> kernel_path_;
  Report& report_;
  std::map<std::string, std::unique_ptr<Found>> kernels_;  // null: unknown
  std::map<std::string, Place> user_files_;                // by absolute path: where it was named first
  std::set<std::string> graphs_;                           // names of sub-graphs, which are no kernels
  bool incomplete_ = false;  // a user's kernel of unknown name has errors or is not even named
};

}  // namespace woa
