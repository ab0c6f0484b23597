#include "bench/micro/random_graph.h"

#include <stdlib.h>

#include <fstream>
#include <string_view>

namespace woa::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kReach = 8;  // a stage reads outputs of at most that many stages before it

using Readers = std::vector<std::set<std::uint32_t>>;

std::string make_folder() {
  std::error_code error;
  std::string path = (fs::temp_directory_path(error) / "woa-random-XXXXXX").string();
  return !error && ::mkdtemp(path.data()) != nullptr ? path : std::string();
}

Status write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text << std::flush) return {};
  return {Code::kExhausted, "a temporary file could not be written; look at TMPDIR"};
}

// Each stage reads an unread output first, so that the graph has few outputs.
Readers random_readers(std::uint32_t stages, std::mt19937& random) {
  Readers reads(stages);
  std::vector<bool> read(stages, false);
  for (std::uint32_t s = 1; s < stages; ++s) {
    const std::uint32_t first = s > kReach ? s - kReach : 0;
    std::uint32_t unread = first;
    while (unread < s && read[unread]) ++unread;
    if (unread < s) reads[s].insert(unread);
    if (unread == s || random() % 2 == 0) reads[s].insert(first + static_cast<std::uint32_t>(random() % (s - first)));
    for (const std::uint32_t from : reads[s]) read[from] = true;
  }
  return reads;
}

std::string stage(std::uint32_t number) { return "s" + std::to_string(number); }

std::string kernel_text(const std::string& name, const std::string& inputs) {
  return "woa_kernel: 1\nname: " + name + "\nsummary: of a benchmark, never run\nin: {" + inputs +
         "}\nout: {out: {type: bytes, max: 1KiB}}\nlibrary: none.so\nvariants: {cpu: {}}\n";
}

std::string machine_text(std::uint32_t controllers, std::mt19937& random) {
  std::string text = "woa_machine: 1\ncontrollers: {";
  for (std::uint32_t c = 0; c < controllers; ++c)
    text += (c == 0 ? "" : ", ") + ("\"cpu:" + std::to_string(c)) + "\": {}";
  text += "}\ndefault_link: {latency: 1us, bandwidth: 1GB/s}\nlinks:\n";
  for (std::uint32_t a = 0; a < controllers; ++a)
    for (std::uint32_t b = a + 1; b < controllers; ++b)
      text += "  - {between: [\"cpu:" + std::to_string(a) + "\", \"cpu:" + std::to_string(b) +
              "\"], latency: " + std::to_string(1 + random() % 5) +
              "us, bandwidth: " + std::to_string(1 + random() % 4) + "GB/s}\n";
  return controllers > 1 ? text : text + "  []\n";
}

}  // namespace

RandomGraph::RandomGraph(std::uint32_t stages, std::uint32_t controllers, std::uint32_t seed)
    : controllers_(controllers), random_(seed), folder_(make_folder()) {
  reads_ = random_readers(stages, random_);
  machine_ = machine_text(controllers, random_);
}

RandomGraph::~RandomGraph() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

Status RandomGraph::write() const {
  if (folder_.empty()) return {Code::kExhausted, "a folder for temporary files could not be made; look at TMPDIR"};
  WOA_RETURN_IF_ERROR(write_text(graph(), graph_text()));
  WOA_RETURN_IF_ERROR(write_text(path("one.yaml"), kernel_text("one", "a: {type: bytes}")));
  WOA_RETURN_IF_ERROR(write_text(path("two.yaml"), kernel_text("two", "a: {type: bytes}, b: {type: bytes}")));
  return write_text(machine(), machine_);
}

Status RandomGraph::write_profile(const std::string& hash) {
  const std::string text = R"({"woa_profile": 1, "graph": "random", "graph_hash": ")" + hash + R"(", "stages": {)" +
                           stages_of_profile() + "}, \"edges\": [\n" + edges_of_profile() + "]}\n";
  return write_text(profile(), text);
}

std::vector<bool> RandomGraph::read_by_somebody() const {
  std::vector<bool> read(reads_.size(), false);
  for (const auto& each : reads_)
    for (const std::uint32_t from : each) read[from] = true;
  return read;
}

std::string RandomGraph::graph_text() const {
  std::string text =
      "woa: 1\ngraph: random\nkernels: [one.yaml, two.yaml]\ninputs: {in: {type: bytes, max: 1KiB}}\nstages:\n";
  for (std::uint32_t s = 0; s < reads_.size(); ++s) {
    std::string inputs = "a: in", kernel = "one";
    if (!reads_[s].empty()) inputs = "a: " + stage(*reads_[s].begin()) + ".out";
    if (reads_[s].size() > 1) inputs += ", b: " + stage(*reads_[s].rbegin()) + ".out", kernel = "two";
    text += "  " + stage(s) + ": {kernel: " + kernel + ", in: {" + inputs + "}}\n";
  }
  text += "outputs:\n";
  const std::vector<bool> read = read_by_somebody();
  for (std::uint32_t s = 0; s < reads_.size(); ++s)
    if (!read[s]) text += "  o" + std::to_string(s) + ": " + stage(s) + ".out\n";
  return text;
}

std::string RandomGraph::stages_of_profile() {
  std::string text;
  for (std::uint32_t s = 0; s < reads_.size(); ++s) {
    text += (s == 0 ? "\n\"" : ",\n\"") + stage(s) + R"(": {"firings": 1, "on": {)";
    for (std::uint32_t c = 0; c < controllers_; ++c)
      text += (c == 0 ? "\"cpu:" : ", \"cpu:") + std::to_string(c) + R"(": {"time_ps": )" +
              std::to_string(5'000'000 + random_() % 55'000'000) + "}";
    text += "}}";
  }
  return text;
}

std::string RandomGraph::edges_of_profile() {
  std::string text = R"({"from": "source.in", "to": "s0.a", "tokens": 1, "bytes": 100})";
  const auto edge = [&](const std::string& from, const std::string& to) {
    text += ",\n{\"from\": \"" + from + R"(", "to": ")" + to + R"(", "tokens": 1, "bytes": )" +
            std::to_string(random_() % 30'000) + "}";
  };
  const std::vector<bool> read = read_by_somebody();
  for (std::uint32_t s = 0; s < reads_.size(); ++s) {
    if (!reads_[s].empty()) edge(stage(*reads_[s].begin()) + ".out", stage(s) + ".a");
    if (reads_[s].size() > 1) edge(stage(*reads_[s].rbegin()) + ".out", stage(s) + ".b");
    if (!read[s]) edge(stage(s) + ".out", "sink.o" + std::to_string(s));
  }
  return text;
}

}  // namespace woa::bench
