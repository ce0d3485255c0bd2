# SPDX-License-Identifier: GPL-3.0-or-later
# formats.py FORMAT FILE: what a reader of a format finds in a file, as rows "function calls ns" separated by
# tabs, by name. It fails where the format's rules are broken.
import ast, collections, gzip, importlib, json, os, re, subprocess, sys, tempfile


def fail(text):
    sys.exit("formats.py: " + text)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


class Sums:
    def __init__(self):
        self.calls = collections.Counter()
        self.ns = collections.Counter()

    def add(self, name, calls, ns):
        self.calls[name] += calls
        self.ns[name] += ns

    def print(self):
        for name in sorted(self.calls):
            line = re.sub("[\\n\\t]", " ", name)
            line = line.encode(errors="surrogateescape").decode(errors="replace")
            print(line, self.calls[name], self.ns[name], sep="\t")


def nested(calls):
    """Calls of one track are within each other or apart. calls: (begin, end)"""
    open_ends = []
    for begin, end in sorted(calls, key=lambda call: (call[0], -call[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            return False
        open_ends.append(end)
    return True


def ns_of(us):
    return round(us * 1000)


def chrome(data):
    events = json.loads(data)["traceEvents"]
    tracks = collections.defaultdict(list)
    sums = Sums()
    named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
    for event in events:
        if event["ph"] == "X":
            begin = ns_of(event["ts"])
            tracks[event["pid"], event["tid"]].append((begin, begin + ns_of(event["dur"])))
            hidden = event.get("args", {})
            if hidden.get("end") != "goes on in another part":
                sums.add(event["name"], 1, 0)
            sums.add(event["name"], 0, ns_of(event["dur"]))
            sums.add("(shorter)", hidden.get("shorter calls", 0), hidden.get("shorter ns", 0))
        elif event["ph"] == "C":
            sums.add("counter " + event["name"], 1, 0)
        elif event["ph"] == "i":
            sums.add(event["cat"] + " " + event["name"], 1, 0)
        elif event["ph"] != "M":
            fail("event " + event["ph"])
    for track, calls in tracks.items():
        if track not in named:
            fail(f"track {track} has no name")
        if not nested(calls):
            fail(f"calls of {track} overlap")
    return sums


def speedscope(data):
    """Calls over time by name; what call paths have in sum by "PROFILE: name"."""
    file = json.loads(data)
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    sums = Sums()
    sums.add(file["name"], 0, 0)
    for profile in file["profiles"]:
        if profile["type"] == "evented":
            evented(profile, frames, sums)
            continue
        samples, weights = profile["samples"], profile["weights"]
        if len(samples) != len(weights) or sum(weights) != profile["endValue"]:
            fail("weights of " + profile["name"])
        for stack, weight in zip(samples, weights):
            sums.add(profile["name"] + ": " + frames[stack[-1]], weight, len(stack))
    return sums


def evented(profile, frames, sums):
    stack, last = [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] < last:
            fail("time goes back in " + profile["name"])
        last = event["at"]
        if event["type"] == "O":
            stack.append(event)
            continue
        begin = stack.pop()
        if begin["frame"] != event["frame"]:
            fail("calls of " + profile["name"] + " overlap")
        sums.add(frames[event["frame"]], 1, last - begin["at"])
    if stack or last > profile["endValue"]:
        fail("the end of " + profile["name"])


def folded(data):
    """By the last name of a path, as weight and as the most names above it; with --diff before and after."""
    sums = Sums()
    for line in data.decode(errors="surrogateescape").splitlines():
        path, numbers = re.fullmatch(r"(.*?)((?: [0-9]+){1,2})", line).groups()
        numbers = [int(number) for number in numbers.split()]
        name = path.split(";")[-1]
        sums.add(name, numbers[0], numbers[1] if len(numbers) == 2 else 0)
        if len(numbers) == 1:
            sums.ns[name] = max(sums.ns[name], path.count(";"))
    return sums


def message(data, name):
    """By protoc, which knows no field but those of formats.proto: (field, value or list of fields)."""
    command = ["protoc", "--proto_path=" + os.path.dirname(__file__), "--decode=" + name, "formats.proto"]
    text = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    stack = [[]]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
            continue
        field, value = re.fullmatch(r"(\w+)(?:: (.*)| \{)", line).groups()
        if field.isdigit():
            fail("unknown field " + line)
        if value is None:
            stack[-1].append((field, []))
            stack.append(stack[-1][-1][1])
        elif value[0] == '"':
            stack[-1].append((field, ast.literal_eval("b" + value).decode()))
        else:
            stack[-1].append((field, number(value)))
    return stack[0]


def number(text):
    if text in ("true", "false"):
        return text == "true"
    return float(text) if re.search("[.e]", text) else int(text)


def all_of(fields, name):
    return [value for field, value in fields if field == name]


def one_of(fields, name, otherwise=None):
    return (all_of(fields, name) or [otherwise])[0]


def perfetto(data):
    """Begins and ends are replayed; times are differences of a track's own clock."""
    sums, sequences, tracks = Sums(), {}, {}
    for packet in all_of(message(data, "Trace"), "packet"):
        number_of_sequence = one_of(packet, "trusted_packet_sequence_id")
        sequence = sequences.setdefault(number_of_sequence, {"names": {}, "time": 0, "open": []})
        descriptor = one_of(packet, "track_descriptor")
        if descriptor is not None:
            tracks[one_of(descriptor, "uuid")] = descriptor
        defaults = one_of(packet, "trace_packet_defaults")
        if defaults is not None:
            sequence["uuid"] = one_of(one_of(defaults, "track_event_defaults"), "track_uuid")
            sequence["time"] = 0
        for name in all_of(one_of(packet, "interned_data", []), "event_names"):
            sequence["names"][one_of(name, "iid")] = one_of(name, "name")
        event = one_of(packet, "track_event")
        if event is not None:
            perfetto_event(packet, event, sequence, tracks, sums)
    return sums


def perfetto_event(packet, event, sequence, tracks, sums):
    kind, uuid = one_of(event, "type"), one_of(event, "track_uuid", sequence.get("uuid"))
    if uuid not in tracks:
        fail("an event of no track")
    arguments = {one_of(a, "name"): one_of(a, "uint_value", one_of(a, "string_value", 0))
                 for a in all_of(event, "debug_annotations")}
    if kind in (1, 2):
        sequence["time"] += one_of(packet, "timestamp", 0)
    if kind == 1:
        name = sequence["names"][one_of(event, "name_iid")]
        sequence["open"].append((name, sequence["time"]))
        sums.add(name, 1, 0)
    elif kind == 2:
        name, begin = sequence["open"].pop()
        goes_on = arguments.get("end") == "goes on in another part"
        sums.add(name, -1 if goes_on else 0, sequence["time"] - begin)
        sums.add("(shorter)", arguments.get("shorter calls", 0), arguments.get("shorter ns", 0))
    elif kind == 3:
        sums.add(one_of(event, "categories") + " " + one_of(event, "name"), 1, 0)
    else:
        sums.add("counter " + one_of(tracks[uuid], "name"), 1, 0)


def pprof(data):
    """By the function of a path's last call: "TYPE: name"."""
    profile = message(data, "Profile")
    strings = all_of(profile, "string_table")
    if strings[0] != "":
        fail("the first string")
    types = [strings[one_of(of, "type")] + " " + strings[one_of(of, "unit")]
             for of in all_of(profile, "sample_type")]
    functions = {one_of(of, "id"): strings[one_of(of, "name")] for of in all_of(profile, "function")}
    locations = {one_of(of, "id"): functions[one_of(one_of(of, "line"), "function_id")]
                 for of in all_of(profile, "location")}
    system_names = [one_of(of, "system_name") for of in all_of(profile, "function")]
    if len(set(system_names)) != len(system_names):
        fail("two functions that pprof would add up")
    sums = Sums()
    for sample in all_of(profile, "sample"):
        path = all_of(sample, "location_id")
        values = all_of(sample, "value")
        if len(values) != len(types):
            fail("values of a sample")
        for of, value in zip(types, values):
            sums.add(of + ": " + locations[path[0]], value, 0)
    return sums


def callgrind(data):
    """By callgrind_annotate: "EVENT: name", and "EVENT with calls: name"."""
    sums = Sums()
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        for prefix, option in ((": ", []), (" with calls: ", ["--inclusive=yes"])):
            command = ["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no"]
            command += [*option, file.name]
            said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
            text = said.decode(errors="surrogateescape")
            events = re.search(r"Events shown: +(.*)", text).group(1).split()
            for line in text.splitlines():
                row = re.fullmatch(r" *((?:[0-9,.]+ +){%d})(?:[^:]*:)?(.*)" % len(events), line)
                for event, value in zip(events, row.group(1).split()) if row else ():
                    name = re.sub(r" \[.*\]$", "", row.group(2))
                    sums.add(event + prefix + name, 0 if value == "." else int(value.replace(",", "")), 0)
    return sums


def pstats(data):
    """calls, and ns; "primitive: name", "total: name", "CALLER > name" """
    sums = Sums()
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        stats = importlib.import_module("pstats").Stats(file.name)
    for (_, _, name), (primitive, calls, own, total, callers) in stats.stats.items():
        sums.add(name, calls, round(own * 1e9))
        sums.add("primitive: " + name, primitive, 0)
        sums.add("total: " + name, round(total * 1e9), 0)
        for (_, _, caller), (calls, primitive, own, total) in callers.items():
            sums.add(caller + " > " + name, calls, round(total * 1e9))
    return sums


def dot(data):
    """By graphviz: calls of functions and of edges, "A > B", by their labels; ns: 0.01 % of all time"""
    said = subprocess.run(["dot", "-Tjson"], input=data, stdout=subprocess.PIPE, check=True).stdout
    graph = json.loads(said)
    sums = Sums()
    names = {of["_gvid"]: of["label"].split("\\n")[0] for of in graph["objects"]}

    def add(name, label):
        percent = [part for part in label if part.endswith("%")]
        calls = int(next(part for part in label if part.endswith("\u00d7"))[:-1])
        sums.add(name, calls, round(float(percent[0][:-1]) * 100) if percent else 0)

    for of in graph["objects"]:
        add(names[of["_gvid"]], of["label"].split("\\n"))
        if "cycle" in of["label"]:
            sums.add(of["label"].split("\\n")[-1], 1, 0)
    for of in graph.get("edges", ()):
        add(names[of["tail"]] + " > " + names[of["head"]], of["label"].split("\\n"))
    return sums


def insideme_log(data):
    """Calls by function, and by "field FIELD"; ns by whole milliseconds. Lines are in the order of exits."""
    sums, last = Sums(), 0
    for line in data.decode(errors="surrogateescape").splitlines():
        rank, size, name, begin, end, before, after, field = line.split("//")
        if not 0 <= int(rank) < int(size) or float(end) < max(last, float(begin)):
            fail(line)
        if float(before) <= 0 or float(after) <= 0:
            fail(line)
        last = float(end)
        sums.add(name[1:], 1, round((float(end) - float(begin)) * 1e9))
        sums.add("field " + field, 1, 0)
    return sums


def openmetrics(data):
    """By the parser that accepts nothing else: whole numbers, ns of seconds; "doubt TEXT"."""
    sums = Sums()
    parser = importlib.import_module("prometheus_client.openmetrics.parser")
    for family in parser.text_string_to_metric_families(data.decode()):
        for sample in family.samples:
            run = " of run " + sample.labels["run"] if "run" in sample.labels else ""
            if "text" in sample.labels:
                sums.add("doubt " + sample.labels["text"], 1, 0)
            else:
                sums.add(sample.name + run, round(sample.value * (1e9 if family.unit == "seconds" else 1)), 0)
    return sums


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](read(sys.argv[2])).print()
