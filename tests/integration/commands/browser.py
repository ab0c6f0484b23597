"""Opens a page in headless Chromium and asks it questions. Standard library only."""
import html
import json
import os
import re
import shutil
import subprocess

import harness

LOADED = {"Chart": "libjs-chart.js", "dagre": "python3-xstatic-dagre"}
OPTIONS = ["--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run", "--no-sandbox"]

# Before anything of the page runs: collects what goes wrong. `console.error` also has what the browser itself finds.
WATCH = """<script>
const wrong = [];
for (const name of ["error", "warn"]) console[name] = (...words) => wrong.push(words.join(" "));
addEventListener("error", (event) => wrong.push(String(event.message)), true);
addEventListener("securitypolicyviolation", (event) => wrong.push("loads " + event.blockedURI));
</script>"""
# After everything: the answer as text of an element.
ASK = """<script>
addEventListener("load", () => setTimeout(() => {
  const answer = {};
  try { Object.assign(answer, {value: (() => { QUESTION })()}); } catch (error) { wrong.push(String(error)); }
  for (const one of performance.getEntriesByType("resource")) wrong.push("loads " + one.name);
  const shown = document.createElement("pre");
  shown.id = "answer";
  shown.textContent = JSON.stringify({...answer, wrong});
  document.body.replaceChildren(shown);
}, 100));
</script>"""


def missing():
    """(name, reason) if the browser is missing, or a library in the pages of this build; else None."""
    if shutil.which("chromium") is None:
        return "chromium", "chromium is not installed"
    page = harness.read(os.path.join(harness.BUILD, "report", "page.html"))
    for library, package in LOADED.items():
        if f".{library}=" not in page:
            return library, package + " was not here when this was built"
    return None


def ask(test, page, question, *, width=1200, dark=False):
    """Runs `question`, the body of a function, in `page` when it has loaded, and returns its value. Fails the test on any error,
    warning or request of the page."""
    copy, profile = test.path("asked.html"), test.path("chromium")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("<style>", WATCH + "<style>", 1).replace("</body>", ASK.replace("QUESTION", question) + "</body>", 1))
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run(["chromium", *OPTIONS, *scheme, f"--window-size={width},900", f"--user-data-dir={profile}", "--virtual-time-budget=5000",
                           "--dump-dom", "file://" + copy], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S, check=False)
    shutil.rmtree(profile, ignore_errors=True)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout.decode(), re.DOTALL)
    test.assertIsNotNone(found, (done.stderr.decode(errors="replace")[-2000:], done.stdout.decode(errors="replace")[-500:]))
    answer = json.loads(html.unescape(found.group(1)))
    test.assertEqual(answer["wrong"], [])
    return answer["value"]
