// Any bytes, as a graph, as a kernel.yaml that a graph names, as a file that a graph includes and as a file of unknown
// kind that an editor has open: the compiler must answer with a plan that passes validate(), or with diagnostics, and
// never crash, hang or throw.
#include <cstdint>
#include <string>

#include "tests/fuzz/compiled.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace woa::fuzz;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string graph = text;
  if (data[0] % 4 == 1) {
    write("own.yaml", text);
    graph =
        "woa: 1\ngraph: g\nkernels: [own.yaml]\ninputs: {x: {type: bytes, max: 9}}\n"
        "stages: {s: {kernel: own, in: {in: x}}}\noutputs: {y: s.out}\n";
  } else if (data[0] % 4 == 3) {
    write("part.yaml", text);
    graph =
        "woa: 1\ngraph: g\nincludes: [part.yaml]\ninputs: {x: {type: bytes, max: 9}}\n"
        "stages: {s: {graph: part, in: {in: x}, params: {n: 3}}}\noutputs: {y: s.out}\n";
  }
  if (data[0] % 8 == 2) (void)woa::check_text(text, folder() / "graph.yaml", options());
  check(woa::compile_text(graph, "graph.yaml", folder(), options()));
  return 0;
}
