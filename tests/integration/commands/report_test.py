"""`woa run --report`: what a user sees of a run, in a browser."""
import json
import os
import re
import signal
import subprocess
import time

import browser
import harness
from harness import SOURCE, WOA, read

GRAPHS = os.path.join(SOURCE, "graphs")
TEXT = "text=" + os.path.join(SOURCE, "README.md")

FAILS = """woa: 1
graph: fails
inputs: {data: {type: bytes, max: 1KiB}}
stages:
  check: {kernel: fail_if, in: {data: data}, params: {byte: 120, delay_ms: DELAY}, on: "cpu:0"}
outputs: {copy: check.data}
"""

# The pictures of a page, as a reader finds them.
PICTURES = """
  const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
  const hints = (selector) => [...document.querySelectorAll(selector)].map((one) => one.dataset.hint);
  const place = (one) => { const {left, right, top, bottom} = one.getBoundingClientRect(); return [left, right, top, bottom]; };
  return {
    title: document.title, verdict: texts(".verdict"), tiles: texts(".tiles div"), bad: texts(".tiles .bad"), sections: texts("h2"), paragraphs: texts("section > p"),
    nodes: texts(".node .name"), notes: texts(".node .label"), places: [...document.querySelectorAll(".node > rect:first-child")].map(place),
    frames: texts(".frame"), edges: hints(".edge"), loops: hints(".edge.loop"), labels: texts(".labels g"), hints: hints(".node"),
    lanes: texts(".lanes div"), bars: hints(".bar"), arrows: hints(".arrow"),
    charts: [...document.querySelectorAll(".chart canvas")].map((one) => Chart.getChart(one)).map((chart) => (
      {labels: chart.data.labels, series: chart.data.datasets.map(({label, data}) => [label, data])})),
    cells: [...document.querySelectorAll("table")].map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent))),
    described: [...document.querySelectorAll("[role=img]")].map((one) => one.getAttribute("aria-label")),
    made: document.querySelectorAll("main script, main img, main b b, main a").length,
    room: document.documentElement.scrollWidth <= innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
  };"""


def embedded(page):
    return json.loads(re.search(r'<script id="report"[^>]*>(.*?)</script>', read(page), re.DOTALL).group(1))


class PageTest(harness.WoaTest):
    def report(self, *arguments, code=0, **how):
        """The object of --json, and what the page of the same run shows."""
        page = self.path("run.html")
        run = self.run_json(*arguments, "--report", page, code=code)
        return run, browser.ask(self, page, PICTURES, **how)

    def check_graph(self, run, shown):
        """Each stage and edge is there, with its counts."""
        self.assertEqual(set(shown["nodes"]) - {"source", "sink"}, {stage["name"] for stage in run["stages"]})
        self.assertEqual(len(shown["edges"]), len(run["edges"]))
        for edge, hint in zip(run["edges"], shown["edges"]):
            self.assertTrue(hint.startswith(f"{edge['from']} to {edge['to']}\n{edge['messages']:,} message"), (hint, edge))
            self.assertIn(f"{edge['transport']}: {edge['method']}", hint)
        for k, (left, right, top, bottom) in enumerate(shown["places"]):
            self.assertFalse([other for other in shown["places"][k + 1:] if left < other[1] and other[0] < right and top < other[3] and other[2] < bottom])


class Pages(PageTest):
    def test_the_page_says_what_the_json_says(self):
        run, shown = self.report(os.path.join(GRAPHS, "hello.yaml"), "--in", TEXT, "--instances", "200")
        self.assertEqual(embedded(self.path("run.html"))["run"], run)
        self.assertEqual((shown["title"], shown["bad"], shown["made"]), ("Run of hello", [], 0))
        self.assertEqual([text.lower() for text in shown["verdict"]], [run["limit"]["text"].lower() + "."])
        self.assertEqual(shown["sections"], ["Graph", "Timeline", "Stages and controllers", "Latencies", "Machine", "Outputs"])
        for tile in ("200 of 200instances done", "600messages"):
            self.assertIn(tile, shown["tiles"])
        self.check_graph(run, shown)
        self.assertEqual(shown["frames"], ["cpu:0", "cpu:1"])
        instance, busy, latency = shown["charts"]
        self.assertEqual(instance["series"], [["an instance", sorted((stage["instance_us"] for stage in run["stages"]), reverse=True)]])
        for k, controller in enumerate(run["controllers"]):
            self.assertAlmostEqual(sum(values[k] for _, values in busy["series"]), 100 * controller["share"], places=6)
        curve = [(point["x"], point["y"]) for point in latency["series"][0][1]]
        for share, key in ((0, "min"), (50, "p50"), (99, "p99"), (100, "max")):
            self.assertIn((share, run["latency_us"][key]), curve)
        self.assertEqual(sorted(curve), curve)
        self.assertTrue(all(shown["described"]), shown["described"])
        machine = next(table for table in shown["cells"] if "back-end" in table[0])
        self.assertEqual([row[0] for row in machine[1:]], ["host", "cpu:0", "cpu:1"])

    def test_the_timeline_has_a_bar_for_each_firing_and_an_arrow_for_each_packet(self):
        run, shown = self.report(os.path.join(GRAPHS, "hello.yaml"), "--in", TEXT, "--instances", "20", "--model", "rpc-hub", "--workers", "1")
        firings = sum(controller["firings"] for controller in run["controllers"])
        self.assertEqual(len(shown["bars"]), firings + 2 * 20)  # with the relays, which count as no firings
        self.assertEqual(len(shown["arrows"]), run["messages"])
        self.assertEqual(shown["lanes"], ["host", "cpu:0", "cpu:1"])
        self.assertEqual(sum(hint.startswith("first, instance ") for hint in shown["bars"]), 20)
        self.assertEqual(shown["arrows"].count("packet: first.call.data to first.data"), 20)
        self.assertIn(f"All {firings} firings, with {run['messages']} packets", shown["paragraphs"][1])

    def test_a_scattered_and_gathered_packet_has_an_arrow(self):
        run, shown = self.report(os.path.join(GRAPHS, "scatter.yaml"), "--in", "log=bytes:b\na\nc\n")
        self.assertEqual(len(shown["arrows"]), sum(edge["messages"] for edge in run["edges"] if edge["method"] != "count"))

    def test_a_long_run_shows_its_beginning(self):
        page = self.path("run.html")
        done = self.woa("run", os.path.join(GRAPHS, "hello.yaml"), "--in", "text=bytes:x", "--instances", "5000", "--report", page)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        timeline = embedded(page)["timeline"]
        shown = browser.ask(self, page, PICTURES)
        self.assertIn("The first 1,500 of 20,000 firings", shown["paragraphs"][1])
        self.assertEqual((len(shown["bars"]), len(shown["arrows"])), (1500, len(timeline["arrows"])))
        begins = [firing["begin_us"] for firing in timeline["firings"]]
        self.assertEqual((begins[0], begins), (0, sorted(begins)))

    def test_the_users_own_trace_limit_holds(self):
        page = self.path("run.html")
        self.run_json(os.path.join(GRAPHS, "hello.yaml"), "--in", "text=bytes:x", "--instances", "200", "--report", page, "--trace", self.path("trace"), "--trace-limit", "30")
        self.assertLessEqual(len(embedded(page)["timeline"]["firings"]), 90)

    def test_loops_are_marked(self):
        run, shown = self.report(os.path.join(GRAPHS, "nested-loop.yaml"), "--in", "n=bytes:abcd")
        self.check_graph(run, shown)
        self.assertEqual(len(shown["loops"]), 2)
        self.assertIn("loop inner, at most 10 turns", "\n".join(shown["loops"]))

    def tree(self, count):
        """A graph file: stage k reads stage (k - 1) / 2."""
        stages = [f'  s{k}: {{kernel: copy, in: {{data: {f"s{(k - 1) // 2}.data" if k else "data"}}}, on: "cpu:{k % 3}"}}' for k in range(count)]
        outputs = ", ".join(f"o{k}: s{k}.data" for k in range(count // 2, count))
        return self.write("tree.yaml", "woa: 1\ngraph: tree\ninputs: {data: {type: bytes, max: 1KiB}}\nstages:\n" + "\n".join(stages) + f"\noutputs: {{{outputs}}}\n")

    # The instances whose bars all lie in the part of the timeline that is seen.
    SEEN = """
      const {left, right} = document.querySelector(".timeline .scroll").getBoundingClientRect(), whole = new Map();
      for (const bar of document.querySelectorAll(".bar")) {
        const place = bar.querySelector("rect").getBoundingClientRect(), instance = Number(bar.dataset.hint.match(/instance (\\d+)/)[1]);
        whole.set(instance, (whole.get(instance) ?? true) && place.left >= left - 1 && place.right <= right + 1);
      }
      return [...whole].filter(([, seen]) => seen).map(([instance]) => instance);"""

    def test_the_timeline_opens_on_whole_instances(self):
        page = self.path("run.html")
        slow = self.write("slow.yaml", FAILS.replace("DELAY", "20").replace("byte: 120", "byte: 121"))
        for graph, given, count in ((os.path.join(GRAPHS, "hello.yaml"), TEXT, "5000"), (slow, "data=bytes:x", "400"),
                                           (os.path.join(GRAPHS, "scatter.yaml"), "log=" + self.write("log", "a\nb\nc\n" * 80), "9")):
            with self.subTest(graph):
                self.run_json(graph, "--in", given, "--instances", count, "--window", "2", "--report", page)
                self.assertTrue(set(browser.ask(self, page, self.SEEN)) & set(embedded(page)["timeline"]["whole"]))

    def test_an_instance_of_many_firings_is_whole(self):
        page = self.path("run.html")
        turns = self.write("turns.yaml", read(os.path.join(GRAPHS, "loop.yaml")).replace("max: 1000", "max: 9000"))
        self.run_json(turns, "--in", "n=i64:8000", "--report", page)
        timeline = embedded(page)["timeline"]
        self.assertEqual((timeline["all_firings"], timeline["whole"]), (8003, [0]))
        self.assertGreater(len(timeline["firings"]), 1500)
        self.assertLess(len(timeline["firings"]), 8003)
        self.assertEqual(browser.ask(self, page, self.SEEN), [0])
        self.assertRegex(browser.ask(self, page, PICTURES)["paragraphs"][1], r"^The first [0-9,]+ of 8,003 firings, the later ones without ")

    def test_an_instance_that_the_trace_cuts_is_called_so(self):
        page = self.path("run.html")
        self.run_json(os.path.join(GRAPHS, "scatter.yaml"), "--in", "log=" + self.write("log", "a\n" * 200), "--report", page,
                      "--trace", self.path("trace"), "--trace-limit", "50")
        self.assertEqual(embedded(page)["timeline"]["whole"], [])
        self.assertIn("No instance is whole: its trace was full before.", browser.ask(self, page, PICTURES)["paragraphs"][1])

    # Labels whose ground an edge is drawn over, or whose text is wider than the ground.
    STRUCK = """
      const bad = [], over = (a, b) => Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);
      for (const label of document.querySelectorAll(".labels g")) {
        const ground = label.querySelector(".ground"), room = ground.getBoundingClientRect();
        for (const text of label.querySelectorAll("text")) {
          const place = text.getBoundingClientRect();
          if (place.left < room.left - 1 || place.right > room.right + 1) bad.push(text.textContent);
        }
        for (const edge of document.querySelectorAll(".edge")) if (over(ground, edge)) bad.push(edge.dataset.hint);
        if (getComputedStyle(ground).fill === "none") bad.push("no ground");
      }
      return [document.querySelectorAll(".labels g").length, bad];"""

    def test_no_edge_strikes_a_label_through(self):
        page = self.path("run.html")
        for graph, given in (("hello", TEXT), ("nested-loop", "n=bytes:abcd"), ("scatter", "log=bytes:b\na\nc\n")):
            run = self.run_json(os.path.join(GRAPHS, graph + ".yaml"), "--in", given, "--report", page)
            self.assertEqual(browser.ask(self, page, self.STRUCK), [len(run["edges"]), []])

    def test_long_times_are_in_seconds(self):
        page = self.path("run.html")
        self.run_json(self.write("slow.yaml", FAILS.replace("DELAY", "700").replace("byte: 120", "byte: 121")), "--in", "data=bytes:x", "--report", page)
        ticks = browser.ask(self, page, """
          return [...document.querySelectorAll(".chart canvas")].map((one) => Chart.getChart(one)).flatMap((chart) =>
            Object.values(chart.scales).flatMap((scale) => scale.ticks.map((tick) => String(tick.label))));""")
        self.assertTrue([tick for tick in ticks if tick.endswith(" ms")], ticks)
        self.assertEqual([tick for tick in ticks if re.match(r"[0-9]{4,}", tick)], [])

    def test_a_graph_of_hundreds_of_stages_is_a_table(self):
        run, shown = self.report(self.tree(300), "--in", "data=bytes:a", "--processes", "one")
        self.assertEqual((shown["nodes"], shown["paragraphs"][0][:6]), ([], "Stages"))
        edges = next(table for table in shown["cells"] if table[0][0] == "from")
        self.assertEqual([row[:2] for row in edges[1:]], [[edge["from"], edge["to"]] for edge in run["edges"]])

    def test_a_graph_of_thirty_stages_on_wide_and_narrow_screens(self):
        for width in (1600, 500):
            run, shown = self.report(self.tree(30), "--in", "data=bytes:a", "--processes", "one", width=width)
            self.check_graph(run, shown)
            self.assertTrue(shown["room"], width)  # the page itself does not scroll sideways

    def test_simulated_controllers_are_labelled(self):
        graph = self.write("sim.yaml", 'woa: 1\ngraph: sim\ninputs: {data: {type: bytes, max: 1KiB}}\nstages:\n  one: {kernel: invert, in: {data: data}, on: "gpu:0"}\noutputs: {o: one.data}\n')
        devices = json.loads(self.woa("devices", "--json").stdout)
        if not any(device["backend"] == "opencl" and device["simulated"] for device in devices["devices"]):
            self.skip("opencl", "no simulated OpenCL device")
        _, shown = self.report(graph, "--in", "data=bytes:a")
        self.assertEqual(shown["frames"], ["gpu:0 (opencl, simulated)"])
        self.assertRegex("\n".join(row[-1] for table in shown["cells"] for row in table), r"\(simulated\)")

    def test_dark_light_and_paper(self):
        page = self.path("run.html")
        self.run_json(os.path.join(GRAPHS, "hello.yaml"), "--in", TEXT, "--report", page)
        ground = "const ground = () => getComputedStyle(document.body).backgroundColor;"
        ink = "const ink = () => Chart.getChart(document.querySelector('canvas')).options.scales.y.ticks.color;"
        ask = ground + ink + "const on = [ground(), ink()]; dispatchEvent(new Event('beforeprint')); const paper = [ground(), ink()]; dispatchEvent(new Event('afterprint')); return [on, paper, [ground(), ink()]];"
        light, paper, again = browser.ask(self, page, ask)
        self.assertEqual((light[0], paper, again), ("rgb(255, 255, 255)", light, light))
        dark, paper, again = browser.ask(self, page, ask, dark=True)
        self.assertEqual((paper, again), (light, dark))
        self.assertNotEqual(dark[0], light[0])
        self.assertNotEqual(dark[1], light[1])

    def test_a_request_would_be_seen(self):
        page = self.path("run.html")
        self.run_json(os.path.join(GRAPHS, "hello.yaml"), "--in", TEXT, "--report", page)
        for more in ("<img src='http://127.0.0.1:9/x.png'>", "<script>console.error('bad')</script>", "<script>nowhere()</script>"):
            with self.assertRaisesRegex(AssertionError, "127.0.0.1|bad|nowhere"):
                browser.ask(self, self.write("more.html", read(page).replace("<main", more + "<main")), "return 1;")

    def test_hovering_and_zooming(self):
        page = self.path("run.html")
        self.run_json(os.path.join(GRAPHS, "hello.yaml"), "--in", TEXT, "--report", page)
        hint, gone, wider = browser.ask(self, page, """
            const box = document.getElementById("hint");
            const over = (one) => { one.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, clientX: 1190, clientY: 890})); return [box.textContent, getComputedStyle(box).display, box.getBoundingClientRect().right]; };
            const hint = over(document.querySelector(".node text")), gone = over(document.querySelector("h1"));
            const slider = document.querySelector("input[type=range]"), width = () => document.querySelector(".timeline svg").getBoundingClientRect().width;
            const before = width(); slider.value = Number(slider.value) + 1; slider.dispatchEvent(new Event("input"));
            return [hint, gone, width() / before];""")
        self.assertEqual((hint[1], gone[1]), ("block", "none"))
        self.assertAlmostEqual(wider, 2, places=2)
        self.assertLessEqual(hint[2], 1200)
        self.assertEqual(hint[0], "source")


class Failures(PageTest):
    def test_hostile_texts_stay_texts(self):
        name = b"x</script><img src=x onerror=alert(1)><!-- \"'\xff"
        folder = self.path("inputs").encode()
        os.makedirs(folder)
        for file in (name, b"&amp;fine"):
            with open(os.path.join(folder, file.replace(b"/", b"\xe2\x88\x95")), "wb") as made:
                made.write(b"x")
        graph = self.write("fails.yaml", FAILS.replace("DELAY", "0"))
        page = self.path("run.html")
        done = self.woa("run", graph, "--in", "data=" + self.path("inputs"), "--report", page)
        self.assertEqual(done.returncode, 1, done.stderr)
        shown = browser.ask(self, page, PICTURES)
        failed = next(table for table in shown["cells"] if table[0][0] == "instance")
        self.assertTrue(failed[1][2].endswith("/&amp;fine"), failed)
        self.assertTrue(failed[2][2].endswith("/x<\u2215script><img src=x onerror=alert(1)><!-- \"'\ufffd"), failed)
        self.assertEqual(shown["made"], 0)

    def test_an_end_of_a_script_in_a_message(self):
        page = self.path("run.html")
        done = self.woa("run", self.write("fails.yaml", FAILS.replace("DELAY", "0")), "--in", "data=bytes:x</script><script>alert(1)</script>", "--report", page)
        self.assertEqual(done.returncode, 1, done.stderr)
        shown = browser.ask(self, page, PICTURES)
        self.assertIn("data=bytes:x</script><script>alert(1)</script>", [cell for table in shown["cells"] for row in table for cell in row])

    def test_failed_instances_are_counted_and_the_first_shown(self):
        run, shown = self.report(self.write("fails.yaml", FAILS.replace("DELAY", "0")), "--in", "data=bytes:x", "--instances", "300", code=1)
        self.assertEqual(len(run["failures"]), 300)
        self.assertEqual(shown["bad"], ["0 of 300instances done", "300failed"])
        self.assertEqual(shown["paragraphs"][0], "The first 100 of 300 failed instances.")
        failed = next(table for table in shown["cells"] if table[0][0] == "instance")
        self.assertEqual([row[:2] for row in failed[1:]], [[str(k), "check"] for k in range(100)])
        self.assertNotIn("Latencies", shown["sections"])

    def test_a_run_that_was_cut_short_says_why(self):
        page = self.path("run.html")
        graph = self.write("fails.yaml", FAILS.replace("DELAY", "50"))
        process = subprocess.Popen([WOA, "run", graph, "--in", "data=bytes:a", "--out", "copy=" + self.path("%i"), "--instances", "10000", "--report", page],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        end = time.monotonic() + harness.LIMIT_S
        while not os.path.exists(self.path("0")) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(harness.LIMIT_S), 130)
        shown = browser.ask(self, page, PICTURES)
        self.assertRegex(shown["paragraphs"][0], r"^The run was cut short: cancelled: interrupted by SIGINT \(Ctrl-C\), \d+ of 10000 instances done")
        self.assertEqual(set(shown["nodes"]), {"source", "check", "sink"})
        self.assertEqual(len(shown["edges"]), 2)

    def test_a_page_that_cannot_be_written(self):
        self.refused(self.woa("run", os.path.join(GRAPHS, "hello.yaml"), "--in", "text=bytes:a", "--report", self.path("none/x.html")), 1, "--report")


if __name__ == "__main__":
    if browser.missing():
        harness.skip_program(*browser.missing())
    harness.main()
