// woa.h as a C program uses it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/graphs.h"
#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

const std::vector<std::vector<woa_option>> kWays{{{"processes", "one"}, {"thread", "caller"}},
                                                 {{"processes", "one"}, {"thread", "own"}},
                                                 {{"processes", "per-controller"}, {"thread", "caller"}},
                                                 {{"processes", "per-controller"}, {"thread", "own"}}};

}  // namespace

TEST_CASE("instances go through in every way to drive a run, and back-pressure is an outcome") {
  const Compiled compiled(kCopies, {{"window", "4"}});
  for (const std::vector<woa_option>& way : kWays) {
    INFO(way[0].value << ", " << way[1].value);
    Program program(compiled.plan, way);
    std::vector<std::string> texts(500);
    bool pressed = false;
    for (std::size_t k = 0; k < texts.size();) {
      texts[k] = "text " + std::to_string(k);
      const woa_status pushed = program.submit(texts[k]);
      if (pushed == WOA_OK) {
        ++k;
        continue;
      }
      REQUIRE(pushed == WOA_BACK_PRESSURED);
      pressed = true;
      REQUIRE(woa_run_work(program.run, kLimit_ns) == WOA_OK);
    }
    CHECK(pressed);
    char* json = nullptr;
    REQUIRE(woa_run_finish(program.run, &json) == WOA_OK);
    CHECK(std::string(json).find("\"instances\":500") != std::string::npos);
    woa_text_free(json);
    REQUIRE(program.texts.size() == 500);
    for (std::size_t k = 0; k < texts.size(); ++k) REQUIRE(program.texts.at(k) == texts[k]);
    CHECK(program.submit(texts[0]) == WOA_INVALID);
    CHECK(message() == "the run has finished; start another");
    CHECK(woa_run_finish(program.run, nullptr) == WOA_INVALID);
  }
}

TEST_CASE("an instance whose input cannot be given fails with the reason, and the others go on") {
  const Compiled compiled(kCopies);
  for (const std::vector<woa_option>& way : kWays) {
    Program program(compiled.plan, way);
    std::string good = "good", refused = "refuse", long_text(65, 'x');
    for (std::string* text : {&good, &refused, &long_text, &good}) REQUIRE(program.submit(*text) == WOA_OK);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    CHECK(program.statuses ==
          std::map<std::uint64_t, woa_status>{{0, WOA_OK}, {1, WOA_UNAVAILABLE}, {2, WOA_TOO_LARGE}, {3, WOA_OK}});
    CHECK(program.failures.at(1) == "source: input 'x': the file is gone");
    CHECK(program.failures.at(2) ==
          "source: input 'x': 65 bytes given, but there is room for 64; raise `max` of this input in the graph");
    woa_statistics statistics{};
    statistics.size = sizeof statistics;
    REQUIRE(woa_run_statistics(program.run, &statistics) == WOA_OK);
    CHECK(statistics.submitted == 4);
    CHECK(statistics.succeeded == 2);
    CHECK(statistics.failed == 2);
    CHECK(statistics.in_flight == 0);
    CHECK(statistics.latency_max_ns >= statistics.latency_p50_ns);
    CHECK(statistics.latency_p50_ns > 0);
  }
}

TEST_CASE("data that lie ready are handed over") {
  const Compiled compiled(kCopies);
  Program program(compiled.plan, {});
  std::string text = "lies ready", large(65, 'x');
  const auto submit = [&](const std::string& data) {
    woa_input input{};
    input.data = reinterpret_cast<const std::uint8_t*>(data.data());
    input.bytes = data.size();
    REQUIRE(woa_run_submit(program.run, woa_fill_from, &input, 0, nullptr) == WOA_OK);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
  };
  submit(text);
  submit(large);
  submit("");
  CHECK(program.texts == std::map<std::uint64_t, std::string>{{0, text}, {2, ""}});
  CHECK(program.statuses.at(1) == WOA_TOO_LARGE);
}

TEST_CASE("kept outputs hold the window until they are given back") {
  const Compiled compiled(kCopies, {{"window", "2"}});
  for (const std::vector<woa_option>& way : kWays) {
    Program program(compiled.plan, way);
    program.keep = true;
    std::string text = "kept";
    REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    REQUIRE(program.submit(text) == WOA_BACK_PRESSURED);
    REQUIRE(woa_run_give_back(program.run, 0) == WOA_OK);
    CHECK(woa_run_give_back(program.run, 0) == WOA_NOT_FOUND);
    CHECK(message() == "the outputs of instance 0 are not kept");
    while (program.submit(text) == WOA_BACK_PRESSURED) REQUIRE(woa_run_work(program.run, kLimit_ns) == WOA_OK);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    CHECK(program.texts.at(2) == "kept");
    CHECK(woa_run_finish(program.run, nullptr) == WOA_OK);
  }
}

TEST_CASE("deadlines and cancels of one instance, and of the run") {
  const Compiled compiled(kSlow, {{"window", "3"}});
  for (const std::vector<woa_option>& way : kWays) {
    Program program(compiled.plan, way);
    std::string text = "x", wrong = "Fail";
    REQUIRE(program.submit(text, 1'000'000) == WOA_OK);  // a millisecond
    REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(program.submit(wrong) == WOA_OK);
    REQUIRE(woa_run_cancel(program.run, 1, "the user left") == WOA_OK);
    CHECK(woa_run_cancel(program.run, 9, nullptr) == WOA_NOT_FOUND);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    CHECK(program.statuses ==
          std::map<std::uint64_t, woa_status>{{0, WOA_DEADLINE_EXCEEDED}, {1, WOA_CANCELLED}, {2, WOA_KERNEL_FAILED}});
    CHECK(program.failures.at(1) == ": the user left");
    CHECK(program.failures.at(2).starts_with("s: "));
    REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(woa_run_cancel(program.run, WOA_FOREVER, "all of it") == WOA_OK);
    CHECK(woa_run_drain(program.run, kLimit_ns) == WOA_CANCELLED);
    CHECK(message() == "all of it");
    CHECK(program.statuses.at(3) == WOA_CANCELLED);
    CHECK(program.submit(text) == WOA_CANCELLED);
    CHECK(woa_run_finish(program.run, nullptr) == WOA_CANCELLED);
  }
}

TEST_CASE("a run that is freed in mid-run ends, and calls nobody back") {
  const Compiled compiled(kSlow);
  for (const std::vector<woa_option>& way : kWays) {
    Program program(compiled.plan, way);
    std::string text = "x";
    REQUIRE(program.submit(text) == WOA_OK);
    CHECK(woa_run_work(program.run, 1'000'000) == WOA_TIMED_OUT);
    woa_run_free(program.run);
    program.run = nullptr;
    CHECK(program.statuses.empty());
  }
}

TEST_CASE("several threads submit to one run, and two runs go on side by side") {
  const Compiled compiled(kCopies);
  const auto serve = [&compiled] {
    Program program(compiled.plan, {{"thread", "own"}});
    std::vector<std::jthread> threads;
    std::string text = "from a thread";
    std::atomic<int> wrong{0};
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 200;) {
          const woa_status pushed = program.submit(text);
          if (pushed == WOA_OK) {
            ++k;
          } else if (pushed != WOA_BACK_PRESSURED || woa_run_work(program.run, kLimit_ns) > WOA_TIMED_OUT) {
            ++wrong;
            return;
          }
        }
      });
    threads.clear();
    if (woa_run_finish(program.run, nullptr) != WOA_OK) ++wrong;
    for (const auto& [instance, output] : program.texts) wrong += output == text ? 0 : 1;
    return wrong == 0 && program.texts.size() == 600;
  };
  bool other = false;
  std::jthread second([&] { other = serve(); });
  CHECK(serve());
  second.join();
  CHECK(other);
}

TEST_CASE("the library tells its version, and names its answers") {
  CHECK(std::string(woa_version()).find('.') != std::string::npos);
  CHECK(std::string(woa_status_name(WOA_BACK_PRESSURED)) == "back_pressured");
}

TEST_CASE("a run of the library's thread outlives the thread that started it") {
  const Compiled compiled(kCopies);
  for (const char* const processes : {"one", "per-controller"}) {
    std::unique_ptr<Program> program;
    std::jthread([&] {
      program = std::make_unique<Program>(compiled.plan,
                                          std::vector<woa_option>{{"thread", "own"}, {"processes", processes}});
    }).join();
    std::string text = "still there";
    REQUIRE(program->submit(text) == WOA_OK);
    REQUIRE(woa_run_drain(program->run, kLimit_ns) == WOA_OK);
    CHECK(program->texts.at(0) == text);
    CHECK(woa_run_finish(program->run, nullptr) == WOA_OK);
  }
}

TEST_CASE("a forked child has no run, and leaves that of its parent alone") {
  const Compiled compiled(kCopies);
  for (const std::vector<woa_option>& way : kWays) {
    Program program(compiled.plan, way);
    std::string text = "x";
    const pid_t child = fork();
    if (child == 0) {
      const bool refused = program.submit(text) == WOA_UNSUPPORTED && message().starts_with("this process was forked");
      woa_run_free(program.run);
      _exit(refused ? 0 : 1);
    }
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    REQUIRE(program.submit(text) == WOA_OK);
    CHECK(woa_run_finish(program.run, nullptr) == WOA_OK);
    CHECK(program.texts.at(0) == "x");
  }
}

TEST_CASE("problems of a graph come one by one, with place, code and fix") {
  std::vector<std::string> told;
  const auto note = [](void* user, const woa_diagnostic* problem) {
    static_cast<std::vector<std::string>*>(user)->push_back(
        std::string(problem->file) + ":" + std::to_string(problem->line) + " " + problem->code + " " + problem->fix);
    CHECK(problem->severity == WOA_ERROR);
    CHECK(std::string(problem->shown).find("error[" + std::string(problem->code) + "]") != std::string::npos);
  };
  std::string graph = kCopies;
  graph.replace(graph.find("kernel: copy"), 12, "kernel: kopy");
  graph.replace(graph.find("b.data"), 6, "b.dota");
  woa_plan* plan = nullptr;
  REQUIRE(woa_compile("folder/graph.yaml", graph.c_str(), nullptr, 0, note, &told, &plan) == WOA_INVALID);
  CHECK(plan == nullptr);
  REQUIRE(told.size() == 2);
  CHECK(told[0].starts_with("folder/graph.yaml:5 E"));
  CHECK(message().find(told[0].substr(0, 17)) == 0);
  CHECK(message().ends_with("(and 1 more)"));
  char* page = nullptr;
  REQUIRE(woa_page(told[0].substr(20, 5).c_str(), &page) == WOA_OK);
  CHECK(std::string(page).starts_with("# E"));
  woa_text_free(page);
  CHECK(woa_page("E9999", &page) == WOA_NOT_FOUND);
}

TEST_CASE("options are those of the commands, and a wrong one names itself") {
  woa_plan* plan = nullptr;
  const auto refused = [&](const char* name, const char* value) {
    const woa_option option{name, value};
    CHECK(woa_compile("g.yaml", kCopies.c_str(), &option, 1, nullptr, nullptr, &plan) == WOA_INVALID);
    return message();
  };
  CHECK(refused("windw", "4") == "there is no option 'windw'; did you mean 'window'? (woa_options() lists them)");
  CHECK(refused("window", "0").find("window") != std::string::npos);
  CHECK(refused("window", nullptr) == "option number 0 has no name or no value");
  CHECK(refused("params", "x=y").starts_with("there is no option 'params'; did you mean 'param'?"));
  const Compiled compiled(kCopies);
  const woa_option late{"processes", "many"};
  const woa_run_setup setup{sizeof setup, &late, 1, nullptr, nullptr, nullptr};
  woa_run* run = nullptr;
  CHECK(woa_run_start(compiled.plan, &setup, &run) == WOA_INVALID);
  CHECK(message().find("many") != std::string::npos);
  const woa_run_setup old{8, nullptr, 0, nullptr, nullptr, nullptr};
  CHECK(woa_run_start(compiled.plan, &old, &run) == WOA_UNSUPPORTED);
  CHECK(run == nullptr);
  for (const char* of : {"compile", "run"}) {
    char* json = nullptr;
    REQUIRE(woa_options(of, &json) == WOA_OK);
    CHECK(std::string(json).find(of == std::string("run") ? "\"thread\"" : "\"window\"") != std::string::npos);
    woa_text_free(json);
  }
}

TEST_CASE("a plan is described, written and read; one of another version is refused") {
  const Compiled compiled(kImage);
  woa_port port;
  REQUIRE(woa_plan_port(compiled.plan, WOA_IN, 0, &port) == WOA_OK);
  CHECK(std::string(port.name) == "x");
  CHECK(std::string(port.element) == "u8");
  REQUIRE(port.rank == 3);
  CHECK(port.dims[0].size == 0);
  CHECK(std::string(port.dims[0].name) == "height");
  CHECK(port.dims[0].max == 16);
  CHECK(port.dims[2].size == 3);
  CHECK(woa_plan_port(compiled.plan, WOA_OUT, 1, &port) == WOA_NOT_FOUND);
  CHECK(message() == "the graph has no output number 1");
  const std::string file = "library_test.plan";
  REQUIRE(woa_plan_write(compiled.plan, file.c_str()) == WOA_OK);
  woa_plan* again = nullptr;
  REQUIRE(woa_compile(file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, &again) == WOA_OK);
  char *first = nullptr, *second = nullptr;
  REQUIRE(woa_plan_text(compiled.plan, "dot", &first) == WOA_OK);
  REQUIRE(woa_plan_text(again, "dot", &second) == WOA_OK);
  CHECK(std::string(first) == second);
  woa_text_free(first), woa_text_free(second);
  woa_plan_free(again);
  CHECK(woa_plan_text(compiled.plan, "png", &first) == WOA_NOT_FOUND);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(8).put('\x63');
  CHECK(woa_compile(file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, &again) == WOA_UNSUPPORTED);
  CHECK(message().find("version") != std::string::npos);
  CHECK(woa_plan_write(compiled.plan, "/no/such/folder/file") != WOA_OK);
}

TEST_CASE("dimensions that vary are the program's to set, and are held against the port") {
  const Compiled compiled(kImage);
  const auto ends_as = [&](woa_fill fill) {
    woa_status ended = WOA_INTERNAL;
    const auto complete = [](void* user, const woa_completion* done) {
      *static_cast<woa_status*>(user) = done->status;
      if (done->status == WOA_OK)
        CHECK((done->outputs[0].dims[0] == 4 && done->outputs[0].dims[1] == 5 && done->outputs[0].dims[2] == 3));
      return WOA_DONE;
    };
    const woa_run_setup setup{sizeof setup, nullptr, 0, complete, &ended, nullptr};
    woa_run* run = nullptr;
    REQUIRE(woa_run_start(compiled.plan, &setup, &run) == WOA_OK);
    REQUIRE(woa_run_submit(run, fill, nullptr, 0, nullptr) == WOA_OK);
    CHECK(woa_run_drain(run, kLimit_ns) == WOA_OK);
    woa_run_free(run);
    return ended;
  };
  CHECK(ends_as([](void*, std::uint64_t, std::uint32_t, woa_output* room, woa_error*) {
          CHECK(room->dims[2] == 3);
          room->dims[0] = 4, room->dims[1] = 5, room->bytes = 60;
          std::memset(room->data, 7, 60);
          return WOA_OK;
        }) == WOA_OK);
  CHECK(ends_as([](void*, std::uint64_t, std::uint32_t, woa_output* room, woa_error*) {
          room->dims[0] = 4, room->dims[1] = 5, room->bytes = 61;
          return WOA_OK;
        }) == WOA_INVALID);
  CHECK(ends_as([](void*, std::uint64_t, std::uint32_t, woa_output* room, woa_error*) {
          room->dims[0] = 17, room->dims[1] = 1, room->bytes = 51;
          return WOA_OK;
        }) == WOA_INVALID);
}

}  // namespace program
