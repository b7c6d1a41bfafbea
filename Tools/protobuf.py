# SPDX-License-Identifier: Apache-2.0
"""Protobuf read by hand, so that what the authority publishes is judged with nothing of the project's."""


def fields(content):
    """Number and value of each field of a message: integers as they are, everything else as bytes."""
    place = 0

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = content[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(content):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            # Fixed lengths of 64 and 32 bits, or one that is said.
            count = {1: 8, 5: 4}.get(tag & 7) or number()
            yield tag >> 3, content[place:place + count]
            place += count
