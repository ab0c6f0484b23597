// Kernels of the program as C registers them: woa_kernel_register().
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

// The functions below are registered with it; it counts their calls.
struct Calls {
  std::atomic<int> created{0}, destroyed{0}, retired{0}, in_driver{0}, wrong{0};
  std::thread::id driver = std::this_thread::get_id();
};
// create() makes it of that.
struct Shouter {
  Calls* calls;
  std::string end;
};

woa_status create(const woa_param* params, std::size_t count, void** self, woa_error* error) {
  Calls* const calls = static_cast<Calls*>(*self);
  const std::string end = woa_param_text(params, count, "end");
  if (end == "refuse") return woa_fail(error, WOA_UNAVAILABLE, "the voice is gone");
  ++calls->created;
  *self = new Shouter{calls, end};
  return WOA_OK;
}

void destroy(void* self) {
  const Shouter* const shouter = static_cast<Shouter*>(self);
  ++shouter->calls->destroyed;
  delete shouter;
}

woa_status shout(void* self, const woa_firing* firing, const woa_input* ins, woa_output* outs, woa_error* error) {
  const Shouter& shouter = *static_cast<Shouter*>(self);
  if (std::this_thread::get_id() == shouter.calls->driver) ++shouter.calls->in_driver;
  std::uint64_t& fired = *static_cast<std::uint64_t*>(firing->state);
  if (fired++ != 0) ++shouter.calls->wrong;
  std::string text(reinterpret_cast<const char*>(ins[0].data), ins[0].bytes);
  if (text == "Fail") return woa_fail(error, WOA_INVALID, "'%s' cannot be shouted", text.c_str());
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  text += shouter.end;
  const woa_status claimed = woa_claim(&outs[0], "data", text.size(), error);
  if (claimed == WOA_OK) std::memcpy(outs[0].data, text.data(), text.size());
  return claimed;
}

void retire(void* self, void* state) {
  const Shouter& shouter = *static_cast<Shouter*>(self);
  ++shouter.calls->retired;
  if (*static_cast<std::uint64_t*>(state) != 1) ++shouter.calls->wrong;
}

constexpr woa_kernel kShout{WOA_KERNEL_HEAD,
                            .create = create,
                            .destroy = destroy,
                            .size = nullptr,
                            .run = shout,
                            .retire = retire,
                            .state_bytes = sizeof(std::uint64_t)};
const std::string kDescription =
    "woa_kernel: 1\nname: shout\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64}}\n"
    "params: {end: {type: string, default: \"!\"}}\nstateful: instance\nvariants: {cpu: {}}\n";
const std::string kGraph =
    "woa: 1\ngraph: shouts\ninputs: {x: {type: bytes, max: 32}}\nstages:\n"
    "  a: {kernel: shout, in: {data: x}, on: \"cpu:0\"}\n  b: {kernel: copy, in: {data: a.data}, on: \"cpu:1\"}\n"
    "  c: {kernel: shout, in: {data: b.data}, params: {end: \"?\"}}\noutputs: {y: c.data}\n";

// Writes the text that it was registered with.
woa_status say(void* self, const woa_firing*, const woa_input*, woa_output* outs, woa_error* error) {
  const char* const text = static_cast<const char*>(self);
  const woa_status claimed = woa_claim(&outs[0], "data", std::strlen(text), error);
  if (claimed == WOA_OK) std::memcpy(outs[0].data, text, std::strlen(text));
  return claimed;
}
// It has no create(), so nobody may destroy what is the program's.
constexpr woa_kernel kSay{
    WOA_KERNEL_HEAD, .create = nullptr, .destroy = [](void* self) { *static_cast<char*>(self) = '#'; },
    .size = nullptr, .run = say,        .retire = nullptr,
    .state_bytes = 0};
char first_text[] = "first", second_text[] = "second";

std::string description_of(const std::string& name, int max = 64) {
  return "woa_kernel: 1\nname: " + name +
         "\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: " + std::to_string(max) +
         "}}\nvariants: {cpu: {}}\n";
}
std::string graph_of(const std::string& name, const std::string& more = "") {
  return "woa: 1\ngraph: one\ninputs: {x: {type: bytes, max: 64}}\n" + more + "stages: {s: {kernel: " + name +
         ", in: {data: x}}}\noutputs: {y: s.data}\n";
}
std::string output_of(const woa_plan* plan) {
  Program program(plan, {});
  std::string text = "x";
  REQUIRE(program.submit(text) == WOA_OK);
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  return program.texts[0];
}

void shout_by(Calls& calls) {
  const woa_status registered = woa_kernel_register(kDescription.c_str(), &kShout, &calls);
  INFO(message());
  REQUIRE(registered == WOA_OK);
}

}  // namespace

TEST_CASE("a kernel of the program runs beside shipped ones, and every call has its counterpart") {
  for (const char* thread : {"caller", "own"}) {
    Calls calls;
    shout_by(calls);
    const Compiled compiled(kGraph);
    std::vector<std::string> texts(100);
    {
      Program program(compiled.plan, {{"thread", thread}});
      CHECK(calls.created == 2);
      for (std::size_t k = 0; k < texts.size();) {
        texts[k] = "text " + std::to_string(k);
        if (program.submit(texts[k]) == WOA_OK) {
          ++k;
        } else {
          REQUIRE(woa_run_work(program.run, kLimit_ns) == WOA_OK);
        }
      }
      REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
      CHECK(program.texts.at(99) == "TEXT 99!?");
      CHECK(program.texts.size() == texts.size());
    }
    CHECK(calls.created == 2);
    CHECK(calls.destroyed == 2);
    CHECK(calls.retired == 200);
    CHECK(calls.in_driver == 0);
    CHECK(calls.wrong == 0);
  }
}

TEST_CASE("the failure of a kernel of the program is the instance's, with its message") {
  Calls calls;
  shout_by(calls);
  const Compiled compiled(kGraph);
  Program program(compiled.plan, {});
  std::string wrong = "Fail", right = "x";
  REQUIRE(program.submit(wrong) == WOA_OK);
  REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
  REQUIRE(program.submit(right) == WOA_OK);
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  CHECK(program.statuses.at(0) == WOA_INVALID);
  CHECK(program.failures.at(0) == "a: 'Fail' cannot be shouted");
  CHECK(program.texts.at(1) == "X!?");
}

// It stays within the 64 bytes that outputs are aligned to, so no page is touched that nobody may touch.
woa_status overrun(void*, const woa_firing*, const woa_input*, woa_output* outs, woa_error* error) {
  volatile std::uint8_t* const data = outs[0].data;
  data[outs[0].capacity] = 1;
  return woa_claim(&outs[0], "data", 0, error);
}

TEST_CASE("a kernel of the program that writes behind its output is named by the option guard") {
  woa_kernel kernel = kSay;
  kernel.run = overrun;
  kernel.destroy = nullptr;
  REQUIRE(woa_kernel_register(description_of("overrun", 9).c_str(), &kernel, nullptr) == WOA_OK);
  const Compiled compiled(graph_of("overrun"));
  Program program(compiled.plan, {{"guard", "true"}});
  std::string text = "x";
  REQUIRE(program.submit(text) == WOA_OK);
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  CHECK(program.statuses.at(0) == WOA_BROKEN_CONTRACT);
  CHECK(program.failures.at(0) == "s: the kernel wrote behind the 9 bytes of output 'data'");
}

TEST_CASE("a create() that fails keeps the run from starting, and nothing is left behind") {
  Calls calls;
  shout_by(calls);
  const Compiled compiled(kGraph, {{"param", "c.end=refuse"}});
  const woa_run_setup setup{sizeof setup, nullptr, 0, nullptr, nullptr, nullptr};
  woa_run* run = nullptr;
  CHECK(woa_run_start(compiled.plan, &setup, &run) == WOA_NOT_FOUND);
  CHECK(message().find("stage 'c', kernel 'shout': the voice is gone") != std::string::npos);
  CHECK(run == nullptr);
  CHECK(calls.created == 1);
  CHECK(calls.destroyed == 1);
}

TEST_CASE("a name registered again is for plans that are compiled later; functions without create() get `user`") {
  REQUIRE(woa_kernel_register(description_of("say").c_str(), &kSay, first_text) == WOA_OK);
  const Compiled first(graph_of("say"));
  REQUIRE(woa_kernel_register(description_of("say").c_str(), &kSay, second_text) == WOA_OK);
  const Compiled second(graph_of("say"));
  CHECK(output_of(first.plan) == "first");
  CHECK(output_of(second.plan) == "second");
  CHECK(output_of(first.plan) == "first");
}

TEST_CASE("a kernel of the program goes before a shipped one, and before one that the graph names") {
  std::filesystem::create_directory("named_by_graph");
  std::ofstream("named_by_graph/kernel.yaml") << description_of("invert") << "library: libinvert.so\n";
  const std::string named = graph_of("invert", "kernels: [named_by_graph/kernel.yaml]\n");
  CHECK(output_of(Compiled(graph_of("invert")).plan) == std::string(1, static_cast<char>(~'x')));
  REQUIRE(woa_kernel_register(description_of("invert").c_str(), &kSay, first_text) == WOA_OK);
  CHECK(output_of(Compiled(graph_of("invert")).plan) == "first");
  CHECK(output_of(Compiled(named).plan) == "first");
}

TEST_CASE("a description that is wrong is refused, with its place and what to do") {
  const auto refused = [](const std::string& description, const woa_kernel* functions = &kShout,
                          woa_status as = WOA_INVALID) {
    CHECK(woa_kernel_register(description.c_str(), functions, nullptr) == as);
    return message();
  };
  const auto with = [](const std::string& found, const std::string& put) {
    std::string text = kDescription;
    return text.replace(text.find(found), found.size(), put);
  };
  CHECK(refused(with("max: 64", "max: much"))
            .starts_with("kernel of the program:4:32: error[E0113]: `max` is `much`, expected a size in bytes"));
  CHECK(refused(with("variants", "library: libshout.so\nvariants"))
            .find("a kernel of the program has its functions there, and no library; remove `library`") !=
        std::string::npos);
  CHECK(refused(with("cpu: {}", "rtl: {size: true, core: c, clock_mhz: 9}"))
            .find("runs on cpu controllers alone, and has no variant `rtl`; leave the variant out, or build a shared "
                  "library of the kernel (docs/kernels.md)") != std::string::npos);
  CHECK(refused("").starts_with("kernel of the program: error[E0105]: the file is empty"));
  CHECK(refused(with("name: shout\n", "")).find("`name`") != std::string::npos);
  CHECK(woa_kernel_register(nullptr, &kShout, nullptr) == WOA_INVALID);
  CHECK(message() == "a kernel needs a description: the text of a kernel.yaml");
  CHECK(refused(kDescription, nullptr) == "kernel 'shout' has no functions; give its woa_kernel");
  woa_kernel functions = kShout;
  functions.run = nullptr;
  CHECK(refused(kDescription, &functions) == "kernel 'shout' has no function `run`");
  functions = kShout;
  functions.abi = WOA_KERNEL_ABI + 1;
  CHECK(refused(kDescription, &functions, WOA_UNSUPPORTED).find("built for kernel interface 3, expected 2") !=
        std::string::npos);
}

TEST_CASE("a graph may misspell a kernel of the program, or pin it to a device; both errors say what to do") {
  Calls calls;
  shout_by(calls);
  std::string shown;
  const auto note = [](void* user, const woa_diagnostic* problem) {
    *static_cast<std::string*>(user) += problem->shown;
  };
  const auto refused = [&](const std::string& graph) {
    woa_plan* plan = nullptr;
    shown.clear();
    CHECK(woa_compile("graph.yaml", graph.c_str(), nullptr, 0, note, &shown, &plan) == WOA_INVALID);
    return shown;
  };
  CHECK(refused(graph_of("shuot")).find("did you mean `shout`?") != std::string::npos);
  const std::string pinned = "stages: {s: {kernel: shout, on: gpu, in: {data: x}}}\noutputs: {y: s.data}\n";
  CHECK(refused("woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 9}}\n" + pinned)
            .find("kernel `shout` of stage `s` has no variant `opencl`, which `gpu` needs") != std::string::npos);
  CHECK(shown.find("pin the stage to a kind that the kernel runs on: `cpu`") != std::string::npos);
}

TEST_CASE("a plan with kernels of the program goes nowhere else, and says so") {
  Calls calls;
  shout_by(calls);
  const Compiled compiled(kGraph);
  const std::string why =
      "stage 'a' runs kernel 'shout', functions of this program that no other process has; run the plan in this "
      "process (option processes one), or build a shared library of the kernel (docs/kernels.md)";
  std::ofstream("program_kernels.secret") << "a secret of more than sixteen bytes\n";
  const std::vector<woa_option> processes{{"processes", "per-controller"}};
  const std::vector<woa_option> wires{{"processes", "per-controller"}, {"transport", "ofi"}};
  const std::vector<woa_option> nodes{
      {"processes", "per-controller"}, {"nodes", "1"}, {"listen", "lo"}, {"secret", "program_kernels.secret"}};
  for (const std::vector<woa_option>& way : {processes, wires, nodes}) {
    const woa_run_setup setup{sizeof setup, way.data(), way.size(), nullptr, nullptr, nullptr};
    woa_run* run = nullptr;
    CHECK(woa_run_start(compiled.plan, &setup, &run) == WOA_UNSUPPORTED);
    CHECK(message() == "option processes per-controller: " + why);
    CHECK(run == nullptr);
  }
  std::filesystem::remove("program_kernels.plan");
  CHECK(woa_plan_write(compiled.plan, "program_kernels.plan") == WOA_UNSUPPORTED);
  CHECK(message() == "program_kernels.plan: not written: " + why);
  CHECK(!std::filesystem::exists("program_kernels.plan"));
  char* json = nullptr;
  REQUIRE(woa_plan_text(compiled.plan, "json", &json) == WOA_OK);
  CHECK(std::string(json).find("of the program") == std::string::npos);  // its description is no file
  woa_text_free(json);
  CHECK(calls.created == 0);
}

}  // namespace program
