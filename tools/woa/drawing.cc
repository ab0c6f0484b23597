#include "tools/woa/drawing.h"

#include <string>

#include "compiler/compiler.h"
#include "runtime/base/child_process.h"
#include "runtime/base/file.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kLayoutLimit_ns = 60'000'000'000;

Result<std::string> svg_of(const std::string& dot) {
  auto svg = run_program({"dot", "-Tsvg"}, dot, kLayoutLimit_ns);
  if (svg.ok()) return svg;
  if (svg.status().code() == Code::kNotFound)
    return {Code::kUnavailable,
            "--svg: Graphviz's program `dot`, which lays the picture out, is not installed; install graphviz, or write "
            "--dot FILE and lay that out elsewhere (`dot -Tsvg FILE`)"};
  return {Code::kUnavailable, "--svg: Graphviz's program `dot` " + svg.status().message() +
                                  "; write --dot FILE and lay that out in another way (`sfdp -Tsvg FILE` takes more)"};
}

}  // namespace

std::vector<WrittenFile> drawn_files(const DrawingOptions& options) {
  return given({{"--dot", options.dot}, {"--svg", options.svg}});
}

void add_drawing_options(CLI::App& command, DrawingOptions& options) {
  command
      .add_option("--dot", options.dot,
                  "Write the plan as a Graphviz picture: stages on their controllers, and traffic")
      ->type_name("FILE");
  command.add_option("--svg", options.svg, "Write the same as SVG; needs Graphviz's program `dot`")->type_name("FILE");
}

Status draw(const CertifiedPlan& plan, const DrawingOptions& options) {
  if (options.dot.empty() && options.svg.empty()) return {};
  const std::string dot = to_dot(plan);
  if (!options.dot.empty()) WOA_RETURN_IF_ERROR(write_file(options.dot, dot));
  if (options.svg.empty()) return {};
  const auto svg = svg_of(dot);
  return svg.ok() ? write_file(options.svg, *svg) : svg.status();
}

}  // namespace woa::tools
