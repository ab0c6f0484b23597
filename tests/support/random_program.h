// Random graphs for tests, and what each means, without tokens, tags or controllers: a graph consists of nested parts,
// and each part computes its output from its input. The kernels are pure functions of a stage's name and its inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace woa::test {

// The value of output `port` of a stage for these inputs; an absent input is the text "absent".
std::string value_of(const std::string& stage, std::uint32_t port, const std::vector<std::string>& inputs);
// The way, of `choices`, that the stage takes.
std::size_t choice_of(const std::string& stage, std::size_t choices, const std::vector<std::string>& inputs);
class RandomProgram {
 public:
  // Makes about `stages` stages; with `state`, some in scatters keep state of an instance; with `replicas`, some have
  // replicas. Some graphs avoid what rpc-polled or rpc-nested cannot run.
  RandomProgram(std::mt19937& random, std::size_t stages, bool state = false, bool replicas = true);
  // Makes one stage read something else, or something more: most such graphs are wrong. The graph then has no meaning.
  void rewire();

  // The graph file: one input `x`, one output `y`.
  [[nodiscard]] std::string text() const;
  // The part of it from `stages:` on.
  [[nodiscard]] std::string body() const;
  // s0, s1, ...; replicas of a stage count once.
  [[nodiscard]] std::size_t stages() const noexcept { return stages_.size(); }
  [[nodiscard]] std::string kernel_of(std::size_t stage) const;
  // `y` for an `x`; nothing if some loop would take more turns than it may.
  [[nodiscard]] std::optional<std::string> expect(const std::string& x) const;

 private:
  using Writers = std::vector<std::string>;
  using Meaning = std::function<std::string(const std::string&)>;
  // kPlain: also without choices, loops and replicas.
  enum class Kind : std::uint8_t { kAny, kWithoutScatters, kPlain };
  struct Part {
    Writers out;  // alternatives, one of which writes
    Meaning meaning;
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  std::string add(const std::string& kernel, const std::string& inputs);
  std::string placement();
  Part block(const Writers& in, std::size_t budget, int depth);
  Part single(const Writers& in);
  Part series(const Writers& in, std::size_t budget, int depth);
  Part branch(const Writers& in, std::size_t budget, int depth);
  Part with_input(const Part& part);
  Part parallel(const Writers& in, std::size_t budget, int depth, bool held);
  Part optional(const Writers& in);
  Part scatter(const Writers& in, std::size_t budget, int depth);
  Part tally(const Part& before);
  Part self_loop(const Writers& in, bool two_exits);
  Part absent_loop(const Writers& in);
  Part loop(const Writers& in, std::size_t budget, int depth);

  std::mt19937& random_;
  const Kind kind_;
  const bool state_, replicas_;
  std::vector<std::string> stages_;  // lines of the file
  std::size_t loops_ = 0;
  int scatters_around_ = 0;
  Meaning meaning_;
  Writers out_;
  mutable std::string x_;                            // the graph's input, while expect() works
  mutable std::map<std::string, std::string> last_;  // while expect() works: the last value of a stage that keeps state
};

}  // namespace woa::test
