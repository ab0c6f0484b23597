#!/usr/bin/env python3
"""What isolation costs, and what it survives: python3 bench/isolation.py build [--rounds 5]

price    time of a firing of 20 us and of jpeg_decode on 12 megapixels, with and without `--isolate`, in turns
ends     48 inputs of which number 7 makes the kernel segfault, or hang with a limit of 1 s: outputs, failures and time
crashes  10,000 firings of which each tenth crashes at random, while somebody kills worker processes: all others right, nothing left

Needs a C compiler and cjpeg. Run it on a quiet machine."""
import argparse
import contextlib
import glob
import json
import os
import random
import signal
import statistics
import subprocess
import tempfile
import threading
import time

import filled

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNEL = r"""
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "woa/woa_kernel.h"
static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
/* The first byte says what it does: 's' segfaults, 'h' hangs, anything else takes 20 us. */
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const int64_t end = now() + 20000;
  (void)self, (void)firing;
  if (ins[0].bytes != 0 && ins[0].data[0] == 's') *(volatile int *)(uintptr_t)8 = 1;
  while (ins[0].bytes != 0 && ins[0].data[0] == 'h') pause();
  while (now() < end) {}
  memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  return woa_claim(&outs[0], "y", ins[0].bytes, error);
}
WOA_KERNEL_TABLE(.run = run)
"""
DECLARATION = ("woa_kernel: 1\nname: ends\nin: {x: {type: bytes, max: 64}}\nout: {y: {type: bytes, max: 64}}\nlibrary: libends.so\n"
               "variants: {cpu: {}}\n")
GRAPH = "woa: 1\ngraph: ends\ninputs: {x: {type: bytes, max: 64}}\nstages: {a: {kernel: ends, in: {x: x}}}\noutputs: {y: a.y}\n"
DECODE = ("woa: 1\ngraph: decode\ninputs: {photo: {type: bytes, max: 16MiB}}\nstages: {a: {kernel: jpeg_decode, in: {jpeg: photo}}}\n"
          "outputs: {image: a.image}\n")


def children(process):
    """Numbers of the processes that a process has started."""
    found = []
    for threads in glob.glob(f"/proc/{process}/task/*/children"):
        with contextlib.suppress(OSError), open(threads) as file:
            found += [int(child) for child in file.read().split()]
    return found


class Bench:
    def __init__(self, build, folder):
        self.woa, self.folder = os.path.join(build, "woa"), folder
        os.makedirs(self.path("kernels/ends"))
        self.write("kernels/ends/kernel.yaml", DECLARATION)
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o",
                        self.path("kernels/ends/libends.so"), "-x", "c", "-"], input=KERNEL.encode(), check=True)
        self.process = None
        self.graph, self.decode = self.write("ends.yaml", GRAPH), self.write("decode.yaml", DECODE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run(self, graph, *arguments):
        with subprocess.Popen([self.woa, "run", graph, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "WOA_KERNEL_PATH": self.path("kernels")}) as self.process:
            said, errors = self.process.communicate()
        if self.process.returncode not in (0, 1):
            raise SystemExit(f"isolation.py: woa run ended with {self.process.returncode}: {errors}")
        return json.loads(said)

    def price(self, rounds):
        text, photos = self.write("text", "x"), self.path("photos")
        os.makedirs(photos)
        for k in range(2):
            filled.photograph(os.path.join(photos, f"{k}.jpg"), 4000, 3000, k)
        for name, arguments in (("20 us", (self.graph, "--in", "x=" + text, "--instances", "40000")),
                                ("20 us, one worker", (self.graph, "--in", "x=" + text, "--instances", "20000", "--workers", "1")),
                                ("jpeg_decode", (self.decode, "--in", "photo=" + os.path.join(photos, "0.jpg"), "--instances", "200"))):
            took = {"": [], "--isolate": []}
            for _ in range(rounds):
                for isolate, all_ in took.items():
                    all_.append(1e6 / self.run(*arguments, *filter(None, [isolate]))["throughput_per_s"])
            plain, isolated = (statistics.median(all_) for all_ in took.values())
            print(f"price    {name:18} {plain:10.2f} us an instance, isolated {isolated:10.2f}: {isolated - plain:+.2f} us, {isolated / plain - 1:+.2%}")

    def inputs(self, kinds):
        folder = tempfile.mkdtemp(dir=self.folder)
        for k, kind in enumerate(kinds):
            with open(os.path.join(folder, f"{k:05}"), "w") as file:
                file.write(f"{kind}{k}")
        return folder

    def outputs(self, folder, *arguments):
        """The run's object, its seconds, and how many outputs are there and right."""
        out = tempfile.mkdtemp(dir=self.folder)
        begin = time.monotonic()
        said = self.run(self.graph, "--in", "x=" + folder, "--out", f"y={out}/%n", *arguments)
        took = time.monotonic() - begin
        right = 0
        for name in os.listdir(out):
            with open(os.path.join(out, name)) as file, open(os.path.join(folder, name)) as given:
                right += file.read() == given.read()
        return said, took, right

    def ends(self):
        _, plain, _ = self.outputs(self.inputs("." * 48), "--isolate")
        for name, kind, more in (("segfaults", "s", ["--isolate"]), ("hangs", "h", ["--kernel-limit", "1s"])):
            said, took, right = self.outputs(self.inputs("." * 7 + kind + "." * 40), *more)
            print(f"ends     number 7 of 48 {name}: {right} outputs, {len(said['failures'])} failure, {took - plain:+.3f} s: {said['failures'][0]['message']}")

    def crashes(self, count):
        kinds = ["s" if random.random() < 0.1 else "." for _ in range(count)]
        stop = threading.Event()
        killed, seen = [], set()

        def kill():
            while not stop.wait(random.random() * 0.05):
                nodes = [] if self.process is None else children(self.process.pid)
                workers = [child for node in nodes for child in children(node)]
                for worker in random.sample(workers, min(1, len(workers))):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        killed.append(worker)
                        seen.update(workers)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        said, took, right = self.outputs(self.inputs(kinds), "--isolate")
        stop.set()
        killer.join()
        time.sleep(0.2)
        left = [worker for worker in seen if os.path.exists(f"/proc/{worker}/exe")]
        print(f"crashes  {count} firings, {kinds.count('s')} crash, {len(killed)} workers killed: {right} outputs right, {said['failed']} failed,"
              f" {took:.1f} s, {said['memory']['bytes']} bytes of payloads written, {len(left)} processes left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--crashes", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, folder)
        bench.ends()
        bench.crashes(arguments.crashes)
        bench.price(arguments.rounds)


if __name__ == "__main__":
    main()
