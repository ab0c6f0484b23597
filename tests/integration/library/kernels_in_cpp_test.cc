// Kernels of the program as C++ registers them: functions with typed spans.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "woa/woa_kernel.hpp"

namespace program {
namespace {

// A graph of one stage, `s`, with input `x` and output `y` of these names at the kernel.
std::string graph_of(const std::string& kernel, const std::string& type, const std::string& output = "y") {
  return "woa: 1\ngraph: one\ninputs: {x: {type: \"" + type + "\", max: 64}}\nstages: {s: {kernel: " + kernel +
         ", in: {x: x}}}\noutputs: {y: s." + output + "}\n";
}

template <class T>
woa::Fill fill_with(const std::vector<T>& values, std::vector<std::uint32_t> dims) {
  return [values, dims](woa::Room& room) {
    std::ranges::copy(values, room.all<T>().begin());
    for (std::uint32_t d = 0; d < dims.size(); ++d) room.dim(d, dims[d]);
    room.used(values.size() * sizeof(T));
  };
}

template <class T>
std::vector<T> values_of(const woa::Outputs& outputs) {
  const std::span<const T> data = outputs.data<T>(0);
  return {data.begin(), data.end()};
}

std::string why(std::future<woa::Outputs> result) {
  try {
    (void)result.get();
  } catch (const woa::Error& error) {
    return std::string(woa_status_name(error.status())) + ": " + error.what();
  }
  return "no error";
}

template <class Register>
std::string refused(Register register_it) {
  try {
    register_it();
  } catch (const woa::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("typed spans: an output has the dimensions of the input that are named alike, and fixed ones") {
  float factor = 2;  // a function may refer to what lives as long as the program
  woa::register_kernel("scale", {{"x", "n"}, {"y", "n,2", 128}},
                       [&factor](std::span<const float> x, std::span<float> y) {
                         if (y.size() != 2 * x.size()) throw std::runtime_error("the output has another size");
                         for (std::size_t k = 0; k < x.size(); ++k) y[2 * k] = x[k], y[2 * k + 1] = factor * x[k];
                       });
  const woa::Plan plan = woa::Plan::from_text(graph_of("scale", "f32[count]"));
  CHECK(plan.outputs()[0].element == "f32");
  woa::Run run(plan);
  const woa::Outputs outputs = run.submit(fill_with<float>({1, 2.5F}, {2})).get();
  CHECK(values_of<float>(outputs) == std::vector<float>{1, 2, 2.5F, 5});
  CHECK(outputs.dims(0)[0] == 2);
  CHECK(outputs.dims(0)[1] == 2);
  CHECK(values_of<float>(run.submit(fill_with<float>({}, {0})).get()).empty());
}

TEST_CASE("every element has its type") {
  const auto echoes = []<class T>(const std::string& element, T value) {
    woa::register_kernel("echo_" + element, {{"x", "n"}, {"y", "n", 64}},
                         [](std::span<const T> x, std::span<T> y) { std::ranges::copy(x, y.begin()); });
    woa::Run run(woa::Plan::from_text(graph_of("echo_" + element, element + "[n]")));
    return values_of<T>(run.submit(fill_with<T>({value}, {1})).get()) == std::vector<T>{value};
  };
  CHECK((echoes("u8", std::uint8_t{200}) && echoes("i8", std::int8_t{-7}) && echoes("u16", std::uint16_t{60'000}) &&
         echoes("i16", std::int16_t{-7}) && echoes("u32", ~0U) && echoes("i32", -7) &&
         echoes("u64", ~std::uint64_t{0}) && echoes("i64", std::int64_t{-7}) && echoes("f32", 0.5F) &&
         echoes("f64", 0.1)));
}

TEST_CASE("a function says the size of an output that varies, before or after it writes, and sees dimensions") {
  woa::register_kernel("longer", {{"x"}, {"y", "", 8}}, [](std::span<const char> x, woa::Out<char> y) {
    const std::span<char> room = y.room();
    if (room.size() != 8) throw std::runtime_error("there is other room");
    if (x.size() <= 8) std::ranges::copy(x, room.begin());
    y.resize(x.size());
  });
  woa::register_kernel("rows", {{"x", "height,width"}, {"y", "height", 64}},
                       [](woa::In<std::uint8_t> x, woa::Out<std::uint32_t> sums) {
                         const std::span<std::uint32_t> y = sums.resize(x.dims[0]);
                         for (std::size_t row = 0; row < y.size(); ++row) {
                           const auto cells = x.subspan(row * x.dims[1], x.dims[1]);
                           y[row] = std::accumulate(cells.begin(), cells.end(), 0U);
                         }
                       });
  {
    woa::Run run(woa::Plan::from_text(graph_of("longer", "bytes")));
    CHECK(run.submit([](woa::Room& room) { room.write("12345678"); }).get().text(0) == "12345678");
    CHECK(why(run.submit([](woa::Room& room) { room.write("123456789"); })) ==
          "too_large: stage 's': output 'y' needs 9 bytes, its bound is 8; set `max: {y: 9}` at this stage of the "
          "graph");
  }
  woa::register_kernel("vast", {{"x", "n"}, {"y", "rows,columns", 64}},
                       [](std::span<const std::uint8_t>, woa::Out<float> y) { y.resize((1ULL << 32) + 1, 0); });
  {
    woa::Run run(woa::Plan::from_text(graph_of("vast", "u8[n]")));
    CHECK(why(run.submit(fill_with<std::uint8_t>({1}, {1}))) ==
          "too_large: stage 's': output 'y': found a dimension of 4294967297, expected at most 4294967295");
  }
  woa::Run run(woa::Plan::from_text(graph_of("rows", "u8[h,w]")));
  const woa::Outputs sums = run.submit(fill_with<std::uint8_t>({1, 2, 3, 250, 250, 250}, {2, 3})).get();
  CHECK(values_of<std::uint32_t>(sums) == std::vector<std::uint32_t>{6, 750});
}

TEST_CASE("what a function throws is the instance's failure") {
  woa::register_kernel("throws", {{"x"}}, [](std::span<const char> x) {
    if (x[0] == 'r') throw std::runtime_error("no such user");
    if (x[0] == 'e') throw woa::Error(WOA_UNAVAILABLE, "the table is gone");
    if (x[0] == 'n') throw woa::Error(WOA_NOT_FOUND, "no row 7");  // which kernels may not answer
    if (x[0] == 'i') throw 7;
  });
  woa::Run run(woa::Plan::from_text(graph_of("throws", "bytes", "done")));
  const auto why_of = [&](const char* text) { return why(run.submit([text](woa::Room& room) { room.write(text); })); };
  CHECK(why_of("r") == "kernel_failed: stage 's': no such user");
  CHECK(why_of("e") == "unavailable: stage 's': the table is gone");
  CHECK(why_of("n") == "kernel_failed: stage 's': no row 7");
  CHECK(why_of("i") == "kernel_failed: stage 's': the function threw something that is no std::exception");
  CHECK(why_of("good") == "no error");
}

TEST_CASE("what does not fit is refused: elements where a graph is compiled, ports where a kernel is registered") {
  woa::register_kernel("halve", {{"x", "n"}, {"y", "n", 64}},
                       [](std::span<const float>, std::span<float> y) { std::ranges::fill(y, 0.F); });
  const std::string wrong = refused([] { (void)woa::Plan::from_text(graph_of("halve", "f64[n]")); });
  CHECK(wrong.find("`x` (f64[n]) does not fit `s.x` (f32[n])") != std::string::npos);
  CHECK(refused([] {
          woa::register_kernel("k", {{"x", "n"}, {"y", "m", 64}}, [](std::span<const float>, std::span<float>) {});
        }) == "output 'y' has dimension 'm', which no input has: let the function take a woa::Out, and say the size");
  CHECK(refused([] {
          woa::register_kernel("k", {{"x", "n"}, {"y", "n"}}, [](std::span<const int>, std::span<int>) {});
        }).find("output `y` has no bound; add `max: SIZE`") != std::string::npos);
  CHECK(refused([] {
          woa::register_kernel("k", {{"x"}}, [](std::span<const int>) {});
        }).find("`i32` is not the type of a port") != std::string::npos);
  CHECK(refused([] { woa::register_kernel("no name", {{"x"}}, [](std::span<const char>) {}); }).find("`no name`") !=
        std::string::npos);
}

}  // namespace program
