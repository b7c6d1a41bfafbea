# SPDX-License-Identifier: Apache-2.0
"""A time server that can lie (RFC 5905, the little that clients of the simple kind need). Of Tools/test-image.py."""
import socket
import struct
import threading
import time

# Seconds from 1900, of which NTP counts, to 1970.
SINCE_1900 = 2_208_988_800


class TimeServer(threading.Thread):
    """Answers at 127.0.0.1, which machines know as 10.0.2.2. `offset`: seconds by which it is wrong; None: it says nothing."""

    def __init__(self, port=123):
        super().__init__(daemon=True)
        self.offset, self.answered = 0, 0
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.bind(("127.0.0.1", port))
        self.start()

    def run(self):
        while True:
            question, sender = self.link.recvfrom(512)
            if len(question) < 48 or self.offset is None:
                continue
            # 64 bits that begin anew in 2036; clients take the era that is nearest to what they know.
            now = int((time.time() + self.offset + SINCE_1900) * (1 << 32)) & ((1 << 64) - 1)
            # No leap second, version 4, server; stratum 1, a precision of a microsecond.
            head = struct.pack("!BBbbII4s", 0x24, 1, 6, -20, 0, 0, b"TEST")
            self.link.sendto(head + struct.pack("!Q", now) + question[40:48] + struct.pack("!QQ", now, now), sender)
            self.answered += 1
