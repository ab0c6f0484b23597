"""How runs end when kernels misbehave, when the user interrupts them, and when the system's limits are met."""
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import harness
from harness import SANITIZED, SOURCE, WOA, WoaTest, read
from join_harness import JoinTest

HELLO = os.path.join(SOURCE, "graphs/hello.yaml")
KERNEL = """
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <stdexcept>
#include <string>
#include "woa/woa_kernel.h"
namespace {
std::string how;
woa_status create(const woa_param *params, size_t count, void **, woa_error *) {
  how = woa_param_text(params, count, "how");
  if (how == "throws-early") throw std::runtime_error("no create");
  if (how == "dies-early") raise(SIGKILL);
  if (how == "stops-early") raise(SIGSTOP);
  return WOA_OK;
}
woa_status run(void *, const woa_firing *, const woa_input *in, woa_output *out, woa_error *error) {
  if (how == "segv") *reinterpret_cast<volatile int *>(8) = 1;
  if (how == "kill") raise(SIGKILL);
  if (how == "exit") exit(3);
  if (how == "_exit") _exit(0);
  if (how == "_Exit") _Exit(0);
  if (how == "quick_exit") quick_exit(0);
  if (how == "child") {  // which may leave as it likes
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, nullptr, 0) != child) return woa_fail(error, WOA_KERNEL_FAILED, "no child");
  }
  if (how == "throw") throw std::runtime_error("a thing");
  if (how == "number") return woa_fail(error, static_cast<woa_status>(77), "seventy-seven");
  if (how == "peer") return static_cast<woa_status>(9);
  if (how == "spin") for (volatile int k = 0;;) k = k + 1;
  if (how == "print") printf("{ working on %d bytes\\n", static_cast<int>(in[0].bytes));
  const char *const threads = getenv("OMP_NUM_THREADS");
  const std::string answer = how == "threads" ? threads == nullptr ? "unset" : threads : std::string(reinterpret_cast<const char *>(in[0].data), in[0].bytes);
  woa_status status = woa_claim(&out[0], "data", answer.size(), error);
  if (status == WOA_OK) memcpy(out[0].data, answer.data(), answer.size());
  return status;
}
}  // namespace
WOA_KERNEL_TABLE(.create = create, .run = run)
"""
GRAPH = """woa: 1
graph: trouble
kernels: [kernel.yaml]
inputs: {text: {type: bytes, max: 4KiB}}
stages:
  before: {kernel: copy, in: {data: text}, on: "cpu:0"}
  odd: {kernel: trouble, in: {data: before.data}, params: {how: HOW}, on: "cpu:1"}
outputs: {copy: odd.data}
"""


class Kernels(JoinTest):
    @classmethod
    def setUpClass(cls):
        compiler = os.environ.get("CXX") or "c++"
        if shutil.which(compiler) is None:
            harness.skip_program("compiler", compiler + " is not installed")
        cls.built = tempfile.mkdtemp(prefix="woa-test-")
        cls.addClassCleanup(shutil.rmtree, cls.built)
        subprocess.run([compiler, "-std=c++20", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o", os.path.join(cls.built, "libtrouble.so"), "-x", "c++", "-"],
                       input=KERNEL.encode(), check=True)

    def setUp(self):
        super().setUp()
        self.text = self.write("text", "hello\n")
        shutil.copy(os.path.join(self.built, "libtrouble.so"), self.folder)
        self.write("kernel.yaml", "woa_kernel: 1\nname: trouble\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 4KiB}}\n"
                   "params: {how: {type: string}}\nlibrary: libtrouble.so\nvariants: {cpu: {}}\n")

    def graph(self, how):
        return self.write("graph.yaml", GRAPH.replace("HOW", how))

    def run_trouble(self, how, *more):
        return self.woa("run", self.graph(how), "--in", "text=" + self.text, *more)

    def test_a_death_is_told_once_with_its_signal_stage_and_instance(self):
        deaths = [("kill", "signal 9"), ("exit", "exit code 3")] + ([] if SANITIZED else [("segv", "signal 11")])
        for transport in ("shm", "ofi"):
            for how, text in deaths:
                with self.subTest(how, transport=transport):
                    done = self.run_trouble(how, "--instances", "4", "--json", "--transport", transport)
                    self.skip_without_libraries(done.returncode, done.stderr.decode())
                    self.refused(done, 1, "controller 'cpu:1': its process", text, "while stage 'odd' (kernel 'trouble') ran instance 0", "4 instances")
                    self.assertEqual(done.stderr.decode().count("ran instance 0"), 1)
                    failures = {each["instance"]: each for each in json.loads(done.stdout)["failures"]}
                    self.assertEqual((failures[0]["code"], failures[0]["stage"]), ("peer_lost", "odd"))
                    ran = done.stderr.decode().count("ran instance")  # the others waited for a worker
                    self.assertEqual(sorted(str(each["stage"]) for each in failures.values()), sorted(["odd"] * ran + ["None"] * (4 - ran)))

    def test_kernels_with_threads_of_their_own_have_one_beside_other_workers(self):
        out = self.path("out")
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        for processes in ("one", "per-controller"):
            for workers, given, expected in (("3", {}, "1"), ("3", {"OMP_NUM_THREADS": "5"}, "5"), ("1", {}, "unset")):
                command = [WOA, "run", self.graph("threads"), "--in", "text=" + self.text, "--out", "copy=" + out, "--processes", processes, "--workers", workers]
                subprocess.run(command, env={**environment, **given}, stdout=subprocess.DEVNULL, check=True, timeout=harness.LIMIT_S)
                self.assertEqual(read(out), expected)

    def test_a_death_while_kernels_are_loaded_names_the_kernel(self):
        self.refused(self.run_trouble("dies-early"), 3, "controller 'cpu:1'", "signal 9", "stage 'odd' (kernel 'trouble') was being loaded")

    def test_a_node_that_is_stopped_before_it_is_ready_is_named(self):
        for transport in ("shm", "ofi"):
            done = self.run_trouble("stops-early", "--start-limit", f"{harness.LIMIT_S / 20:.0f}s", "--transport", transport)
            self.skip_without_libraries(done.returncode, done.stderr.decode())
            self.refused(done, 3, "error[unavailable]", "not ready after", "cpu:1 (process ", "--start-limit")

    def test_every_command_that_runs_a_graph_bounds_its_start(self):
        for command in (["profile", "-o", self.path("profile.json")], ["compare", "--run"]):
            done = self.woa(command[0], self.graph("stops-early"), "--in", "text=" + self.text, "--start-limit", "500ms", *command[1:])
            self.refused(done, 3, "error[unavailable]", "not ready after", "--start-limit")

    def test_in_one_process_a_kernel_that_ends_it_is_named(self):
        done = self.run_trouble("exit", "--processes", "one", "--json")
        self.refused(done, 1, "error[broken_contract]", "exit(3)", "stage 'odd' (kernel 'trouble') ran instance 0")
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "broken_contract")
        if SANITIZED:
            return
        for function in ("_exit", "_Exit", "quick_exit"):
            done = self.run_trouble(function, "--processes", "one", "--json")
            self.refused(done, 1, "error[broken_contract]", function + "(0) was called", "stage 'odd' (kernel 'trouble') ran instance 0")
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "broken_contract")
            self.refused(self.run_trouble(function, "--processes", "per-controller"), 1, "error[peer_lost]", "controller 'cpu:1'")
        done = self.run_trouble("segv", "--processes", "one", "--json")
        self.refused(done, -signal.SIGSEGV, "signal 11", "stage 'odd' (kernel 'trouble') ran instance 0")
        self.assertFalse(json.loads(done.stdout)["ok"])

    def test_a_child_of_a_kernel_may_leave_as_it_likes(self):
        for processes in ("one", "per-controller"):
            done = self.run_trouble("child", "--processes", processes)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_kernel_throws_or_answers_wrongly_is_its_broken_contract(self):
        for how, text in (("throw", "run() threw an exception (a thing)"), ("number", "run() answered 77, which is no woa_status"),
                          ("peer", "run() answered 9, which is no woa_status")):
            for processes in ("one", "per-controller"):
                done = self.run_trouble(how, "--processes", processes)
                self.refused(done, 1, "error[broken_contract]: instance 0 ", " failed at stage odd: " + text)
        self.refused(self.run_trouble("throws-early"), 1, "create() threw an exception (no create)", "kernel 'trouble'")

    def test_stdout_is_the_command_s_own(self):
        for processes in ("one", "per-controller"):
            done = self.run_trouble("print", "--processes", processes, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["failures"], [])
            self.assertIn(b"{ working on 6 bytes", done.stderr)
            done = self.run_trouble("print", "--processes", processes)
            self.assertNotIn(b"working", done.stdout)
            self.assertIn(b"{ working on 6 bytes", done.stderr)
        done = self.run_trouble("print", "--out", "copy=/dev/stdout", "--processes", "one", "--json")
        self.assertTrue(done.stdout.startswith(b"hello\n{"), done.stdout[:80])  # what the user asked for, and the object
        for command in (["profile", "--in", "text=" + self.text, "-o", self.path("profile.json")], ["compare", "--in", "text=" + self.text, "--run"]):
            done = self.woa(command[0], self.graph("print"), *command[1:], "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            json.loads(done.stdout)

    def test_a_stuck_kernel_ends_the_run_in_both_layouts(self):
        for more in (["--processes", "one", "--workers", "1"], ["--workers", "1"], ["--workers", "3"]):
            done = self.run_trouble("spin", "--deadline", "200ms", "--end-limit", "500ms", *more, "--json")
            self.refused(done, 1, "error[deadline_exceeded]: instance 0 ", " failed at stage odd: ", "while stage 'odd' (kernel 'trouble') ran instance 0")
            failures = json.loads(done.stdout)["failures"]
            self.assertEqual([failure["stage"] for failure in failures], ["odd"] + [None] * (len(failures) - 1))
            for failure in failures:  # those that waited for it name it, too
                self.assertIn("while stage 'odd' (kernel 'trouble') ran instance 0", failure["message"])
            if more[-1] == "1":  # else the controller's own thread is free to report
                self.assertIn("cpu:1 did not report before --end-limit", done.stderr.decode())

    def test_a_stuck_kernel_on_another_host_is_named(self):
        folder = self.path("kernels/trouble")
        os.makedirs(folder)
        for name in ("kernel.yaml", "libtrouble.so"):
            shutil.copy(self.path(name), folder)
        run, address = self.start_run(1, "--deadline", "1000ms", "--end-limit", "500ms", graph=self.graph("spin"), instances="1")
        node = self.start_node(address, "--controller", "cpu:1", environment={"WOA_KERNEL_PATH": self.path("kernels")})
        self.assertEqual(run.end(), 1, run.error)
        self.assertIn("while stage 'odd' (kernel 'trouble') ran instance 0", run.error)
        self.assertEqual(json.loads(run.out)["failures"][0]["stage"], "odd")
        node.stop()

    def test_an_interruption_ends_a_stuck_kernel(self):
        for processes in ("one", "per-controller"):
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                running = subprocess.Popen([WOA, "run", self.graph("spin"), "--in", "text=" + self.text, "--processes", processes, "--json"],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(1)
                running.send_signal(number)
                out, error = running.communicate(timeout=harness.LIMIT_S)
                self.assertEqual((running.returncode, json.loads(out)["error"]["code"]), (code, "cancelled"), error)


def feed(pipe):
    """Numbers as lines, until nobody reads them."""
    try:
        for k in range(10**8):
            pipe.write(b"%08d\n" % k)
        pipe.flush()
    except BrokenPipeError:
        pass


class Interrupted(WoaTest):
    def start(self, *arguments, before=None):
        slow = self.write("slow.yaml", "woa: 1\ngraph: slow\ninputs: {text: {type: bytes, max: 4KiB}}\nstages:\n"
                          "  first: {kernel: fail_if, in: {data: text}, params: {delay_ms: 50}, on: 'cpu:0'}\n"
                          "  second: {kernel: copy, in: {data: first.data}, on: 'cpu:1'}\noutputs: {copy: second.data}\n")
        return subprocess.Popen([WOA, "run", slow, "--in", "text=" + self.write("text", "x"), "--instances", "100000", "--json", *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=before)

    def check(self, start, send, code):
        """Later and later, until instances have begun."""
        wait, result = 0.5, {}
        while "failures" not in result and wait < harness.LIMIT_S:
            running = start()
            time.sleep(wait)
            wait *= 2
            send(running.pid)
            out, error = running.communicate(timeout=harness.LIMIT_S)
            self.skip_without_libraries(running.returncode, error.decode())
            self.assertEqual(running.returncode, code, error)
            result = json.loads(out)
            self.assertEqual(result["error"]["code"], "cancelled")
        self.assertEqual((result["failures"], result["instances"]), ([], 100000))
        self.assertRegex(error.decode(), r"interrupted by SIG\w+.*, \d+ of 100000 instances done")

    def test_it_ends_in_order(self):
        """Alone, and with all its processes, as a terminal does; over what libfabric loads, too."""
        for transport in ("shm", "ofi"):
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                for kill in (os.kill, os.killpg):
                    self.check(lambda: self.start("--transport", transport), lambda pid: kill(pid, number), code)

    def cut_short(self, kill):
        """A run of many instances into a file that has been there; the error's text, and how many were done."""
        numbers = self.write("numbers.yaml", "woa: 1\ngraph: numbers\ninputs: {text: {type: bytes, max: 64}}\nstages:\n"
                             "  first: {kernel: fail_if, in: {data: text}, params: {delay_ms: 1}, on: 'cpu:0', replicas: 2}\n"
                             "  second: {kernel: copy, in: {data: first.data}, on: 'cpu:1'}\noutputs: {copy: second.data}\n")
        out, done, wait = self.write("out.txt", "earlier"), None, 1
        while done is None and wait < harness.LIMIT_S:  # later and later, until instances have ended
            running = subprocess.Popen([WOA, "run", numbers, "--in", "text=-", "--frames", "text=lines", "--out", "copy=" + out, "--processes", "per-controller"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            feeder = threading.Thread(target=feed, args=(running.stdin,), daemon=True)
            feeder.start()
            time.sleep(wait)
            wait *= 2
            kill(running)
            feeder.join(harness.LIMIT_S)
            _, error = running.communicate(timeout=harness.LIMIT_S)
            self.assertEqual(harness.read(out), "earlier")
            done = re.search(r", (\d+)(?: of \d+)? instances? done; the outputs of (\d+) instances?, complete and in order, are in '.*out.txt.partial'", error.decode())
        self.assertIsNotNone(done, error)
        self.assertEqual(done[1], done[2])
        self.assertEqual(harness.read(out + ".partial"), "".join(f"{k:08}" for k in range(int(done[1]))))
        return running.returncode, error.decode()

    def test_what_is_complete_and_in_order_is_kept(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.assertEqual(self.cut_short(lambda running: running.send_signal(number))[0], code)

    def test_and_after_the_loss_of_a_process(self):
        def kill_a_node(running):
            nodes = harness.read(f"/proc/{running.pid}/task/{running.pid}/children").split()
            if nodes:
                os.kill(int(nodes[-1]), signal.SIGKILL)
            else:  # it has not begun
                running.kill()
        code, error = self.cut_short(kill_a_node)
        self.assertEqual(code, 1)
        self.assertIn("error[peer_lost]", error)

    def test_an_instance_that_the_loss_took_ends_what_is_in_order(self):
        graph = self.write("slow_fourth.yaml", "woa: 1\ngraph: slow_fourth\ninputs: {text: {type: bytes, max: 64}}\nstages:\n"
                           "  way: {kernel: route, in: {data: text}, on: 'cpu:0'}\n"
                           "  slow: {kernel: fail_if, in: {data: way.odd}, params: {delay_ms: 60000}, on: 'cpu:1'}\n"
                           "outputs: {text: [way.even, slow.data]}\n")
        out, error, wait = self.path("out.txt"), b"", 1
        while b" of 6 instances done" not in error and wait < harness.LIMIT_S:  # later and later, until all have been read
            running = subprocess.Popen([WOA, "run", graph, "--in", "text=-", "--frames", "text=lines", "--out", "text=" + out,
                                        "--processes", "per-controller"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            running.stdin.write(b"0\n2\n4\n1\n6\n8\n")
            running.stdin.flush()
            time.sleep(wait)
            wait *= 2
            nodes = harness.read(f"/proc/{running.pid}/task/{running.pid}/children").split()
            os.kill(int(nodes[-1]) if nodes else running.pid, signal.SIGKILL)
            _, error = running.communicate(timeout=harness.LIMIT_S)
        self.assertIn(", 3 of 6 instances done; the outputs of 3 instances, complete and in order, are in ", error.decode())
        self.assertEqual(harness.read(out + ".partial"), "024")

    def test_files_of_instances_are_all_those_that_are_told_done(self):
        running = self.start("--out", "copy=" + self.path("o%i"), "--processes", "one")
        time.sleep(1)
        running.send_signal(signal.SIGTERM)
        _, error = running.communicate(timeout=harness.LIMIT_S)
        files = [name for name in os.listdir(self.folder) if re.fullmatch(r"o\d+", name)]
        self.assertIn(f", {len(files)} of 100000 instances done\n", error.decode())

    def test_at_any_moment_of_a_start_over_ofi(self):
        for k in range(12):
            running = self.start("--transport", "ofi")
            time.sleep(0.02 * k)
            running.send_signal(signal.SIGTERM)
            _, error = running.communicate(timeout=harness.LIMIT_S)
            self.skip_without_libraries(running.returncode, error.decode())
            self.assertIn(running.returncode, (143, -signal.SIGTERM), error)  # the signal's own: before main() began

    def test_a_death_is_told_and_not_what_another_lost_by_it(self):
        """The host was stopped meanwhile, and hears of both at once."""
        error, wait = b"before it was ready", 0.5
        while b"before it was ready" in error and wait < harness.LIMIT_S:
            running = self.start("--transport", "ofi")
            time.sleep(wait)
            wait *= 2
            nodes = harness.read(f"/proc/{running.pid}/task/{running.pid}/children").split()
            if running.poll() is None and len(nodes) < 2:
                running.kill()
                running.communicate(timeout=harness.LIMIT_S)
                continue
            if running.poll() is None:
                os.kill(running.pid, signal.SIGSTOP)
                os.kill(int(nodes[1]), signal.SIGKILL)
                time.sleep(2.5)  # the other node loses both after 1.5 s
                os.kill(running.pid, signal.SIGCONT)
            _, error = running.communicate(timeout=harness.LIMIT_S)
            self.skip_without_libraries(running.returncode, error.decode())
        self.assertEqual(running.returncode, 1, error)
        self.assertIn(b"controller 'cpu:1': its process was ended by signal 9", error)

    def test_signals_that_the_parent_blocks_or_ignores(self):
        def before():
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGCHLD))
            for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_IGN)
        self.check(lambda: self.start(before=before), lambda pid: os.kill(pid, signal.SIGTERM), 143)

    def test_as_process_1(self):
        new_processes = 0x20000000  # CLONE_NEWPID
        libc = ctypes.CDLL(None, use_errno=True)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            helper = os.fork()
            if helper == 0:
                result = 1
                try:
                    if libc.unshare(new_processes) == 0:
                        running = self.start()
                        time.sleep(1)
                        os.kill(running.pid, number)
                        running.communicate(timeout=harness.LIMIT_S)
                        result = 0 if running.returncode == code else 1
                    else:
                        result = 77
                finally:
                    os._exit(result)  # else it would go on as a second runner of these tests
            status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
            if status == 77:
                self.skip("namespaces", "this user may not make namespaces")
            self.assertEqual(status, 0)

    def test_other_commands_end_with_the_same_codes_and_an_object(self):
        running = subprocess.Popen([WOA, "calibrate", "--json", "-o", self.path("machine.yaml")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        running.send_signal(signal.SIGTERM)
        out, error = running.communicate(timeout=harness.LIMIT_S)
        self.assertEqual((running.returncode, json.loads(out)["error"]["code"]), (143, "cancelled"), error)


class LiveStreams(WoaTest):
    """A run whose input comes by a pipe that stays open; its first instance is done."""

    def start_run(self):
        """The run, and the process of one of its controllers."""
        with open(self.path("error"), "w") as error:
            run = subprocess.Popen([WOA, "run", HELLO, "--in", "text=-", "--out", "copy=-", "--frames", "lines"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=error)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stdin.close)
        self.addCleanup(run.kill)
        run.stdin.write(b"one\n")
        run.stdin.flush()
        self.assertEqual(run.stdout.readline(), b"one\n")
        return run, int(read(f"/proc/{run.pid}/task/{run.pid}/children").split()[0])

    def test_a_lost_process_ends_it_and_what_was_done_is_said(self):
        run, child = self.start_run()
        os.kill(child, signal.SIGKILL)
        self.assertEqual(run.wait(harness.LIMIT_S), 1)  # though the pipe stays open
        self.assertRegex(read(self.path("error")), "error\\[peer_lost\\]: .*, 1 of 1 instance done")

    def test_a_process_that_is_stopped_is_named_once_and_waited_for(self):
        """Without a deadline nothing else tells why the run stands still."""
        run, child = self.start_run()
        os.kill(child, signal.SIGSTOP)
        run.stdin.write(b"two\n")
        run.stdin.flush()
        end = time.monotonic() + harness.LIMIT_S
        while not read(self.path("error")) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(2)  # for a second warning
        said = read(self.path("error"))
        self.assertRegex(said, rf"^woa: warning: the run waits for controller 'cpu:[01]': its process {child} is stopped; `kill -CONT {child}` lets it go on\n$")
        subprocess.run(["sh", "-c", re.search("`(.*)`", said).group(1)], check=True)
        out, _ = run.communicate(timeout=harness.LIMIT_S)
        self.assertEqual((out, run.returncode, read(self.path("error")).count("warning")), (b"two\n", 0, 1))


class Limits(WoaTest):
    def limited(self, which, limit, *arguments):
        return subprocess.run([WOA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S,
                              preexec_fn=lambda: resource.setrlimit(which, (limit, limit)))

    def test_open_files(self):
        if SANITIZED:
            self.skipTest("a sanitizer's runtime needs descriptors of its own")
        text = self.write("text", "hello\n")
        for limit in range(5, 10):
            done = self.limited(resource.RLIMIT_NOFILE, limit, "run", HELLO, "--in", "text=" + text)
            self.refused(done, 1, "error[exhausted]", "Too many open files", f"a limit of {limit} on open files", "ulimit -n")
            self.assertNotIn("without a host", done.stderr.decode())

    def test_open_files_over_libfabric(self):
        """libfabric's providers answer with any error number, such as "Input/output error"."""
        if SANITIZED:
            self.skipTest("a sanitizer's runtime needs descriptors of its own")
        text = self.write("text", "hello\n")
        plain = self.woa("run", HELLO, "--in", "text=" + text, "--transport", "ofi")
        self.skip_without_libraries(plain.returncode, plain.stderr.decode())
        for limit in (*range(5, 26), 28, 32, 64):
            with self.subTest(limit):
                done = self.limited(resource.RLIMIT_NOFILE, limit, "run", HELLO, "--in", "text=" + text, "--transport", "ofi")
                if limit >= 20 and done.returncode == 0:
                    continue
                self.skip_without_libraries(done.returncode, done.stderr.decode())
                self.refused(done, 1, "error[exhausted]" if limit < 20 else "error[", f"a limit of {limit} on open files", "ulimit -n")
        self.assertEqual(done.returncode, 0)

    def test_connections_that_use_up_the_descriptors_do_not_end_a_run_that_waits(self):
        if SANITIZED:
            self.skipTest("a sanitizer's runtime needs descriptors of its own")
        text, secret = self.write("text", "hello\n"), self.write("secret", "0123456789abcdef0123456789abcdef\n")
        os.chmod(secret, 0o600)
        run = subprocess.Popen([WOA, "run", HELLO, "--in", "text=" + text, "--nodes", "1", "--listen", "lo", "--secret", secret, "--wait", "60"],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
        waits = run.stderr.readline()
        if "--join" not in waits:
            self.skip_without_libraries(run.wait(), waits + run.communicate()[1])
        port = int(waits.split("--join ")[1].split()[0].rsplit(":", 1)[1])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
        time.sleep(1)
        self.assertIsNone(run.poll())
        for each in idle:
            each.close()
        node = self.woa("node", "--join", f"127.0.0.1:{port}", "--secret", secret, "--wait", "30")
        _, error = run.communicate(timeout=harness.LIMIT_S)
        self.assertEqual((run.returncode, node.returncode), (0, 0), error + node.stderr.decode())

    def test_sizes_of_files(self):
        text, limit = self.write("text", b"x" * 100000), 50000
        done = self.limited(resource.RLIMIT_FSIZE, limit, "run", HELLO, "--in", "text=" + text, "--json")
        self.refused(done, 1, "error[exhausted]", "File too large", f"{limit} bytes on files and shared memory", "ulimit -f")
        self.assertFalse(json.loads(done.stdout)["ok"])
        done = self.limited(resource.RLIMIT_FSIZE, limit, "run", HELLO, "--in", "text=" + text, "--out", "copy=" + self.path("copy"),
                            "--processes", "one")
        self.refused(done, 1, "File too large")

    def test_a_program_s_end_is_known_where_the_parent_ignores_children(self):
        os.mkdir(self.path("bin"))
        os.chmod(self.write("bin/dot", "#!/bin/sh\nprintf '<svg'\nexit 3\n"), 0o755)
        done = subprocess.run([WOA, "compile", HELLO, "-o", self.path("x.plan"), "--svg", self.path("x.svg")], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=harness.LIMIT_S, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
                              env=dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"]))
        self.refused(done, 1, "ended with code 3")
        self.assertFalse(os.path.exists(self.path("x.svg")))


if __name__ == "__main__":
    harness.main()
