"""One launch of a plan: all on this host, or with nodes on the other one."""
import re
import threading

from woa import LIMIT_S, Lines, Refused, answer_of

HOST_CONTROLLER = "cpu:0"  # shares the host's processor; the others are off it
JOIN = re.compile(r"woa node --join (\S+)")
WAIT_S = 20


def controllers_off(placement):
    """Controllers that are not on the host's processor, of `placement`: stage -> controller."""
    return sorted({place for place in placement.values() if place != HOST_CONTROLLER})


def run(woa, plan, coupling, placement, words, cores):
    """The JSON of `woa run`; Refused with the reason otherwise."""
    pins = [f"{name}={number}" for name, number in cores.items() if name == "host" or name in placement.values()]
    words = ["run", plan, *words, *(["--cores", ",".join(pins)] if pins else [])]
    far = controllers_off(placement) if coupling.listen else []
    if not far:
        return woa.json(words, coupling.here)
    return run_with_nodes(woa, words, coupling, far, cores)


def run_with_nodes(woa, words, coupling, far, cores):
    join = ["--nodes", str(len(far)), "--listen", coupling.listen, "--secret", coupling.secret, "--wait", str(WAIT_S)]
    host = woa.start([*words, *join, "--json"], coupling.here)
    nodes = []
    try:
        lines = Lines(host)
        address = lines.first(JOIN, WAIT_S)
        if address is None:
            host.kill()
            return answer_of(host.wait() or 1, host.stdout.read(), lines.text())
        for controller in far:
            pin = ["--cores", f"{controller}={cores[controller]}"] if controller in cores else []
            nodes.append(woa.start(["node", "--join", address.group(1), "--secret", coupling.secret, "--controller", controller, *pin],
                                   coupling.there))
        return finish(host, lines)
    finally:
        for process in [host, *nodes]:
            woa.belongings.ended(process)
            process.stdout.close()
            if process is not host:
                process.stderr.close()


def finish(host, lines):
    late = threading.Event()

    def give_up():
        late.set()
        host.kill()
    watch = threading.Timer(LIMIT_S, give_up)
    watch.start()
    try:
        out = host.stdout.read()
        code = host.wait()
    finally:
        watch.cancel()
    if late.is_set():
        raise Refused(f"no end within {LIMIT_S} s", 124, True)
    return answer_of(code, out, lines.text())
