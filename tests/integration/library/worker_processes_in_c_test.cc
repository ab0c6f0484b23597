// Kernels of the program in worker processes, as C registers them: woa_kernel_register_sent(), and the worker program.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

// Adds the text that it was made of and the number of its process. "fail" fails with an attachment.
woa_status add(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
  const std::string text(reinterpret_cast<const char*>(ins[0].data), ins[0].bytes);
  if (text == "fail") {
    woa_worker_attach("why", 3);
    return woa_fail(error, WOA_INVALID, "it was to fail");
  }
  const std::string made = text + " " + static_cast<const char*>(self) + " " + std::to_string(::getpid());
  const woa_status claimed = woa_claim(&outs[0], "data", made.size(), error);
  if (claimed == WOA_OK) std::memcpy(outs[0].data, made.data(), made.size());
  return claimed;
}

constexpr woa_kernel kAdd{WOA_KERNEL_HEAD, .create = nullptr, .destroy = nullptr, .size = nullptr,
                          .run = add,      .retire = nullptr, .state_bytes = 0};
char here[] = "here";
std::string attached;

woa_status send(void*, const void** bytes, std::size_t* size, woa_error*) {
  *bytes = "there";
  *size = sizeof "there";
  return WOA_OK;
}
woa_status refuse(void*, const void**, std::size_t*, woa_error* error) {
  return woa_fail(error, WOA_UNSUPPORTED, "it has a lock");
}
void take(void* self, std::uint64_t instance, const void* bytes, std::size_t size) {
  attached = std::string(static_cast<const char*>(self)) + " " + std::to_string(instance) + " " +
             std::string(static_cast<const char*>(bytes), size);
}

woa_status receive(void*, const void* bytes, std::size_t, const woa_kernel** functions, void** user, woa_error*) {
  *functions = &kAdd;
  *user = ::strdup(static_cast<const char*>(bytes));
  return WOA_OK;
}

std::string graph_with(const std::string& name, const woa_sending& sending) {
  const std::string description =
      "woa_kernel: 1\nname: " + name +
      "\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64}}\nvariants: {cpu: {}}\n";
  REQUIRE(woa_kernel_register_sent(description.c_str(), &kAdd, here, &sending) == WOA_OK);
  return "woa: 1\ngraph: one\ninputs: {x: {type: bytes, max: 64}}\nstages: {s: {kernel: " + name +
         ", in: {data: x}}}\noutputs: {y: s.data}\n";
}

std::vector<woa_option> options(const char* kernels) {
  static const std::string self = std::filesystem::canonical("/proc/self/exe").string();
  return {{"program-kernels", kernels},
          {"worker-command", self.c_str()},
          {"worker-command", "[.worker]"},
          {"workers", "1"}};
}

}  // namespace

// The worker program: this one, started with this test alone.
TEST_CASE("runs firings for another process", "[.worker]") {
  std::ifstream file("/proc/self/cmdline");
  const std::string command{std::istreambuf_iterator<char>(file), {}};
  if (command.find("[.worker]") != std::string::npos) CHECK(woa_worker_serve(receive, nullptr) == 0);
}

TEST_CASE("kernels of the program run in worker processes, whose failures bring what they attached") {
  const Compiled compiled(graph_with("adds", {send, take}));
  Program program(compiled.plan, options("processes"));
  std::vector<std::string> texts{"a", "fail", "b"};
  for (std::string& text : texts) REQUIRE(program.submit(text) == WOA_OK);
  REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
  CHECK(program.texts[0].starts_with("a there "));
  CHECK(program.texts[2].starts_with("b there "));
  CHECK_FALSE(program.texts[0].ends_with(" " + std::to_string(::getpid())));
  CHECK(attached == "here 1 why");
}

TEST_CASE("brief firings may stay here, and threads run all of them") {
  for (const char* kernels : {"long", "threads"}) {
    const Compiled compiled(graph_with(std::string("stays_") + kernels, {send, nullptr}));
    Program program(compiled.plan, options(kernels));
    std::string text = "a";
    REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
    CHECK(program.texts[0] == "a here " + std::to_string(::getpid()));
  }
}

TEST_CASE("a kernel that cannot be sent is refused by name, and a sending without a function") {
  const Compiled compiled(graph_with("locked", {refuse, nullptr}));
  const std::vector<woa_option> given = options("processes");
  const woa_run_setup setup{sizeof setup, given.data(), given.size(), Program::complete, nullptr, nullptr};
  woa_run* run = nullptr;
  CHECK(woa_run_start(compiled.plan, &setup, &run) == WOA_UNSUPPORTED);
  CHECK(message().find("worker processes cannot run stage 's', kernel 'locked': it has a lock") != std::string::npos);
  const woa_sending none{nullptr, nullptr};
  CHECK(woa_kernel_register_sent("woa_kernel: 1", &kAdd, here, &none) == WOA_INVALID);
  CHECK(woa_kernel_register_sent("woa_kernel: 1", &kAdd, here, nullptr) == WOA_INVALID);
}

}  // namespace program
