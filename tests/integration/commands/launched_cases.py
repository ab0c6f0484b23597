"""A run and its nodes as the processes of one job, started by a real launcher with a PMIx server.

A test program per launcher derives from LaunchedCases and says how its launcher is called.
"""
import json
import os
import subprocess

from harness import LIMIT_S, SOURCE, WOA, read
from join_harness import HELLO, PLAIN, WAIT_S, JoinTest

NODE_WAIT_S = 2


def pmix_of(command, environment):
    """Why the launcher that starts `env` by this command offers no PMIx server; None if it does."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(PLAIN, **environment), timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"the {command[0]} here started nothing within {LIMIT_S:g} s"
    if done.returncode != 0 or "PMIX_NAMESPACE=" not in done.stdout:
        return f"the {command[0]} here has no PMIx server, or cannot start anything: " + done.stdout[-500:]
    return None


def example(launcher):
    """The lines of docs/commands.md that start a run and its nodes by this launcher, for this host."""
    text = read(os.path.join(SOURCE, "docs/commands.md"))
    for paragraph in text.replace("```", "").split("\n\n"):
        lines = paragraph.splitlines()
        if "--join pmix" in paragraph and any(line.startswith(launcher + " ") for line in lines):
            return paragraph.replace("--listen eth0", "--listen lo")
    raise AssertionError("docs/commands.md has no example for " + launcher)


class LaunchedCases(JoinTest):
    LAUNCHER = ""  # its program
    ENVIRONMENT = {}
    RANK_VARIABLES = ()  # the launcher's own that say which process this is

    def command(self, *parts):
        """The command that starts as one job so many processes of each program: (number, command)."""
        raise NotImplementedError

    def check_code(self, job, code):
        """`job` ended because a process failed with `code`, or with 0."""
        raise NotImplementedError

    def start_job(self, *parts):
        return self.start(self.command(*parts), self.ENVIRONMENT)

    def node(self, *more):
        return [WOA, "node", "--join", "pmix", "--secret", self.secret, *more]

    def ended(self, job, code, *texts):
        """The job ended with the code of the first process that failed, whose error holds each of `texts`."""
        self.skip_without_libraries(job.end(), job.error)
        self.check_code(job, code)
        for text in texts:
            self.assertIn(text, job.error)
        self.assertNotIn("PMIX ERROR", job.error)  # of the library

    def test_nodes_find_the_run_of_their_job(self):
        job = self.start_job((1, self.run_command(2)), (2, self.node()))
        self.ended(job, 0, "cpu:0 is served by 127.0.0.1:", "cpu:1 is served by 127.0.0.1:")
        self.assertEqual(json.loads(job.out)["messages"], 150)
        with open(self.path("copy")) as copy:
            self.assertEqual(copy.read(), "hello\n" * 50000)

    def test_a_run_alone_needs_nobody(self):
        job = self.start_job((1, [WOA, "run", HELLO, "--in", "text=" + self.text, "--json"]))
        self.ended(job, 0)
        self.assertEqual(json.loads(job.out)["failures"], [])

    def test_what_a_failed_run_says_survives_the_launcher(self):
        job = self.start_job((1, self.run_command(1, "--deadline", "1us")), (1, self.node()))
        self.ended(job, 1)
        failures = json.loads(job.out)["failures"]
        self.assertEqual({failure["code"] for failure in failures}, {"deadline_exceeded"})

    def test_fewer_processes_than_said(self):
        job = self.start_job((1, self.run_command(2)), (1, self.node()))
        self.ended(job, 2, "this is process 0 of 2 that a launcher started", "and with --nodes 2 it has to start 3")

    def test_a_process_that_does_not_join_is_named(self):
        job = self.start_job((1, self.run_command(2, wait=WAIT_S)), (1, self.node()), (1, ["sleep", str(10 * WAIT_S)]))
        self.ended(job, 3, "1 of 2 nodes (127.0.0.1:", f"joined within {WAIT_S} s; missing: rank 2")
        # Although the node that it dismisses fails too, and the launcher then ends them all.
        self.assertEqual(json.loads(job.out)["error"]["code"], "unavailable")

    def test_a_job_has_one_run(self):
        job = self.start_job((2, self.run_command(1)))
        self.ended(job, 2, "this is process 1 of 2 that a launcher started", "and each would be a run of its own")

    def test_the_run_comes_first(self):
        job = self.start_job((2, self.node()))
        self.ended(job, 2, "--join pmix: this is process 0 of 2 of its job, which has to be `woa run`")

    def test_a_node_does_not_wait_for_ever(self):
        job = self.start_job((1, ["sleep", "600"]), (1, self.node("--wait", str(NODE_WAIT_S))))
        self.ended(job, 3, "process 0 of this job, which has to be `woa run --nodes 1`, "
                           f"did not say within {NODE_WAIT_S} s where it waits", "libpmix here is ")

    def test_the_place_is_the_one_that_pmix_tells(self):
        """A launcher starts nodes for a run outside of it, without the launcher's own variables."""
        plain = ["env", *(word for variable in self.RANK_VARIABLES for word in ("-u", variable))]
        for processes, code in ((2, 0), (3, 3)):
            run, address = self.start_run(2)
            job = self.start_job((processes, [*plain, WOA, "node", "--join", address, "--secret", self.secret]))
            if code == 0:
                self.check_result(run)
                self.ended(job, 0)
            else:
                self.ended(job, 3, "it is one of 3 processes that its launcher started, and 2 nodes were to join")
                self.unavailable(run, "the launcher of the nodes started another number of processes")

    def test_the_example_of_the_documentation_runs(self):
        for name in ("graphs", "README.md"):
            os.symlink(os.path.join(SOURCE, name), self.path(name))
        self.make_secret("run.secret", "0123456789abcdef0123456789abcdef\n")
        path = os.pathsep.join((os.path.dirname(WOA), self.ENVIRONMENT.get("PATH", PLAIN["PATH"])))
        job = self.start(["sh", "-e", "-c", f"cd '{self.folder}'\n" + example(self.LAUNCHER)], dict(self.ENVIRONMENT, PATH=path))
        self.ended(job, 0, "cpu:0 is served by 127.0.0.1:", "cpu:1 is served by 127.0.0.1:")
