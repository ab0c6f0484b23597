// The most that a machine can do: the kernels of graphs/thumbnails.yaml in a plain loop, in oneTBB's pipeline, and in a
// run of one program. `python3 bench/filled.py build` compares them.
//
//     bench_filled KERNELS loop FOLDER PHOTO...      one thread, one photograph after another; thumbnails go to FOLDER
//     bench_filled KERNELS photos ROUNDS PHOTO...    in one program: prints "NAME SECONDS" of each contender and round
//     bench_filled KERNELS stages ROUNDS COUNT US    three stages that compute for US microseconds; COUNT tokens of 64
//     B
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "woa/woa.hpp"
#ifdef WOA_WITH_TBB
#include <tbb/parallel_pipeline.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kMostBytes = std::size_t{192} << 20, kScratchBytes = 2 << 20, kTokenBytes = 64;
constexpr std::size_t kPerThread = 4;  // tokens in a pipeline for each thread

struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A kernel that ships, called as the runtime calls it.
class Kernel {
 public:
  Kernel(const std::string& folder, const std::string& name, const std::vector<woa_param>& params) {
    void* const library = dlopen((folder + "/" + name + "/lib" + name + ".so").c_str(), RTLD_NOW);
    if (library == nullptr) throw Failed(dlerror());
    table_ = reinterpret_cast<woa_kernel_entry_fn>(dlsym(library, WOA_KERNEL_ENTRY))();
    woa_error error{};
    if (table_->create != nullptr && table_->create(params.data(), params.size(), &self_, &error) != WOA_OK)
      throw Failed(error.message);
  }
  void run(const woa_input& in, woa_output& out, std::uint8_t* scratch) const {
    woa_firing firing{};
    firing.scratch = scratch, firing.scratch_bytes = kScratchBytes;
    woa_error error{};
    if (table_->run(self_, &firing, &in, &out, &error) != WOA_OK) throw Failed(error.message);
  }

 private:
  const woa_kernel* table_ = nullptr;
  void* self_ = nullptr;
};

woa_input view_of(const Bytes& bytes) {
  woa_input view{bytes.data(), bytes.size(), 1, {static_cast<std::uint32_t>(bytes.size())}};
  return view;
}
woa_input view_of(const woa_output& out, std::uint32_t rank) {
  woa_input view{out.data, out.bytes, rank};
  std::copy(std::begin(out.dims), std::end(out.dims), std::begin(view.dims));
  return view;
}

// Memory of one token in each stage: reserved for the largest, written where it is used, and used again.
struct Memory {
  std::unique_ptr<std::uint8_t[]> image{new std::uint8_t[kMostBytes]}, small{new std::uint8_t[kMostBytes]},
      jpeg{new std::uint8_t[kMostBytes]}, scratch{new std::uint8_t[kScratchBytes]};
  woa_output decoded{}, shrunk{}, encoded{};
};

struct Thumbnails {
  Kernel decode, shrink, encode;
  explicit Thumbnails(const std::string& kernels)
      : decode(kernels, "jpeg_decode", {}),
        shrink(kernels, "resize_bilinear", {{"width", "320"}, {"height", "240"}, {"fit", "contain"}}),
        encode(kernels, "jpeg_encode", {{"quality", "75"}}) {}
  void first(const Bytes& photo, Memory& at) const {
    at.decoded = {at.image.get(), kMostBytes};
    decode.run(view_of(photo), at.decoded, at.scratch.get());
  }
  void second(Memory& at) const {
    at.shrunk = {at.small.get(), kMostBytes};
    shrink.run(view_of(at.decoded, 3), at.shrunk, at.scratch.get());
  }
  void third(Memory& at) const {
    at.encoded = {at.jpeg.get(), kMostBytes};
    encode.run(view_of(at.shrunk, 3), at.encoded, at.scratch.get());
  }
};

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failed("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void loop(const std::string& kernels, const std::string& folder, const std::vector<std::string>& photos) {
  const Thumbnails thumbnails(kernels);
  Memory memory;
  for (const std::string& path : photos) {
    thumbnails.first(read(path), memory), thumbnails.second(memory), thumbnails.third(memory);
    std::ofstream out(folder + path.substr(path.rfind('/')), std::ios::binary);
    out.write(reinterpret_cast<const char*>(memory.encoded.data), static_cast<std::streamsize>(memory.encoded.bytes));
  }
}

// A contender does all the work of a round.
struct Contender {
  std::string name;
  std::function<void()> round;
};

// Round after round, each contender once; the first round does not count.
void contest(const std::vector<Contender>& contenders, int rounds) {
  for (int round = 0; round <= rounds; ++round) {
    for (const auto& [name, work] : contenders) {
      const Clock::time_point began = Clock::now();
      work();
      if (round > 0)
        std::printf("%s %.6f\n", name.c_str(), std::chrono::duration<double>(Clock::now() - began).count());
    }
  }
}

void run_all(woa::Run& run, std::size_t count, const std::function<void(std::size_t, woa::Room&)>& fill) {
  const auto done = [](std::uint64_t, const woa::Outputs*, const woa::Error* error) {
    if (error != nullptr) throw *error;
  };
  for (std::size_t k = 0; k < count;) {
    if (run.try_submit([&fill, k](woa::Room& room) { fill(k, room); }, done))
      ++k;
    else
      run.wait();
  }
  run.drain();
}

// `first(k, place)` begins with token k in a place that no other token has, and each further stage goes on with it.
std::vector<Contender> pipelines(std::size_t count, std::function<void(std::size_t, std::size_t)> first,
                                 std::function<void(std::size_t)> second, std::function<void(std::size_t)> third) {
#ifdef WOA_WITH_TBB
  return {{"tbb", [=] {
             const std::size_t places = kPerThread * std::thread::hardware_concurrency();
             std::size_t next = 0;
             struct Token {
               std::size_t number, place;
             };
             std::vector<std::atomic<bool>> taken(places);
             const auto take = [&](tbb::flow_control& control) -> Token {
               if (next == count) return control.stop(), Token{};
               std::size_t place = 0;
               while (taken[place].exchange(true)) place = (place + 1) % places;
               return {next++, place};
             };
             using Mode = tbb::filter_mode;
             tbb::parallel_pipeline(
                 places, tbb::make_filter<void, Token>(Mode::serial_in_order, take) &
                             tbb::make_filter<Token, Token>(
                                 Mode::parallel, [&](Token token) { return first(token.number, token.place), token; }) &
                             tbb::make_filter<Token, Token>(Mode::parallel,
                                                            [&](Token token) { return second(token.place), token; }) &
                             tbb::make_filter<Token, void>(Mode::parallel, [&](Token token) {
                               third(token.place);
                               taken[token.place] = false;
                             }));
           }}};
#else
  return {};
#endif
}

void photos(const std::string& kernels, int rounds, const std::vector<std::string>& paths) {
  std::vector<Bytes> all;
  for (const std::string& path : paths) all.push_back(read(path));
  const Thumbnails thumbnails(kernels);
  std::vector<Memory> memory(kPerThread * std::thread::hardware_concurrency());
  std::vector<Contender> contenders = pipelines(
      all.size(), [&](std::size_t k, std::size_t place) { thumbnails.first(all[k], memory[place]); },
      [&](std::size_t place) { thumbnails.second(memory[place]); },
      [&](std::size_t place) { thumbnails.third(memory[place]); });
  woa::Run run(
      woa::Plan::from_text(
          "woa: 1\ngraph: thumbnails\ninputs: {photo: {type: bytes, max: 64MiB}}\nstages:\n"
          "  decode: {kernel: jpeg_decode, in: {jpeg: photo}}\n  shrink: {kernel: resize_bilinear, in: {image: "
          "decode.image}, params: {width: 320, height: 240, fit: contain}}\n"
          "  encode: {kernel: jpeg_encode, in: {image: shrink.image}}\noutputs: {thumb: encode.jpeg}\n"),
      {{"processes", "one"}});
  contenders.push_back({"woa", [&] {
                          run_all(run, all.size(), [&](std::size_t k, woa::Room& room) {
                            room.write(std::span<const std::uint8_t>(all[k]));
                          });
                        }});
  contest(contenders, rounds);
}

std::atomic<long> stage_us{0};

void compute(const std::uint8_t* from, std::uint8_t* to) {
  std::copy_n(from, kTokenBytes, to);
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(stage_us);
  while (Clock::now() < end) {
  }
}

woa_status run_compute(void*, const woa_firing*, const woa_input* in, woa_output* out, woa_error* error) {
  const woa_status status = woa_claim(&out[0], "data", kTokenBytes, error);
  if (status == WOA_OK) compute(in[0].data, out[0].data);
  return status;
}
woa_status run_null(void*, const woa_firing*, const woa_input* in, woa_output* out, woa_error* error) {
  const woa_status status = woa_claim(&out[0], "data", kTokenBytes, error);
  if (status == WOA_OK) std::copy_n(in[0].data, kTokenBytes, out[0].data);
  return status;
}

std::unique_ptr<woa::Run> three_of(const std::string& kernel,
                                   woa_status (*run)(void*, const woa_firing*, const woa_input*, woa_output*,
                                                     woa_error*)) {
  static std::array<woa_kernel, 2> tables;
  woa_kernel& table = tables[kernel == "compute" ? 0 : 1];
  table = {WOA_KERNEL_HEAD};
  table.run = run;
  const std::string ports = "in: {data: {type: bytes, max: 64}}\nout: {data: {type: bytes, max: 64}}\n";
  woa::detail::check(woa_kernel_register(
      ("woa_kernel: 1\nname: " + kernel + "\n" + ports + "variants: {cpu: {}}\n").c_str(), &table, nullptr));
  std::string graph = "woa: 1\ngraph: three\ninputs: {x: {type: bytes, max: 64}}\nstages:\n", last = "x";
  for (const char* const stage : {"a", "b", "c"}) {
    graph += std::string("  ") + stage + ": {kernel: " + kernel + ", in: {data: " + last + "}}\n";
    last = std::string(stage) + ".data";
  }
  return std::make_unique<woa::Run>(woa::Plan::from_text(graph + "outputs: {y: " + last + "}\n"),
                                    woa::Options{{"processes", "one"}});
}

void stages(int rounds, std::size_t count, long us) {
  stage_us = us;
  const Bytes token(kTokenBytes, 1);
  std::vector<std::array<std::uint8_t, kTokenBytes>> places(kPerThread * std::thread::hardware_concurrency());
  const auto again = [&](std::size_t place) { compute(places[place].data(), places[place].data()); };
  std::vector<Contender> contenders = pipelines(
      count, [&](std::size_t, std::size_t place) { compute(token.data(), places[place].data()); }, again, again);
  const auto busy = three_of("compute", run_compute), null = three_of("nothing", run_null);
  const auto fill = [&](std::size_t, woa::Room& room) { room.write(std::span<const std::uint8_t>(token)); };
  contenders.push_back({"woa", [&] { run_all(*busy, count, fill); }});
  contenders.push_back({"woa-null", [&] { run_all(*null, count, fill); }});
  contest(contenders, rounds);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> all(arguments + 1, arguments + count);
  try {
    if (all.size() < 4) throw Failed("KERNELS loop|photos|stages ... (the beginning of bench/library/filled.cc)");
    const std::vector<std::string> rest(all.begin() + 3, all.end());
    if (all[1] == "loop") loop(all[0], all[2], rest);
    if (all[1] == "photos") photos(all[0], std::stoi(all[2]), rest);
    if (all[1] == "stages") stages(std::stoi(all[2]), std::stoul(rest.at(0)), std::stol(rest.at(1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_filled: %s\n", error.what());
    return 1;
  }
  return 0;
}
