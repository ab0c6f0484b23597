// woa: compile task graphs and run them on CPU, GPU and FPGA controllers.
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"
#include "tools/woa/usage_error.h"

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
    "  woa devices                                  what can run here, and why not\n";

int parse_and_run(int argc, char** argv) {
  CLI::App app(kAboutWoa, "woa");
  Action action;
  app.require_subcommand(1);
  app.option_defaults()->disable_flag_override();  // `--json=no` is a slip, not a wish; `=true` says nothing new
  app.set_version_flag("--version", "woa " WOA_VERSION);
  add_check(app, action);
  add_lsp(app, action);
  add_compile(app, action);
  add_run(app, action);
  add_explain(app, action);
  add_devices(app, action);
  add_verify(app, action);
  add_compare(app, action);
  add_profile(app, action);
  add_calibrate(app, action);
  add_bench(app, action);
  add_node(app, action);
  add_serve(app, action);
  if (argc > 1 && argv[1][0] != '-' && find_command(app, argv[1]) == nullptr)
    return fail({Code::kInvalid, unknown_command(app, argv[1])}, kUsage, wants_json(argc, argv));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail({Code::kInvalid, usage_error(app, error)}, kUsage, wants_json(argc, argv));
  }
  if (const std::string empty = empty_value(app); !empty.empty())
    return fail({Code::kInvalid, empty}, kUsage, wants_json(argc, argv));
  return action();
}

}  // namespace
}  // namespace woa::tools

int main(int argc, char** argv) {
  return woa::tools::run_process(argc, argv, [&] { return woa::tools::parse_and_run(argc, argv); });
}
