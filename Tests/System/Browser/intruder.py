# SPDX-License-Identifier: Apache-2.0
"""What somebody tries who should not get anywhere with a board's page. Raw HTTP, for browsers would not send most of it."""
import contextlib
import http.client
import re
import socket
import threading
import time
import urllib.parse

MARKUP = '"><script>window.owned=1</script><img src=x onerror=window.owned=1>\'`${7*7}{{7*7}}'


class Client:
    """Somebody with cookies of their own."""

    def __init__(self, port):
        self.port, self.cookies = port, {}

    def ask(self, method, path, body=None, headers=None, host=None, seconds=30):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        link.putheader("Host", host if host is not None else f"127.0.0.1:{self.port}")
        if self.cookies:
            link.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        for name, value in (headers or {}).items():
            link.putheader(name, value)
        if body is not None:
            link.putheader("Content-Length", str(len(body)))
        link.endheaders(body)
        answer = link.getresponse()
        text = answer.read()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
            if "Max-Age=0" in cookie:
                self.cookies.pop(name, None)
        link.close()
        answer.text = text.decode(errors="replace")
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def token(self, path):
        found = re.search(r'name="form" value="([^"]+)"', self.get(path).text)
        return found.group(1) if found else ""

    def post(self, path, fields, origin="same", page=None, **more):
        """A form as a browser sends it."""
        if "form" not in fields:
            fields = dict(fields, form=self.token(page or path))
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        if origin == "same":
            headers["Origin"] = f"http://127.0.0.1:{self.port}"
        elif origin is not None:
            headers.update({"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        else:
            headers.pop("Sec-Fetch-Site")
        return self.ask("POST", path, urllib.parse.urlencode(fields).encode(), headers, **more)

    def sign_in(self, role, secret, **more):
        return self.post("/sign-in", {"act": "signIn", "role": role, "secret": secret}, **more)

    def introduce(self, **more):
        """Agrees to what a wearer is asked first."""
        if self.get("/").status == 303:
            self.post("/welcome", {"act": "agree", "terms": "yes", "beacon": "yes", **more}, page="/welcome?step=4")
        return self.get("/").status == 200

    @property
    def session(self):
        return next((value for name, value in self.cookies.items() if name.endswith("vigil-session")), None)


def raw(port, data, seconds=5):
    """What comes back for bytes as they are."""
    with socket.create_connection(("127.0.0.1", port), seconds) as link:
        link.settimeout(seconds)
        with contextlib.suppress(OSError):
            link.sendall(data)
        answer = b""
        with contextlib.suppress(OSError):
            while len(answer) < 1 << 20:
                part = link.recv(65536)
                if not part:
                    break
                answer += part
        return answer


def status(answer):
    found = re.match(rb"HTTP/1\.[01] (\d+)", answer)
    return int(found.group(1)) if found else 0


class Crowd:
    """Connections that say little and slowly, held open."""

    def __init__(self, port, count):
        self.links = []
        for _ in range(count):
            with contextlib.suppress(OSError):
                link = socket.create_connection(("127.0.0.1", port), 2)
                link.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
                self.links.append(link)
        self.is_over = False
        self.thread = threading.Thread(target=self.drip, daemon=True)
        self.thread.start()

    def drip(self):
        while not self.is_over:
            for link in self.links:
                with contextlib.suppress(OSError):
                    link.send(b"a")
            time.sleep(1)

    def end(self):
        self.is_over = True
        for link in self.links:
            link.close()
