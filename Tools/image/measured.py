# SPDX-License-Identifier: Apache-2.0
"""How each process of a machine is confined, as the kernel tells somebody who looks at it from outside, and whether that is what it told the
supervisor from inside. Of Tools/test-image.py."""
import json
import subprocess

from boardkit import check

NAMESPACES = ["mnt", "pid", "net", "ipc", "uts", "user", "cgroup"]
# By the names of the report (docs/sandbox.md), what of /proc shows it.
SHOWN_BY_NAMESPACE = {"processes": "pid", "mounts": "mnt", "network": "net", "ipc": "ipc", "hostname": "uts"}

# As root of the machine, which may look at everything; $1: processes. A line each: NUMBER FIELD VALUE.
LOOK = r"""
look() {
    [ -d "/proc/$1" ] || return
    echo "$1 name $(tr '\0' ' ' <"/proc/$1/cmdline" | cut -c 1-60)"
    grep -E '^(Uid|Gid|Groups|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp|Seccomp_filters|NSpid):' "/proc/$1/status" |
        sed "s/^\([A-Za-z_]*\):[[:space:]]*/$1 \1 /"
    for name in mnt pid net ipc uts user cgroup; do echo "$1 ns-$name $(readlink "/proc/$1/ns/$name")"; done
    group=$(sed -n 's/^0:://p' "/proc/$1/cgroup")
    echo "$1 group $group"
    for limit in memory.max pids.max cpu.weight; do
        [ ! -e "/sys/fs/cgroup$group/$limit" ] || echo "$1 $limit $(cat "/sys/fs/cgroup$group/$limit")"
    done
    echo "$1 oom $(cat "/proc/$1/oom_score_adj")"
    echo "$1 core $(awk '/^Max core file size/ { print $6 }' "/proc/$1/limits")"
    # What its root is, and whether it can be written (proc(5), mountinfo: the type comes behind a dash).
    echo "$1 root $(awk '$5 == "/" { for (i = 7; i < NF; i++) if ($i == "-") type = $(i + 1); print substr($6, 1, 2), type }' "/proc/$1/mountinfo" | tail -n 1)"
}
"""
# The core's user (docs/supervisor.md, firstUser).
CORE_USER = 61900
# A child of the core that lives for a moment: it is waited for.
CATCH = LOOK + r"""
# Without starting a program, which takes longer than who is looked for lives.
fact() { found=; while read -r field value rest; do [ "$field" != "$1:" ] || found=$value; done <"/proc/$2/status"; }
end=$(($(cut -d . -f 1 /proc/uptime) + %d))
while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
    for place in /proc/[0-9]*; do
        read -r name <"$place/comm" || continue
        [ "$name" = vigil-zip ] || continue
        one=${place#/proc/}
        fact Uid "$one"
        [ "$found" = %d ] || continue
        fact PPid "$one"
        fact Seccomp_filters "$found"
        began=$found
        # Held until somebody has looked, but not before it has confined itself beyond what it began with.
        while kill -STOP "$one"; do
            fact Seccomp_filters "$one"
            if [ "${found:-0}" -gt "${began:-1000}" ]; then
                look "$one"
                kill -CONT "$one"
                exit 0
            fi
            kill -CONT "$one"
        done
    done
done 2>/dev/null
"""


def processes_of(machine):
    listed = json.loads(machine.ask("cat /run/vigil/supervisor.json"))["processes"]
    return {process["name"]: process for process in listed if process.get("pid")}


def take(text):
    found = {}
    for line in text.splitlines():
        number, field, value = (line.split(" ", 2) + ["", ""])[:3]
        found.setdefault(number, {})[field] = value.strip()
    return found


def looked_at(machine, numbers):
    """What /proc says of init and of these, by number."""
    return take(machine.ask(LOOK + "".join(f"look {number}; " for number in ["1", *numbers])))


def caught(machine, seconds):
    """Begins to wait for the process that unpacks a key file; a function that ends it and returns what was seen."""
    process = subprocess.Popen([*machine.words(), CATCH % (seconds, CORE_USER)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)

    def end():
        text, _ = process.communicate(timeout=seconds * 4 + 60)
        return next(iter(take(text).values()), None)
    return end


def own_namespaces(seen, init):
    return [name for name in NAMESPACES if seen.get(f"ns-{name}") != init.get(f"ns-{name}")]


def size(text):
    return f"{int(text) / (1 << 20):.0f} MiB" if text and text.isdigit() else text or "–"


def row(name, seen, init, report):
    landlock = [f"{part['primitive'].removeprefix('landlock-')} {part.get('level', '')}".strip() for part in report if part["primitive"].startswith("landlock")
                and part["state"] == "verified"]
    limits = ", ".join(f"{label} {size(seen[key]) if label == 'memory' else seen[key]}" for label, key in
                       [("memory", "memory.max"), ("pids", "pids.max"), ("cpu", "cpu.weight")] if seen.get(key) and seen["group"] != init.get("supervisor"))
    return [name, seen["Uid"].split()[0], f"{bits(seen['CapEff'])} / {bits(seen['CapBnd'])}", f"{seen['Seccomp']}, {seen['Seccomp_filters']}", seen["NoNewPrivs"],
            ", ".join(landlock) or "–", " ".join(own_namespaces(seen, init)) or "–", limits or "–", seen["root"]]


def bits(text):
    return str(bin(int(text, 16)).count("1"))


HEAD = ["process", "user", "capabilities: effective / bounding", "seccomp: mode, filters", "no_new_privs", "Landlock (report)", "namespaces of its own",
        "control group", "root"]


def show(rows):
    print("     | " + " | ".join(HEAD) + " |\n     |" + " --- |" * len(HEAD))
    for line in rows:
        print("     | " + " | ".join(line) + " |")


def disagreements(name, seen, init, report):
    """What the report says and /proc does not, or the other way round; each in a sentence."""
    said = {part["primitive"]: part for part in report}
    own = own_namespaces(seen, init)
    for part, namespace in SHOWN_BY_NAMESPACE.items():
        if (said.get(part, {}).get("state") == "verified") != (namespace in own):
            yield f"{name}: {part} is {said.get(part, {}).get('state')} in the report, its namespaces are {own}"
    facts = {
        "user": seen["Uid"].split()[0] not in ("0", "") and len(set(seen["Uid"].split())) == 1 and not seen.get("Groups", "").replace(seen["Gid"].split()[0], "").strip(),
        "capabilities": all(int(seen[field], 16) == 0 for field in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]),
        "no-new-privileges": seen["NoNewPrivs"] == "1",
        # The unit's own come first.
        "system-calls": seen["Seccomp"] == "2" and int(seen["Seccomp_filters"]) > int(init["unit"]),
        "limits": seen["core"] == "0",
        "cgroup-memory": seen["group"] != init["supervisor"] and (seen.get("memory.max") or "max") != "max",
        "cgroup-pids": seen["group"] != init["supervisor"] and (seen.get("pids.max") or "max") != "max",
        "cgroup-cpu": seen["group"] != init["supervisor"] and (seen.get("cpu.weight") or "100") != "100",
    }
    for part, is_so in facts.items():
        if (said.get(part, {}).get("state") == "verified") != is_so and (part in said or not part.startswith("cgroup")):
            yield f"{name}: {part} is {said.get(part)} in the report; seen: {seen}"
    for part, field in [("cgroup-memory", "memory.max"), ("cgroup-pids", "pids.max")]:
        value = str(said.get(part, {}).get("level", ""))
        if ":" in value and value.split(":")[1] != seen.get(field):
            yield f"{name}: {part} is {value} in the report, {field} {seen.get(field)}"
    oom = said.get("oom-score", {}).get("level")
    if oom is not None and str(oom) != seen["oom"]:
        yield f"{name}: the report says that it is ended at {oom}, the kernel {seen['oom']}"
    if "mounts" in said and not seen["root"].startswith("ro"):
        yield f"{name}: its root is {seen['root']}"


def snapshot(machine):
    """Who runs now, by name, with what the supervisor and /proc say of each."""
    listed = processes_of(machine)
    supervisor = machine.ask("systemctl show -P MainPID vigil").strip()
    seen = looked_at(machine, [supervisor, *(str(process["pid"]) for process in listed.values())])
    seen["1"].update({"supervisor": seen[supervisor]["group"], "unit": seen[supervisor]["Seccomp_filters"]})
    listed = {name: process for name, process in listed.items() if "root" in seen.get(str(process["pid"]), {})}
    return {"listed": listed, "seen": seen, "supervisor": seen[supervisor]}


def measured(machine, taken, unpacker):
    """The table, and that both agree. `unpacker`: what was seen of the process that unpacks key files, which has no report of its own."""
    seen, init = taken["seen"], taken["seen"]["1"]
    rows, problems = [row("supervisor", taken["supervisor"], init, [])], []
    for name, process in taken["listed"].items():
        facts, report = seen[str(process["pid"])], process.get("confinement", [])
        rows.append(row(name, facts, init, report))
        problems += disagreements(name, facts, init, report)
    if check(f"{machine.name}: the process that unpacks key files was seen", unpacker is not None and "root" in unpacker):
        rows.append(row("vigil-zip", unpacker, init, []))
        problems += [f"vigil-zip: {field} {unpacker[field]}" for field in ["CapEff", "CapPrm", "CapBnd"] if int(unpacker[field], 16)]
        core = seen[str(taken["listed"]["core"]["pid"])]
        if int(unpacker["Seccomp_filters"]) <= int(core["Seccomp_filters"]):
            problems.append(f"vigil-zip: {unpacker['Seccomp_filters']} filters, the core {core['Seccomp_filters']}")
    show(rows)
    # What differs from the supervisor in every core, so that a comparison that finds nothing would be found out.
    blind = {text.split()[1] for text in disagreements("core", taken["supervisor"], init, taken["listed"]["core"]["confinement"])}
    wanted = {"processes", "network", "ipc", "user", "capabilities", "system-calls"}
    check(f"{machine.name}: had the core the supervisor's rights, each of them would be told", wanted <= blind, sorted(blind))
    check(f"{machine.name}: what /proc says from outside and what each said from inside agree", not problems,
          "; ".join(problems) if problems else f"{len(rows)} processes")
    print("     " + machine.ask("systemd-analyze security vigil.service --no-pager | tail -n 1").strip())
