"""Drives a headless Chromium: pages, scripts in them, keys, pointer, pictures.

Over the pipe of the DevTools protocol, which needs nothing but the standard library.
"""
import atexit
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's path, or None. Without windows it draws the same, and starts in half the time."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


class Problem(Exception):
    pass


class Process:
    """A headless Chromium with one page. Its start takes longer than most of what is done with it, and another page nearly as
    long, so that a program has one for all reports that it opens."""
    started = None

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        to_browser, our_out = os.pipe()
        our_in, from_browser = os.pipe()

        def arrange():  # the protocol is spoken over descriptors 3 and 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
             "--force-color-profile=srgb", "--disable-dev-shm-usage", "--disable-background-networking", "--proxy-server=127.0.0.1:9",
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=arrange, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        self.out, self.into, self.rest, self.number, self.session = our_out, our_in, b"", 0, None
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @classmethod
    def get(cls):
        if not cls.started:
            cls.started = cls()
            atexit.register(cls.started.close)
        return cls.started

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, Problem, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                raise Problem("the browser has gone")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, note=None, **params):
        """The result; messages that come before it go to `note`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") != self.number:
                if note:
                    note(answer)
            elif "error" in answer:
                raise Problem(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]


class Browser:
    """The browser's page, as if it had just been started: nothing is stored or cached of earlier pages, or emulated. `problems` is
    what the page has told: exceptions, errors, refusals of its policy."""

    def __init__(self, width=1280, height=800):
        self.process, self.problems, self.requests, self.traced = Process.get(), [], [], []
        self.call("Storage.clearDataForOrigin", origin="file://", storageTypes="all")
        self.call("Network.clearBrowserCache")
        self.call("Emulation.setEmulatedMedia", media="")
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.size(width, height)

    def close(self):
        try:
            self.call("Page.navigate", url="about:blank")
        except (OSError, Problem):
            Process.started = None  # it has crashed: the next page has another one

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.problems.append(what["entry"]["text"])
        elif method == "Tracing.dataCollected":
            self.traced += what["value"]
        elif method == "Tracing.tracingComplete":
            self.traced.append(None)
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def call(self, method, **params):
        return self.process.call(method, self.note, **params)

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def run(self, script):
        """Value of an expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Problem(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def trace(self, categories, script):
        """Value of the expression, and what the browser traced while it ran: complete events."""
        self.traced = []
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": categories})
        value = self.run(script)
        self.call("Tracing.end")
        while self.traced[-1:] != [None]:
            self.note(self.process.read())
        return value, [e for e in self.traced[:-1] if e["ph"] == "X"]

    def wait(self, script, seconds=20):
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise Problem(f"never true: {script}; the page says {self.problems}")
            time.sleep(0.02)

    def open(self, path):
        """Opens a report; milliseconds until it says that it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        self.wait("!!document.documentElement?.dataset.ready", 60)
        self.settle()
        return int(self.run("document.documentElement.dataset.ready"))

    def settle(self):
        """Until two more frames are drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))")

    def go(self, where):
        self.run(f"location.hash = {json.dumps(where)}")
        self.settle()

    def middle(self, selector):
        """Of the first line of what may be broken into several."""
        return self.run(f"(() => {{ const n = document.querySelector({json.dumps(selector)}); n.scrollIntoView({{block: 'center'}});"
                        " const b = n.getClientRects()[0]; return [b.x + b.width / 2, b.y + b.height / 2]; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y, modifiers=0):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, modifiers=modifiers)
        self.settle()

    def click(self, selector):
        self.click_at(*self.middle(selector))

    def drag(self, x, y, to_x, to_y, modifiers=0):
        self.mouse("mousePressed", x, y, button="left", clickCount=1, modifiers=modifiers)
        for part in (0.3, 0.6, 1):
            self.mouse("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)
        self.settle()

    def wheel(self, x, y, by, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by, modifiers=modifiers)
        self.settle()

    def key(self, key):
        code, text = {"Tab": (9, ""), "Enter": (13, "\r")}.get(key, (0, key if len(key) == 1 else ""))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def picture(self, path=None):
        """PNG of what is to be seen."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as f:
                f.write(data)
        return data


# Mean brightness of each part, of every fourth line: the browser reads its own picture faster than Python would.
GRID = """(async (png, columns, lines) => {
    const bytes = Uint8Array.from(atob(png), c => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: 'image/png'}), {colorSpaceConversion: 'none'});
    const {width, height} = picture, context = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
    context.drawImage(picture, 0, 0);
    const data = context.getImageData(0, 0, width, height).data, answer = [];
    for (let line = 0; line < lines; line++)
      for (let column = 0; column < columns; column++) {
        const begin = Math.floor(column * width / columns), end = Math.floor((column + 1) * width / columns);
        let sum = 0, count = 0;
        for (let y = Math.floor(line * height / lines); y < Math.floor((line + 1) * height / lines); y += 4)
          for (let x = begin; x < end; x++, count += 3) {
            const at = 4 * (y * width + x);
            sum += data[at] + data[at + 1] + data[at + 2];
          }
        answer.push(sum / count);
      }
    return answer;
  })"""


def grid(b, columns=32, lines=20):
    """Mean brightness of parts of what is to be seen, 0 to 255."""
    png = base64.b64encode(b.picture()).decode()
    return b.run(f"{GRID}('{png}', {columns}, {lines})")
