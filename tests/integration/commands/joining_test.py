"""Nodes that join a run from elsewhere: who is let in, who is missed, and that the run is the same as without them."""
import collections
import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import harness
from harness import SOURCE, read
from join_harness import HELLO, WAIT_S, JoinTest

GRAPH_OF_DEVICES = """
woa: 1
graph: devices
inputs: {text: {type: bytes, max: 64KiB}}
stages:
  one:   {kernel: invert, in: {data: text},      on: gpu}
  two:   {kernel: invert, in: {data: one.data},  on: fpga}
  three: {kernel: copy,   in: {data: two.data},  on: "cpu:0"}
  four:  {kernel: copy,   in: {data: three.data}, on: gpu}
outputs: {copy: four.data}
"""
GRAPH_WITHOUT_KEY = """
woa: 1
graph: keyless
inputs: {text: {type: bytes, max: 64KiB}}
stages:
  open: {kernel: aes_gcm_decrypt, in: {cipher: text}, params: {key_file: no-such-key.hex}, on: "cpu:0"}
  pass: {kernel: copy, in: {data: open.plain}, on: "cpu:1"}
outputs: {copy: pass.data}
"""
GRAPH_OF_TWO_LANES = """
woa: 1
graph: two_lanes
inputs: {text: {type: bytes, max: 64KiB}}
stages:
  one:  {kernel: copy, in: {data: text}, on: "cpu:0"}
  two:  {kernel: copy, in: {data: one.data}, on: "cpu:1"}
  both: {kernel: join2, in: {a: two.data, b: {from: one.data, lane: other}}, on: "cpu:1"}
outputs: {copy: both.data}
"""

VERSION = 5  # of the greeting: runtime/node/handshake.h


class Joining(JoinTest):
    def test_all_controllers_elsewhere(self):
        run, address = self.start_run(2)
        nodes = [self.start_node(address), self.start_node(address)]
        self.check_result(run)
        self.assertEqual([node.end() for node in nodes], [0, 0])
        for controller in ("cpu:0", "cpu:1"):
            self.assertRegex(run.error, controller + r" is served by 127\.0\.0\.1:")

    def test_a_node_whose_kernel_is_declared_otherwise_does_not_serve(self):
        folder = os.path.join(self.folder, "kernels/copy")
        os.makedirs(folder)
        shutil.copy(os.path.join(harness.BUILD, "kernels/copy/libcopy.so"), folder)
        declared = read(os.path.join(SOURCE, "kernels/copy/kernel.yaml"))
        self.write("kernels/copy/kernel.yaml", declared + "scratch: 64\n")
        run, address = self.start_run(1)
        node = self.start_node(address, environment={"WOA_KERNEL_PATH": self.path("kernels")})
        self.assertEqual((run.end(), node.end()), (1, 1))
        self.assertIn("is not the kernel that the plan was made with", run.error)
        self.assertIn(os.path.join(folder, "kernel.yaml"), run.error)

    def test_a_node_may_ask_for_a_controller_and_the_host_serves_the_rest(self):
        run, address = self.start_run(1)
        node = self.start_node(address, "--controller", "cpu:1")
        edges = self.check_result(run)["edges"]
        self.assertEqual(node.end(), 0)
        self.assertIn("cpu:1 is served by", run.error)
        self.assertNotIn("cpu:0 is served by", run.error)
        # Whom this host serves shares its memory.
        self.assertEqual([edge["transport"] for edge in edges], ["shm", "ofi", "ofi"])

    def test_controllers_of_this_host_may_be_joined_by_libfabric_too(self):
        run, address = self.start_run(1, "--transport", "ofi")
        node = self.start_node(address, "--controller", "cpu:1")
        self.assertEqual([edge["transport"] for edge in self.check_result(run)["edges"]], ["ofi", "ofi", "ofi"])
        self.assertEqual(node.end(), 0)

    def test_rpc_hub_is_the_same_run(self):
        run, address = self.start_run(2, "--model", "rpc-hub")
        nodes = [self.start_node(address), self.start_node(address)]
        self.assertEqual(run.end(), 0, run.error)
        self.assertEqual(json.loads(run.out)["messages"], 200)
        self.assertEqual([node.end() for node in nodes], [0, 0])

    def test_devices_elsewhere_and_here(self):
        """Each device in its turn is reached from another site, and forwards to one."""
        here = json.loads(self.woa("devices", "--json").stdout)
        for device, part in (("gpu:0", "opencl"), ("fpga:0", "verilator")):
            if not any(entry["controller"] == device and entry["available"] for entry in here["devices"]):
                self.skip(part, f"no {device} here")
        graph = self.write("devices.yaml", GRAPH_OF_DEVICES)
        for model, per_instance in (("woa", 5), ("rpc-hub", 8)):
            for elsewhere in ("gpu:0", "fpga:0", "cpu:0"):
                run, address = self.start_run(1, "--model", model, graph=graph, instances="20")
                node = self.start_node(address, "--controller", elsewhere)
                self.assertEqual(run.end(), 0, run.error)
                self.assertEqual(node.end(), 0, node.error)
                result = json.loads(run.out)
                self.assertEqual(result["messages"], 20 * per_instance)
                self.assertLessEqual({"ofi", "shm"}, {edge["transport"] for edge in result["edges"]})
                self.assertEqual(read(self.path("copy")), "hello\n" * 20000)

    def test_a_controller_of_this_host_that_cannot_begin_ends_the_run_of_a_joined_node(self):
        graph = self.write("keyless.yaml", GRAPH_WITHOUT_KEY)
        self.need_kernels("aes_gcm_decrypt")
        run, address = self.start_run(1, graph=graph)
        node = self.start_node(address, "--controller", "cpu:1")
        self.assertEqual(run.end(), 1, run.error)
        self.assertIn("no-such-key", run.error)
        self.assertEqual(node.end(), 1, node.error)
        self.assertRegex(node.error, "the run failed: controller 'cpu:0': .*no-such-key")

    def test_a_run_that_cannot_begin_says_why_to_a_joined_node(self):
        run, address = self.start_run(1, graph=self.write("two_lanes.yaml", GRAPH_OF_TWO_LANES))
        node = self.start_node(address, "--controller", "cpu:0")
        self.assertEqual(run.end(), 1, run.error)
        self.unavailable(node, "the run did not begin: ", "the same lane")

    def test_who_is_missing_is_named(self):
        run, address = self.start_run(2, wait=WAIT_S)
        node = self.start_node(address, "--controller", "cpu:1")
        self.unavailable(run, "1 of 2 nodes (127.0.0.1:", f"for cpu:1) joined within {WAIT_S} s; missing: cpu:0; start `woa node --join")
        self.unavailable(node, "the run did not begin: 1 of 2 nodes")

    def test_a_node_that_leaves_is_missed_and_may_be_replaced(self):
        run, address = self.start_run(2)
        first = self.start_node(address, "--controller", "cpu:1")
        run.says("joined: 1 of 2 nodes")
        first.process.send_signal(signal.SIGKILL)
        run.says("127.0.0.1:.* left")
        nodes = [self.start_node(address, "--controller", "cpu:1"), self.start_node(address)]
        self.check_result(run)
        self.assertEqual([node.end() for node in nodes], [0, 0])

    def test_a_node_that_cannot_serve_says_why(self):
        run, address = self.start_run(2)
        node = self.start_node(address, "--provider", "nothing")
        self.assertEqual(node.end(), 3)
        run.says("127.0.0.1:.* left: .*provider 'nothing'")

    def test_one_node_too_many_is_turned_away(self):
        run, address = self.start_run(1)
        nodes = [self.start_node(address) for _ in range(4)]
        self.check_result(run)
        self.assertEqual(sorted(node.end() for node in nodes), [0, 3, 3, 3])

    def test_another_secret_is_turned_away_and_the_run_goes_on(self):
        run, address = self.start_run(2)
        stranger = self.start_node(address, secret=self.make_secret("other", "f" * 32))
        self.unavailable(stranger, "it has another secret, or all its nodes")
        run.says("turned away 127.0.0.1:.* it does not have this run's secret")
        nodes = [self.start_node(address), self.start_node(address)]
        self.check_result(run)
        self.assertEqual([node.end() for node in nodes], [0, 0])
        for text in (run.error, stranger.error):
            self.assertNotIn("0123456789abcdef", text)

    def test_a_host_without_the_secret_is_no_host(self):
        """A node does not take a stranger for its run: it says nothing but its proof, and leaves."""
        nowhere = self.start_node("127.0.0.1:1", secret=self.path("none"))
        self.skip_without_libraries(nowhere.end(), nowhere.error)
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
            server.settimeout(harness.LIMIT_S)
            node = self.start_node("127.0.0.1:" + str(server.getsockname()[1]))
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"WOA-JOIN" + struct.pack("<II", VERSION, 0) + b"n" * 16)
                connection.settimeout(harness.LIMIT_S)
                self.assertEqual(len(connection.recv(136, socket.MSG_WAITALL)), 136)
                connection.sendall(b"\0" * 48)
                self.unavailable(node, "the host does not have this run's secret")

    def test_another_version_is_named_by_both(self):
        run, address = self.start_run(1)
        host, port = address.split(":")
        with contextlib.closing(socket.create_connection((host, int(port)))) as stranger:
            stranger.sendall(b"WOA-JOIN" + struct.pack("<I", VERSION + 1) + b"\0" * 124)
            run.says(f"joins by version {VERSION + 1}, this program by {VERSION}")
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
            server.settimeout(harness.LIMIT_S)
            node = self.start_node("127.0.0.1:" + str(server.getsockname()[1]))
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"WOA-JOIN" + struct.pack("<II", VERSION + 1, 0) + b"n" * 16)
                self.unavailable(node, f"the host joins by version {VERSION + 1}, this program by {VERSION}")

    def test_strangers_do_not_hold_the_run_up(self):
        run, address = self.start_run(1)
        host, port = address.split(":")
        with contextlib.ExitStack() as stack:
            for talk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"WOA-JOIN", b"x" * 200):
                stranger = stack.enter_context(contextlib.closing(socket.create_connection((host, int(port)))))
                stranger.sendall(talk)
            node = self.start_node(address)
            self.check_result(run)
            self.assertEqual(node.end(), 0)

    def test_a_flood_of_silent_connections_keeps_no_node_out_and_is_counted(self):
        run, address = self.start_run(2)
        host, port = address.split(":")
        over = threading.Event()
        made = []

        def flood():
            silent = collections.deque()
            while not over.is_set():
                try:
                    silent.append(socket.create_connection((host, int(port)), timeout=1))
                    made.append(None)
                except OSError:
                    time.sleep(0.01)  # the run listens no more
                if len(silent) > 400:
                    silent.popleft().close()
            for connection in silent:
                connection.close()
        flooding = threading.Thread(target=flood)
        flooding.start()
        try:
            end = time.monotonic() + harness.LIMIT_S
            while len(made) < 1000 and time.monotonic() < end:
                time.sleep(0.01)
            nodes = [self.start_node(address), self.start_node(address)]
            self.check_result(run)
            codes = [(node.end(), node.error) for node in nodes]
        finally:
            over.set()
            flooding.join()
        self.assertEqual([code for code, _ in codes], [0, 0], codes)
        self.assertGreaterEqual(len(made), 1000)
        self.assertLess(len(run.lines), 60, run.error[:2000])
        self.assertRegex(run.error, "turned away [0-9]+ more connections")

    def test_a_controller_that_is_not_there_or_taken(self):
        run, address = self.start_run(2)
        first = self.start_node(address, "--controller", "cpu:1")
        run.says("joined: 1 of 2 nodes")
        lost = self.start_node(address, "--controller", "gpu:7")
        self.unavailable(lost, "this run has no controller 'gpu:7' for a node; it has cpu:0 and cpu:1")
        late = self.start_node(address, "--controller", "cpu:1")
        self.unavailable(late, "controller 'cpu:1' is served by 127.0.0.1:")
        last = self.start_node(address)
        self.check_result(run)
        self.assertEqual([first.end(), last.end()], [0, 0])

    def test_a_launcher_that_started_another_number_is_refused(self):
        run, address = self.start_run(2)
        single = self.start_node(address, environment={"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "3"})
        self.unavailable(single, "it is one of 3 processes that its launcher started, and 2 nodes were to join")
        self.unavailable(run, "the launcher of the nodes started another number of processes")

    def test_missing_ranks_are_named(self):
        run, address = self.start_run(2, wait=WAIT_S)
        self.start_node(address, environment={"PMI_RANK": "0", "PMI_SIZE": "2"})
        run.says("joined: 1 of 2 nodes")
        twin = self.start_node(address, environment={"PMI_RANK": "0", "PMI_SIZE": "2"})
        self.unavailable(twin, "is rank 0 of its job already")
        self.unavailable(run, "missing: rank 1")

    def test_a_run_that_a_launcher_started_twice_is_refused(self):
        run = ("run", HELLO, "--in", "text=" + self.text)
        for rank in ("0", "1"):
            done = self.woa(*run, environment={"SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": "4"})
            self.refused(done, 2, f"this is process {rank} of 4 that a launcher started", "woa run --nodes 3")
        job = {"PMIX_NAMESPACE": "a job", "PMIX_RANK": "1"}
        done = self.woa(*run, environment=dict(job, PMIX_SERVER_URI2="server.0;tcp4://127.0.0.1:1"))
        self.refused(done, 3, "which of its job this is cannot be told", "unset PMIX_NAMESPACE")
        self.run_json(*run[1:], environment=job)  # left over: no server is named

    def test_a_run_beside_its_nodes_counts_itself(self):
        place = {"PMI_RANK": "0", "PMI_SIZE": "3"}
        full = ("--listen", "lo", "--secret", self.secret)
        wrong = self.woa("run", HELLO, "--in", "text=" + self.text, "--nodes", "1", *full, environment=place)
        self.refused(wrong, 2, "this is process 0 of 3 that a launcher started (", "; unset what", "and with --nodes 1 it has to start 2")
        run, address = self.start_run(2, environment=place)
        run.says("nodes of this job cannot --join pmix: no launcher with a PMIx server started this process")
        nodes = [self.start_node(address, environment=dict(place, PMI_RANK=rank)) for rank in ("1", "2")]
        self.check_result(run)
        self.assertEqual([node.end() for node in nodes], [0, 0])

    def test_pmix_without_a_launcher(self):
        node = self.start_node("pmix")
        self.skip_without_libraries(node.end(), node.error)
        self.assertEqual(node.process.returncode, 3)
        self.assertIn("--join pmix: no launcher with a PMIx server started this process", node.error)

    def test_a_killed_node_ends_the_run(self):
        os.mkdir(self.path("copies"))  # a file for each instance: one for all appears at the end
        run, address = self.start_run(2, instances="1000000000", out="copies/%i")
        nodes = [self.start_node(address, "--controller", "cpu:0"), self.start_node(address, "--controller", "cpu:1")]
        while not os.path.exists(self.path("copies/0")):  # results come in
            self.assertIsNone(run.process.poll())
            time.sleep(0.01)
        nodes[1].process.send_signal(signal.SIGKILL)
        begin = time.monotonic()
        self.assertEqual(run.end(), 1)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("cpu:1'", run.error)  # whichever process noticed it first
        self.assertEqual(nodes[0].end(), 1, nodes[0].error)  # told to stop, or by itself

    def test_nodes_do_not_outwait_a_run_that_is_stopped(self):
        os.mkdir(self.path("copies"))
        run, address = self.start_run(2, instances="1000000000", out="copies/%i")
        nodes = [self.start_node(address, "--controller", "cpu:0"), self.start_node(address, "--controller", "cpu:1")]
        while not os.path.exists(self.path("copies/0")):
            self.assertIsNone(run.process.poll())
            time.sleep(0.01)
        run.process.send_signal(signal.SIGSTOP)
        for node in nodes:
            self.assertEqual(node.end(), 1, node.error)
            self.assertIn("channel ", node.error)  # which one it lost, and how

    def test_a_node_does_not_outwait_a_run_that_is_stopped_before_it_begins(self):
        run, address = self.start_run(2, "--start-limit", "1s", wait=4)
        node = self.start_node(address)
        run.says(r"joined: 1 of 2 nodes")
        run.process.send_signal(signal.SIGSTOP)
        self.assertEqual(node.end(), 3, node.error)
        self.assertIn("the run's host has said nothing for ", node.error)
        self.assertIn("is its process stopped?", node.error)

    def test_bad_usage(self):
        plain = ("run", HELLO, "--in", "text=" + self.text)
        readable = self.write("readable", "0" * 32)
        os.chmod(readable, 0o644)
        short = self.make_secret("short", "0123456789")
        full = ("--listen", "lo", "--secret", self.secret)
        for arguments, code, text in (((*plain, "--nodes", "1"), 2, "--nodes needs --listen"),
                                      ((*plain, "--nodes", "1", "--listen", "lo"), 2, "--nodes needs --secret"),
                                      ((*plain, "--nodes", "3", *full), 2, "the plan has 2 controllers"),
                                      ((*plain, "--nodes", "1", "--listen", "nowhere", "--secret", self.secret), 2, "available: "),
                                      ((*plain, "--nodes", "1", "--listen", "lo", "--secret", readable), 2, "chmod 600"),
                                      ((*plain, "--nodes", "1", "--listen", "lo", "--secret", short), 2, "32 hexadecimal digits"),
                                      ((*plain, "--nodes", "1", "--listen", "lo", "--secret", self.path("none")), 2, "cannot read"),
                                      (("node",), 2, "--join"),
                                      (("node", "--join", "127.0.0.1:1"), 2, "--secret"),
                                      (("node", "--join", "nonsense", "--secret", self.secret), 2, "expected HOST:PORT")):
            done = self.woa(*arguments)
            self.skip_without_libraries(done.returncode, done.stderr.decode())
            self.refused(done, code, text)
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
            port = str(taken.getsockname()[1])
            self.refused(self.woa(*plain, "--nodes", "1", *full, "--port", port), 2, "Address already in use", "choose another port")

    def test_two_hosts(self):
        """Network namespaces joined by a virtual cable; the node's clock is a thousand seconds off, and no deadline is missed."""
        if shutil.which("ip") is None:
            self.skip("netns", "network namespaces need iproute2")
        hosts = [f"woa-{os.getpid()}-c", f"woa-{os.getpid()}-d"]
        set_up = [f"netns add {host}" for host in hosts]
        set_up.append(f"link add name cable netns {hosts[0]} type veth peer name cable netns {hosts[1]}")
        for k, host in enumerate(hosts):
            set_up += [f"-n {host} address add 10.78.0.{k + 1}/24 dev cable", f"-n {host} link set cable up", f"-n {host} link set lo up"]
            self.addCleanup(subprocess.run, ["ip", "netns", "delete", host], stderr=subprocess.DEVNULL)
        for command in set_up:
            made = subprocess.run(["ip", *command.split()], stderr=subprocess.PIPE, text=True)
            if made.returncode != 0:
                self.skip("netns", "network namespaces need root and the right to make them: " + made.stderr.strip())
        other_clock = ["unshare", "--time", "--monotonic", "1000", "--fork", "--kill-child"]
        clocks = subprocess.run([*other_clock, "true"], stderr=subprocess.PIPE).returncode == 0
        print("the node's clock is", "another" if clocks else "the same: no time namespaces here", file=sys.stderr)
        run, address = self.start_run(2, "--deadline", "20s", listen="cable", before=["ip", "netns", "exec", hosts[0]])
        self.assertTrue(address.startswith("10.78.0.1:"), address)
        inside = ["ip", "netns", "exec", hosts[1], *(other_clock if clocks else [])]
        nodes = [self.start_node(address, before=inside) for _ in range(2)]
        self.check_result(run)
        self.assertEqual([node.end() for node in nodes], [0, 0])
        self.assertIn("cpu:0 is served by 10.78.0.2:", run.error)


if __name__ == "__main__":
    harness.main()
