"""A stand-in for the Python module perfetto, whose program for reading traces is not in Debian: AMD's validators ask it
for the slices, counters, processes and threads of a trace. A trace is read here into tables of SQLite of the same names
and columns, as far as validators use them. Numbers of fields are those of tests/output/perfetto.proto; that the
messages are right is tested there.
"""
import collections
import sqlite3
import struct

import pandas

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
TABLES = """
CREATE TABLE slice (slice_id, id, track_id, category, depth, stack_id, parent_stack_id, ts, dur, name);
CREATE TABLE counter (id, track_id, ts, value);
CREATE TABLE counter_track (id, name, parent_id);
CREATE TABLE process (upid, id, pid, name);
CREATE TABLE process_track (id, upid, name, parent_id);
CREATE TABLE thread (utid, id, tid, name, is_main_thread, upid);
CREATE TABLE thread_track (id, utid, name, parent_id);
"""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """A message: number of field -> values, which are integers or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = varint(data, at)
        elif kind == BYTES:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("the trace ends within a message")
            value, at = data[at:at + size], at + size
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        else:
            raise ValueError(f"a field of kind {kind}")
        found[key >> 3].append(value)
    return found


def first(message, number, default=0):
    return message[number][0] if message[number] else default


def text(message, number):
    return message[number][0].decode("utf-8", "replace") if message[number] else None


class TraceProcessorConfig:
    def __init__(self, **settings):
        self.__dict__.update(settings)


class Answer:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def as_pandas_dataframe(self):
        return pandas.DataFrame(self.rows, columns=self.columns)


class TraceProcessor:
    """Of TraceProcessor what validators use: made from a file's name, and query()."""

    def __init__(self, trace=None, config=None):
        with open(trace, "rb") as f:
            self.packets = [fields(p) for p in fields(f.read())[1]]
        self.base = sqlite3.connect(":memory:")
        self.base.executescript(TABLES)
        self.tracks, self.counters, self.open = {}, set(), collections.defaultdict(list)
        self.names = collections.defaultdict(dict)
        for packet in self.packets:
            self.take_names(packet)
            for track in packet[60]:
                self.take_track(fields(track))
        self.settle_parents()
        events = [(first(p, 8), n, p) for n, p in enumerate(self.packets) if p[11]]
        self.rows = []
        for at, _, packet in sorted(events, key=lambda e: e[:2]):
            self.take_event(at, packet)
        self.base.executemany("INSERT INTO slice VALUES (?,?,?,?,?,?,?,?,?,?)", self.rows)

    def query(self, sql):
        cursor = self.base.execute(sql)
        return Answer([c[0] for c in cursor.description], cursor.fetchall())

    def take_names(self, packet):
        for interned in packet[12]:
            for kind, entries in fields(interned).items():
                for entry in map(fields, entries):
                    self.names[first(packet, 10), kind][first(entry, 1)] = text(entry, 2)

    def take_track(self, track):
        self.tracks[first(track, 1)] = (len(self.tracks) + 1, track)

    def settle_parents(self):
        """Rows of the tracks, in the order in which the trace describes them; those of neither a process nor a thread
        nor a counter are the process's, as Perfetto has them."""
        processes = {}
        for number, track in self.tracks.values():
            for process in map(fields, track[3]):
                upid = len(processes) + 1
                processes[first(track, 1)] = (number, upid, first(process, 1))
                self.base.execute("INSERT INTO process VALUES (?,?,?,?)", (upid, upid, first(process, 1), text(process, 6)))
                self.base.execute("INSERT INTO process_track VALUES (?,?,?,NULL)", (number, upid, text(track, 2)))
        for number, track in self.tracks.values():
            parent, upid, pid = processes.get(first(track, 5), next(iter(processes.values()), (None, None, None)))
            if track[3]:
                continue
            if track[4]:
                thread = fields(track[4][0])
                self.base.execute("INSERT INTO thread VALUES (?,?,?,?,?,?)", (number, number, first(thread, 2), text(
                    thread, 5), int(first(thread, 2) == pid), upid))
                self.base.execute("INSERT INTO thread_track VALUES (?,?,?,?)", (number, number, text(track, 2), parent))
            elif track[8]:
                self.counters.add(first(track, 1))
                self.base.execute("INSERT INTO counter_track VALUES (?,?,?)", (number, text(track, 2), parent))
            else:
                self.base.execute("INSERT INTO process_track VALUES (?,?,?,?)", (number, upid, text(track, 2), parent))

    def take_event(self, at, packet):
        event = fields(packet[11][0])
        uuid, kind = first(event, 11), first(event, 9)
        track = self.tracks[uuid][0]
        if kind == 4:
            value = struct.unpack("<d", struct.pack("<Q", first(event, 44)))[0] if event[44] else first(event, 30)
            self.base.execute("INSERT INTO counter VALUES ((SELECT count(*) FROM counter), ?, ?, ?)", (track, at, value))
        elif kind == 2:
            row = self.open[track].pop()
            row[8] = at - row[7]
        else:
            sequence = first(packet, 10)
            category = text(event, 22) or self.names[sequence, 1].get(first(event, 3))
            name = text(event, 23) or self.names[sequence, 2].get(first(event, 10))
            above = self.open[track]
            stack = hash((above[-1][5] if above else 0, name)) & 0x7fffffffffffffff
            number = len(self.rows) + 1
            row = [number, number, track, category, len(above), stack, above[-1][5] if above else 0, at, 0, name]
            self.rows.append(row)
            if kind == 1:
                above.append(row)
