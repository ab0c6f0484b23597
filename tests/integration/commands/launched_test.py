"""Runs and nodes that Open MPI's mpirun starts."""
import shutil

import harness
import launched_cases

# Lets Open MPI 4 and 5 run as root, with more processes than processors, and with daemons on this host alone.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_oob_tcp_if_include": "lo",
               "PRTE_MCA_prte_if_include": "lo", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "PRTE_MCA_hwloc_default_binding_policy": "none"}


def mpirun(*parts):
    command = ["mpirun"]
    for number, program in parts:
        command += [*([":"] if "-n" in command else []), "-n", str(number), *program]
    return command


def need_launcher():
    if shutil.which("mpirun") is None:
        harness.skip_program("pmix", "mpirun is not installed (Debian: openmpi-bin)")
    reason = launched_cases.pmix_of(mpirun((1, ["env"])), ENVIRONMENT)
    if reason is not None:
        harness.skip_program("pmix", reason)


class LaunchedByMpirun(launched_cases.LaunchedCases):
    LAUNCHER = "mpirun"
    ENVIRONMENT = ENVIRONMENT
    RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")

    def command(self, *parts):
        return mpirun(*parts)

    def check_code(self, job, code):
        self.assertEqual(job.process.returncode, code, job.error)


if __name__ == "__main__":
    need_launcher()
    harness.main()
