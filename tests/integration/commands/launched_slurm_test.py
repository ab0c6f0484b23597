"""Runs and nodes that Slurm's srun starts, on a Slurm of one node that this test brings up for itself."""
import os
import shlex

import harness
import launched_cases
import slurm_cluster

CLUSTER = slurm_cluster.SlurmCluster()


class LaunchedBySrun(launched_cases.LaunchedCases):
    LAUNCHER = "srun"
    ENVIRONMENT = dict(CLUSTER.environment, SLURM_OVERCOMMIT="1")  # -O: three tasks on two processors
    RANK_VARIABLES = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")

    def command(self, *parts):
        """-K: the first that fails ends the others, as under mpirun. Slurm's file of programs has no quotes, a script does."""
        lines, first = [], 0
        for number, program in parts:
            script = self.write(f"part-{first}", "exec " + shlex.join(program) + "\n")
            lines.append(f"{first}-{first + number - 1} /bin/sh {script}\n")
            first += number
        return ["srun", "--mpi=pmix", "-K", "-n", str(first), "--multi-prog", self.write("processes", "".join(lines))]

    def check_code(self, job, code):
        """srun ends with the highest code, which is 143 where others were ended; it names the tasks that failed by themselves."""
        if code == 0:
            self.assertEqual(job.process.returncode, 0, job.error)
        else:
            self.assertGreaterEqual(job.process.returncode, code, job.error)
            self.assertRegex(job.error, rf"(?m)tasks? [0-9,-]+: Exited with exit code {code}$")


def need_launcher():
    reason = slurm_cluster.missing() or CLUSTER.start()
    reason = reason or launched_cases.pmix_of(["srun", "--mpi=pmix", "env"], CLUSTER.environment)
    if reason is not None:
        harness.skip_program("slurm", reason)


def tearDownModule():  # pylint: disable=invalid-name
    CLUSTER.stop()


if __name__ == "__main__":
    try:
        need_launcher()
    except BaseException:
        CLUSTER.stop()
        raise
    harness.main()
