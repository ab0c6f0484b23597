"""A run and its nodes as the processes of one job, started by a real launcher with a PMIx server (Open MPI's mpirun)."""
import json
import shutil
import subprocess

import harness
from harness import WOA
from join_harness import HELLO, PLAIN, WAIT_S, JoinTest

NODE_WAIT_S = 2
# As root too, and the daemons of the launcher on this host alone; of Open MPI 4 and 5.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_oob_tcp_if_include": "lo",
               "PRTE_MCA_prte_if_include": "lo"}


def mpirun(*parts):
    """The command that starts so many processes of each program, (number, command), as one job."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none"]
    for number, program in parts:
        command += [*([":"] if "-n" in command else []), "-n", str(number), *program]
    return command


def need_launcher():
    if shutil.which("mpirun") is None:
        harness.skip_program("pmix", "mpirun is not installed (Debian: openmpi-bin)")
    try:
        done = subprocess.run(mpirun((1, ["env"])), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(PLAIN, **ENVIRONMENT),
                              timeout=harness.LIMIT_S)
    except subprocess.TimeoutExpired:
        harness.skip_program("pmix", "the mpirun here does not come to start anything")
    if done.returncode != 0 or "PMIX_NAMESPACE=" not in done.stdout:
        harness.skip_program("pmix", "the mpirun here has no PMIx server, or cannot start anything: " + done.stdout[-500:])


class Launched(JoinTest):
    def start_job(self, *parts):
        return self.start(mpirun(*parts), ENVIRONMENT)

    def node(self, *more):
        return [WOA, "node", "--join", "pmix", "--secret", self.secret, *more]

    def ended(self, job, code, *texts):
        """The launcher ended with the code of the first process that failed, whose error holds each of `texts`."""
        self.skip_without_libraries(job.end(), job.error)
        self.assertEqual(job.process.returncode, code, job.error)
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
        self.ended(job, 2, "this is process 0 of 2 that a launcher started, and with --nodes 2 it has to start 3")

    def test_a_process_that_does_not_join_is_named(self):
        job = self.start_job((1, self.run_command(2, wait=WAIT_S)), (1, self.node()), (1, ["sleep", str(10 * WAIT_S)]))
        self.ended(job, 3, f"after {WAIT_S} s there were 1 of 2 nodes: 127.0.0.1:", "missing: rank 2")
        # Although the node that it dismisses fails too, and the launcher then ends them all.
        self.assertEqual(json.loads(job.out)["error"]["code"], "unavailable")

    def test_a_job_has_one_run(self):
        job = self.start_job((2, self.run_command(1)))
        self.ended(job, 2, "this is process 1 of 2 that a launcher started, and each would be a run of its own")

    def test_the_run_comes_first(self):
        job = self.start_job((2, self.node()))
        self.ended(job, 2, "--join pmix: this is process 0 of 2 of its job, which has to be `woa run`")

    def test_a_node_does_not_wait_for_ever(self):
        job = self.start_job((1, ["sleep", "600"]), (1, self.node("--wait", str(NODE_WAIT_S))))
        self.ended(job, 3, "process 0 of this job, which has to be `woa run --nodes 1`, "
                           f"did not say within {NODE_WAIT_S} s where it waits", "libpmix here is ")

    def test_the_place_is_the_one_that_pmix_tells(self):
        """Of nodes that a launcher starts for a run outside of it, and without the launcher's own variables."""
        plain = ["env", "-u", "OMPI_COMM_WORLD_RANK", "-u", "OMPI_COMM_WORLD_SIZE"]
        for processes, code in ((2, 0), (3, 3)):
            run, address = self.start_run(2)
            job = self.start_job((processes, [*plain, WOA, "node", "--join", address, "--secret", self.secret]))
            if code == 0:
                self.check_result(run)
                self.ended(job, 0)
            else:
                self.ended(job, 3, "it is one of 3 processes that its launcher started, and 2 nodes were to join")
                self.unavailable(run, "the launcher of the nodes started another number of processes")


if __name__ == "__main__":
    need_launcher()
    harness.main()
