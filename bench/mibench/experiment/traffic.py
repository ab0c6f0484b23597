"""Routes of a run: who sends to whom, which controllers are busy, and what raw mailboxes alone would take."""
from woa import Refused

BUSY = 0.05  # share of an instance's time


def controller_of(end, placement):
    """The controller of an edge's end, as `woa run --json` names it: STAGE.PORT, and call models put parts between these."""
    name = end.rpartition(".")[0]
    if name in placement:
        return placement[name]
    if name in ("source", "sink") or name.endswith((".call", ".ask")):
        return "host"
    owners = [stage for stage in placement if name.startswith(stage + ".")]
    return placement[max(owners, key=len)] if owners else "host"


def routes_of(answer, placement):
    """(from, to) -> messages and bytes of an instance."""
    routes = {}
    for edge in answer["edges"]:
        if not edge["messages"]:
            continue
        route = routes.setdefault((controller_of(edge["from"], placement), controller_of(edge["to"], placement)), [0, 0])
        route[0] += edge["messages"] / answer["instances"]
        route[1] += edge["payload_bytes"] / answer["instances"]
    return routes


def busy_controllers(answer, routes, time_s, message_s):
    """Those that have over a twentieth of an instance's time, with `message_s` for each message that they send or take."""
    taken = {entry["name"]: entry["busy_s"] / answer["instances"] for entry in answer["controllers"]}
    for ends, (messages, _) in routes.items():
        for end in ends:
            taken[end] = taken.get(end, 0) + messages * message_s
    return sorted(name for name, seconds in taken.items() if seconds > BUSY * time_s)


def share_a_processor(controllers, cores):
    """True if two of them do. Not pinned is unknown: None."""
    numbers = [cores.get(name) for name in controllers]
    if len(numbers) > 1 and None in numbers:
        return None
    return len(set(numbers)) < len(numbers)


class RawMailboxes:
    """The time of an instance by the least that could carry it: kernels, a raw loop's firings (`woa bench firing`), and a raw mailbox for
    each message between processors (`woa bench route`). Both are measured when first asked for."""
    LARGEST = 1 << 20

    def __init__(self, woa, cores):
        self.woa, self.cores, self.known = woa, cores, {}

    def once(self, key, words):
        if key not in self.known:
            rows = self.woa.json(["bench", *words])["rows"]
            self.known[key] = next(row["median"] for row in rows if "raw" in row["contender"]) / 1e9
        return self.known[key]

    def firing_s(self):
        return self.once("firing", ["firing", "--loop", "chain", "--count", "20000", "--repetitions", "5", "--no-peers"])

    def message_s(self, ends, size):
        pair = sorted(self.cores[end] for end in ends)
        rounded = min(self.LARGEST, 1 << max(6, (int(size) - 1).bit_length()))
        return self.once((*pair, rounded), ["route", "--cores", ",".join(map(str, pair)), "--size", rounded, "--count",
                                            20000 if rounded <= 4096 else 200, "--repetitions", "5"])

    def busiest_s(self, routes):
        """A message on the route that takes most of them; None if there is none, or it cannot be measured."""
        if not routes:
            return None
        ends, (messages, size) = max(routes.items(), key=lambda route: route[1][0])
        try:
            return self.message_s(ends, size / messages)
        except (KeyError, Refused):
            return None

    def instance_s(self, kernels, routes):
        """Kernels (as plans.kernels() has them), firings and messages one after another; None if they cannot be measured."""
        try:
            messages_s = sum(messages * self.message_s(ends, size / messages) for ends, (messages, size) in routes.items())
            return sum(one["firings"] * (one["time_s"] + self.firing_s()) for one in kernels.values()) + messages_s
        except (KeyError, Refused):
            return None
