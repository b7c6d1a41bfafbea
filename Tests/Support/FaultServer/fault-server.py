#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web server that does what it is asked to do wrong, on the loopback only.

Usage: fault-server.py CERTIFICATES [FILES]

Prints one line of JSON: the ports of the plain server, of one TLS server per certificate, of one that wants a
client's certificate, and of two SOCKS servers. Ends with its
standard input. Paths:

/ok/N               N bytes
/cut/N/M            says N bytes, sends M and closes
/chunked-cut/M      chunked, breaks off after M bytes
/more/N/M           says N bytes, sends M > N
/drip/N/S           N bytes, one every S seconds
/stall              headers, then nothing
/silent             nothing at all, connection held
/nothing            closes without a byte
/garbage            what is not HTTP
/status/C[/V]       status C, with Retry-After: V
/loop               redirects to itself
/redirect/N         N redirects, then 16 bytes
/to/HOST:PORT/S     redirects to S://HOST:PORT/ok/16
/headers/N          N bytes of headers
/twice              one header twice, and one of 5,000 bytes
/tag/T              what the request said of the board: its lines, and whether a session of TLS was resumed; with that ETag, a cookie, and
                    a new connection for the next question
/date/TEXT          16 bytes with that Date
/peer               the common name of the client's certificate, or nothing
/echo               the body that was sent, after its method
/file/PATH          a file under FILES, with ETag, Date and the lines of FILES/headers/PATH (simulated servers); where FILES/statuses/PATH
                    has a number, always that status. FILES/SENT has the last request's headers
"""
import email.utils
import hashlib
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

PATTERN = bytes(range(256))


def body(count):
    return (PATTERN * (count // 256 + 1))[:count]


def head(status, length=None, extra=()):
    lines = [f"HTTP/1.1 {status} X", "Date: Tue, 01 Sep 2020 10:00:00 GMT", "Cache-Control: public, max-age=300", *extra]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Connection(threading.Thread):
    def __init__(self, stream, files):
        super().__init__(daemon=True)
        self.stream, self.files = stream, files

    def run(self):
        try:
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    more = self.stream.recv(65536)
                    if not more:
                        return
                    if more[0] == 0x16:
                        self.stream.sendall(head(400, 0))  # TLS, spoken to a plain server
                        return
                    rest += more
                request, rest = rest.split(b"\r\n\r\n", 1)
                lines = request.decode("latin-1").split("\r\n")
                method, path, _ = lines[0].split(" ")
                headers = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines[1:])}
                length = int(headers.get("content-length", 0))
                while len(rest) < length:
                    more = self.stream.recv(65536)
                    if not more:
                        return
                    rest += more
                sent, rest = rest[:length], rest[length:]
                if not self.answer(method, path, headers, sent):
                    return
        except (OSError, ValueError, ssl.SSLError):
            pass
        finally:
            try:
                self.stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.stream.close()

    def answer(self, method, path, headers, sent):
        """True keeps the connection."""
        send = self.stream.sendall
        parts = [urllib.parse.unquote(p) for p in path.split("/")[1:]]
        kind = parts[0]
        if kind == "ok":
            send(head(200, int(parts[1])) + body(int(parts[1])))
            return True
        if kind == "cut":
            send((head(200, int(parts[1])) + body(int(parts[1])))[: len(head(200, int(parts[1]))) + int(parts[2])])
            return False
        if kind == "cut-all":
            # As /cut, but counted from the first byte of the answer.
            send((head(200, int(parts[1])) + body(int(parts[1])))[: int(parts[2])])
            return False
        if kind == "chunked-cut":
            count = int(parts[1])
            send(head(200, None, ["Transfer-Encoding: chunked"]) + f"{count + 10:x}\r\n".encode() + body(count))
            return False
        if kind == "more":
            send(head(200, int(parts[1])) + body(int(parts[2])))
            return False
        if kind == "drip":
            send(head(200, int(parts[1])))
            for byte in body(int(parts[1])):
                time.sleep(float(parts[2]))
                send(bytes([byte]))
            return True
        if kind == "stall":
            send(head(200, 100))
            time.sleep(600)
        if kind == "silent":
            time.sleep(600)
        if kind == "nothing":
            return False
        if kind == "garbage":
            send(b"\x16\x03\x01 not a web server\r\n\r\n")
            return False
        if kind == "status":
            extra = [f"Retry-After: {parts[2]}"] if len(parts) > 2 else []
            send(head(int(parts[1]), 9, extra) + b"no, sorry")
            return True
        if kind == "loop":
            send(head(301, 0, ["Location: /loop"]))
            return True
        if kind == "redirect":
            left = int(parts[1])
            if left == 0:
                return self.answer(method, "/ok/16", headers, sent)
            send(head(302, 0, [f"Location: /redirect/{left - 1}"]))
            return True
        if kind == "to":
            send(head(302, 0, [f"Location: {parts[2]}://{parts[1]}/ok/16"]))
            return True
        if kind == "headers":
            send(head(200, 0, [f"X-{i}: " + "y" * 90 for i in range(int(parts[1]) // 100)]))
            return True
        if kind == "twice":
            send(head(200, 0, ["Signature: a", "signature: b", "X-Long: " + "y" * 5000]))
            return True
        if kind == "tag":
            resumed = isinstance(self.stream, ssl.SSLSocket) and self.stream.session_reused
            content = json.dumps([method, path, headers, resumed], sort_keys=True).encode()
            now = email.utils.formatdate(usegmt=True)
            send(head(200, len(content), [f'ETag: "{parts[1]}"', f"Last-Modified: {now}", f"Set-Cookie: id={parts[1]}"]) + content)
            return False
        if kind == "date":
            send(head(200, 16).replace(b"Date: Tue, 01 Sep 2020 10:00:00 GMT", b"Date: " + parts[1].encode()) + body(16))
            return True
        if kind == "peer":
            certificate = self.stream.getpeercert() if isinstance(self.stream, ssl.SSLSocket) else None
            names = [value for part in (certificate or {}).get("subject", ()) for name, value in part if name == "commonName"]
            content = "".join(names).encode()
            send(head(200, len(content)) + content)
            return True
        if kind == "echo":
            content = method.encode() + b" " + sent
            send(head(200, len(content)) + content)
            return True
        if kind == "file" and self.files:
            return self.file("/".join(parts[1:]), headers)
        send(head(404, 0))
        return True

    def file(self, path, headers):
        # DATE and the faults to come are read at each request: the test writes them.
        date = open(os.path.join(self.files, "DATE")).read().strip()
        try:
            content = open(os.path.join(self.files, "content", urllib.parse.quote(path, safe="")), "rb").read()
        except OSError:
            self.stream.sendall(head(404, 0).replace(b"Tue, 01 Sep 2020 10:00:00 GMT", date.encode()))
            return True
        with open(os.path.join(self.files, "REQUESTS"), "a") as log:
            log.write(path + "\n")
        with open(os.path.join(self.files, "SENT"), "w") as last:
            json.dump(headers, last)
        try:
            with open(os.path.join(self.files, "statuses", urllib.parse.quote(path, safe=""))) as always:
                self.stream.sendall(head(int(always.read()), 0).replace(b"Tue, 01 Sep 2020 10:00:00 GMT", date.encode()))
            return True
        except OSError:
            pass
        tag = hashlib.md5(content).hexdigest()
        fault = None
        try:
            with open(os.path.join(self.files, "FAULTS"), "r+") as file:
                faults = json.load(file)
                fault = faults.pop(0) if faults else None
                file.seek(0)
                file.truncate()
                json.dump(faults, file)
        except (OSError, ValueError):
            pass
        if fault and fault[0] == "status":
            self.stream.sendall(head(fault[1], 0, fault[2:]))
            return True
        if fault and fault[0] == "flip" and len(content) > 0:
            place = fault[1] % len(content)
            content = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        extra = [f'ETag: "{tag}"']
        try:
            with open(os.path.join(self.files, "headers", urllib.parse.quote(path, safe=""))) as lines:
                extra += lines.read().splitlines()
        except OSError:
            pass
        answer = head(200, len(content), extra).replace(b"Tue, 01 Sep 2020 10:00:00 GMT", date.encode())
        if headers.get("if-none-match") == f'"{tag}"':
            answer, content = head(304, None, [f'ETag: "{tag}"']).replace(b"Tue, 01 Sep 2020 10:00:00 GMT", date.encode()), b""
        answer += content
        if fault and fault[0] == "cut":
            self.stream.sendall(answer[: fault[1] % len(answer)])
            return False
        self.stream.sendall(answer)
        return True


def serve(context, files):
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def one(stream):
        try:
            stream.settimeout(700)
            Connection(context.wrap_socket(stream, server_side=True) if context else stream, files).start()
        except (OSError, ssl.SSLError):
            stream.close()

    def loop():
        while True:
            stream, _ = listener.accept()
            threading.Thread(target=one, args=(stream,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def socks(login):
    """SOCKS5 for names only: 'localhost' is connected, names that say so are refused, numbers are not taken at all."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    replies = {"forbidden.example": 2, "unknown.example": 4, "closed.example": 5, "far.example": 3}

    def exactly(stream, count):
        data = b""
        while len(data) < count:
            more = stream.recv(count - len(data))
            if not more:
                raise OSError
            data += more
        return data

    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for stream in (source, target):
            try:
                stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def one(stream):
        try:
            _, count = exactly(stream, 2)
            methods = exactly(stream, count)
            if login:
                if 2 not in methods:
                    stream.sendall(b"\x05\xff")
                    return stream.close()
                stream.sendall(b"\x05\x02")
                user = exactly(stream, exactly(stream, 2)[1])
                password = exactly(stream, exactly(stream, 1)[0])
                stream.sendall(b"\x01" + (b"\x00" if user + b":" + password == login else b"\x01"))
            else:
                stream.sendall(b"\x05\x00")
            _, _, _, kind = exactly(stream, 4)
            name = exactly(stream, exactly(stream, 1)[0]).decode() if kind == 3 else None
            port = struct.unpack(">H", exactly(stream, 2))[0] if kind == 3 else 0
            code = 8 if name is None else 0 if name == "localhost" else replies.get(name, 1)
            stream.sendall(bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
            if code:
                return stream.close()
            other = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=pump, args=(stream, other), daemon=True).start()
            pump(other, stream)
        except OSError:
            stream.close()

    def loop():
        while True:
            stream, _ = listener.accept()
            threading.Thread(target=one, args=(stream,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return listener.getsockname()[1]


def main():
    folder = sys.argv[1]
    files = sys.argv[2] if len(sys.argv) > 2 else None
    ports = {"plain": serve(None, files), "socks": socks(None), "socksWithLogin": socks(b"sync:secret")}
    for name in ["good", "expired", "early", "misnamed", "unknown"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key"))
        ports[name] = serve(context, files)
    # Lets in whoever shows a certificate of the authority, and nobody else.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "good.pem"), os.path.join(folder, "good.key"))
    context.load_verify_locations(os.path.join(folder, "authority.pem"))
    context.verify_mode = ssl.CERT_REQUIRED
    ports["asking"] = serve(context, files)
    print(json.dumps(ports), flush=True)
    while sys.stdin.buffer.read(1):
        pass


main()
