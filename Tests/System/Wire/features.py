# SPDX-License-Identifier: Apache-2.0
"""Numbers out of connections: first of each slot, then of each day. Only what somebody on the wire has: sizes, directions, times, order."""
import collections
import csv
import math
import statistics

from flows import DOWN, FIN, RST, UP

ABSENT = -1.0
HANDSHAKE, APPLICATION = 22, 23
EXCHANGES = 3
RECORDS = 24
WHO = ("day", "is_with", "slot", "use")


def exchanges(flow):
    """(request, answer) of a connection: the records that went up, and those that came down for them. Tickets that come unasked are left out."""
    found = []
    last = None
    handshake_is_over = False
    for record in flow.records:
        if record.kind != APPLICATION:
            handshake_is_over = handshake_is_over or record.kind == 21
            continue
        # In TLS 1.3 the end of the handshake looks like data; requests are longer than any of it.
        if record.direction == UP and record.length > 150:
            if last is None or last[1]:
                last = ([], [])
                found.append(last)
            last[0].append(record)
        elif last is not None:
            last[0 if record.direction == UP else 1].append(record)
    return found


def milliseconds(later, earlier):
    return (later - earlier) / 1e6


def connection(flow):
    """Features of one connection, by name."""
    row = collections.OrderedDict()
    for direction, name in [(UP, "up"), (DOWN, "down")]:
        row[f"segments_{name}"] = sum(1 for segment in flow.segments if segment[1] == direction)
        row[f"pure_acks_{name}"] = sum(1 for segment in flow.segments if segment[1] == direction and not segment[2])
        row[f"bytes_{name}"] = sum(segment[2] for segment in flow.segments if segment[1] == direction)
        row[f"records_{name}"] = sum(1 for record in flow.records if record.direction == direction)
        row[f"first_window_{name}"] = next((segment[4] for segment in flow.segments if segment[1] == direction), ABSENT)
        row[f"fins_{name}"] = sum(1 for segment in flow.segments if segment[1] == direction and segment[3] & FIN)
        row[f"resets_{name}"] = sum(1 for segment in flow.segments if segment[1] == direction and segment[3] & RST)
    for index in range(RECORDS):
        known = index < len(flow.records)
        row[f"record_{index}"] = flow.records[index].direction * flow.records[index].length if known else 0
        row[f"kind_{index}"] = flow.records[index].kind if known else 0
    moments = [record.moment for record in flow.records]
    for index in range(8):
        row[f"handshake_{index}_ms"] = milliseconds(moments[index], flow.began) if index < len(moments) else ABSENT
    found = exchanges(flow)
    row["exchanges"] = len(found)
    starts = [request[0].moment for request, _ in found]
    last = flow.began
    for index in range(EXCHANGES):
        request, answer = found[index] if index < len(found) else ([], [])
        row[f"request_{index}_bytes"] = sum(record.length for record in request)
        row[f"request_{index}_records"] = len(request)
        row[f"answer_{index}_bytes"] = sum(record.length for record in answer if record.kind == APPLICATION)
        row[f"answer_{index}_records"] = len(answer)
        # The first thing that comes back may be a ticket of the handshake; the last is the answer.
        row[f"answer_{index}_ms"] = milliseconds(answer[-1].moment, request[0].moment) if request and answer else ABSENT
        row[f"answer_{index}_first_ms"] = milliseconds(answer[0].moment, request[0].moment) if request and answer else ABSENT
        row[f"request_{index}_after_ms"] = milliseconds(starts[index], flow.began) if index < len(starts) else ABSENT
        row[f"request_{index}_gap_ms"] = milliseconds(starts[index], starts[index - 1]) if 0 < index < len(starts) else ABSENT
        row[f"request_{index}_rest_ms"] = milliseconds(starts[index], last) if index < len(starts) else ABSENT
        if answer:
            last = answer[-1].moment
    ends = [segment for segment in flow.segments if segment[3] & FIN]
    row["end_by_client"] = int(ends[0][1] == UP) if ends else ABSENT
    row["end_after_ms"] = milliseconds(ends[0][0], last) if ends else ABSENT
    row["duration_ms"] = milliseconds(flow.segments[-1][0], flow.began)
    return row


def slots(flows, journal):
    """A row for each slot that was played. What connected after a slot began and before the next one of that device did is the slot's."""
    found = collections.defaultdict(list)
    for flow in flows:
        found[flow.client].append(flow)
    played = collections.defaultdict(list)
    for line in journal:
        played[line["address"]].append(line)
    rows = []
    for address, lines in played.items():
        lines.sort(key=lambda line: line["slot"])
        for line, later in zip(lines, [line["began"] for line in lines[1:]] + [math.inf]):
            own = [flow for flow in found[address] if line["began"] <= flow.began < later]
            row = collections.OrderedDict(day=line["day"], is_with=int(line["isWith"]), slot=line["slot"], use=line["use"])
            row["second"] = line["second"]
            row["connections"] = len(own)
            row["second_connection_ms"] = milliseconds(own[1].began, own[0].began) if len(own) > 1 else ABSENT
            row.update(connection(own[0]) if own else {})
            rows.append(row)
    return level(rows)


def days(rows):
    """A row for each day: of every number of its slots the least, middle, greatest, mean and spread; and when the slots were."""
    table = []
    by_day = collections.defaultdict(list)
    for row in rows:
        by_day[row["day"]].append(row)
    for number, own in sorted(by_day.items()):
        own.sort(key=lambda row: row["slot"])
        day = collections.OrderedDict(day=number, is_with=own[0]["is_with"])
        day["slots"] = len(own)
        for row in own:
            day[f"moment_{row['slot']}"] = row["second"]
        for name in own[0]:
            if name in WHO or name == "second":
                continue
            values = [row[name] for row in own]
            day[f"{name}.least"] = min(values)
            day[f"{name}.middle"] = statistics.median(values)
            day[f"{name}.greatest"] = max(values)
            day[f"{name}.mean"] = statistics.fmean(values)
            day[f"{name}.spread"] = statistics.pstdev(values)
        table.append(day)
    return level(table)


def level(rows):
    """All rows with the same names."""
    names = list(collections.OrderedDict.fromkeys(name for row in rows for name in row))
    return [collections.OrderedDict((name, row.get(name, ABSENT)) for name in names) for row in rows]


def write(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def read(path):
    """What ``write`` wrote."""
    with open(path, newline="") as file:
        return [{name: value if name == "use" else int(value) if name in WHO else float(value) for name, value in row.items()}
                for row in csv.DictReader(file)]
