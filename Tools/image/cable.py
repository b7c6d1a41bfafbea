# SPDX-License-Identifier: Apache-2.0
"""The cable between a machine's serial port and its controller, which can be pulled. Of Tools/test-image.py."""
import contextlib
import os
import socket
import threading

from boardkit import FOLDER


class Cable:
    """Joins whoever connects to the socket of that name with a controller of the air, while it is plugged in."""

    def __init__(self, name):
        self.path, self.ends, self.listener = f"{FOLDER}/{name}", [], None
        self.plug()

    def plug(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        threading.Thread(target=self.join, args=(self.listener,), daemon=True).start()

    def unplug(self):
        os.remove(self.path)
        # A thread that waits in accept is not woken by close.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.ends = []

    def join(self, listener):
        while True:
            try:
                machine = listener.accept()[0]
            except OSError:
                return
            controller = socket.socket(socket.AF_UNIX)
            controller.connect(f"{FOLDER}/air")
            self.ends += [machine, controller]
            for source, target in ((machine, controller), (controller, machine)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    @staticmethod
    def carry(source, target):
        with contextlib.suppress(OSError):
            while part := source.recv(65536):
                target.sendall(part)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
