"""A headless Chromium for the tests of the report, driven through chromedriver's HTTP interface."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import urllib.request

import cli

START_S = 600
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """(chromium, chromedriver), or None where one of them is not installed."""
    browser = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One window. Everything it logs and asks of the network since the last look is kept."""

    def __init__(self, folder):
        binary, driver = find()
        self.process = subprocess.Popen(
            [driver, "--port=0", "--log-level=WARNING"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=folder)
        try:
            self.url = f"http://127.0.0.1:{self.read_port()}"
            options = {"binary": binary, "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--force-device-scale-factor=1", f"--user-data-dir={folder / 'profile'}",
                "about:blank"]}
            wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                      "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
            made = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self.url += f"/session/{made['sessionId']}"
        except BaseException:
            self.process.kill()
            raise

    def read_port(self):
        for line in self.process.stdout:
            match = re.search(rb"started successfully on port (\d+)", line)
            if match:
                return int(match[1])
        raise RuntimeError("chromedriver did not start")

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=START_S) as answer:
            return json.load(answer)["value"]

    def close(self):
        try:
            self.send("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(START_S)
            self.process.stdout.close()

    def command(self, name, **params):
        """One of the DevTools protocol."""
        return self.send("POST", "/goog/cdp/execute", {"cmd": name, "params": params})

    def open(self, path, width=1200, height=900, scheme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("POST", "/url", {"url": "about:blank"})
        self.logs()
        self.send("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *arguments):
        """The value of the body of a function, as JSON."""
        return self.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Keys by their DevTools names, at the element that has the focus."""
        codes = {"Enter": 13, "ArrowRight": 39, "Tab": 9, "PageDown": 34, " ": 32}
        for key in keys:
            text = {"Enter": "\r", " ": " "}.get(key)
            common = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
            self.command("Input.dispatchKeyEvent", type="keyDown", **common,
                         **({"text": text} if text else {}))
            self.command("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, clip=None, scale=1):
        """(width, height, rgb) of (left, top, width, height) of the window, or of all of it."""
        if clip is None:
            clip = (0, 0, *self.run("return [innerWidth, innerHeight]"))
        left, top = self.run("return [scrollX, scrollY]")
        shot = self.command("Page.captureScreenshot", format="png", clip={
            "x": left + clip[0], "y": top + clip[1], "width": clip[2], "height": clip[3],
            "scale": scale})
        return decode_rgb(base64.b64decode(shot["data"]))

    def logs(self):
        """(console messages of warnings and errors, URLs asked for)."""
        messages = [entry["message"] for entry in self.send("POST", "/se/log", {"type": "browser"})
                    if entry["level"] in ("SEVERE", "WARNING")]
        urls = []
        for entry in self.send("POST", "/se/log", {"type": "performance"}):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                urls.append(event["params"]["request"]["url"])
        return messages, urls


def decode_rgb(png):
    """(width, height, rgb); alpha is dropped."""
    width, height, n_channels, texels = cli.decode_png(png)
    return width, height, texels if n_channels == 3 else bytes(
        value for i, value in enumerate(texels) if i % 4 != 3)
