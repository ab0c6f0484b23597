"""Couplings: how the host and the controllers off its processor are joined.

tight  processes of one host, over shared memory
loose  two hosts, over libfabric's tcp: two network namespaces joined by a virtual cable. Without root, one host and its loopback
       interface, which is said in every output.
"""
import dataclasses
import os
import re
import secrets
import shutil
import subprocess

from programs import Problem

INTERFACE = "cable"
WIRE_MESSAGE_S = 4e-6
RATE = re.compile(r"\d+(?:\.\d+)?(?:k|m|g|t)?bit")
DELAY = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s)")


@dataclasses.dataclass
class Coupling:
    name: str
    what: str  # in words
    notes: list
    here: tuple = ()  # words before the command of the host
    there: tuple = ()  # and of a node on the other host
    listen: str = ""  # interface that nodes join by; empty: no nodes
    secret: str = ""  # its file
    message_s: float = 2e-7  # about what a message takes of its sender, or of its receiver

    def as_json(self):
        return {"name": self.name, "what": self.what, "notes": self.notes, "nodes": bool(self.listen)}


@dataclasses.dataclass(frozen=True)
class Shape:
    rate: str
    delay: str


def parse_net(text):
    """RATE,DELAY as tc writes them, such as 1gbit,25us."""
    rate, _, delay = text.partition(",")
    if not RATE.fullmatch(rate) or not DELAY.fullmatch(delay):
        raise Problem(f"--net: '{text}' is not RATE,DELAY; write them as tc does, for instance 1gbit,25us")
    return Shape(rate, delay)


def run(command):
    """Empty if it went well, else what went wrong."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1]


def shape_end(namespace, shape):
    """Shapes one end of the cable. Answers what could not be done."""
    base = ["ip", "netns", "exec", namespace, "tc", "qdisc", "replace", "dev", INTERFACE, "root"]
    why = run([*base, "netem", "delay", shape.delay, "rate", shape.rate])
    if not why:
        return ""
    if run([*base, "tbf", "rate", shape.rate, "burst", "8kb", "latency", "50ms"]):
        return f"neither rate nor delay could be set: {why}"
    return f"the delay of {shape.delay} could not be set, only the rate: no netem in this kernel ({why})"


def make_hosts(belongings, suffix):
    """Two namespaces and their cable; the reason if that is not possible."""
    names = [belongings.namespace(suffix + end) for end in "ab"]
    steps = [f"netns add {name}" for name in names]
    steps.append(f"link add name {INTERFACE} netns {names[0]} type veth peer name {INTERFACE} netns {names[1]}")
    for number, name in enumerate(names, 1):
        steps += [f"-n {name} address add 10.79.0.{number}/24 dev {INTERFACE}", f"-n {name} link set {INTERFACE} up",
                  f"-n {name} link set lo up"]
    for step in steps:
        why = run(["ip", *step.split()])
        if why:
            return names, why
    return names, ""


def secret_file(belongings):
    file = belongings.folder / "secret"
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, secrets.token_hex(16).encode())
        os.close(descriptor)
    return str(file)


def tight():
    return Coupling("tight", "processes of one host, shared memory", [])


def loose(name, shape, belongings):
    """`shape`: None for the wire as it is."""
    why = ""
    if os.geteuid() != 0:
        why = "network namespaces need root"
    elif shutil.which("ip") is None or (shape and shutil.which("tc") is None):
        why = "network namespaces need iproute2"
    else:
        names, why = make_hosts(belongings, name[0] + ("s" if shape else "w"))
    secret = secret_file(belongings)
    if why:
        return Coupling(name, "one host and its loopback interface, libfabric tcp", [f"not two hosts: {why}; the network is not shaped"],
                        (), (), "lo", secret, WIRE_MESSAGE_S)
    notes = []
    if shape:
        notes = sorted({note for note in (shape_end(end, shape) for end in names) if note})
    wire = f"{shape.rate} and {shape.delay} each way" + (" asked for" if notes else "") if shape else "as the wire is"
    here, there = (("ip", "netns", "exec", end) for end in names)
    return Coupling(name, f"two network namespaces, libfabric tcp, {wire}", notes, here, there, INTERFACE, secret, WIRE_MESSAGE_S)
