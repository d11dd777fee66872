"""Perfetto traces in words: read by protoc through a description of the format that the writer does not know."""
import collections
import os
import re
import subprocess


def message(lines):
    """A message in protoc's text form: field -> list of values or messages."""
    fields = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields[line[:-1].strip()].append(message(lines))
        else:
            name, value = line.split(": ", 1)
            fields[name].append(re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value)
    return fields


class Trace:
    """Slices and counters with names and annotations in words; refuses what a viewer would."""

    def __init__(self, data, proto):
        text = subprocess.run(["protoc", "--decode=trace.Trace", os.path.basename(proto)], input=data,
                              capture_output=True, check=True, cwd=os.path.dirname(proto)).stdout
        if re.search(rb"^\s*\d+[:{ ]", text, re.M):
            raise AssertionError("a field that the format does not have")
        self.tracks, self.slices, self.counters = {}, [], collections.defaultdict(list)
        tables, open_slices = {}, collections.defaultdict(list)
        packets = message(iter(text.decode().splitlines()))["packet"]
        for p in packets:
            sequence = p["trusted_packet_sequence_id"][0]
            if p["sequence_flags"] == ["1"]:
                tables[sequence] = collections.defaultdict(dict)
            for interned in p["interned_data"]:
                for kind, rows in interned.items():
                    for row in rows:
                        assert row["iid"][0] not in tables[sequence][kind], "interned twice"
                        tables[sequence][kind][row["iid"][0]] = row["name"][0]
            for track in p["track_descriptor"]:
                assert track["uuid"][0] not in self.tracks, "a track described twice"
                self.tracks[track["uuid"][0]] = track
        order = sorted((p for p in packets if p["track_event"]), key=lambda p: int(p["timestamp"][0]))
        for p in order: # a viewer sorts by time, and keeps the file's order within one
            e, at = p["track_event"][0], int(p["timestamp"][0])
            names = tables[p["trusted_packet_sequence_id"][0]]
            track = e["track_uuid"][0]
            assert track in self.tracks, "no such track"
            kind = e["type"][0]
            if kind == "TYPE_COUNTER":
                self.counters[self.tracks[track]["name"][0]].append(
                    (at, float(e["double_counter_value"][0])))
            elif kind == "TYPE_SLICE_END":
                open_slices[track].pop()["end"] = at
            else:
                notes = {}
                for a in e["debug_annotations"]:
                    name = a["name"][0] if a["name"] else names["debug_annotation_names"][a["name_iid"][0]]
                    (notes[name],) = a["uint_value"] + a["double_value"] + a["string_value"]
                slice_ = {"track": track, "start": at, "notes": notes, "flows": e["flow_ids"],
                          "category": names["event_categories"][e["category_iids"][0]],
                          "name": e["name"][0] if e["name"] else names["event_names"][e["name_iid"][0]]}
                self.slices.append(slice_)
                if kind == "TYPE_INSTANT":
                    slice_["end"] = at
                else:
                    open_slices[track].append(slice_)
        assert not any(open_slices.values()), "slices that never end"

    def of(self, category):
        return [s for s in self.slices if s["category"] == category]
