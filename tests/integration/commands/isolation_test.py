"""Isolated kernels: one that crashes, hangs, ends its process or leaves its memory fails its own instance, and no other."""
import glob
import os
import signal
import subprocess
import time

import harness
from harness import SANITIZED, SOURCE, WoaTest, read

# Copies its input. Its second line says what it does then, and its third names a file that remembers that it did so once.
KERNEL = """
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include "woa/woa_kernel.h"
static int is(const char *word, const char *text, size_t bytes) { return bytes >= strlen(word) && memcmp(text, word, strlen(word)) == 0; }
// Writes over all memory that its process shares for requests and answers.
static void write_nonsense(void) {
  char line[512];
  FILE *file = fopen("/proc/self/maps", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    unsigned long begin, end;
    if (strstr(line, "worker (") != NULL && sscanf(line, "%lx-%lx", &begin, &end) == 2) memset((void *)begin, 255, end - begin);
  }
  if (file != NULL) fclose(file);
}
static int first_time(const char *name, size_t bytes) {
  char path[4096];
  FILE *file;
  snprintf(path, sizeof path, "%.*s", (int)bytes, name);
  if (access(path, F_OK) == 0) return 0;
  file = fopen(path, "w");
  if (file != NULL) fclose(file);
  return 1;
}
// One process alone gets beyond it.
static woa_status create_alone(const woa_param *params, size_t count, void **self, woa_error *error) {
  char path[4096];
  int file;
  (void)params, (void)count, (void)self;
  snprintf(path, sizeof path, "%s/taken", getenv("WOA_KERNEL_PATH"));
  file = open(path, O_CREAT | O_EXCL, 0600);
  return file >= 0 && close(file) == 0 ? WOA_OK : woa_fail(error, WOA_EXHAUSTED, "another process has it");
}
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const char *const text = (const char *)ins[0].data, *const line = (const char *)memchr(text, '\\n', ins[0].bytes);
  const char *const how = line == NULL ? text + ins[0].bytes : line + 1;
  const char *const rest = (const char *)memchr(how, '\\n', (size_t)(text + ins[0].bytes - how));
  const size_t left = (size_t)(text + ins[0].bytes - how);
  volatile int zero = 0;
  (void)self;
  memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  if (firing->state != NULL) outs[0].data[0] = (uint8_t)('0' + ++*(uint8_t *)firing->state);
  if (is("segv", how, left)) *(volatile int *)(uintptr_t)8 = 1;
  if (is("bus", how, left)) raise(SIGBUS);
  if (is("fpe", how, left)) zero = 7 / zero;
  if (is("ill", how, left)) __builtin_trap();
  if (is("abort", how, left)) abort();
  if (is("exit", how, left)) exit(3);
  if (is("quick", how, left)) _exit(0);
  if (is("wait", how, left)) usleep(5000);
  if (is("hang", how, left)) for (;;) pause();
  if (is("behind", how, left)) outs[0].data[outs[0].capacity] = 1;
  if (is("nonsense", how, left)) write_nonsense();
  if (is("far", how, left)) memset(outs[0].data, 1, outs[0].capacity + 6000);
  if (is("input", how, left)) ((uint8_t *)ins[0].data)[0] = 1;
  if (is("once", how, left) && first_time(rest + 1, (size_t)(text + ins[0].bytes - rest - 1))) raise(SIGKILL);
  if (is("killed", how, left)) raise(SIGKILL);
  if (is("counted", how, left)) {
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%.*s", (int)(text + ins[0].bytes - rest - 2), rest + 1);
    file = fopen(path, "a");
    if (file != NULL) fputc('x', file), fclose(file);
    abort();
  }
  if (is("core", how, left)) {
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    if (core.rlim_cur <= 1) return woa_fail(error, WOA_INVALID, "no core files");
  }
  return woa_claim(&outs[0], "data", ins[0].bytes, error);
}
"""
STATELESS = "WOA_KERNEL_TABLE(.run = run)"
STATEFUL = "WOA_KERNEL_TABLE(.run = run, .state_bytes = 1)"
DECLARATION = ("woa_kernel: 1\nname: %s\nsummary: copies, and ends its process\nin: {data: {type: bytes, max: 65536}}\n"
               "out: {data: {type: bytes, max: 65536}}\n%slibrary: libk.so\nvariants: {cpu: {}}\n")
GRAPH = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 65536}}\nstages:\n  one: {kernel: copy, in: {data: data}}\n"
         "  two: {kernel: %s, in: {data: one.data}%s}\noutputs: {data: two.data}\n")
WAYS = (("--processes", "one"), ("--processes", "one", "--workers", "1"), (), ("--workers", "2"))
SEGFAULT = "was ended by signal 11 (Segmentation fault)"


class Isolation(WoaTest):
    def setUp(self):
        super().setUp()
        self.kernel("ends", STATELESS)

    def kernel(self, name, table, more=""):
        os.makedirs(self.path("kernels/" + name))
        self.write(f"kernels/{name}/kernel.yaml", DECLARATION % (name, more))
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o",
                        self.path(f"kernels/{name}/libk.so"), "-x", "c", "-"], input=(KERNEL + table + "\n").encode(), check=True)

    def inputs(self, *hows, others=4):
        """Files of which number k does what `hows` has at k."""
        os.makedirs(self.path("in"), exist_ok=True)
        for k in range(len(hows) + others):
            self.write(f"in/{k:02}", f"{k:02}\n{hows[k] if k < len(hows) else ''}\n")
        return self.path("in")

    def graph(self, more="", kernel="ends"):
        return self.write("graph.yaml", GRAPH % (kernel, more))

    def run_graph(self, graph, folder, *more, code=1, out="out"):
        self.outputs = self.path(out)
        os.makedirs(self.outputs, exist_ok=True)
        return self.run_json(graph, "--in", "data=" + folder, "--out", f"data={self.outputs}/%n", *more, code=code,
                             environment={"WOA_KERNEL_PATH": self.path("kernels")})

    def left_out(self, folder, *names):
        """All outputs but these are there, and right."""
        all_names = sorted(os.listdir(folder))
        self.assertEqual(sorted(os.listdir(self.outputs)), [name for name in all_names if name not in names])
        for name in os.listdir(self.outputs):
            self.assertEqual(read(os.path.join(self.outputs, name)), read(os.path.join(folder, name)))

    def test_whatever_ends_its_process_fails_its_instance_alone(self):
        ends = {"segv": SEGFAULT, "bus": "signal 7 (Bus error)", "fpe": "signal 8 (Floating point exception)", "abort": "signal 6 (Aborted)",
                "ill": "was ended by signal", "exit": "ended with exit code 3", "quick": "ended with exit code 0", "killed": "signal 9 (Killed), twice",
                "input": SEGFAULT}
        folder = self.inputs(*ends)
        graph = self.graph(", isolate: true")
        for number, way in enumerate(WAYS):
            with self.subTest(way):
                said = self.run_graph(graph, folder, *way, out=f"out{number}")
                failures = {failure["inputs"]["data"]: failure for failure in said["failures"]}
                self.assertEqual(len(failures), len(ends))
                for k, (how, end) in enumerate(ends.items()):
                    failure = failures[os.path.join(folder, f"{k:02}")]
                    self.assertEqual((failure["code"], failure["stage"]), ("kernel_failed", "two"), how)
                    self.assertIn("kernel 'ends'", failure["message"])
                    self.assertIn("its process" if SANITIZED else end, failure["message"])  # sanitizers turn signals into exit codes
                self.left_out(folder, *(f"{k:02}" for k in range(len(ends))))

    def test_over_libfabric_as_well(self):
        plain = self.woa("run", os.path.join(SOURCE, "graphs/hello.yaml"), "--in", "text=" + self.write("text", "x"), "--transport", "ofi")
        self.skip_without_libraries(plain.returncode, plain.stderr.decode())
        folder = self.inputs("segv", "", "exit")
        self.run_graph(self.graph(", on: \"cpu:1\""), folder, "--isolate", "--transport", "ofi")
        self.left_out(folder, "00", "02")

    def test_a_firing_that_takes_longer_than_its_limit_is_killed(self):
        folder = self.inputs("", "hang")
        for more, options in ((", limit: 300ms", ()), ("", ("--kernel-limit", "300ms"))):
            with self.subTest(more):
                begin = time.monotonic()
                said = self.run_graph(self.graph(more), folder, *options)
                self.assertLess(time.monotonic() - begin, 10)
                failure, = said["failures"]
                self.assertEqual(failure["code"], "deadline_exceeded")
                self.assertIn("it ran longer than its limit of 300 ms", failure["message"])
                self.left_out(folder, "01")

    def test_a_firing_whose_process_somebody_killed_runs_again(self):
        folder = self.inputs("once\n" + self.path("mark"))
        said = self.run_graph(self.graph(", isolate: true"), folder, code=0)
        self.assertEqual(said["failures"], [])
        self.left_out(folder)

    def test_firings_in_the_hands_of_a_process_that_ends_run_in_the_next(self):
        # Brief ones: a process has several at once. Each that ends its process has run once.
        hows = {k: f"counted\n{self.path('runs')}.{k}" if k % 14 == 6 else f"once\n{self.path('mark')}.{k}" for k in range(6, 300, 7)}
        folder = self.inputs(*(hows.get(k, "") for k in range(300)))
        for number, way in enumerate(((), ("--processes", "one", "--workers", "1"))):
            with self.subTest(way):
                said = self.run_graph(self.graph(", isolate: true"), folder, *way, out=f"out{number}")
                ended = [k for k, how in hows.items() if how.startswith("counted")]
                self.assertEqual(sorted(failure["instance"] for failure in said["failures"]), ended)
                self.assertEqual([read(f"{self.path('runs')}.{k}") for k in ended], ["x" * (number + 1)] * len(ended))
                self.left_out(folder, *(f"{k:02}" for k in ended))

    def test_a_worker_without_a_process_leaves_firings_to_others(self):
        self.kernel("alone", "WOA_KERNEL_TABLE(.run = run, .create = create_alone)")
        folder = self.inputs(*["wait"] * 20)
        said = self.run_graph(self.graph(", isolate: true", "alone"), folder, "--workers", "2", code=0)
        self.assertEqual(said["failures"], [])
        self.left_out(folder)

    def test_nonsense_in_an_answer_fails_what_wrote_it(self):
        folder = self.inputs(*("nonsense" if k == 20 else "" for k in range(60)))
        for number, way in enumerate(WAYS):
            with self.subTest(way):
                failure, = self.run_graph(self.graph(", isolate: true"), folder, *way, out=f"out{number}")["failures"]
                self.assertEqual((failure["instance"], failure["code"]), (20, "broken_contract"))
                self.assertIn("it wrote over the memory that its process shares with the run", failure["message"])
                self.left_out(folder, "20")

    def test_writes_beyond_an_output_never_reach_another(self):
        folder = self.inputs("far", "behind", others=40)
        for way in WAYS:
            with self.subTest(way):
                said = self.run_graph(self.graph(), folder, "--isolate", *way)
                failures = {failure["inputs"]["data"][-2:]: failure for failure in said["failures"]}
                for name in ("00", "01"):
                    self.assertEqual((failures[name]["code"], failures[name]["stage"]), ("broken_contract", "two"))
                    self.assertIn("behind the 65536 bytes of output 'data'", failures[name]["message"])
                self.left_out(folder, "00", "01")

    def test_state_is_copied_to_the_process_and_back(self):
        self.kernel("counts", STATEFUL, "stateful: run\nstate: 1\n")
        folder = self.inputs("", "segv", "")
        said = self.run_graph(self.graph(", isolate: true", "counts"), folder, "--workers", "2")
        self.assertEqual(len(said["failures"]), 1)
        self.assertEqual([read(os.path.join(self.outputs, name))[0] for name in sorted(os.listdir(self.outputs))], list("123456"))

    def test_no_core_file_is_written(self):
        said = self.run_graph(self.graph(", isolate: true"), self.inputs("core"))
        self.assertIn("no core files", said["failures"][0]["message"])

    def test_a_kernel_that_cannot_be_loaded_ends_the_run_before_it_begins(self):
        os.remove(self.path("kernels/ends/libk.so"))
        self.write("kernels/ends/libk.so", "no library")
        done = self.woa("run", self.graph(", isolate: true"), "--in", "data=" + self.inputs("") + "/00", "--out", "data=" + self.path("o"),
                        environment={"WOA_KERNEL_PATH": self.path("kernels")})
        self.refused(done, 1, "stage 'two', kernel 'ends'", "cannot load its library")

    def test_processes_end_with_their_run_however_it_ends(self):
        folder = self.inputs("hang", others=0)
        for number in (signal.SIGKILL, signal.SIGINT):
            for way in WAYS:
                with self.subTest(number=number, way=way):
                    run = subprocess.Popen([harness.WOA, "run", self.graph(", isolate: true"), "--in", "data=" + folder, "--out",
                                            "data=" + self.path("o"), *way], stderr=subprocess.PIPE,
                                           env={**os.environ, "WOA_KERNEL_PATH": self.path("kernels")})
                    workers = self.await_workers()
                    run.send_signal(number)
                    run.communicate(timeout=harness.LIMIT_S)
                    self.await_end(workers)

    def workers(self):
        """Processes that have the test's kernel loaded."""
        found = []
        for maps in glob.glob("/proc/[0-9]*/maps"):
            try:
                if self.path("kernels/ends/libk.so") in read(maps):
                    found.append(int(maps.split("/")[2]))
            except (OSError, UnicodeDecodeError):
                pass
        return found

    @staticmethod
    def runs(pid):
        """False for one that has ended and that nobody has asked for its status."""
        try:
            return read(f"/proc/{pid}/stat").rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    def await_workers(self):
        for _ in range(1000):
            if self.workers():
                return self.workers()
            time.sleep(0.01)
        self.fail("no worker process has begun")

    def await_end(self, workers):
        for _ in range(1000):
            if not any(self.runs(pid) for pid in workers):
                return
            time.sleep(0.01)
        self.fail("worker processes are left")


class Refused(WoaTest):
    def check(self, text, *texts):
        graph = self.write("graph.yaml", text)
        self.refused(self.woa("check", graph), 1, *texts)

    def test_what_cannot_be_isolated_is_named(self):
        stages = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 100}}\nstages:\n  one: {kernel: copy, in: {data: data}%s}\n"
                  "outputs: {data: one.data}\n")
        self.check(stages % ", isolate: false, limit: 1s", "stage `one` has a `limit`, which only an isolated kernel can have")
        self.check(stages % ", isolate: maybe", "`isolate`")

    def test_a_plan_file_takes_the_options(self):
        text, plan = self.write("text", "hello"), self.path("plan")
        self.assertEqual(self.woa("compile", os.path.join(SOURCE, "graphs/hello.yaml"), "-o", plan).returncode, 0)
        done = self.woa("run", plan, "--in", "text=" + text, "--out", "copy=" + self.path("copy"), "--isolate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(self.path("copy")), "hello")


class SameOutputs(WoaTest):
    def test_scatters_gathers_and_outputs_in_the_place_of_inputs(self):
        """Outputs are the same in processes."""
        self.assert_same_outputs(["--isolate"], ["--isolate", "--guard"])


if __name__ == "__main__":
    harness.main()
