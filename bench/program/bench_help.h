// The --help texts of the benchmarks: what is measured, what its limit is, how to read it.
#pragma once

#include <string>

namespace woa::tools {

inline constexpr const char* kAboutBench =
    R"(Each figure stands beside a limit that the same run measures: what the hardware does when nothing but the job
itself is left. Contenders take turns; MIN, MEDIAN and MAX are over the repetitions, TO LIMIT is median by median.
Read `host state` first: `near` and `far` are two threads of one core and two cores, and only figures of the same
state compare; `mixed` means that the host moved us meanwhile, so run again.

  woa bench hop
  woa bench bandwidth --json)";

inline constexpr const char* kAboutHop =
    R"(One way, in nanoseconds: half a round trip between processors 0 and 1. The limit is a mailbox in shared memory: a
copy, a flag, a poll. `transport alone` commits and polls packets that carry 64 bytes inline; `controller to
controller` also matches and fires a kernel that does nothing.)";

inline constexpr const char* kAboutRoute =
    R"(Nanoseconds of a message, over all messages of a lap. Each process copies the message out of its mailbox and into
the next one. It polls, and yields if it shares its processor. Nothing is compared with it: it is the limit of
messages on the same way.

  woa bench route --cores 0,1                          there and back
  woa bench route --cores 0,0,1 --stops 0,1,0,2        a caller of two servers, one on its own processor)";

inline constexpr const char* kAboutFiring =
    R"(Nanoseconds of a firing in one controller on processor 0 that sends its tokens to itself, without the kernel's own
time: that of the same kernels, called one after another by the same repetition (`kernels alone`). SIZE: stages of
the loop. Every launch checks its answer.

  dijkstra    shortest paths over 100 nodes: a queue, and a stage that relaxes a node's edges and holds the weights
  null        the same loop; its kernels only count
  chain       64 empty kernels in a row
  fan-out     one empty kernel, 8 after it, one after all of them
  wavefront   8 x 8 empty kernels, each after its left and its upper neighbour

The limit, `raw loop`, is one function for one loop: packets of 64 bytes through a queue, and every check of a
firing, but no channels, poison, deadlines or several instances.

  woa bench firing --loop null,chain)";

inline constexpr const char* kAboutTaskPeers = R"(
Peers run graphs of empty tasks with one thread on the same processor, without tokens or kernels: Taskflow, and the
flow graph of oneTBB. One that is not installed is named below the table. --no-peers leaves them out.)";

inline constexpr const char* kAboutBandwidth =
    R"(One direction from processor 0 to processor 1, in GB/s (10^9 bytes a second); the consumer looks at the first and
the last byte of each payload where it lies. The limit is the raw mailbox: the producer copies the payload once,
into a slot that the consumer polls. Ours copies it once into a block of a shared region, sends a packet that names
the block, and gets the block back. It may beat the limit, because it uses the block again that came back last,
while a ring of slots goes round all its memory. `memcpy` is one process that copies into one buffer.

  woa bench bandwidth --size 4KiB,16MiB --slots 16)";

inline constexpr const char* kAboutRate =
    R"(One direction from processor 0 to processor 1, in million messages a second: headers of one cache line, and with
--size a payload inline behind each. The limit of headers is a raw mailbox of lines: seven words written, the last
one publishes them. One of 8 bytes stands beside it, the job of peers. With --size, the limit is as many bytes
through a raw mailbox. Each has as many slots as ours, and returns credits a quarter of them at a time. Ours
reserves, commits and polls packets: `activate` as a token sends it, `retire` as the host sends it.

  woa bench rate --size 0,64,256)";

inline constexpr const char* kAboutPipeline =
    R"(Microseconds per item through three workers and back; source and sink are one process. Four processes poll and
yield on the processors that --cores names, a digit each, the source first. The limits are raw mailboxes: they
forward from worker to worker (4 messages an item) or go through a hub, as a caller of three servers does (6
messages), and carry the payload, copied into each reader's mailbox, or the number of a shared buffer. Each worker
adds one to the first and the last byte; ours (kernel `touch`) does it in place, and passes the block on. `woa` is
compared with the better limit that forwards, `rpc-hub` with the better hub: a comparison of call models holds
only where both are near their limits. Peers forward, but for gRPC, whose caller is a hub. On cores 0101 an item
changes processors 4 times by either route; on 0111, with all workers on one processor, twice if forwarded and 6
times by the hub. Below the table stands how many times the time of `woa` that of `rpc-hub` is: above 1, `woa` is
faster. `host state` is that of processors 0 and 1, whatever --cores says.

  woa bench pipeline --size 64,1MiB --window 1,4 --cores 0101,0111)";

inline constexpr const char* kAboutFanout =
    R"(Microseconds per payload that one output sends to several consumers, which do not look at it: written once by the
host on processor 0, then a packet to each consumer on processor 1, and a token from each back. The payload is shared
by reference and its block freed by the last; the counters of the run are checked for that. The limit is the same
run with one consumer. With a controller each, the consumers' processes take turns on one processor; so do those of
peers, which look at the ends of the payload: Open MPI broadcasts, ZeroMQ publishes, the others send to each.

  woa bench fanout --size 1MiB --consumers 8)";

inline constexpr const char* kAboutHandover =
    R"(Nanoseconds from the end of a kernel on processor 0, which has just written its output, to the start of the kernel
on processor 1 that reads it: commit, poll, match, fire, by the clock of the controllers' traces. The payload stays
where it was written (one within the inline limit is also copied behind its header). The limit is a flag in shared
memory behind a payload of the same size: what was written before it leaves the processor first.

  woa bench handover --size 64,64MiB)";

inline constexpr const char* kAboutKernels =
    R"(Kernels that take and give bytes or pixels, in GB/s: the bytes of a payload, or of a picture of three channels, by
the time of a firing. Each kernel is loaded as a controller loads it, and called directly in one thread, on the
same input over and over. Its output lies in memory of its own. The limit is memcpy of as many bytes in the same
run. The payload is a text, which inputs share out; `find_line` does not find what it searches. `resize_bilinear`
halves both sides, and makes 320 x 240.

Kernels of your own are measured, too, if WOA_KERNEL_PATH names the folder that holds theirs:

  woa bench kernels --size 64KiB,1MiB,64MiB
  WOA_KERNEL_PATH=graphs/user-kernel woa bench kernels --kernel threshold,copy --param threshold.level=100)";

inline constexpr const char* kAboutGpu =
    R"(Microseconds on the first CUDA device, gpu:0; GB/s are SIZE / 1000 / microseconds. All contenders run the same PTX:
the first stage inverts the bytes, others copy them. Data are random, and every result is checked.

  packet     host, GPU, host: time of a packet. By hand: a copy each way, as a library for calls does it; the
             zero-copy launch, whose kernel reads and writes pinned memory (the limit); and that as a graph,
             replayed. Ours: `stream` launches a kernel for each packet, `resident` keeps one on the GPU; the
             controller is a thread, or a process
  stages     the same through two stages
  bandwidth  transfers from and to memory of another process, registered as the controller does it, beside pinned
             memory. The ratio below the rows is that of the bandwidths: above 1, ours is faster
  pipeline   three stages, one packet at a time, under `woa`, `rpc-fused` (it stays on the GPU, too) and `rpc-hub`,
             beside one stream by hand. `first kernel to last` is from the start of the first stage's kernel to the
             end of the last one's, by events of the device; for ours the firings' times hold these, by the host's
             clock. `end to end` is from the payload in the host's memory until its result is there
  in-place   one kernel and its payload, to the GPU or to the host: the kernel reads or writes pinned memory itself,
             or the copy engine moves the payload. A line says up to which size the kernel is quicker; the
             controller takes 16 KiB

In `packet` and `stages` the controllers poll and never sleep, as those by hand do. Lines below the rows of `pipeline`
tell how many bytes of a packet were copied between stages; up to 16 KiB kernels reach into host
memory instead. A controller registers 1 GiB of regions; `rpc-hub` has more above 256 MiB, and copies them twice.
Without a CUDA device the benchmark ends with 3 and the reason.

  woa bench gpu --part packet --size 64,4KiB --window 1,8
  woa bench gpu --part pipeline --size 64MiB)";

inline constexpr const char* kAboutFpga =
    R"(Two stages of one card, `copy` and then `invert`, joined by a link. On the card the link is a stream between
cores (`on-card` in `woa explain`), and both stages are one run. Over the host each stage is a run of its own:
the packet that comes back from the first starts the second. Every payload is checked.

Measured, on the RTL of the card's kernel as Verilator made it: the cycles of a run, from its start to its
directory. They are the same each time. The model's memory answers at once; a card's answers later.

Modelled: these cycles at the card's clock, and PCIe to the host and back between the two runs. The host's own
work and the bandwidth of PCIe count as nothing, which favours the way over the host.

  link          from the end of a run of the first stage to the end of the second stage: on the card, cycles
                that the second stage adds to a run; over the host, PCIe twice and a run
  both stages   from the start of the first run to the end of the second stage
  round trip    both stages, and PCIe before and after them

Without Verilator at build time the benchmark ends with 3 and the reason.

  woa bench fpga --size 64,64KiB --pcie-us 0.5)";

inline constexpr const char* kAboutRandomAccess =
    R"(RandomAccess of the HPC Challenge by its rules, in GUP/s (10^9 updates a second): a table of 2^n words of 64 bits,
half of it with each of two processes on processors 0 and 1; four times as many updates (xor) of random words as
it has words; a process holds at most 1024 back. Each launch checks the whole table and allows no wrong word.

  local, one process   the whole table and every update in one process
  raw buckets          the limit of the ratios: 1024 numbers at a time, the other's in a slot of its mailbox
  headers alone        bare headers in one direction through the ring of `naive`, in 10^9 a second
  naive                a packet per update of the other's half
  aggregated           buckets of updates, each the payload of one packet, applied by the owner
  hardware             the processor's atomics on memory that both processes map
  MPI_...              Open MPI's one-sided operations, where it is installed (openmpi-bin, libopenmpi-dev)

  woa bench randomaccess --size 8MiB,128MiB)";

inline constexpr const char* kAboutPeers = R"(
Peers are libraries that do the same between processes on the same processors, in turns with the others, each by a
program of its own; one that is not installed is named below the table. libfabric, UCX and Open MPI poll; ZeroMQ
(ipc://) and gRPC (a UNIX socket) sleep while they wait, and do a part of --count only. --no-peers leaves them out.)";

// `more`: the rest of the sentence about the limit.
inline std::string about_transport(const std::string& more) {
  return R"(
With --transport ofi the processes are joined by libfabric and the loopback interface, peers are left out, and the
limit, with the same provider, is raw fi_writedata)" +
         more + ".";
}

inline constexpr const char* kAboutMethods =
    R"(Nanoseconds of a hop from controller to controller, 8 B to 64 MiB: the kernel reads a payload and writes one as
large. `inline` and `in place` are one method for all sizes, `chosen` is what a plan does: inline up to the limit
of the machine file (`woa calibrate`), or 64 B. Each launch has processes and memory of its own. TO LIMIT is the
chosen way by the better of the others; above 64 KiB there is but one method, and the ratio shows the noise.

  woa bench methods --size 64,256,1KiB)";

inline constexpr const char* kAboutPacking =
    R"(A packed message of one large piece between two processes over libfabric and the loopback interface, in GB/s.
`through blocks` copies it into the link's blocks and out of them; by `rendezvous` the receiver says where it is
to land, and it is written there from the sender's memory. A link's rendezvous_bytes (docs/packing.md) is the
size from which on the second is better. The limit is raw fi_writedata with the same provider.

  woa bench packing --size 128KiB,1MiB --block 1MiB)";

}  // namespace woa::tools
