// SPDX-License-Identifier: Apache-2.0

public import BoardFile
import GPIOLines
import HCITransport
import Power

/// Compares a running board with its description. It reads what the kernel shows and changes nothing, and it opens no
/// controller or line that the firmware has in use.
public struct BoardCheck {
    /// What the board's file says; `nil` where there is none: then what Vigil needs is looked for.
    private let board: BoardFile?
    private let tree: BoardTree
    /// What the running core says of its controller, in a few words.
    private let controller: String?
    private let machine: String

    /// Prepares the comparison without reading anything.
    ///
    /// - Parameters:
    ///   - board: The content of the board's file; `nil` if there is none. Then only what Vigil itself needs is judged, and
    ///     anything else that a board may lack is `unknown`.
    ///   - root: `/`, or the path of a folder with the same structure, without a slash at its end.
    ///   - controller: A short description of the controller that the running core uses; `nil` if no core runs.
    ///   - machine: The processor's name from `uname`, such as `aarch64`.
    public init(_ board: BoardFile?, root: String = "/", controller: String?, machine: String) {
        self.board = board
        tree = BoardTree(root: root)
        self.controller = controller
        self.machine = machine
    }

    /// Reads the board and returns one item for each thing, always in the same order. `keysApart` is included only
    /// if both partitions are mounted, and `data` and `keys` only if the kernel shows its mounts. Cannot fail: a
    /// thing that cannot be read is `unknown` or `missing`. Blocks while it reads, and opens the GPIO chips but
    /// none of their lines.
    public func run() -> [BoardItem] {
        [
            architecture, radio, lines(\.lights), lines(\.buzzer), lines(\.button), battery, clockChip, watchdog,
            randomness, memory,
        ]
            + storage + kernel
    }

    private static let undescribed = "the board's file does not say whether there should be one"

    // MARK: Hardware

    private var architecture: BoardItem {
        let names = ["x86_64": "amd64", "aarch64": "arm64"]
        let found = names[machine] ?? machine
        guard let wanted = board?.architecture else {
            return BoardItem("architecture", "Processor", .unknown, found, fix: "Give the board's file: --board FILE.")
        }
        return BoardItem(
            "architecture", "Processor", found == wanted ? .good : .missing, found,
            fix: "The file describes a board with \(wanted): is it this board's?")
    }

    private var radio: BoardItem {
        let title = "Bluetooth controller"
        if let controller { return BoardItem("controller", title, .good, "\(controller), in use by the core") }
        let adapters = tree.names("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
        let described = adapters.map { name in
            tree.link("/sys/class/bluetooth/\(name)/device/driver").map { "\(name) (\($0))" } ?? name
        }.joined(separator: ", ")
        let way: TransportAddress
        do throws(TransportFailure) { way = try TransportAddress(parsing: board?.transport ?? "hci:0") } catch {
            return BoardItem(
                "controller", title, .missing, "\(error)",
                fix: "Correct radio.transport in the board's file (docs/transports.md).")
        }
        let path: String
        switch way {
        case .userChannel(let index):
            let wanted = "hci\(index)"
            return BoardItem(
                "controller", title, adapters.contains(wanted) ? .good : .missing,
                adapters.isEmpty ? "no adapter in the kernel" : described,
                fix:
                    "\(wanted) is not there. See whether the driver and its firmware are loaded (`dmesg`), and whether a serial line has to be attached first (radio.attach)."
            )
        case .inherited:
            return BoardItem(
                "controller", title, .unknown, "\(way): whoever starts the core has it",
                fix: "Ask again while the core runs.")
        case .serial(let device, _): path = device
        case .unix(let socket): path = socket
        }
        return BoardItem(
            "controller", title, tree.isThere(path) ? .unknown : .missing,
            tree.isThere(path) ? "\(path) is there" : "no \(path)",
            fix: tree.isThere(path)
                ? "Whether a controller answers at its end only the core finds out: start it, and ask again."
                : "The way to the controller is not there: see the device tree, the cable, or the transport in the board's file."
        )
    }

    private func lines(_ part: KeyPath<Parts, Part>) -> BoardItem {
        let part = Parts()[keyPath: part]
        let offsets = board?.lines.map(part.offsets) ?? []
        guard let lines = board?.lines, !offsets.isEmpty else {
            return BoardItem(part.id, part.title, .unknown, "none described", fix: part.undescribed)
        }
        let names = offsets.map { "\($0)" }.joined(separator: ", ")
        do throws(LineFailure) {
            let chip = try Chip.find(lines.chip, in: tree.path("/dev"))
            let isThere = offsets.allSatisfy { $0 < chip.lineCount }
            return BoardItem(
                part.id, part.title, isThere ? .good : .missing,
                isThere
                    ? "line \(names) of \(chip.label)"
                    : "\(chip.label) has lines 0 to \(Int(chip.lineCount) - 1), not \(names)",
                fix: "Correct the line in the board's file.")
        } catch {
            return BoardItem(
                part.id, part.title, .missing, "\(error)",
                fix: "Load the chip's driver, correct its label in the board's file, or run this as root.")
        }
    }

    private struct Part {
        let id: String
        let title: String
        let undescribed: String
        let offsets: (BoardFile.Lines) -> [UInt32]
    }

    private struct Parts {
        let lights = Part(
            id: "lights", title: "Lights", undescribed: "If it has lights: hardware.lines.lights (docs/indicator.md).",
            offsets: { $0.lights.map(\.line.line) })
        let buzzer = Part(
            id: "buzzer", title: "Buzzer", undescribed: "If it has a buzzer: hardware.lines.buzzer.",
            offsets: { $0.buzzer.map { [$0.line] } ?? [] })
        let button = Part(
            id: "button", title: "Button",
            undescribed: "If it has a button: hardware.lines.button, and consentButton in the board profile.",
            offsets: { $0.button.map { [$0.line] } ?? [] })
    }

    private var battery: BoardItem {
        guard let supply = board?.power.battery?.supply else {
            let there = tree.names("/sys/class/power_supply").filter {
                tree.text("/sys/class/power_supply/\($0)/type") == "Battery"
            }
            return BoardItem(
                "battery", "Battery", .unknown,
                there.isEmpty ? "none described" : "not described: \(there.joined(separator: ", "))",
                fix: "If it runs on one: hardware.battery.supply, a name below /sys/class/power_supply.")
        }
        let folder = "/sys/class/power_supply/\(supply)"
        let percent = tree.text("\(folder)/capacity").flatMap { Int($0) }.flatMap { (0...100).contains($0) ? $0 : nil }
        let isBattery = tree.text("\(folder)/type") == "Battery"
        let words =
            if !tree.isThere(folder) {
                "\(supply) is not there"
            } else if !isBattery {
                "\(supply) is no battery"
            } else {
                percent.map { "\(supply): \($0) %" } ?? "what \(supply) says makes no sense"
            }
        return BoardItem(
            "battery", "Battery", isBattery && percent != nil ? .good : .missing, words,
            fix: "See `ls /sys/class/power_supply`, the gauge's driver, and hardware.battery.supply.")
    }

    private func described(
        _ id: String, _ title: String, _ isWanted: Bool?, _ found: String?, absence: String, fix: String
    ) -> BoardItem {
        switch (isWanted, found) {
        case (_, let found?): BoardItem(id, title, .good, found)
        case (true?, nil): BoardItem(id, title, .missing, absence, fix: fix)
        case (false?, nil): BoardItem(id, title, .good, "\(absence), as described")
        case (nil, nil): BoardItem(id, title, .unknown, "\(absence); \(Self.undescribed)", fix: fix)
        }
    }

    private var clockChip: BoardItem {
        let chips = tree.names("/sys/class/rtc")
        let found = chips.first.map { chip in
            let name = tree.text("/sys/class/rtc/\(chip)/name") ?? "?"
            let shown = tree.text("/sys/class/rtc/\(chip)/since_epoch").flatMap { Int64($0) }
            // What an empty chip shows lies before 2020.
            let runs = (shown ?? 0) > 1_577_836_800
            return "\(chip) (\(name))" + (runs ? "" : "; it has lost its time: see its battery")
        }
        return described(
            "clockChip", "Clock chip", board?.hasClockChip, found, absence: "none",
            fix:
                "Without one the board waits for a network or a person after each start. Load the chip's driver, or say clockChip false."
        )
    }

    private var watchdog: BoardItem {
        let found = tree.names("/sys/class/watchdog").first.map { name in
            let identity = tree.text("/sys/class/watchdog/\(name)/identity") ?? "?"
            let isActive = tree.text("/sys/class/watchdog/\(name)/state") == "active"
            return "\(name) (\(identity))" + (isActive ? ", in use" : ", not in use")
        }
        return described(
            "watchdog", "Watchdog", board?.hasWatchdog, found, absence: "none",
            fix: "Load its driver (kernel.load in the board's file): nothing else starts a board that stands still.")
    }

    private var randomness: BoardItem {
        let current = tree.text("/sys/class/misc/hw_random/rng_current")
        let found = current.flatMap { $0 == "none" || $0.isEmpty ? nil : $0 }
        return described(
            "randomness", "Source of randomness", board?.hasRandomness, found, absence: "none of the hardware's",
            fix: "The first key waits until the kernel has gathered enough by itself. Load the driver if there is one.")
    }

    private var memory: BoardItem {
        let line = tree.text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int64($0) }) else {
            return BoardItem("memory", "Memory", .unknown, "the kernel does not say", fix: "See /proc/meminfo.")
        }
        let found = kibibytes / 1_024
        guard let wanted = board?.memory else {
            return BoardItem("memory", "Memory", .unknown, "\(found) MiB", fix: "Say the least it has: hardware.memory.")
        }
        return BoardItem(
            "memory", "Memory", found >= wanted ? .good : .missing, "\(found) MiB of at least \(wanted)",
            fix: "The kernel has less than the file says: see what the firmware keeps for graphics.")
    }

    // MARK: Storage

    private var storage: [BoardItem] {
        guard let text = tree.text("/proc/self/mounts") else {
            return [BoardItem("root", "Storage", .unknown, "the kernel does not say what is mounted", fix: "See /proc.")]
        }
        var mounts: [String: (device: String, type: String, options: [Substring])] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 4 else { continue }
            mounts[String(words[1])] = (String(words[0]), String(words[2]), words[3].split(separator: ","))
        }
        let root = mounts["/"]
        let isReadOnly = root?.options.first == "ro"
        var items = [
            BoardItem(
                "root", "System", isReadOnly ? .good : .missing,
                root.map { "\($0.type), \(isReadOnly ? "read-only" : "writable")" } ?? "not mounted",
                fix: "An image of Vigil has a root that nobody can change; this is no such image.")
        ]
        for (id, path, title) in [("data", "/data", "Data partition"), ("keys", "/keys", "Key partition")] {
            let mount = mounts[path]
            let isWritable = mount?.options.first == "rw"
            items.append(
                BoardItem(
                    id, title, isWritable ? .good : .missing,
                    mount.map { "\($0.device), \($0.type)\(isWritable ? "" : ", read-only")" }
                        ?? "nothing is mounted at \(path)",
                    fix: mount == nil
                        ? "See `systemctl status vigil-storage`. On a machine that is no image, --data and --keys say where they are."
                        : "The file system has found itself damaged: look at `dmesg`, exchange the card."))
        }
        if let data = mounts["/data"]?.device, let keys = mounts["/keys"]?.device {
            items.append(
                BoardItem(
                    "keysApart", "Key apart from data", data != keys ? .good : .missing,
                    data != keys ? "two partitions" : "one partition",
                    fix: "Who copies one has the other: put the key on a partition of its own."))
        }
        return items
    }

    // MARK: What the sandbox needs (docs/sandbox.md)

    private var kernel: [BoardItem] {
        let modules = tree.text("/sys/kernel/security/lsm")
        let landlock = BoardItem(
            "landlock", "Landlock",
            modules.map { $0.split(separator: ",").contains("landlock") ? .good : .missing } ?? .unknown,
            modules ?? "/sys/kernel/security is not mounted or not readable",
            fix: "CONFIG_SECURITY_LANDLOCK, and no lsm= that leaves it out.")
        let actions = tree.text("/proc/sys/kernel/seccomp/actions_avail")
        let filter = BoardItem(
            "filter", "Filter of system calls", actions.map { $0.contains("errno") ? .good : .missing } ?? .missing,
            actions ?? "none", fix: "CONFIG_SECCOMP_FILTER. Without it no plugin starts.")
        let spaces = ["mnt", "pid", "net", "ipc", "uts"].filter { !tree.isThere("/proc/self/ns/\($0)") }
        let namespaces = BoardItem(
            "namespaces", "Namespaces", spaces.isEmpty ? .good : .missing,
            spaces.isEmpty ? "mounts, processes, network, IPC, names" : "without \(spaces.joined(separator: ", "))",
            fix: "CONFIG_NAMESPACES with PID_NS, NET_NS, IPC_NS, UTS_NS. Without them no plugin starts.")
        let controllers = (tree.text("/sys/fs/cgroup/cgroup.controllers") ?? "").split(separator: " ")
        let lacking = ["memory", "pids", "cpu"].filter { word in !controllers.contains { $0 == word } }
        let isVersion1 = controllers.isEmpty && tree.isThere("/sys/fs/cgroup/memory")
        let groups = BoardItem(
            "controlGroups", "Control groups", lacking.isEmpty || isVersion1 ? .good : .missing,
            isVersion1
                ? "version 1"
                : lacking.isEmpty ? "version 2: memory, pids, cpu" : "without \(lacking.joined(separator: ", "))",
            fix:
                "CONFIG_MEMCG, CGROUP_PIDS, CGROUP_SCHED; on a Raspberry Pi cgroup_enable=memory on the kernel's command line."
        )
        let autogroup = tree.text("/proc/sys/kernel/sched_autogroup_enabled")
        let sessions = BoardItem(
            "autogroup", "Processors shared by sessions", autogroup == "1" ? .good : .missing,
            autogroup == "1" ? "on" : "off or not there",
            fix:
                "sysctl kernel.sched_autogroup_enabled=1: else plugins that are busy make changes of identifier later (docs/sandbox.md)."
        )
        return [landlock, filter, namespaces, groups, sessions]
    }
}
