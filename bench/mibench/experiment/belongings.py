"""Things that the experiment makes on this machine: processes, namespaces, a temporary folder. A reaper undoes them (reaper.py)."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PREFIX = "woa-mibench-"  # then the id of the experiment's process
MEMORY = pathlib.Path("/dev/shm")


def parent():
    """The place of temporary files: in memory, for a disk takes longer than most programs, and varies more."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK | os.X_OK):
        return pathlib.Path(tempfile.gettempdir())
    return MEMORY


class Belongings:
    """Use as a context: everything is gone when it ends, also after a kill."""

    def __enter__(self):
        remove_stale()
        command = [sys.executable, "-B", str(pathlib.Path(__file__).with_name("reaper.py"))]
        self.reaper = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent()))
        self.note("folder", self.folder)
        return self

    def __exit__(self, *_):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        self.reaper.stdin.close()
        self.reaper.wait()

    def note(self, kind, what):
        os.write(self.reaper.stdin.fileno(), f"{kind} {what}\n".encode())

    def start(self, command, environment, processors=None):
        """Starts a program in a group of its own, with pipes. The child tells the reaper before it executes, so that no kill comes
        between. Output that is no UTF-8 keeps its other characters."""
        def begin():
            os.setsid()
            self.note("group", os.getpid())
            if processors:
                os.sched_setaffinity(0, processors)
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, encoding="utf-8", errors="replace", env=environment, preexec_fn=begin)

    def ended(self, process):
        """Kills the rest of its group, too."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()
        self.note("ended", process.pid)

    def namespace(self, suffix):
        name = f"{PREFIX}{os.getpid()}-{suffix}"
        self.note("netns", name)
        return name


def is_stale(name):
    found = re.match(re.escape(PREFIX) + r"(\d+)-", name)
    return bool(found) and not os.path.exists(f"/proc/{found.group(1)}")


def remove_stale():
    """Removes what a reaper left that was killed itself."""
    for folder in parent().glob(PREFIX + "*"):
        if is_stale(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
    if shutil.which("ip"):
        listed = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False)
        for line in listed.stdout.splitlines():
            if line and is_stale(line.split()[0]):
                subprocess.run(["ip", "netns", "delete", line.split()[0]], stderr=subprocess.DEVNULL, check=False)
