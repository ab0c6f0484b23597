"""A run at whose ports strangers call: those who say nothing, those who talk nonsense, and those who send by libfabric."""
import os
import resource
import signal
import socket
import subprocess
import time

import harness
from harness import read
from join_harness import HELLO, JoinTest

STRANGERS = 1000  # at each port
MOST_MORE = 32 << 10  # KiB
MESSAGES = 100000  # to each port of libfabric; kept, they would take 135 MiB
STRANGER = os.path.join(harness.BUILD, "tests/stranger")


def listening(pid):
    """Ports that the process listens on."""
    sockets = set()
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        try:
            sockets.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
        except OSError:
            pass  # it was open for the listing
    rows = (row.split() for row in read("/proc/net/tcp").splitlines()[1:])
    return {int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}


def children(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(read(f"/proc/{name}/stat").rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(name))
        except OSError:
            pass  # it has ended meanwhile
    return found


def resident(pid):
    """KiB."""
    return next(int(line.split()[1]) for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("VmRSS:"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Strangers(JoinTest):
    def setUp(self):
        super().setUp()
        self.limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, self.limits)

    def start_waiting(self, limit=None):
        """A run, the first of its two nodes, and the address for the second; both listen for packets already."""
        before = ("sh", "-c", f'ulimit -n {limit} && exec "$@"', "sh") if limit else ()
        run, address = self.start_run(2, before=before)
        node = self.start_node(address, before=before)
        run.says("joined: 1 of 2 nodes")
        end = time.monotonic() + harness.LIMIT_S
        while len(listening(run.process.pid)) < 2 or not listening(node.process.pid):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return run, node, address

    def finish(self, run, node, address):
        last = self.start_node(address)
        self.check_result(run)
        self.assertEqual([node.end(), last.end()], [0, 0], node.error + last.error)

    def call(self, port, talk):
        stranger = socket.create_connection(("127.0.0.1", port), timeout=harness.LIMIT_S)
        self.addCleanup(stranger.close)
        try:
            stranger.sendall(talk)
        except ConnectionError:
            pass  # it was dropped for another
        return stranger

    def test_a_thousand_silent_strangers_at_every_port(self):
        """Under a limit on open files that they would use up."""
        if self.limits[1] < 4 * STRANGERS:
            self.skipTest(f"this test opens {3 * STRANGERS} sockets, and may open {self.limits[1]} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.limits[1], self.limits[1]))
        run, node, address = self.start_waiting(limit=512)
        ports = [(started.process.pid, port) for started in (run, node) for port in listening(started.process.pid)]
        self.assertEqual(len(ports), 3)  # for nodes, and for each process's packets
        before = [resident(started.process.pid) for started in (run, node)]
        for _, port in ports:
            for k in range(STRANGERS):
                self.call(port, b"")
        self.assertLess(descriptors(node.process.pid), 64)
        self.assertLess(descriptors(run.process.pid), 64 + 256)  # whom the run still hears
        for started, at_first in zip((run, node), before):
            self.assertLess(resident(started.process.pid) - at_first, MOST_MORE)
        self.finish(run, node, address)
        self.assertLess(len(run.lines), 60, run.error[:2000])

    def test_strangers_who_talk_nonsense_and_leave(self):
        run, node, address = self.start_waiting()
        for port in (*listening(run.process.pid), *listening(node.process.pid)):
            for talk in (b"", b"\3", b"WOA-JOIN", b"GET / HTTP/1.1\r\n\r\n" * 20, b"\3" * 5000):
                for _ in range(20):
                    self.call(port, talk).close()
        self.finish(run, node, address)

    def test_messages_without_a_secret_are_not_kept(self):
        run, node, address = self.start_waiting()
        join = int(address.rsplit(":", 1)[1])
        for started in (run, node):
            (port,) = listening(started.process.pid) - {join}
            before = resident(started.process.pid)
            stranger = subprocess.Popen([STRANGER, str(port), str(MESSAGES), "64"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(stranger.communicate)
            self.assertEqual(stranger.stdout.readline(), b"sent\n")
            self.assertLess(resident(started.process.pid) - before, MOST_MORE)
        self.finish(run, node, address)

    def test_whoever_has_not_joined_finds_nobody_once_the_run_has_begun(self):
        run = self.start([harness.WOA, "run", HELLO, "--in", "text=" + self.text, "--instances", "1000000", "--transport", "ofi"])
        end = time.monotonic() + harness.LIMIT_S
        shut = set()
        while len(shut) < 3:
            self.assertLess(time.monotonic(), end)
            for pid in (run.process.pid, *children(run.process.pid)):
                for port in listening(pid) - shut:
                    try:
                        socket.create_connection(("127.0.0.1", port), timeout=0.5).close()
                        time.sleep(0.05)
                    except TimeoutError:
                        shut.add(port)
            if run.ended:
                self.skip_without_libraries(run.end(), run.error)
                self.fail(run.error)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(), 130, run.error)

    def test_the_limit_on_open_files_is_raised_to_the_hard_one(self):
        done = subprocess.run([harness.WOA, "run", HELLO, "--in", "text=" + self.text], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.LIMIT_S, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 512)))
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    harness.main()
