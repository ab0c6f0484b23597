"""woa lsp: an editor is told what `woa check` says, where it is in the text that it has."""
import json
import os
import subprocess

import harness
from harness import LIMIT_S, SOURCE, WOA, WoaTest, read

GOOD = ("woa: 1\ngraph: g\ninputs: {data: {type: bytes, max: 64}}\nstages:\n  one: {kernel: copy, in: {data: data}}\n"
        "outputs: {data: one.data}\n")


class Editor:
    """A client, as an editor is one."""

    def __init__(self, test, encodings=("utf-16",)):
        self.test, self.shown, self.next_id = test, {}, 0
        self.server = subprocess.Popen([WOA, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.end)
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

    def published(self, uri):
        """What is shown of a file after the next time that the server speaks of it."""
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

    def test_machine_files(self):
        editor, text = Editor(self), "woa_machine: 1\ncontrollers: {\"cpu:0\": {lanes: 0}}\n"
        self.assertEqual([problem["code"] for problem in editor.open(self.write("machine.yaml", text), text)], ["E0113"])

    def test_a_machine_file_that_cannot_be_read_ends_it_at_once(self):
        def start(machine):
            return subprocess.run([WOA, "lsp", "--machine", machine], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=LIMIT_S)

        for machine in (self.path("absent.yaml"), self.folder):
            self.refused(start(machine), 1, "--machine", machine, "E0101")
        damaged = self.write("damaged.yaml", "woa_machine: 1\ncontrollers: {\"cpu:0\": {lanes: 0}}\n")  # which may be what is edited
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
        self.assertIn("a length that can be", editor.server.stderr.read().decode())


if __name__ == "__main__":
    harness.main()
