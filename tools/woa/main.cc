// woa: compile task graphs and run them on CPU, GPU and FPGA controllers.
#include "tools/woa/command_line.h"
#include "tools/woa/help.h"

namespace woa::tools {
namespace {

constexpr const char* kAboutWoa =
    "woa - run task graphs on CPU, GPU and FPGA controllers that forward results downstream\n"
    "\n"
    "  woa check graphs/hello.yaml                  is this graph right?\n"
    "  woa run graphs/hello.yaml --in text=README.md --out copy=out.txt\n"
    "  woa run GRAPH --model rpc-hub --json         the same graph as remote procedure calls\n"
    "  woa compare graphs/hello.yaml --in text=README.md --run\n"
    "                                               what RPC would have cost, predicted and measured\n"
    "  woa explain graphs/hello.yaml                how payloads travel, and why\n"
    "  woa explain E0401                            what that error means, and its fix\n"
    "  woa explain resize_bilinear                  a kernel's ports, parameters and variants\n"
    "  woa new-kernel scale                         a kernel of your own: source, graph and test\n"
    "  woa devices                                  what can run here, and why not\n"
    "  woa doctor                                   what is missing or in the way here, and what to do\n"
    "  woa help run                                 the options of a command, with examples\n"
    "\n"
    "Installed, documents lie in share/doc/woa beside bin, and examples (graphs/ of the source) in "
    "share/woa/examples.\n";

}  // namespace
}  // namespace woa::tools

int main(int argc, char** argv) {
  using namespace woa::tools;
  return run_command_line(
      kAboutWoa,
      {add_check, add_lsp, add_compile, add_run, add_explain, add_devices, add_verify, add_compare, add_profile,
       add_calibrate, add_new_kernel, add_bench, add_node, add_serve, add_worker, add_doctor, add_help},
      {argv + 1, argv + argc});
}
