#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small EST server of somebody else's making, for tests: RFC 7030 with the habits that Cisco's libest was seen to have. It certifies by openssl and knows
nothing of Vigil: no label, an authority on another curve, bodies in long lines, header fields that RFC 8951 does away with.

Usage: stranger-est.py FOLDER PORT NAME PASSWORD     FOLDER has tls.pem and tls.key; certificates are good for 90 days.
"""
import base64
import http.server
import os
import ssl
import subprocess
import sys

FOLDER, PORT, NAME, PASSWORD = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
ROOT = "/.well-known/est/"


def openssl(*words, **more):
    return subprocess.run(["openssl", *words], cwd=FOLDER, capture_output=True, check=True, **more).stdout


def authority():
    if not os.path.exists(f"{FOLDER}/stranger.pem"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1", "-nodes", "-days", "365", "-subj", "/O=Stranger/CN=EST", "-keyout",
                "stranger.key", "-out", "stranger.pem")


def certificates(*names):
    """Certificates without any signature around them, the authority's first."""
    words = [word for name in names for word in ("-certfile", name)]
    der = openssl("crl2pkcs7", "-nocrl", *words, "-outform", "DER")
    return base64.encodebytes(der)


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == ROOT + "cacerts":
            return self.say(200, certificates("stranger.pem"), Content_Type="application/pkcs7-mime", Content_Transfer_Encoding="base64")
        return self.say(404)

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 65_536))
        print(self.path, self.headers.get("Content-Type"), flush=True)
        operation = self.path.removeprefix(ROOT)
        if not self.path.startswith(ROOT) or operation not in ["simpleenroll", "simplereenroll"]:
            return self.say(404)
        wanted = "Basic " + base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        shown = self.connection.getpeercert()
        if operation == "simplereenroll" and not shown or operation == "simpleenroll" and self.headers.get("Authorization") != wanted:
            return self.say(401, WWW_Authenticate='Basic realm="estrealm"')
        # As libest: another type is refused, and so is one line without an end.
        if self.headers.get("Content-Type") != "application/pkcs10" or not body.endswith(b"\n") or max(map(len, body.splitlines())) > 76:
            return self.say(400)
        try:
            request = openssl("req", "-inform", "DER", "-verify", input=base64.b64decode(body))
            made = openssl("x509", "-req", "-CA", "stranger.pem", "-CAkey", "stranger.key", "-CAcreateserial", "-days", "90", input=request)
        except (ValueError, subprocess.CalledProcessError):
            return self.say(400)
        with open(f"{FOLDER}/made.pem", "wb") as file:
            file.write(made)
        return self.say(200, certificates("stranger.pem", "made.pem"), Content_Type="application/pkcs7-mime; smime-type=certs-only", Content_Transfer_Encoding="base64")

    def log_message(self, *words):
        pass


def main():
    authority()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Server)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{FOLDER}/tls.pem", f"{FOLDER}/tls.key")
    context.load_verify_locations(f"{FOLDER}/stranger.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


main()
