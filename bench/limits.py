#!/usr/bin/env python3
"""Makes bottlenecks on purpose, and prints what `woa run` names: python3 bench/limits.py build/woa

Each row is a run of about a second. MADE is the bottleneck, NAMED the `cause` of the run's JSON. Run it on a quiet machine."""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROCESSORS = len(os.sched_getaffinity(0))
# Computes for `spin_us`, sleeps for `sleep_us`, and writes `bytes` bytes.
KERNEL = r"""
#include <stdlib.h>
#include <time.h>
#include "woa/woa_kernel.h"
struct work { long spin_us, sleep_us, bytes; };
static woa_status create(const woa_param *params, size_t count, void **self, woa_error *error) {
  struct work *work = malloc(sizeof *work);
  if (work == NULL) return woa_fail(error, WOA_EXHAUSTED, "no memory");
  work->spin_us = atol(woa_param_text(params, count, "spin_us"));
  work->sleep_us = atol(woa_param_text(params, count, "sleep_us"));
  work->bytes = atol(woa_param_text(params, count, "bytes"));
  *self = work;
  return WOA_OK;
}
static void destroy(void *self) { free(self); }
static long ran_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
static woa_status size(void *self, const woa_input *in, woa_output *out, woa_error *error) {
  out[0].bytes = ((struct work *)self)->bytes;
  return WOA_OK;
}
static woa_status run(void *self, const woa_firing *firing, const woa_input *in, woa_output *out, woa_error *error) {
  const struct work *work = self;
  const struct timespec sleeps = {work->sleep_us / 1000000, work->sleep_us % 1000000 * 1000};
  woa_status status = woa_claim(&out[0], "data", work->bytes, error);
  if (status != WOA_OK) return status;
  if (work->spin_us != 0)
    for (long end = ran_us() + work->spin_us; ran_us() < end;) {}
  if (work->sleep_us != 0) nanosleep(&sleeps, NULL);
  return WOA_OK;
}
WOA_KERNEL_TABLE(.create = create, .destroy = destroy, .size = size, .run = run)
"""
YAML = ("woa_kernel: 1\nname: NAME\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64MiB}}\nMORE"
        "params: {spin_us: {type: int, default: 0}, sleep_us: {type: int, default: 0}, bytes: {type: int, default: 8}}\n"
        "library: libwork.so\nvariants: {cpu: {}}\n")
GRAPH = "woa: 1\ngraph: limits\nkernels: [work.yaml, alone.yaml]\ninputs: {data: {type: bytes, max: 64MiB}}\nstages:\n"
ONE_EACH = ("--workers", "1")
# (made, stages as (kernel, parameters, pin), instances, options, input)
ROWS = (
    ("controller", [("work", "{spin_us: 5000}", "")], 200 * PROCESSORS, (), "small"),
    ("workers", [("work", "{sleep_us: 5000}", "")], 200 * PROCESSORS, (), "small"),
    ("workers", [("work", "{spin_us: 5000}", "")], 200, ONE_EACH, "small"),
    ("serial", [("alone", "{spin_us: 5000}", ""), ("work", "{spin_us: 100}", "")], 200, (), "small"),
    ("source", [("work", "{}", "")], 120, (), "large"),
    ("sink", [("work", "{bytes: 33554432}", "")], 60, ("--out", "o=out-%i"), "small"),
    ("window", [("work", "{sleep_us: 3000}", "cpu:0"), ("work", "{sleep_us: 3000}", "cpu:1")], 180, ("--window", "1", *ONE_EACH), "small"),
    ("memory", [("work", "{sleep_us: 3000}", "cpu:0"), ("work", "{sleep_us: 3000}", "cpu:1")], 180, ("--memory", "1", *ONE_EACH), "small"),
    ("blocks", [("work", "{sleep_us: 3000}", "cpu:0"), ("work", "{sleep_us: 3000}", "cpu:1")], 180, ("--buffers", "least", *ONE_EACH), "small"),
    ("brief", [("work", "{}", "cpu:0"), ("work", "{}", "cpu:1")], 300_000, ("--window", "2", *ONE_EACH), "small"),
    ("programs", [("work", "{spin_us: 5000}", "")], 60 * PROCESSORS, (), "small"),
)


def limit_of(woa, folder, stages, instances, options, data):
    text, last = GRAPH, "data"
    for k, (kernel, params, on) in enumerate(stages):
        text += f"  s{k}: {{kernel: {kernel}, in: {{data: {last}}}, params: {params}" + (f", on: '{on}'" if on else "") + "}\n"
        last = f"s{k}.data"
    with open(os.path.join(folder, "limits.yaml"), "w", encoding="utf-8") as graph:
        graph.write(text + f"outputs: {{o: {last}}}\n")
    done = subprocess.run([woa, "run", "limits.yaml", "--in", "data=" + data, "--instances", str(instances), "--json", *options],
                          cwd=folder, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["limit"]


def main():
    woa = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o",
                        os.path.join(folder, "libwork.so"), "-x", "c", "-"], input=KERNEL.encode(), check=True)
        for name, more in (("work", ""), ("alone", "serial: true\n")):
            with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as kernel:
                kernel.write(YAML.replace("NAME", name).replace("MORE", more))
        for name, size in (("small", 8), ("large", 32 << 20)):
            with open(os.path.join(folder, name), "wb") as data:
                data.write(b"x" * size)
        print(f"{'MADE':<11}{'NAMED':<11}TEXT")
        for made, stages, instances, options, data in ROWS:
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * PROCESSORS if made == "programs" else 0)]
            try:
                limit = limit_of(woa, folder, stages, instances, options, data)
            finally:
                for loop in busy:
                    loop.kill()
                    loop.wait()
            print(f"{made:<11}{limit['cause']:<11}{limit['text']}: {limit['remedy']}")


if __name__ == "__main__":
    main()
