// woa bench NAME: micro-benchmarks of the fabric, beside their physical limit.
#include <algorithm>
#include <iterator>
#include <memory>

#include "bench/gpu/gpu.h"
#include "bench/micro/bandwidth.h"
#include "bench/micro/channels.h"
#include "bench/micro/compile.h"
#include "bench/micro/fabric.h"
#include "bench/micro/fanout.h"
#include "bench/micro/firing.h"
#include "bench/micro/handover.h"
#include "bench/micro/kernels.h"
#include "bench/micro/packing.h"
#include "bench/micro/pipeline.h"
#include "bench/micro/randomaccess.h"
#include "bench/micro/rate.h"
#include "bench/micro/raw_route.h"
#include "bench/micro/wire.h"
#include "bench/program/bench_fpga.h"
#include "bench/program/bench_help.h"
#include "bench/program/bench_report.h"
#include "bench/program/pipeline_options.h"
#include "compiler/compiler.h"
#include "library/environment.h"
#include "library/local_run.h"
#include "library/machine_choice.h"
#include "library/option_values.h"
#include "library/transports.h"
#include "runtime/base/file.h"
#include "runtime/measure/methods.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/kept_files.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

struct Counts {
  std::uint64_t count = 0, repetitions = 11;
};

using Bench = std::function<Result<bench::Report>(const RunOptions&)>;

// How to show a report: as JSON or as a table, and with which plot.
struct Shown {
  bool json = false;
  std::string plot;  // file; empty: none
};

// Lists the files that a benchmark reads.
using Reads = std::function<std::vector<ReadFile>()>;

int run_bench(const Bench& bench, const Shown& shown, const Reads& reads) {
  const std::vector<ReadFile> read = reads ? reads() : std::vector<ReadFile>();
  if (const Status kept = check_kept(given({{"--plot", shown.plot}}), read); !kept.ok())
    return fail(kept, kUsage, shown.json);
  const Status writable = shown.plot.empty() ? Status() : check_writable(shown.plot);
  if (!writable.ok()) return fail(writable, kFailed, shown.json);  // before minutes of measuring
  const BackendRegistry backends = all_backends();
  ShmTransport transport;
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  options.kernel_path = kernel_path();
  options.read_declaration = read_declaration;
  options.node_command = {program("woa").string(), kServeCommand};
  const auto report = [&] {
    const ForeignOutput foreign;
    return bench(options);
  }();
  if (!report.ok())
    return fail(report.status(), report.status().code() == Code::kUnavailable ? kUnavailable : kFailed, shown.json);
  if (const Status plotted = shown.plot.empty() ? Status() : write_file(shown.plot, to_svg(*report)); !plotted.ok())
    return fail(plotted, kFailed, shown.json);
  shown.json ? print_json(to_json(*report)) : print_table(*report);
  return kDone;
}

CLI::App& add(CLI::App& parent, Action& action, const std::string& name, const std::string& help, Bench bench,
              Reads reads = {}) {
  CLI::App& command = *parent.add_subcommand(name, help);
  auto shown = std::make_shared<Shown>();
  command.add_flag("--json", shown->json, "Print one JSON object on stdout");
  command.add_option("--plot", shown->plot, "Draw the report, too, as an SVG picture")->option_text("FILE.svg");
  command.callback(
      [shown, bench, reads, &action] { action = [shown, bench, reads] { return run_bench(bench, *shown, reads); }; });
  return command;
}

void add_count(CLI::App& command, std::uint64_t& count, const std::string& help) {
  command.add_option("--count", count, help)->transform(positive())->capture_default_str();
}

// --no-peers. Peers take part by default; starting some of them takes longer than the benchmark.
void add_peers(CLI::App& command, bench::PeerFolder& folder) {
  folder = data_folder("bench");
  command.add_flag_callback(
      "--no-peers", [&folder] { folder.clear(); }, "Leave other libraries out");
}

// --repetitions and, for benchmarks that have peers, --no-peers.
template <class Options>
void add_repetitions(CLI::App& command, Options& chosen) {
  command.add_option("--repetitions", chosen.repetitions, "Launches of each contender, in turns")
      ->transform(positive())
      ->capture_default_str();
  if constexpr (requires { chosen.peers; }) add_peers(command, chosen.peers);
}

// --count and add_repetitions(). `usual`: the count by default, where it is not one number.
template <class Options>
void add_launches(CLI::App& command, Options& chosen, const std::string& help, const std::string& usual = "") {
  add_count(command, chosen.count, help);
  if (!usual.empty()) command.get_option("--count")->option_text("UINT [" + usual + "]");
  add_repetitions(command, chosen);
}

template <class Value>
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<Value>& values, const std::string& help) {
  return command.add_option(name, values, help + "; several, or a list with commas")->delimiter(',');
}

CLI::Option* add_sizes(CLI::App& command, std::vector<std::uint64_t>& sizes, std::uint64_t least = 1) {
  return add_list(command, "--size", sizes, "Bytes of a payload, with KiB, MiB or GiB")
      ->transform(bytes(least, std::uint64_t{1} << 30));
}

std::string provider_of(const TransportOptions& over) { return over.transport == "ofi" ? over.provider : ""; }

// For runs whose nodes must have the same transport.
RunOptions placed_over(const TransportOptions& over, RunOptions options) {
  if (over.transport == "ofi") std::ranges::copy(to_arguments(over), std::back_inserter(options.node_command));
  return options;
}

void add_hop(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::HopOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command =
      add(parent, action, "hop", "One small activation from controller to controller, beside the raw mailbox",
          [chosen, over](const RunOptions& options) {
            if (over->transport != "ofi") return bench::bench_hop(options, *chosen);
            return bench::bench_wire_hop({over->provider, chosen->sizes, 1, chosen->count, chosen->repetitions});
          });
  command.footer(std::string(kAboutHop) + "\n" + kAboutPeers + "\n" + about_transport("; ours is the transport alone"));
  add_transport_options(command, *over);
  add_list(command, "--size", chosen->sizes, "Bytes of the activation, 8 to 120")
      ->transform(within(bench::HopOptions::kLeastBytes, bench::HopOptions::kMostBytes))
      ->option_text("N,... [64]");
  add_launches(command, *chosen, "Hops of a launch");
}

void add_route(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::RouteOptions>();
  CLI::App& command = add(parent, action, "route", "One message on its way through several processes, by raw mailboxes",
                          [chosen](const RunOptions&) { return bench::bench_route(*chosen); });
  command.footer(kAboutRoute);
  command.add_option("--cores", chosen->route.cores, "Processors of the processes, process 0 first")
      ->delimiter(',')
      ->option_text("N,... [0,1]");
  command.add_option("--stops", chosen->route.stops, "Processes that a lap visits in turn, process 0 first")
      ->delimiter(',')
      ->option_text("N,... [each once]");
  command.add_option("--size", chosen->route.size, "Bytes of the message, with KiB or MiB")
      ->transform(bytes(1, std::uint64_t{1} << 30))
      ->capture_default_str();
  add_launches(command, *chosen, "Messages of a launch, about");
}

void add_firing(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::FiringOptions>();
  CLI::App& command = add(parent, action, "firing", "What a firing costs within one controller, beside the raw loop",
                          [chosen](RunOptions options) {
                            options.kernel_path.push_back(data_folder("bench") / "kernels");
                            return bench::bench_firing(options, *chosen);
                          });
  command.footer(std::string(kAboutFiring) + "\n" + kAboutTaskPeers);
  add_list(command, "--loop", chosen->loops, "Loops to run")
      ->check(one_of({"dijkstra", "null", "chain", "fan-out", "wavefront"}))
      ->option_text("NAME,... [all of them]");
  add_launches(command, *chosen, "Firings of a launch, about");
}

void add_bandwidth(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::BandwidthOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command =
      add(parent, action, "bandwidth", "Bytes a second from process to process, beside the raw mailbox and memcpy",
          [chosen, over](const RunOptions& options) {
            if (over->transport != "ofi") return bench::bench_bandwidth(*options.transport, *chosen);
            return bench::bench_wire_bandwidth(
                {over->provider, chosen->sizes, chosen->slots, chosen->count, chosen->repetitions});
          });
  command.footer(std::string(kAboutBandwidth) + "\n" + kAboutPeers + "\n" +
                 about_transport("; neither side touches the payloads"));
  add_transport_options(command, *over);
  add_list(command, "--size", chosen->sizes, "Bytes of a payload, with KiB, MiB or GiB")
      ->transform(bytes())
      ->option_text("SIZE,... [64KiB,1MiB,64MiB]");
  command.add_option("--slots", chosen->slots, "Slots of the mailbox, and blocks of the transport")
      ->transform(within(1, 65536))
      ->capture_default_str();
  add_launches(command, *chosen, "Payloads of a launch", "as many as make 2 GiB");
}

void add_rate(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::RateOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command =
      add(parent, action, "rate", "Small messages a second from process to process, beside the raw mailbox",
          [chosen, over](const RunOptions& options) {
            if (over->transport == "ofi")
              return bench::bench_wire_rate({over->provider, chosen->sizes, 1, chosen->count, chosen->repetitions});
            return bench::bench_rate(*options.transport, *chosen);
          });
  command.footer(std::string(kAboutRate) + "\n" + kAboutPeers + "\n" + about_transport(" of as many bytes, or of 8"));
  add_transport_options(command, *over);
  add_list(command, "--size", chosen->sizes, "Bytes inline behind each header, 0 to 4KiB")
      ->transform(bytes(0, bench::RateOptions::kMostBytes))
      ->option_text("N,... [0]");
  add_launches(command, *chosen, "Messages of a launch", "2,000,000; over libfabric 100,000");
}

void add_pipeline(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::PipelineOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command =
      add(parent, action, "pipeline", "Three workers in a row under both call models, beside raw mailboxes",
          [chosen, over](const RunOptions& options) {
            chosen->provider = provider_of(*over);
            return bench::bench_pipeline(placed_over(*over, options), *chosen);
          });
  command.footer(std::string(kAboutPipeline) + "\n\n" + kAboutBeside + "\n" + kAboutPeers + "\n" +
                 about_transport(" that forwards; `rpc-hub` is compared with it, too"));
  add_transport_options(command, *over);
  add_pipeline_options(command, *chosen);
  add_launches(command, *chosen, "Items of a launch", "256 MiB, 40 to 20,000 items");
}

void add_fanout(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::FanoutOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command = add(parent, action, "fanout", "One payload for several consumers, beside one consumer",
                          [chosen, over](const RunOptions& options) {
                            chosen->provider = provider_of(*over);
                            return bench::bench_fanout(placed_over(*over, options), *chosen);
                          });
  command.footer(std::string(kAboutFanout) + "\n" + kAboutPeers + "\n" +
                 about_transport(" to as many processes as ours has controllers for\nthe consumers"));
  add_transport_options(command, *over);
  add_sizes(command, chosen->sizes)->option_text("SIZE,... [64KiB,1MiB]");
  command.add_option("--consumers", chosen->consumers, "How many")->transform(within(1, 64))->capture_default_str();
  add_launches(command, *chosen, "Payloads of a launch", "256 MiB, 20 to 5,000");
}

void add_handover(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::HandoverOptions>();
  CLI::App& command =
      add(parent, action, "handover", "From the end of one kernel to the start of the next, whatever the size",
          [chosen](const RunOptions& options) { return bench::bench_handover(options, *chosen); });
  command.footer(kAboutHandover);
  add_sizes(command, chosen->sizes)->option_text("SIZE,... [64,4KiB,64KiB,1MiB,16MiB,64MiB]");
  add_launches(command, *chosen, "Payloads of a launch", "512 MiB, 9 to 1,000");
}

// Sorts KERNEL.NAME=VALUE by kernel.
void read_params(const std::vector<std::string>& given, std::map<std::string, bench::KernelParams>& params) {
  for (const std::string& text : given) {
    const std::size_t equals = text.find('='), dot = text.find('.');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals)
      throw CLI::ValidationError("--param", "expected KERNEL.NAME=VALUE, found '" + text + "'");
    params[text.substr(0, dot)][text.substr(dot + 1, equals - dot - 1)] = text.substr(equals + 1);
  }
}

void add_kernels(CLI::App& parent, Action& action) {
  constexpr std::uint64_t kMostPixels = 8000;  // a side: three channels of them fit the 192 MiB of a picture
  auto chosen = std::make_shared<bench::KernelsOptions>();
  CLI::App& command =
      add(parent, action, "kernels", "The kernels of bytes and pixels, beside memcpy",
          [chosen](const RunOptions& options) { return bench::bench_kernels(options.kernel_path, *chosen); });
  command.footer(kAboutKernels);
  add_list(command, "--kernel", chosen->kernels, "Kernels to measure")->option_text("NAME,... [all that can be]");
  command
      .add_option_function<std::vector<std::string>>(
          "--param", [chosen](const std::vector<std::string>& given) { read_params(given, chosen->params); },
          "Set a kernel's parameter; may be repeated")
      ->type_name("KERNEL.NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add_sizes(command, chosen->sizes)->option_text("SIZE,... [1MiB]");
  command.add_option("--width", chosen->width, "Width of the picture")
      ->transform(within(1, kMostPixels))
      ->capture_default_str();
  command.add_option("--height", chosen->height, "Height of the picture")
      ->transform(within(1, kMostPixels))
      ->capture_default_str();
  add_launches(command, *chosen, "Firings of a launch", "as many as take 20 ms");
}

void add_gpu(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::GpuOptions>();
  CLI::App& command = add(parent, action, "gpu", "A CUDA controller, beside the same kernels launched by hand",
                          [chosen](const RunOptions& options) { return bench::bench_gpu(options, *chosen); });
  command.footer(kAboutGpu);
  add_list(command, "--part", chosen->parts, "Parts to run")
      ->check(one_of({"packet", "stages", "bandwidth", "pipeline", "in-place"}))
      ->option_text("NAME,... [all of them]");
  add_sizes(command, chosen->sizes)
      ->option_text("SIZE,... [64; in-place up to 1MiB, bandwidth and pipeline up to 256MiB]");
  add_list(command, "--window", chosen->windows, "Packets of ours under way at most")
      ->transform(within(1, kMaxWindow))
      ->option_text("N,... [1,4]");
  add_launches(command, *chosen, "Packets or transfers of a launch", "4 to 10,000, by size");
}

void add_randomaccess(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::RandomAccessOptions>();
  auto over = std::make_shared<TransportOptions>();
  CLI::App& command =
      add(parent, action, "randomaccess", "Updates a second of random words that two processes share out",
          [chosen, over](const RunOptions& options) {
            constexpr std::uint64_t kOverMemory = 32 << 20, kOverWire = 1 << 20;
            const bool wire = over->transport == "ofi";
            if (chosen->sizes.empty()) chosen->sizes = {wire ? kOverWire : kOverMemory};
            if (wire) return bench::bench_wire_randomaccess({over->provider, chosen->sizes, 1, 0, chosen->repetitions});
            return bench::bench_randomaccess(*options.transport, *chosen);
          });
  command.footer(
      std::string(kAboutRandomAccess) + "\n" +
      about_transport(
          " of buckets of numbers; ours are `naive` and `aggregated`,\nwhich update their own half where it lies"));
  add_transport_options(command, *over);
  add_list(command, "--size", chosen->sizes, "Bytes of the table, a power of two, with KiB, MiB or GiB")
      ->transform(bytes())
      ->option_text("SIZE,... [32MiB; over libfabric 1MiB]");
  add_repetitions(command, *chosen);
}

void add_methods(CLI::App& parent, Action& action) {
  constexpr std::uint64_t kMostBytes = 64 << 20;
  auto chosen = std::make_shared<bench::MethodOptions>(bench::MethodOptions{bench::doubling_sizes(kMostBytes)});
  auto machine = std::make_shared<std::string>();
  CLI::App& command = add(
      parent, action, "methods", "The chosen transfer method beside each single one, by size",
      [chosen, machine](const RunOptions& options) -> Result<bench::Report> {
        WOA_ASSIGN_OR_RETURN(const auto limit,
                             measured_inline_limit(*machine, options.transport->name(), print_warning_once));
        return bench::bench_methods(options, limit, *chosen);
      },
      [machine]() -> std::vector<ReadFile> {
        if (!machine->empty()) return {{"--machine", *machine}};
        return {{"the default of --machine", default_machine_file().value_or("")}};
      });
  command.footer(kAboutMethods);
  command.add_option("--machine", *machine, "Machine file whose inline limit is chosen by")->type_name("FILE");
  add_sizes(command, chosen->sizes, 8)->option_text("SIZE,... [8,16,32,... 64MiB]");
  add_launches(command, *chosen, "Hops of a launch", "256 MiB, 8 to 20,000 hops");
}

void add_packing(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::PackingOptions>();
  CLI::App& command = add(parent, action, "packing", "Packed messages between hosts: through blocks, and by rendezvous",
                          [chosen](const RunOptions&) { return bench::bench_packing(*chosen); });
  command.footer(kAboutPacking);
  add_sizes(command, chosen->sizes)->option_text("SIZE,... [64KiB,128KiB,256KiB,512KiB,1MiB,4MiB,16MiB,64MiB]");
  command.add_option("--block", chosen->block_bytes, "Bytes of a block of the link")
      ->transform(bytes(64, std::uint64_t{1} << 30))
      ->option_text("SIZE [64KiB]");
  command.add_option("--provider", chosen->provider, "As libfabric names it")->capture_default_str();
  add_launches(command, *chosen, "Messages of a launch", "256 MiB, 4 to 2,000");
}

void add_busy(CLI::App& parent, Action& action) {
  auto counts = std::make_shared<Counts>(Counts{1'000'000});
  CLI::App& command = add(
      parent, action, "busy", "Packets a second with 64 tokens in flight between two controllers",
      [counts](const RunOptions& options) { return bench::bench_busy(options, counts->count, counts->repetitions); });
  add_launches(command, *counts, "Packets of a launch");
}

void add_idle(CLI::App& parent, Action& action) {
  auto seconds = std::make_shared<double>(5);
  CLI::App& command = add(parent, action, "idle", "Processor time of a run whose source never sends",
                          [seconds](const RunOptions& options) { return bench::bench_idle(options, *seconds); });
  command.add_option("--seconds", *seconds, "How long")->transform(positive_number())->capture_default_str();
}

void add_memory(CLI::App& parent, Action& action) {
  auto instances = std::make_shared<std::uint64_t>(20'000);
  CLI::App& command = add(parent, action, "memory", "Growth of memory over many instances of 64 KiB",
                          [instances](const RunOptions& options) { return bench::bench_memory(options, *instances); });
  add_count(command, *instances, "Instances");
}

void add_channels(CLI::App& parent, Action& action) {
  auto pairs = std::make_shared<std::uint64_t>(500);
  CLI::App& command =
      add(parent, action, "channels", "Memory and descriptors of many idle channels between two processes",
          [pairs](const RunOptions& options) { return bench::bench_channels(*options.transport, *pairs); });
  add_count(command, *pairs, "Pairs: a channel each way");
}

void add_compiling(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::CompileBenchOptions>();
  CLI::App& command =
      add(parent, action, "compile", "Time of the compiler for random graphs, and what is known of its placements",
          [chosen](const RunOptions&) { return bench::bench_compile(*chosen); });
  command.add_option("--stages", chosen->stages, "Stages of a graph")
      ->transform(within(1, 20'000))
      ->capture_default_str();
  command.add_option("--controllers", chosen->controllers, "Controllers of the machine")
      ->transform(within(1, 16))
      ->capture_default_str();
  command
      .add_option("--objective", chosen->objective,
                  "Minimise latency (time of one instance; default) or throughput (time between instances)")
      ->check(one_of({"latency", "throughput"}))
      ->capture_default_str();
  command.add_option("--graphs", chosen->graphs, "How many graphs, each compiled once")
      ->transform(positive())
      ->capture_default_str();
  command
      .add_option_function<double>(
          "--placement-limit",
          [chosen](double limit) {
            chosen->placement_limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * std::min(limit, 1e9)));
          },
          "Seconds that a better placement is looked for, at most [10]")
      ->transform(positive_number());
}

void add_checking(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::CheckBenchOptions>();
  CLI::App& command = add(parent, action, "check", "Time to read and check random graphs, and how it grows",
                          [chosen](const RunOptions&) { return bench::bench_check(*chosen); });
  add_list(command, "--stages", chosen->stages, "Stages of a graph")
      ->transform(within(2, 100'000))
      ->option_text("N,... [1000,10000,100000]");
  command.add_option("--graphs", chosen->graphs, "How many graphs of each size, each checked once")
      ->transform(positive())
      ->capture_default_str();
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("bench", "Micro-benchmarks of the fabric");
  command.footer(kAboutBench);
  command.require_subcommand(1);
  for (const auto add_one :
       {add_firing,   add_hop,     add_route,  add_bandwidth, add_rate,         add_pipeline, add_fanout,
        add_handover, add_kernels, add_gpu,    add_fpga,      add_randomaccess, add_methods,  add_packing,
        add_busy,     add_idle,    add_memory, add_channels,  add_compiling,    add_checking})
    add_one(command, action);
}

}  // namespace woa::tools
