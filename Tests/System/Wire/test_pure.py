# SPDX-License-Identifier: Apache-2.0
"""Tests of what needs no network; Tools/test-wire.py runs them first."""
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import features  # noqa: E402
import flows  # noqa: E402
import judge  # noqa: E402

PORT, CLIENT = 443, 40_000


def packet(direction, sequence, flags, data=b"", client=(127, 16, 1, 1), padding=b""):
    ends = (bytes(client), b"\x7f\x00\x00\x01")
    ports = (CLIENT, PORT)
    if direction == flows.DOWN:
        ends, ports = ends[::-1], ports[::-1]
    tcp = struct.pack("!HHIIBBHHH", *ports, sequence, 0, 5 << 4, flags, 512, 0, 0) + data
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + ends[0] + ends[1] + tcp + padding


def record(kind, length):
    return struct.pack("!BHH", kind, 0x303, length) + bytes(length)


class Flows(unittest.TestCase):
    def conversation(self, *segments):
        """A connection whose numbers wrap around."""
        start = 0xfffffff0
        packets = [(0, packet(flows.UP, start, flows.SYN)), (1, packet(flows.DOWN, 7, flows.SYN | flows.ACK))]
        packets += [(moment, packet(direction, (start + 1 + at if direction == flows.UP else 8 + at) & 0xffffffff, flows.ACK, data))
                    for moment, direction, at, data in segments]
        found = flows.flows(packets, PORT)
        self.assertEqual(len(found), 1)
        return [(each.moment, each.direction, each.kind, each.length) for each in found[0].records]

    def test_records_over_segments(self):
        data = record(22, 30) + record(23, 100) + record(21, 2)
        whole = self.conversation((5, flows.UP, 0, data))
        self.assertEqual(whole, [(5, 1, 22, 30), (5, 1, 23, 100), (5, 1, 21, 2)])
        for cut in range(1, len(data)):
            parts = self.conversation((5, flows.UP, 0, data[:cut]), (9, flows.UP, cut, data[cut:]))
            self.assertEqual([each[1:] for each in parts], [each[1:] for each in whole], cut)
            self.assertEqual([each[0] for each in parts], [5 if at < cut else 9 for at in (0, 35, 140)])

    def test_what_comes_twice_counts_once(self):
        data = record(23, 50)
        self.assertEqual(len(self.conversation((1, flows.DOWN, 0, data), (2, flows.DOWN, 0, data), (3, flows.DOWN, 20, data[20:]))), 1)

    def test_nothing_is_read_after_a_gap(self):
        self.assertEqual(self.conversation((1, flows.UP, 40, record(23, 50))), [])

    def test_padding_of_short_frames_is_no_data(self):
        packets = [(0, packet(flows.UP, 1, flows.SYN)), (1, packet(flows.UP, 2, flows.ACK, padding=b"\0" * 6))]
        self.assertEqual(flows.flows(packets, PORT)[0].segments[1][2], 0)

    def test_a_port_that_is_used_again_is_another_connection(self):
        packets = [(0, packet(flows.UP, 1, flows.SYN)), (1, packet(flows.UP, 1, flows.SYN)), (2, packet(flows.UP, 900, flows.SYN))]
        self.assertEqual(len(flows.flows(packets, PORT)), 2)


class Features(unittest.TestCase):
    def flow(self, began=1_000_000):
        flow = flows.Flow("127.16.1.1", CLIENT, began)
        flow.segments = [(began, flows.UP, 0, flows.SYN, 512), (began + 9_000_000, flows.UP, 0, flows.FIN, 512)]
        moments = [(1, flows.UP, 22, 500), (2, flows.DOWN, 23, 1_000), (3, flows.UP, 23, 53), (4, flows.UP, 23, 524), (4, flows.DOWN, 23, 250),
                   (5, flows.DOWN, 23, 371), (6, flows.UP, 23, 4_000), (6, flows.UP, 23, 431), (8, flows.DOWN, 23, 323)]
        flow.records = [flows.Record(began + moment * 1_000_000, direction, kind, length) for moment, direction, kind, length in moments]
        return flow

    def test_exchanges(self):
        row = features.connection(self.flow())
        self.assertEqual(row["exchanges"], 2)
        self.assertEqual((row["request_0_bytes"], row["answer_0_ms"], row["answer_0_first_ms"]), (524, 1.0, 0.0))
        self.assertEqual((row["request_1_bytes"], row["request_1_records"], row["answer_1_ms"]), (4_431, 2, 2.0))
        self.assertEqual((row["request_1_gap_ms"], row["request_1_rest_ms"], row["end_after_ms"]), (2.0, 1.0, 1.0))
        self.assertEqual((row["record_0"], row["record_1"], row["record_20"], row["request_2_bytes"]), (500, -1_000, 0, 0))

    def test_slots_and_days(self):
        journal = [dict(day=3, address="127.16.1.1", isWith=True, slot=slot, second=100 * slot, began=slot * 50_000_000, use="nothing")
                   for slot in (1, 0)]
        rows = features.slots([self.flow(), self.flow(51_000_000), self.flow(52_000_000)], journal)
        self.assertEqual([(row["slot"], row["connections"], row["second_connection_ms"]) for row in rows], [(0, 1, -1.0), (1, 2, 1.0)])
        day, = features.days(rows)
        self.assertEqual((day["is_with"], day["moment_1"], day["connections.greatest"], day["connections.mean"]), (1, 100, 2, 1.5))

    def test_what_is_kept_is_read_again(self):
        journal = [dict(day=3, address="127.16.1.1", isWith=True, slot=0, second=5, began=0, use="ask")]
        rows = features.slots([self.flow()], journal)
        with tempfile.NamedTemporaryFile() as file:
            features.write(rows, file.name)
            self.assertEqual([dict(row) for row in rows], features.read(file.name))

    def test_a_slot_without_a_connection_is_a_row(self):
        journal = [dict(day=0, address=address, isWith=False, slot=0, second=5, began=0, use="nothing") for address in ["127.16.1.1", "127.16.1.2"]]
        rows = features.slots([self.flow()], journal)
        self.assertEqual([row["connections"] for row in rows], [1, 0])
        self.assertEqual(rows[1]["duration_ms"], features.ABSENT)


class Judge(unittest.TestCase):
    def rows(self, shift, count=200):
        import random
        generator = random.Random(5)
        return [dict(day=number, is_with=number % 2, a=generator.gauss(0, 1), b=generator.gauss(shift * (number % 2), 1), c=1)
                for number in range(count)]

    def test_wilson(self):
        low, high = judge.wilson(50, 100)
        self.assertAlmostEqual(low, 0.4038, 3)
        self.assertAlmostEqual(high, 0.5962, 3)
        self.assertAlmostEqual(judge.wilson(20, 20)[1], 1, 6)

    def test_it_finds_what_is_there_and_nothing_else(self):
        self.assertTrue(judge.days(self.rows(2)).is_found(3.29))
        self.assertFalse(judge.days(self.rows(0)).is_found(3.29))

    def test_late_slots_are_counted_by_kind(self):
        rows = [dict(is_with=int(number % 4 == 0), number=number) for number in range(400)]
        self.assertEqual(judge.late(rows, rows[40:]).with_test, (10, 100))
        self.assertGreater(judge.late(rows, rows[40:]).p, 0.5)
        self.assertLess(judge.late(rows, [row for row in rows if not row["is_with"]]).p, 1e-9)

    def test_slots_are_compared_with_those_of_the_same_place(self):
        rows = [dict(is_with=number % 2, slot=number // 2 % 3, use="ask" if number % 2 and number // 2 % 3 else "nothing") for number in range(120)]
        used, unused = judge.used_and_not(rows)
        self.assertEqual([row["slot"] for row in used], [row["slot"] for row in unused])
        self.assertEqual((len(used), {row["is_with"] for row in unused}, {row["use"] for row in used}), (40, {0}, {"ask"}))

    def test_differences_are_corrected_for_asking_often(self):
        first, second = [row for row in self.rows(2) if row["is_with"]], [row for row in self.rows(2) if not row["is_with"]]
        found = judge.tested(first, second, ["a", "b", "c"])
        self.assertEqual([name for _, _, name in found], ["b", "a"])
        self.assertTrue(found[0][0] < 1e-6 < 0.05 < found[1][0])


if __name__ == "__main__":
    unittest.main()
