// What a kernel.yaml declares now, for whoever loads the kernel of a plan.
#include "compiler/compiler.h"
#include "compiler/parse/declaration.h"
#include "runtime/base/file.h"

namespace woa {

Result<KernelDeclaration> read_declaration(const std::filesystem::path& file, const std::string& variant) {
  const Result<std::string> text = read_regular_file(file, kMaxYamlBytes + 1);
  if (!text.ok()) return text.status().with_context("cannot read " + file.string());
  Report report;
  const std::optional<KernelDecl> kernel = read_kernel(report.add_source(file.string(), *text), report);
  if (!kernel) {
    const std::vector<Diagnostic> found = report.take();
    return Status(Code::kInvalid, found.empty() ? file.string() + " cannot be read" : format(found.front(), false));
  }
  const auto at = kernel->variants.find(variant);
  if (at != kernel->variants.end()) return declaration_of(*kernel, at->second);
  return Status(Code::kInvalid,
                file.string() + " has no variant '" + variant + "', which the plan is to run; compile the graph again");
}

}  // namespace woa
