"""A Slurm of one node that belongs to the test: own configuration, key, sockets and ports in a folder, daemons as its own processes.

It neither needs nor touches a Slurm or a munged that the machine runs. Everything it starts ends with the test, also when that is killed.
"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from harness import LIMIT_S, read
from join_harness import PLAIN

DAEMONS = ("munged", "slurmctld", "slurmd")
PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))  # where Debian keeps daemons
PROCESSORS = 2  # said to Slurm, whatever the machine has
PR_SET_CHILD_SUBREAPER = 36

# No cgroups, no accounting, no mail: what a root-owned installation has beside, and a job needs not.
CONFIGURATION = """\
ClusterName=woa
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
{communication}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
PlugStackConfig={folder}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MailProg=/bin/true
NodeName=here NodeHostname={host} NodeAddr=127.0.0.1 CPUs={processors}
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:16
"""


def missing():
    """The parts of a cluster that are not installed, as a reason; None if everything is there."""
    for program in (*DAEMONS, "srun", "scontrol", "setpriv"):
        if shutil.which(program, path=PATH) is None:
            return f"{program} is not installed (Debian: slurm-wlm, munge)"
    return None


def communication():
    """Slurm listens at the address of the host's name, or at all: at the loopback one alone where the name means that."""
    try:
        if socket.gethostbyname(socket.gethostname()) == "127.0.0.1":
            return "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"
    except OSError:
        pass
    return ""


def free_ports(number):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """`environment` is what its commands need; `stop()` ends all of it and removes the folder."""

    def __init__(self):
        # Orphans of the daemons (a job's slurmstepd) become children of this process, so that it can end them.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.folder = tempfile.mkdtemp(prefix="woa-slurm-")
        self.environment = {"SLURM_CONF": os.path.join(self.folder, "slurm.conf"), "PATH": PATH}
        self.daemons = []

    def start(self):
        """None, or the reason why it did not come up."""
        self.configure()
        self.daemon("munged", "--foreground", "--force", "--origin=127.0.0.1", "--key-file=" + self.path("key"),
                    "--socket=" + self.path("munge.socket"), "--pid-file=" + self.path("munged.pid"),
                    "--log-file=" + self.path("munged.log"), "--seed-file=" + self.path("munged.seed"))
        self.wait(lambda: os.path.exists(self.path("munge.socket")))
        self.daemon("slurmctld", "-D", "-i", "-f", self.path("slurm.conf"))
        self.daemon("slurmd", "-D", "-f", self.path("slurm.conf"))
        if self.wait(lambda: "State=IDLE" in self.ask("scontrol", "show", "node")):
            return None
        return "the daemons did not come up: " + "".join(self.log(name)[-1000:] for name in DAEMONS)

    def configure(self):
        for name in ("state", "spool", "tmp"):
            os.mkdir(self.path(name))
        with open(os.open(self.path("key"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as key:
            key.write(os.urandom(128))
        open(self.path("plugstack.conf"), "w").close()
        with open(self.path("slurm.conf"), "w") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], communication=communication(),
                                            ports=free_ports(2), folder=self.folder, user=os.geteuid(), processors=PROCESSORS))

    def path(self, name):
        return os.path.join(self.folder, name)

    def log(self, name):
        return read(self.path(name + ".out")) if os.path.exists(self.path(name + ".out")) else ""

    def daemon(self, *command):
        """Not of the test's group, so that Ctrl-C reaches the test first; ended by the kernel when the test is killed."""
        with open(self.path(command[0] + ".out"), "w") as out:
            self.daemons.append(subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, stdout=out,
                                                 stderr=out, start_new_session=True, env=dict(PLAIN, **self.environment)))

    def wait(self, is_so):
        end = time.monotonic() + LIMIT_S
        while not is_so():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                return False
            time.sleep(0.05)
        return True

    def ask(self, *command):
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S,
                                  env=dict(PLAIN, **self.environment)).stdout
        except subprocess.TimeoutExpired:
            return ""

    def stop(self):
        for daemon in reversed(self.daemons):  # one by one: slurmctld cannot end in order without its munged
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                pass
        end_children()
        shutil.rmtree(self.folder)


def children():
    """This process's, of /proc: field 4 of stat, behind the name in parentheses, is the parent."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = read(f"/proc/{name}/stat")
        except OSError:
            continue  # it ended
        if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
            found.append(int(name))
    return found


def end_children():
    """Ends each child and waits for it, and so for the children of each, which become ours."""
    while True:
        left = children()
        if not left:
            return
        for child in left:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
