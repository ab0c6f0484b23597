"""woa lsp: an editor is told what `woa check` says, where it is in the text that it has."""
import json
import os
import subprocess
import time

import harness
from harness import LIMIT_S, SOURCE, WOA, WoaTest, read

GOOD = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 64}}\nstages:\n  one: {kernel: copy, in: {data: data}}\n"
        "outputs: {data: one.data}\n")


class Editor:
    """A client, as an editor is one."""

    def __init__(self, test, encodings=("utf-16",), initialized=True):
        self.test, self.shown, self.next_id = test, {}, 0
        self.server = subprocess.Popen([WOA, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.end)
        if initialized:
            self.initialize(encodings)

    def initialize(self, encodings=("utf-16",)):
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {"general": {"positionEncodings": list(encodings)}}})
        self.capabilities = answer["result"]["capabilities"]
        self.notify("initialized", {})

    def end(self):
        self.server.kill()
        self.server.wait()
        for stream in (self.server.stdin, self.server.stdout, self.server.stderr):
            try:
                stream.close()
            except BrokenPipeError:  # it ended before it had read everything
                pass

    def send_bytes(self, body):
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def send(self, method, **more):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode())

    def notify(self, method, params):
        self.send(method, params=params)

    def receive(self):
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.server.stdout.read(1)
            self.test.assertTrue(byte, "the server has ended: " + (self.server.stderr.read().decode() if not byte else ""))
            header += byte
        length = int(header.split(b"Content-Length: ")[1].split(b"\r")[0])
        return json.loads(self.server.stdout.read(length))

    def request(self, method, params=None):
        """The answer; what is published before it is kept."""
        self.next_id += 1
        self.send(method, id=self.next_id, **({} if params is None else {"params": params}))
        while True:
            message = self.receive()
            if "id" in message:
                self.test.assertEqual(message["id"], self.next_id)
                return message
            self.keep(message)

    def keep(self, message):
        self.test.assertEqual(message["method"], "textDocument/publishDiagnostics")
        self.shown[message["params"]["uri"]] = message["params"]["diagnostics"]

    def until(self, name, lines):
        """Takes in what the server says until the problems of a file begin in these lines: [(code, line from 0)]."""
        def shown():
            return [(problem["code"], problem["range"]["start"]["line"]) for problem in self.shown.get(name, ())]
        end = time.monotonic() + LIMIT_S
        while shown() != lines and time.monotonic() < end:
            self.request("woa/nothing", {})
        self.test.assertEqual(shown(), lines)


    def published(self, uri):
        """The problems that are shown of a file after the server's next message about it."""
        self.shown.pop(uri, None)
        while uri not in self.shown:
            self.keep(self.receive())
        return self.shown[uri]

    def open(self, path, text):
        uri = "file://" + path
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
        return self.published(uri)

    def change(self, path, text):
        uri = "file://" + path
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]})
        return self.published(uri)


class LanguageServer(WoaTest):
    def test_it_says_what_check_says(self):
        editor, folder = Editor(self, ["utf-32"]), os.path.join(SOURCE, "graphs")
        self.assertEqual((editor.capabilities["positionEncoding"], editor.capabilities["textDocumentSync"]["change"]), ("utf-32", 1))
        self.assertEqual(editor.open(os.path.join(folder, "hello.yaml"), read(os.path.join(folder, "hello.yaml"))), [])
        wrong = GOOD.replace("copy", "coppy").replace("one.data}", "one.dta}")
        path = self.write("wrong.yaml", wrong)
        expected = json.loads(self.woa("check", path, "--json").stdout)["diagnostics"]
        self.assertEqual([problem["code"] for problem in expected], ["E0201"])
        for problem, shown in zip(expected, editor.open(path, wrong), strict=True):
            self.assertEqual((shown["code"], shown["source"], shown["severity"]), (problem["code"], "woa", 1))
            self.assertEqual(shown["message"], problem["text"] + "\nfix: " + problem["fix"])
            line, begin = problem["line"] - 1, problem["column"] - 1
            self.assertEqual(shown["range"], {"start": {"line": line, "character": begin},
                                              "end": {"line": line, "character": begin + problem["length"]}})

    def test_what_is_typed_counts_and_not_what_was_saved(self):
        editor, path = Editor(self), self.write("graph.yaml", GOOD)
        self.assertEqual(editor.open(path, GOOD), [])
        wrong = editor.change(path, GOOD.replace("one.data", "two.data"))
        self.assertEqual([problem["code"] for problem in wrong], ["E0301", "E0305"][:len(wrong)])
        self.assertEqual(editor.change(path, GOOD), [])
        editor.change(path, "woa: 1\ngraph: [")
        editor.notify("textDocument/didClose", {"textDocument": {"uri": "file://" + path}})
        self.assertEqual(editor.published("file://" + path), [])

    def test_columns_are_those_of_the_client(self):
        text = GOOD.replace("{kernel: copy", "{\"kernel\": \"\U0001f600\u00e4\", colour: red")
        columns = []
        for encodings, path in ((["utf-16"], self.write("a.yaml", text)), (["utf-16", "utf-32"], self.write("b.yaml", text))):
            shown, = [problem for problem in Editor(self, encodings).open(path, text) if problem["code"] == "E0110"]
            columns.append(shown["range"]["start"]["character"])
        line = text.split("\n")[4]
        self.assertEqual(columns, [line.index("colour") + 1, line.index("colour")])  # the face takes two units of UTF-16

    def test_a_byte_order_mark_is_no_text(self):
        text = "\ufeff" + GOOD.replace("woa: 1", "woa: 2")
        problem, = Editor(self).open(self.write("marked.yaml", text), text)
        self.assertEqual((problem["code"], problem["range"]["start"]), ("E0115", {"line": 0, "character": len("woa: ")}))

    def test_a_problem_is_shown_in_the_file_that_has_it(self):
        part = self.write("a part.yaml", "woa: 1\nincludes: [\"a part.yaml\"]\n")
        text = GOOD.replace("graph: g\n", "graph: g\nincludes: [\"a part.yaml\"]\n")
        editor, path = Editor(self), self.write("graph.yaml", text)
        self.assertEqual(editor.open(path, text), [])
        problem, = editor.shown.get("file://" + part.replace(" ", "%20")) or editor.published("file://" + part.replace(" ", "%20"))
        self.assertEqual(problem["code"], "E0120")
        self.assertEqual(problem["relatedInformation"][0]["location"]["uri"], "file://" + path)
        self.write("a part.yaml", "woa: 1\n")
        editor.notify("textDocument/didSave", {"textDocument": {"uri": "file://" + part.replace(" ", "%20")}})
        self.assertEqual(editor.published("file://" + part.replace(" ", "%20")), [])

    def test_every_form_of_a_file_is_recognised(self):
        wrong = GOOD.replace("copy", "coppy")
        flow = ('{"woa":1,"graph":"h","inputs":{"text":{"type":"bytes","max":"1MiB"}},"stages":{"first":{"kernel":"cpoy","in":{"data":"text"}}},'
                '"outputs":{"copy":"first.data"}}')
        forms = {
            "quoted": wrong.replace("woa:", "\"woa\":").replace("graph:", "'graph':"), "blank": wrong.replace("woa:", "woa :").replace("graph:", "graph :"),
            "json": flow, "flow": flow.replace('"', "").replace(":", ": ").replace(",", ", "), "indented": "".join("  " + line + "\n" for line in wrong.splitlines()),
            "nameless": wrong.replace("graph: g\n", ""), "graph": wrong.replace("graph: g", "grpah: g"), "woa": wrong.replace("woa: 1", "wao: 1"),
            "begun": "woa: 1\n", "open": "{\"woa\": 1, \"graph\": \"g\", \"stages\": {", "colon": "woa 1\ngraph: g\nstages: {}\noutputs: {}\n",
            "marked": "\ufeff" + wrong, "crlf": wrong.replace("\n", "\r\n"), "binary": wrong.replace("g\n", "\x01\n"), "document": "---\n" + wrong}
        editor = Editor(self)
        for name, text in forms.items():
            with self.subTest(name):
                path = self.write(name.replace(" ", "_") + ".yaml", text)
                expected = json.loads(self.woa("check", path, "--json").stdout)["diagnostics"]
                self.assertTrue(expected)
                self.assertEqual([problem["code"] for problem in editor.open(path, text)], [problem["code"] for problem in expected])

    def test_files_of_others_are_left_alone(self):
        editor = Editor(self)
        for name, text in (("ci.yaml", "stages: [build]\nbuild: {script: [make]}\n"), ("action.yaml", "name: a\ninputs: {x: {}}\noutputs: {y: {}}\nruns: {}\n"),
                           ("nested.yaml", "pipeline:\n  woa: 1\n  graph: g\n"), ("open.yaml", "on: [push\njobs: {"), ("text.yaml", "woa is not a key here\n"),
                           ("empty.yaml", "")):
            with self.subTest(name):
                self.assertEqual(editor.open(self.path(name), text), [])

    def test_what_is_open_counts_in_the_files_that_name_it(self):
        os.mkdir(self.path("parts"))
        wrong = "woa: 1\ngraphs:\n  part:\n    inputs: {data: {type: bytes}}\n    stages: {t: {kernel: inverrt, in: {data: data}}}\n    outputs: {data: t.data}\n"
        part = self.write("parts/part.yaml", wrong)
        text = GOOD.replace("graph: g\n", "graph: g\nincludes: [parts/part.yaml]\n").replace("kernel: copy", "graph: part")
        editor, graph, part_uri = Editor(self), self.write("graph.yaml", text), "file://" + part
        self.assertEqual(editor.open(graph, text), [])
        editor.until(part_uri, [("E0201", 4)])
        editor.open(part, wrong)
        editor.change(part, wrong.replace("inverrt", "invert"))
        editor.until(part_uri, [])
        editor.change(part, "# a line\n" * 10 + wrong)
        editor.until(part_uri, [("E0201", 14)])
        other = self.write("other.yaml", text)
        editor.open(other, text)
        editor.published(part_uri)
        editor.until(part_uri, [("E0201", 14)])  # once
        self.assertEqual({note["location"]["uri"] for note in editor.shown[part_uri][0]["relatedInformation"]}, {"file://" + graph, "file://" + other})
        editor.notify("textDocument/didClose", {"textDocument": {"uri": part_uri}})
        editor.until(part_uri, [("E0201", 4)])  # what is on the disk

    def test_an_open_kernel_yaml_counts_in_the_graph_that_names_it(self):
        declared = "woa_kernel: 1\nname: own\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64}}\nlibrary: libown.so\nvariants: {cpu: {}}\n"
        kernel = self.write("kernel.yaml", declared)
        text = GOOD.replace("graph: g\n", "graph: g\nkernels: [kernel.yaml]\n").replace("kernel: copy", "kernel: own")
        self.write("libown.so", "built")
        editor, graph = Editor(self), self.write("graph.yaml", text)
        self.assertEqual(editor.open(graph, text), [])
        editor.open(kernel, declared)
        editor.change(kernel, declared.replace("data: {type: bytes, max", "result: {type: bytes, max"))
        editor.until("file://" + graph, [("E0302", 6)])
        editor.change(kernel, declared.replace("library: libown.so\n", ""))
        editor.until("file://" + graph, [])
        editor.until("file://" + kernel, [("E0111", 0)])  # once: the kernel.yaml and the graph say it

    def test_a_kernel_that_is_not_built_is_a_warning_until_it_is(self):
        declared = "woa_kernel: 1\nname: own\nin: {data: {type: bytes}}\nout: {data: {type: bytes, max: 64}}\nlibrary: libown.so\nvariants: {cpu: {}}\n"
        self.write("kernel.yaml", declared)
        text = GOOD.replace("graph: g\n", "graph: g\nkernels: [kernel.yaml]\n").replace("kernel: copy", "kernel: own")
        editor, graph = Editor(self), self.write("graph.yaml", text)
        shown, = editor.open(graph, text)
        done = self.woa("check", graph, "--json")
        told, = json.loads(done.stdout)["diagnostics"]
        self.assertEqual((done.returncode, told["severity"], shown["severity"]), (0, "warning", 2))
        self.assertEqual((shown["code"], shown["message"]), (told["code"], told["text"] + "\nfix: " + told["fix"]))
        self.assertEqual(shown["range"]["start"], {"line": told["line"] - 1, "character": told["column"] - 1})
        self.write("libown.so", "built")
        editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + self.path("libown.so"), "type": 1}]})
        editor.until("file://" + graph, [])

    def test_a_file_that_was_missing_counts_once_it_is_open(self):
        text = GOOD.replace("graph: g\n", "graph: g\nincludes: [part.yaml]\n")
        editor, graph = Editor(self), self.write("graph.yaml", text)
        self.assertEqual([problem["code"] for problem in editor.open(graph, text)], ["E0101"])
        editor.open(self.path("part.yaml"), "woa: 1\nincludes: []\n")
        editor.until("file://" + graph, [])

    def test_headers_as_http_has_them(self):
        for header in (b"content-length: %d\r\n\r\n", b"CONTENT-LENGTH:%d\r\n\r\n", b"Content-Length:  \t%d \r\n\r\n", b"Content-Length: 00%d\r\n\r\n",
                       b"Content-Length: %d\n\n", b"\r\nContent-Length: %d\r\n\r\n", b"Content-Length: %d\r\nContent-Type: x; charset=utf8\r\n\r\n",
                       b"Content-Type: x\r\nContent-Length: %d\r\nContent-Length: %d\r\n\r\n"):
            with self.subTest(header):
                editor = Editor(self)
                body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "shutdown"}).encode()
                editor.server.stdin.write(header % ((len(body),) * header.count(b"%d")) + body)
                editor.server.stdin.flush()
                self.assertEqual(editor.receive(), {"jsonrpc": "2.0", "id": 7, "result": None})
        for header in (b"Content-Length: 5x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                       b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length\r\n\r\n", b"Length: 5\r\n\r\n"):
            with self.subTest(header):
                done = subprocess.run([WOA, "lsp"], input=header + b"12345", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S)
                self.assertEqual((done.returncode, done.stdout), (1, b""))
                self.assertIn(b"expected `Content-Length: BYTES`", done.stderr)

    def test_the_order_of_requests(self):
        editor = Editor(self, initialized=False)
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///none.yaml", "version": 1, "text": "woa: 2\n"}})  # too early: not read
        self.assertEqual(editor.request("shutdown")["error"]["code"], -32002)
        editor.initialize()
        self.assertEqual(editor.shown, {})
        self.assertEqual(editor.request("initialize", {})["error"]["code"], -32600)
        editor.send_bytes(b'{"jsonrpc": "2.0", "id": 99, "result": null}')  # an answer gets none
        self.assertIsNone(editor.request("shutdown")["result"])
        self.assertEqual(editor.request("shutdown")["error"]["code"], -32600)
        editor.send("exit")
        self.assertEqual(editor.server.wait(LIMIT_S), 0)

    def test_a_version_is_given_back(self):
        editor, path = Editor(self), self.write("graph.yaml", GOOD)
        editor.notify("textDocument/didOpen", {"textDocument": {"uri": "file://" + path, "languageId": "yaml", "version": 41, "text": GOOD}})
        self.assertEqual(editor.receive()["params"]["version"], 41)

    def test_machine_files(self):
        editor, text = Editor(self), "woa_machine: 1\ncontrollers: {\"cpu:0\": {workers: 0}}\n"
        self.assertEqual([problem["code"] for problem in editor.open(self.write("machine.yaml", text), text)], ["E0113"])
        self.assertEqual(editor.change(self.path("machine.yaml"), text.replace("workers: 0", "workers: 1")), [])  # what is typed

    def test_a_machine_file_that_cannot_be_read_ends_it_at_once(self):
        def start(machine):
            return subprocess.run([WOA, "lsp", "--machine", machine], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=LIMIT_S)

        for machine in (self.path("absent.yaml"), self.folder):
            self.refused(start(machine), 1, "--machine", machine, "E0101")
        damaged = self.write("damaged.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {workers: 0}}\n")  # which may be what is edited
        self.refused(start(damaged), 1, "the client has closed its end")

    def test_the_end(self):
        editor = Editor(self)
        self.assertIsNone(editor.request("shutdown")["result"])
        editor.send("exit")
        self.assertEqual(editor.server.wait(LIMIT_S), 0)
        editor = Editor(self)
        editor.send("exit")
        self.assertEqual(editor.server.wait(LIMIT_S), 1)
        editor = Editor(self)
        editor.server.stdin.close()
        self.assertEqual(editor.server.wait(LIMIT_S), 1)

    def test_what_is_no_message_of_the_protocol(self):
        editor = Editor(self)
        self.assertEqual(editor.request("textDocument/hover", {})["error"]["code"], -32601)
        for body in (b"[", b"7", b"[]", b"{}", b"{\"method\": 3}", b"{\"method\": \"textDocument/didOpen\", \"params\": {\"textDocument\": 3}}",
                     b"{\"method\": \"textDocument/didOpen\", \"params\": 5}", b"\xff\xfe\x00"):
            editor.send_bytes(body)
        for _ in range(2):  # `[` and the bytes that are no text
            self.assertEqual(editor.receive()["error"]["code"], -32700)
        self.assertEqual(editor.open("/none/graph.yaml", GOOD), [])
        editor.server.stdin.write(b"Content-Length: some\r\n\r\n")
        editor.server.stdin.close()
        self.assertEqual(editor.server.wait(LIMIT_S), 1)
        self.assertIn("no length that can be", editor.server.stderr.read().decode())


if __name__ == "__main__":
    harness.main()
