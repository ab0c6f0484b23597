// The kernels that example graphs and tests are made of.
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "tests/support/kernel_under_test.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kRoom = 4096;

void check_create_fails(const std::string& kernel, const Params& params, std::string_view part) {
  const KernelUnderTest under_test(kernel, params, {});
  INFO(under_test.created().message);
  CHECK(under_test.created().status == WOA_INVALID);
  CHECK(contains(under_test.created().message, part));
}

TEST_CASE("null writes as many zeros as it is told, whatever comes in") {
  for (const std::string bytes : {"0", "1", "64"}) {
    const KernelUnderTest null("null", {{"bytes", bytes}}, {{64, 0}});
    REQUIRE(null.created().status == WOA_OK);
    for (const Token& in : {text(""), text("anything")}) {
      const Answer answer = null.run({in});
      REQUIRE(answer.status == WOA_OK);
      CHECK(*answer.outs[0] == Token{Bytes(std::stoul(bytes), 0)});
    }
  }
  check_create_fails("null", {}, "'bytes' is missing");
  for (const char* wrong : {"65", "-1", "", "x", "1x", " 1", "99999999999999999999"}) {
    check_create_fails("null", {{"bytes", wrong}}, "from 0 to 64");
  }
}

TEST_CASE("count_down goes on until it is done") {
  const KernelUnderTest count_down("count_down", {}, {{8, 1}, {8, 1}});
  std::int64_t n = 5;
  for (std::int64_t left = 4; left >= 0; --left) {
    const Answer answer = count_down.run({array<std::int64_t>({n})});
    REQUIRE(answer.status == WOA_OK);
    REQUIRE(!answer.outs[1]);
    CHECK(*answer.outs[0] == array<std::int64_t>({left}));
    n = elements<std::int64_t>(*answer.outs[0])[0];
  }
  const Answer last = count_down.run({array<std::int64_t>({0})});
  REQUIRE(last.status == WOA_OK);
  CHECK(!last.outs[0]);
  CHECK(*last.outs[1] == array<std::int64_t>({0}));
  const Answer wrong = count_down.run({array<std::int64_t>({-3})});
  CHECK(wrong.status == WOA_INVALID);
  CHECK(contains(wrong.message, "-3"));
}

TEST_CASE("newton_step finds square roots in a few turns") {
  const KernelUnderTest newton("newton_step", {}, {{kRoom, 1}, {kRoom, 1}});
  const std::vector<double> f{0, 1, 2, 144, 1e-300, 1e300, 0.25};
  Token x = array<double>({3, 1, 1, 100, 1e-140, 1e140, 7});
  int turns = 1;
  Answer answer = newton.run({x, array(f)});
  for (; answer.status == WOA_OK && answer.outs[0]; ++turns) {
    REQUIRE(!answer.outs[1]);
    REQUIRE(turns < 60);
    answer = newton.run({*answer.outs[0], array(f)});
  }
  REQUIRE(answer.status == WOA_OK);
  REQUIRE(answer.outs[1]);
  CHECK(answer.outs[1]->dims == Dims{7});
  const auto roots = elements<double>(*answer.outs[1]);
  for (std::size_t i = 0; i < f.size(); ++i) {
    CHECK(std::fabs(roots[i] - std::sqrt(f[i])) <= 1e-15 * std::sqrt(f[i]));
  }
  CHECK(turns > 5);
}

TEST_CASE("newton_step takes no elements, and refuses what has no root") {
  const KernelUnderTest newton("newton_step", {}, {{kRoom, 1}, {kRoom, 1}});
  const Answer empty = newton.run({array<double>({}), array<double>({})});
  REQUIRE(empty.status == WOA_OK);
  CHECK(*empty.outs[1] == array<double>({}));
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const auto& [x, f] : {std::pair{1.0, -1.0}, {-1.0, 4.0}, {0.0, 4.0}, {nan, 1.0}, {1.0, nan}, {1.0, infinity}}) {
    const Answer answer = newton.run({array<double>({1, x}), array<double>({1, f})});
    CHECK(answer.status == WOA_INVALID);
    CHECK(contains(answer.message, "element 1"));
  }
  const Answer unequal = newton.run({array<double>({1, 2}), array<double>({1})});
  CHECK(unequal.status == WOA_INVALID);
  CHECK(contains(unequal.message, "x has 2 elements and f has 1"));
  CHECK(newton.run({array<double>({1, 2}), array<double>({1, 2})}, {{8, 1}, {8, 1}}).status == WOA_TOO_LARGE);
}

TEST_CASE("route chooses by the first byte or by the size") {
  const KernelUnderTest by_byte("route", {{"by", "first_byte"}}, {{kRoom, 0}, {kRoom, 0}});
  const KernelUnderTest by_size("route", {{"by", "size"}}, {{kRoom, 0}, {kRoom, 0}});
  struct Case {
    Token in;
    bool odd_byte, odd_size;
  };
  for (const Case& c : {Case{text(""), false, false}, Case{text("a"), true, true}, Case{text("b"), false, true},
                        Case{text("ab"), true, false}, Case{text("ba"), false, false}}) {
    for (const auto& [kernel, odd] : {std::pair{&by_byte, c.odd_byte}, {&by_size, c.odd_size}}) {
      const Answer answer = kernel->run({c.in});
      REQUIRE(answer.status == WOA_OK);
      REQUIRE(answer.outs[odd ? 1 : 0]);
      CHECK(!answer.outs[odd ? 0 : 1]);
      CHECK(*answer.outs[odd ? 1 : 0] == c.in);
    }
  }
  check_create_fails("route", {}, "missing");
  check_create_fails("route", {{"by", "luck"}}, "luck");
  CHECK(by_byte.run({text("toolong")}, {{3, 0}, {3, 0}}).status == WOA_TOO_LARGE);
}

TEST_CASE("find_line writes the first line with the text, and nothing where there is none") {
  const KernelUnderTest find("find_line", {{"text", "b"}}, {{kRoom, 0}});
  for (const auto& [data, line] : {std::pair{"a\nabc\nb", "abc"}, {"b", "b"}, {"\n\nxb\n", "xb"}}) {
    const Answer answer = find.run({text(data)});
    REQUIRE(answer.status == WOA_OK);
    CHECK(*answer.outs[0] == text(line));
  }
  for (const char* data : {"", "\n", "a\nc"}) {
    const Answer answer = find.run({text(data)});
    REQUIRE(answer.status == WOA_OK);
    CHECK(!answer.outs[0]);
  }
  const KernelUnderTest any("find_line", {{"text", ""}}, {{kRoom, 0}});
  CHECK(*any.run({text("\na")}).outs[0] == text(""));  // an empty line is a line
  CHECK(find.run({text("aab")}, {{2, 0}}).status == WOA_TOO_LARGE);
  check_create_fails("find_line", {}, "'text' is missing");
}

TEST_CASE("find_line finds what a search of each line finds") {
  std::mt19937 random(1);
  const auto draw = [&](const char* letters, std::size_t most) {
    std::string drawn(random() % (most + 1), ' ');
    for (char& letter : drawn) letter = letters[random() % std::strlen(letters)];
    return drawn;
  };
  for (int round = 0; round < 1000; ++round) {
    const std::string data = draw("ab\n", 12), wanted = draw("ab", 3);
    CAPTURE(data, wanted);
    std::optional<Token> expected;
    std::istringstream lines(data);
    for (std::string line; !expected && std::getline(lines, line);)
      if (contains(line, wanted)) expected = text(line);
    const KernelUnderTest find("find_line", {{"text", wanted}}, {{kRoom, 0}});
    CHECK(find.run({text(data)}).outs[0] == expected);
  }
}

TEST_CASE("or_else tells an absent token from an empty one") {
  const KernelUnderTest or_else("or_else", {{"text", "other"}}, {{kRoom, 0}});
  CHECK(*or_else.run({text("data")}).outs[0] == text("data"));
  CHECK(*or_else.run({text("")}).outs[0] == text(""));
  CHECK(*or_else.run({Token{{}, {}, true}}).outs[0] == text("other"));
  CHECK(or_else.run({Token{{}, {}, true}}, {{4, 0}}).status == WOA_TOO_LARGE);
  check_create_fails("or_else", {}, "'text' is missing");
}

TEST_CASE("join2 writes one input after the other") {
  const KernelUnderTest join("join2", {}, {{kRoom, 0}});
  for (const char* a : {"", "left "}) {
    for (const char* b : {"", "right"}) {
      const Answer answer = join.run({text(a), text(b)});
      REQUIRE(answer.status == WOA_OK);
      CHECK(*answer.outs[0] == text(std::string(a) + b));
    }
  }
  const Answer large = join.run({text("123"), text("456")}, {{5, 0}});
  CHECK(large.status == WOA_TOO_LARGE);
  CHECK(contains(large.message, "needs 6 bytes, its bound is 5"));
}

TEST_CASE("running_sum adds up per instance until its bound") {
  const KernelUnderTest sum("running_sum", {{"until", "11"}}, {{kRoom, 1}, {kRoom, 1}});
  State a(sum), b(sum), none(sum), unused(sum);
  // Which output was written, and what to it.
  const auto next = [&](State& state, const std::vector<std::int64_t>& x) {
    const Answer answer = sum.run({array(x)}, state.get());
    REQUIRE(answer.status == WOA_OK);
    REQUIRE(answer.outs[0].has_value() != answer.outs[1].has_value());
    const std::size_t port = answer.outs[0] ? 0 : 1;
    return std::pair(port, elements<std::int64_t>(*answer.outs[port]));
  };
  using Sums = std::pair<std::size_t, std::vector<std::int64_t>>;
  const auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  CHECK(next(a, {1, -5}) == Sums{0, {1, -5}});
  CHECK(next(b, {most}) == Sums{1, {most}});
  CHECK(next(b, {1}) == Sums{0, {1}});  // the sum is `least` now
  CHECK(next(a, {10, 2}) == Sums{1, {11, -3}});
  CHECK(next(b, {least}) == Sums{0, {least}});
  CHECK(next(b, {11}) == Sums{1, {11}});
  CHECK(next(none, {}) == Sums{1, {}});
  const Answer wrong = sum.run({array<std::int64_t>({1})}, a.get());
  CHECK(wrong.status == WOA_INVALID);
  CHECK(contains(wrong.message, "x has 1 elements, the first of this instance had 2"));
}

TEST_CASE("running_sum refuses a bound that is no number of 64 bits") {
  for (const char* wrong : {"", "x", "1x", " 1", "99999999999999999999"})
    check_create_fails("running_sum", {{"until", wrong}}, "expected a whole number");
}

TEST_CASE("run_counter numbers the tokens of a run") {
  const KernelUnderTest counter("run_counter", {}, {{kRoom, 0}});
  State run(counter), other(counter);
  const auto next = [&](State& state, const char* in) { return *counter.run({text(in)}, state.get()).outs[0]; };
  CHECK(next(run, "a") == text("a 0"));
  CHECK(next(run, "") == text(" 1"));
  CHECK(next(other, "b") == text("b 0"));
  CHECK(next(run, "c") == text("c 2"));
  CHECK(counter.run({text("abc")}, {{4, 0}}, run.get()).status == WOA_TOO_LARGE);
  CHECK(next(run, "d") == text("d 3"));  // a token that failed was not counted
}

TEST_CASE("fail_if passes on all but one first byte") {
  const KernelUnderTest fail_if("fail_if", {{"byte", "88"}, {"delay_ms", "0"}}, {{kRoom, 0}});
  for (const char* in : {"", "aX", "Y"}) {
    const Answer answer = fail_if.run({text(in)});
    REQUIRE(answer.status == WOA_OK);
    CHECK(*answer.outs[0] == text(in));
  }
  const Answer failed = fail_if.run({text("Xa")});
  CHECK(failed.status == WOA_KERNEL_FAILED);
  CHECK(contains(failed.message, "first byte is 88"));
  const KernelUnderTest never("fail_if", {{"byte", "-1"}, {"delay_ms", "0"}}, {{kRoom, 0}});
  CHECK(never.run({Token{{0xff}}}).status == WOA_OK);
  check_create_fails("fail_if", {{"byte", "256"}, {"delay_ms", "0"}}, "'byte' is '256'");
  check_create_fails("fail_if", {{"byte", "-2"}, {"delay_ms", "0"}}, "'byte' is '-2'");
  check_create_fails("fail_if", {{"byte", "1"}, {"delay_ms", "60001"}}, "'delay_ms' is '60001'");
  check_create_fails("fail_if", {{"delay_ms", "0"}}, "'byte' is missing");
}

TEST_CASE("fail_if takes its time when told to") {
  const KernelUnderTest slow("fail_if", {{"byte", "-1"}, {"delay_ms", "30"}}, {{kRoom, 0}});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(slow.run({text("a")}).status == WOA_OK);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(30));
}

TEST_CASE("copy and invert") {
  const KernelUnderTest copy("copy", {}, {{kRoom, 0}}), invert("invert", {}, {{kRoom, 0}});
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{kRoom}}) {
    Bytes data(bytes), inverted(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7);
    for (std::size_t i = 0; i < bytes; ++i) inverted[i] = static_cast<std::uint8_t>(255 - data[i]);
    CHECK(*copy.run({{data}}).outs[0] == Token{data});
    CHECK(*invert.run({{data}}).outs[0] == Token{inverted});
  }
  for (const KernelUnderTest* kernel : {&copy, &invert}) {
    const Answer large = kernel->run({{Bytes(11)}}, {{10, 0}});
    CHECK(large.status == WOA_TOO_LARGE);
    CHECK(contains(large.message, "needs 11 bytes, its bound is 10"));
    CHECK(large.memory[0] == Bytes(10, 0xa5));
  }
}

}  // namespace
}  // namespace woa::test
