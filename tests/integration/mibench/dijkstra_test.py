#!/usr/bin/env python3
"""dijkstra as a task graph: lines equal to a reference under every call model, transport, placement and window.

The reference is the search in Python. With MiBench's input, its golden output is the reference, too.
"""
import heapq
import os
import random
import re
import unittest

from mibench_harness import MODELS, SEED, ProgramTest, main, read, shared

NODES, NO_EDGE = 100, 9999
VARIANTS = ("fine", "device", "coarse")
SOLVER = {"fine": "queue", "device": "queue", "coarse": "solve"}  # the stage with the queue
FEW = ("--param", "parse.pairs=1")  # for transports on which a turn takes 100 us
INPUT, GOLDEN = shared("input/dijkstra_input.dat"), shared("golden/dijkstra_small.txt")


def text_of(matrix):
    return "".join(" ".join("%4d" % weight for weight in row) + "\n" for row in matrix)


def search(matrix, source):
    """(distances, nodes before) by relaxation in order of arrival: every edge of a node, with the distance at which it was queued."""
    far = float("inf")
    distance, before, waiting = {source: 0}, {}, [(source, 0)]
    for node, queued in waiting:
        for k, weight in enumerate(matrix[node]):
            if weight != NO_EDGE and queued + weight < distance.get(k, far):
                distance[k], before[k] = queued + weight, node
                waiting.append((k, queued + weight))
    return distance, before


def lines(matrix, pairs=20):
    out = []
    for number in range(pairs):
        source, target = number % NODES, (number + NODES // 2) % NODES
        distance, before = search(matrix, source)
        path = [target]
        while path[-1] in before:
            path.append(before[path[-1]])
        out.append("Shortest path is %d in cost. Path is: %s\n" % (
            distance.get(target, NO_EDGE), "".join(" %d" % node for node in reversed(path))))
    return "".join(out).encode()


def cost(matrix, source, target):
    """The least cost by another algorithm, with a heap."""
    heap, done = [(0, source)], set()
    while heap:
        distance, node = heapq.heappop(heap)
        if node == target:
            return distance
        if node not in done:
            done.add(node)
            for k, weight in enumerate(matrix[node]):
                if weight != NO_EDGE:
                    heapq.heappush(heap, (distance + weight, k))
    return NO_EDGE


def generated(zeros=0.01, missing=0.0, most=100):
    """A matrix: weights up to `most`, with shares of zero weights (ties) and of missing edges."""
    drawn = random.Random("dijkstra %d" % SEED)
    weights = [[drawn.randint(0, most) for _ in range(NODES)] for _ in range(NODES)]
    return [[drawn.choices((0, NO_EDGE, weight), (zeros, missing, 1 - zeros - missing))[0] for weight in row] for row in weights]


class DijkstraTest(ProgramTest):
    program = "dijkstra"

    def setUp(self):
        super().setUp()
        self.matrix = generated()
        if INPUT:
            self.data("MiBench's small input")
            self.matrix = [[int(word) for word in line.split()] for line in read(INPUT).splitlines()]
        else:
            self.data("generated")
        self.text = {"text": INPUT or self.write("matrix.txt", text_of(self.matrix))}
        self.expected = read(GOLDEN, "rb") if INPUT else lines(self.matrix)
        self.assertEqual(self.expected.count(b"\n"), 20)
        self.few = self.expected.splitlines(True)[0]

    def test_every_pair(self):
        for model in MODELS:
            with self.subTest(graph="coarse", model=model):
                self.check(self.graph("coarse"), self.text, "text", self.expected, "--model", model)

    def test_every_pair_between_processes(self):
        """15,000 turns over shm. Three processes on one processor hand it on; on two each turn would wait for the scheduler."""
        processor = min(os.sched_getaffinity(0))
        cores = ",".join("%s=%d" % (each, processor) for each in ("host", "cpu:0", "cpu:1"))
        for name in ("fine", "device"):
            graph = self.placed(name, {"next": "cpu:0", "queue": "cpu:0", "relax": "cpu:1"})
            for model in MODELS:
                with self.subTest(graph=name, model=model):
                    report = self.check(graph, self.text, "text", self.expected, "--model", model, "--cores", cores)
                    self.assertEqual({edge["transport"] for edge in report["edges"] if edge["messages"] > 0}, {"shm"})
                    self.assertGreater(report["messages"], 1000 * self.expected.count(b"\n"))

    def test_models_and_windows(self):
        for name in VARIANTS:
            self.check_models(name, self.text, "text", self.few, *FEW, instances=17 if name == "coarse" else 3)

    def test_random_placements(self):
        for name in VARIANTS:
            self.check_placements(name, self.text, "text", self.few, *FEW)

    def test_transports(self):
        for name in VARIANTS:
            self.check_transports(name, self.text, "text", self.few, *FEW, models=MODELS, transports=("loopback", "shm"))
            self.check_transports(name, self.text, "text", self.few, *FEW, models=MODELS if name == "coarse" else ("woa",), transports=("ofi",))

    def test_predictions(self):
        for name in VARIANTS:
            self.check_predictions(name, self.text, "text", self.few, *FEW)

    def test_nested_refuses(self):
        for name, reason in (("fine", "stage 'next' is entered by a loop"), ("device", "stage 'next' is entered by a loop"),
                             ("coarse", "stage 'print' gathers a scatter")):
            self.check_nested(name, self.text, "text", None, reason)

    def test_on_gpus(self):
        self.check_gpus("device", ["relax"], self.text, "text", self.few, *FEW)

    def test_baseline(self):
        report = self.check_baseline(self.text, "text", self.expected)
        self.assertEqual([loop["name"] for loop in report["loops"]], ["solve", "queue and relax"])


class GeneratedTest(ProgramTest):
    """Matrices unlike MiBench's input, in each grain and in the CPU-only program."""
    program = "dijkstra"

    def everywhere(self, matrix, pairs=20, in_turns=None):
        """`in_turns`: pairs of the graphs that loop, whose processes take turns beside other tests."""
        self.data("generated")
        text, expected = {"text": self.write("matrix.txt", text_of(matrix))}, lines(matrix, pairs)
        for name in VARIANTS:
            some = pairs if name == "coarse" or in_turns is None else in_turns
            with self.subTest(graph=name):
                self.check(self.graph(name), text, "text", lines(matrix, some), "--param", "parse.pairs=%d" % some)
        self.baseline(text, {"text": self.path("plain")}, "--set", "pairs=%d" % pairs)
        self.same(read(self.path("plain"), "rb"), expected)
        return expected

    def test_paths_sum_up_to_the_least_cost(self):
        matrix = generated(zeros=0.05, missing=0.5)
        found = re.findall(r"is (\d+) in cost. Path is: ((?: \d+)+)\n", self.everywhere(matrix, NODES, in_turns=10).decode())
        self.assertEqual(len(found), NODES)
        for source, (length, path) in enumerate(found):
            path = [int(node) for node in path.split()]
            self.assertEqual((path[0], path[-1]), (source, (source + NODES // 2) % NODES))
            self.assertEqual(sum(matrix[a][b] for a, b in zip(path, path[1:])), int(length))
            self.assertEqual(cost(matrix, path[0], path[-1]), int(length))

    def test_nodes_out_of_reach(self):
        matrix = generated(missing=0.985)
        self.assertRegex(self.everywhere(matrix), rb"Shortest path is 9999 in cost. Path is:  \d+\n")
        self.everywhere([[NO_EDGE] * NODES] * NODES)

    def test_only_ties(self):
        self.everywhere([[0] * NODES] * NODES)
        self.everywhere([[7] * NODES] * NODES, pairs=1)

    def test_largest_weights(self):
        ring = [[NO_EDGE - 1 if k == (node + 1) % NODES else NO_EDGE for k in range(NODES)] for node in range(NODES)]
        self.assertIn(b"Shortest path is %d in cost." % (50 * (NO_EDGE - 1)), self.everywhere(ring))

    def test_more_pairs_than_nodes(self):
        self.everywhere(generated(missing=0.9), pairs=NODES + 50)

    def test_most_pairs(self):
        matrix = generated(missing=0.98)
        self.check(self.graph("coarse"), {"text": self.write("matrix.txt", text_of(matrix))}, "text", lines(matrix, NODES) * 10,
                   "--param", "parse.pairs=1000")

    def test_space_between_numbers(self):
        matrix = generated()
        text = "\r\n\n" + "\t".join(str(weight) for row in matrix for weight in row)
        self.check(self.graph("coarse"), {"text": self.write("matrix.txt", text)}, "text", lines(matrix))


class BadInputTest(ProgramTest):
    program = "dijkstra"

    def rejected(self, content, *texts):
        """Every grain and the CPU-only program refuse a text, with place, found, expected, and the fix."""
        text = {"text": self.write("matrix.txt", content)}
        for name in VARIANTS:
            with self.subTest(graph=name, texts=texts):
                self.fails(name, text, "text", *texts)
        error = self.baseline(text, {"text": self.path("out")}, code=1)
        for part in texts:
            self.assertIn(part, error)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_missing_file(self):
        text = {"text": self.path("none.dat")}
        for name in VARIANTS:
            self.refused(self.start(self.graph(name), text, "text"), 1, "--in text: no such file or folder: '%s'; check the path" % text["text"])
        self.assertIn("--in text: %s: there is no such file" % text["text"], self.baseline(text, {"text": self.path("out")}, code=1))

    def test_wrong_words(self):
        matrix = generated()
        for word, shown in (("-7", "-7"), ("x5", "x5"), ("3.5", "3.5"), ("10000", "10000"), ("99999999999999999999", "99999999999999999999"),
                            ("0x1", "0x1"), ("+1", "+1"), ("z" * 1000, "z" * 32 + "`")):
            rows = [[str(weight) for weight in row] for row in matrix]
            rows[2][4] = word
            self.rejected("".join(" ".join(row) + "\n" for row in rows),
                          "line 3 of the matrix, number 205: found `" + shown, "expected a weight from 0 to 9999; write 9999 for no edge")

    def test_bytes_that_are_no_text(self):
        self.rejected(b"\xff\xfe\x00\x01" + text_of(generated()).encode(), "line 1 of the matrix, number 1: found `", "expected a weight")

    def test_wrong_sizes(self):
        matrix = generated()
        fix = "expected 10000: give 100 lines with 100 weights each, and nothing else"
        for text in ("", " \n\n\t", text_of(matrix[:-1]), text_of([row[:-1] for row in matrix]), text_of(matrix) + "1 2\n", "1 2\n3 4\n",
                     text_of(matrix)[:20000]):
            self.rejected(text, "the matrix has %d numbers in %d bytes, " % (len(text.split()), len(text)) + fix)

    def test_text_above_the_bound(self):
        text = {"text": self.write("matrix.txt", text_of(generated()) + " " * (1 << 20))}
        for name in VARIANTS:
            done = self.start(self.graph(name), text, "text")
            self.assertEqual(done.returncode, 1)
            self.assertIn("matrix.txt", done.stderr.decode())
            self.assertIn("1048576", done.stderr.decode())

    def test_pairs_out_of_range(self):
        text = {"text": self.write("matrix.txt", text_of(generated()))}
        for pairs in ("0", "-1", "1001", "x"):
            for name in VARIANTS:
                self.refused(self.start(self.graph(name), text, "text", "--param", "parse.pairs=" + pairs), 1, "pairs", pairs)

    def test_queue_overflows(self):
        """Every node with a higher number is nearer over each node in between."""
        matrix = [[(k - node) ** 2 if k > node else NO_EDGE for k in range(NODES)] for node in range(NODES)]
        text = {"text": self.write("matrix.txt", text_of(matrix))}
        for name in VARIANTS:
            done = self.start(self.graph(name), text, "text")
            self.refused(done, 1, "failed at stage " + SOLVER[name], "the queue has room for 4096 nodes and needs room for 4", "give it a matrix with fewer detours")


if __name__ == "__main__":
    main()
