// A thin C++20 wrapper over woa.h: objects that free themselves, exceptions, spans and futures. It is
// headers alone. The rules of woa.h for threads, blocking and ownership hold here, too.
//
//     const woa::Plan plan = woa::Plan::compile("graph.yaml");
//     woa::Run run(plan);
//     std::future<woa::Outputs> result = run.submit([](woa::Room& room) { room.write(text); });
//     std::cout << result.get().text(0);
#ifndef WOA_WOA_HPP
#define WOA_WOA_HPP

#if __cplusplus < 202002L
#error "woa.hpp needs C++20: compile with -std=c++20"
#endif

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "woa.h"

namespace woa {

// A problem of a graph.
struct Diagnostic {
  bool is_error = true;
  std::string code, file;
  std::uint32_t line = 0, column = 0;
  std::string text, fix;
  std::string shown;  // as the compiler prints it
};

// Thrown by all of this header. what() has the place, what was found and expected, and what to do.
class Error : public std::runtime_error {
 public:
  Error(woa_status status, const std::string& message, std::vector<Diagnostic> diagnostics = {})
      : std::runtime_error(message), status_(status), diagnostics_(std::move(diagnostics)) {}
  [[nodiscard]] woa_status status() const noexcept { return status_; }
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }  // of a graph

 private:
  woa_status status_;
  std::vector<Diagnostic> diagnostics_;
};

// Names and values of woa_option.
using Options = std::vector<std::pair<std::string, std::string>>;

namespace detail {

inline void check(woa_status status) {
  if (status != WOA_OK) throw Error(status, woa_message());
}

inline std::vector<woa_option> views(const Options& options) {
  std::vector<woa_option> all;
  for (const auto& [name, value] : options) all.push_back({name.c_str(), value.c_str()});
  return all;
}

// Kernels and fills may answer only the first group of woa_status. `otherwise` stands for the rest.
inline woa_status answer(woa_status thrown, woa_status otherwise) {
  for (const woa_status allowed : {WOA_INVALID, WOA_UNSUPPORTED, WOA_UNAVAILABLE, WOA_EXHAUSTED, WOA_KERNEL_FAILED,
                                   WOA_TOO_LARGE, WOA_UNAUTHENTIC})
    if (thrown == allowed) return thrown;
  return otherwise;
}

inline std::string take(char* text) {
  const std::unique_ptr<char, void (*)(char*)> owned(text, woa_text_free);
  return owned.get();
}

}  // namespace detail

// An input or output of a graph.
struct Port {
  struct Dim {
    std::string name;
    std::uint32_t size = 0, max = 0;  // size 0: each token has its own
  };
  std::string name, element;
  std::vector<Dim> dims;
  std::uint64_t max_bytes = 0;
};

// A compiled graph. Copies share it.
class Plan {
 public:
  // Throws Error with the graph's diagnostics. Warnings go to `warnings`, if it is given.
  static Plan compile(const std::string& file, const Options& options = {},
                      std::vector<Diagnostic>* warnings = nullptr) {
    return Plan(file.c_str(), nullptr, options, warnings);
  }
  // `name` stands for the text in diagnostics; relative paths are relative to its folder.
  static Plan from_text(const std::string& text, const std::string& name = "graph.yaml", const Options& options = {},
                        std::vector<Diagnostic>* warnings = nullptr) {
    return Plan(name.c_str(), text.c_str(), options, warnings);
  }

  void write(const std::string& file) const { detail::check(woa_plan_write(get(), file.c_str())); }
  [[nodiscard]] std::string json() const { return text("json"); }
  [[nodiscard]] std::string dot() const { return text("dot"); }
  [[nodiscard]] std::vector<Port> inputs() const { return ports(WOA_IN); }
  [[nodiscard]] std::vector<Port> outputs() const { return ports(WOA_OUT); }
  [[nodiscard]] const woa_plan* get() const noexcept { return plan_.get(); }

 private:
  Plan(const char* file, const char* text, const Options& options, std::vector<Diagnostic>* warnings) {
    std::vector<Diagnostic> found;
    const std::vector<woa_option> given = detail::views(options);
    woa_plan* plan = nullptr;
    const woa_status status = woa_compile(file, text, given.data(), given.size(), note, &found, &plan);
    if (status != WOA_OK) throw Error(status, woa_message(), std::move(found));
    plan_.reset(plan, woa_plan_free);
    if (warnings != nullptr) *warnings = std::move(found);
  }
  static void note(void* user, const woa_diagnostic* told) {
    static_cast<std::vector<Diagnostic>*>(user)->push_back({told->severity == WOA_ERROR, told->code, told->file,
                                                            told->line, told->column, told->text, told->fix,
                                                            told->shown});
  }
  [[nodiscard]] std::string text(const char* form) const {
    char* text = nullptr;
    detail::check(woa_plan_text(get(), form, &text));
    return detail::take(text);
  }
  [[nodiscard]] std::vector<Port> ports(woa_direction direction) const {
    std::vector<Port> all;
    woa_port port;
    for (std::uint32_t k = 0; woa_plan_port(get(), direction, k, &port) == WOA_OK; ++k) {
      all.push_back({port.name, port.element, {}, port.max_bytes});
      for (std::uint32_t d = 0; d < port.rank; ++d)
        all.back().dims.push_back({port.dims[d].name, port.dims[d].size, port.dims[d].max});
    }
    return all;
  }

  std::shared_ptr<woa_plan> plan_;
};

// The memory of an instance's input: it is written in place, at the stage that reads it.
class Room {
 public:
  Room(std::uint64_t instance, std::uint32_t input, woa_output& room)
      : instance_(instance), input_(input), room_(room) {}
  [[nodiscard]] std::uint64_t instance() const noexcept { return instance_; }
  [[nodiscard]] std::uint32_t input() const noexcept { return input_; }  // number of the graph's input
  // The whole memory, in elements of the port. used() then tells how much was written.
  template <class T = std::byte>
  [[nodiscard]] std::span<T> all() const {
    return {reinterpret_cast<T*>(room_.data), room_.capacity / sizeof(T)};
  }
  // Sets the bytes that were written, and the size of a dimension that varies. Fixed sizes are set.
  void used(std::uint64_t bytes) { room_.bytes = bytes; }
  void dim(std::uint32_t number, std::uint32_t size) { room_.dims[number] = size; }
  // Copies a whole token of `bytes`, or of a port without dimensions that vary. Throws Error WOA_TOO_LARGE.
  template <class T>
  void write(std::span<const T> data) {
    if (data.size_bytes() > room_.capacity)
      throw Error(WOA_TOO_LARGE, std::to_string(data.size_bytes()) + " bytes given, but there is room for " +
                                     std::to_string(room_.capacity));
    if (!data.empty()) std::memcpy(room_.data, data.data(), data.size_bytes());
    room_.bytes = data.size_bytes();
  }
  void write(std::string_view text) { write(std::span(text.data(), text.size())); }

 private:
  std::uint64_t instance_;
  std::uint32_t input_;
  woa_output& room_;
};
// Called once for each input. An exception fails the instance with its message: as WOA_INVALID, or with the status of a
// woa::Error. A status that kernels may not answer (woa_kernel.h) becomes WOA_UNAVAILABLE.
using Fill = std::function<void(Room&)>;

// The outputs of an instance. Those of submit() are copies. Those of a callback are borrowed: they lie where the last
// stages wrote them, until it returns.
class Outputs {
 public:
  // `copy`: keeps the data itself.
  Outputs(std::uint64_t instance, std::span<const woa_input> outputs, bool copy)
      : instance_(instance), outputs_(outputs.begin(), outputs.end()) {
    if (!copy) return;
    for (woa_input& output : outputs_) {
      std::vector<std::uint8_t>& data = copies_.emplace_back();
      if (output.bytes != 0) data.assign(output.data, output.data + output.bytes);
      output.data = data.data();
    }
  }
  Outputs(Outputs&&) noexcept = default;
  Outputs& operator=(Outputs&&) noexcept = default;
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  ~Outputs() = default;

  [[nodiscard]] std::uint64_t instance() const noexcept { return instance_; }
  [[nodiscard]] std::size_t size() const noexcept { return outputs_.size(); }
  [[nodiscard]] bool absent(std::size_t k) const { return outputs_.at(k).absent != 0; }
  [[nodiscard]] std::span<const std::uint32_t> dims(std::size_t k) const {
    return {outputs_.at(k).dims, outputs_.at(k).rank};
  }
  template <class T = std::byte>
  [[nodiscard]] std::span<const T> data(std::size_t k) const {
    return {reinterpret_cast<const T*>(outputs_.at(k).data), outputs_[k].bytes / sizeof(T)};
  }
  [[nodiscard]] std::string_view text(std::size_t k) const {
    return {reinterpret_cast<const char*>(outputs_.at(k).data), outputs_[k].bytes};
  }

 private:
  std::uint64_t instance_;
  std::vector<woa_input> outputs_;
  std::vector<std::vector<std::uint8_t>> copies_;
};
// Called in the library's thread when an instance has ended: with borrowed outputs, or why it failed (outputs: null).
// May be empty. The run keeps the first exception until the next wait(), drain() or finish() throws it.
using OnEnd = std::function<void(std::uint64_t instance, const Outputs* outputs, const Error* error)>;

// A run that a thread of the library drives. Any thread may submit.
class Run {
 public:
  using OnMessage = std::function<void(const std::string&)>;  // may throw as OnEnd does

  explicit Run(const Plan& plan, Options options = {}, OnMessage on_message = {}) : on_message_(std::move(on_message)) {
    options.emplace_back("thread", "own");
    const std::vector<woa_option> given = detail::views(options);
    const woa_run_setup setup{sizeof setup, given.data(), given.size(), complete, this, tell};
    detail::check(woa_run_start(plan.get(), &setup, &run_));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  // Instances in flight are cancelled; their futures throw.
  ~Run() { close(); }

  // Submits an instance. While the window is full it waits in line, the first to come first; a thread has one in line,
  // and waits here before its next. The future has copies of its outputs, or throws Error with the stage's reason.
  // `deadline_ns`: from its place in the window on; 0 for the plan's. `instance`: receives its number, from 0 on.
  std::future<Outputs> submit(Fill fill, std::uint64_t deadline_ns = 0, std::uint64_t* instance = nullptr) {
    auto promise = std::make_shared<std::promise<Outputs>>();
    std::future<Outputs> result = promise->get_future();
    (void)push({this, std::move(fill), {}, std::move(promise)}, deadline_ns, WOA_FOREVER, instance);
    return result;
  }
  // Submits an instance whose outputs go to `on_end`, without a copy. False: there is no place in the window now;
  // wait() for one. A run that is closed ends no instances.
  bool try_submit(Fill fill, OnEnd on_end, std::uint64_t deadline_ns = 0, std::uint64_t* instance = nullptr) {
    return push({this, std::move(fill), std::move(on_end), nullptr}, deadline_ns, 0, instance);
  }
  // Until an instance has ended, or a place in the window is free. Not from a callback.
  void wait() { check(woa_run_work(run_, WOA_FOREVER)); }

  [[nodiscard]] woa_statistics statistics() const {
    woa_statistics statistics{};
    statistics.size = sizeof statistics;
    detail::check(woa_run_statistics(run_, &statistics));
    return statistics;
  }
  // All of the run.
  void cancel(const std::string& why) { detail::check(woa_run_cancel(run_, WOA_FOREVER, why.c_str())); }
  // One instance. False: it has ended, or was never submitted.
  bool cancel(std::uint64_t instance, const std::string& why) {
    const woa_status status = woa_run_cancel(run_, instance, why.c_str());
    if (status != WOA_NOT_FOUND) detail::check(status);
    return status == WOA_OK;
  }
  void drain() { check(woa_run_drain(run_, WOA_FOREVER)); }
  // Drains, and returns the object of `woa run --json`.
  std::string finish() {
    drain();
    char* json = nullptr;
    detail::check(woa_run_finish(run_, &json));
    return detail::take(json);
  }

 private:
  struct Submission {
    Run* run;
    Fill fill;
    OnEnd on_end;  // or
    std::shared_ptr<std::promise<Outputs>> promise;
  };

  // Throws what a callback threw, or else why the call failed.
  void check(woa_status status) {
    std::exception_ptr thrown;
    {
      const std::lock_guard lock(mutex_);
      thrown = std::exchange(thrown_, nullptr);
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
    detail::check(status);
  }
  // Keeps the exception that is being handled.
  void keep() {
    const std::lock_guard lock(mutex_);
    if (thrown_ == nullptr) thrown_ = std::current_exception();
  }
  bool push(Submission submission, std::uint64_t deadline_ns, std::uint64_t timeout_ns, std::uint64_t* instance) {
    auto owned = std::make_unique<Submission>(std::move(submission));
    {
      const std::lock_guard lock(mutex_);
      open_.insert(owned.get());
    }
    const woa_status status = woa_run_submit_within(run_, Run::fill, owned.get(), deadline_ns, timeout_ns, instance);
    if (status == WOA_OK) {
      (void)owned.release();  // complete() takes it
      return true;
    }
    {
      const std::lock_guard lock(mutex_);
      open_.erase(owned.get());
    }
    if (status != WOA_BACK_PRESSURED) throw Error(status, woa_message());
    return false;
  }
  static woa_status fill(void* user, std::uint64_t instance, std::uint32_t input, woa_output* room, woa_error* error) {
    try {
      Room given(instance, input, *room);
      static_cast<Submission*>(user)->fill(given);
      return WOA_OK;
    } catch (const Error& thrown) {
      return woa_fail(error, detail::answer(thrown.status(), WOA_UNAVAILABLE), "%s", thrown.what());
    } catch (const std::exception& thrown) {
      return woa_fail(error, WOA_INVALID, "%s", thrown.what());
    } catch (...) {
      return woa_fail(error, WOA_INVALID, "the program threw something that is no std::exception");
    }
  }
  static woa_taken complete(void* user, const woa_completion* done) {
    Run& run = *static_cast<Run*>(user);
    const std::unique_ptr<Submission> submission(static_cast<Submission*>(done->user));
    {
      const std::lock_guard lock(run.mutex_);
      run.open_.erase(submission.get());
    }
    try {
      end(*submission, *done);
    } catch (...) {
      run.keep();
    }
    return WOA_DONE;
  }
  static void end(const Submission& submission, const woa_completion& done) {
    const std::span<const woa_input> outputs(done.outputs, done.output_count);
    const bool failed = done.status != WOA_OK;
    const std::string stage = *done.stage == '\0' ? "" : "stage '" + std::string(done.stage) + "': ";
    const Error error(done.status, stage + done.message);
    if (submission.promise != nullptr && failed) {
      submission.promise->set_exception(std::make_exception_ptr(error));
    } else if (submission.promise != nullptr) {
      fulfil(*submission.promise, done.instance, outputs);
    } else if (submission.on_end) {
      const Outputs borrowed(done.instance, outputs, false);
      submission.on_end(done.instance, failed ? nullptr : &borrowed, failed ? &error : nullptr);
    }
  }
  static void fulfil(std::promise<Outputs>& promise, std::uint64_t instance, std::span<const woa_input> outputs) {
    try {
      promise.set_value(Outputs(instance, outputs, true));
    } catch (const std::bad_alloc&) {
      promise.set_exception(std::make_exception_ptr(
          Error(WOA_EXHAUSTED, "there is no memory for copies of the outputs; try_submit() lends them")));
    }
  }
  static void tell(void* user, const char* text) {
    Run& run = *static_cast<Run*>(user);
    try {
      if (run.on_message_) run.on_message_(text);
    } catch (...) {
      run.keep();
    }
  }
  void close() noexcept {
    woa_run_free(run_);
    for (Submission* const submission : open_) {
      if (submission->promise != nullptr)
        submission->promise->set_exception(
            std::make_exception_ptr(Error(WOA_CANCELLED, "the run was closed before the instance had ended")));
      delete submission;
    }
  }

  OnMessage on_message_;
  woa_run* run_ = nullptr;
  std::mutex mutex_;
  std::set<Submission*> open_;  // whose futures have no value yet
  std::exception_ptr thrown_;   // by a callback
};

}  // namespace woa

#endif
