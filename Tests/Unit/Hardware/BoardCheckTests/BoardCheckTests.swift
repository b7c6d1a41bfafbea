// SPDX-License-Identifier: Apache-2.0

import BoardCheck
import BoardFile
import Foundation
import RandomValues
import Testing

/// Folders that look like a board's.
@Suite struct BoardCheckTests {
    private final class Tree {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-board-\(Unique.name())")

        init(_ files: [String: String]) throws {
            for (path, text) in files {
                let file = root.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: false, encoding: .utf8)
            }
        }

        deinit { try? FileManager.default.removeItem(at: root) }
    }

    private static let token = """
        { "name": "token", "title": "T", "architecture": "arm64", "radio": { "transport": "hci:0" },
          "hardware": { "lines": { "chip": "pinctrl", "lights": [{ "line": 1, "colour": "red" }], "button": { "line": 2 } },
            "battery": { "supply": "gauge" }, "clockChip": true, "watchdog": true, "randomness": true, "memory": 400 } }
        """

    private static let good: [String: String] = [
        "sys/class/bluetooth/hci0/address": "x\n",
        "sys/class/power_supply/gauge/type": "Battery\n", "sys/class/power_supply/gauge/capacity": "71\n",
        "sys/class/rtc/rtc0/name": "rtc-ds3231\n", "sys/class/rtc/rtc0/since_epoch": "1795262400\n",
        "sys/class/watchdog/watchdog0/identity": "bcm2835\n", "sys/class/watchdog/watchdog0/state": "active\n",
        "sys/class/misc/hw_random/rng_current": "bcm2835-rng\n",
        "proc/meminfo": "MemTotal:         436212 kB\nMemFree: 1 kB\n",
        "proc/self/mounts":
            "/dev/mmcblk0p2 / squashfs ro,relatime 0 0\n/dev/mmcblk0p4 /keys ext4 rw,nosuid 0 0\n/dev/mmcblk0p5 /data ext4 rw 0 0\n",
        "sys/kernel/security/lsm": "capability,landlock,apparmor",
        "proc/sys/kernel/seccomp/actions_avail": "kill_process kill_thread trap errno user_notif trace log allow\n",
        "proc/self/ns/mnt": "", "proc/self/ns/pid": "", "proc/self/ns/net": "", "proc/self/ns/ipc": "",
        "proc/self/ns/uts": "",
        "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n", "proc/sys/kernel/sched_autogroup_enabled": "1\n",
    ]

    private func check(
        _ files: [String: String], _ board: String? = token, machine: String = "aarch64"
    ) throws -> [String: BoardItem] {
        let tree = try Tree(files)
        defer { withExtendedLifetime(tree) {} }
        let file = try board.map { try BoardFile(parsing: Array($0.utf8)) }
        let items = BoardCheck(file, root: tree.root.path, controller: nil, machine: machine).run()
        #expect(Set(items.map(\.id)).count == items.count)
        #expect(items.allSatisfy { ($0.fix == nil) == ($0.state == .good) && !$0.found.isEmpty }, "\(items)")
        return Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    }

    @Test func aBoardThatHasEverythingIsGood() throws {
        let items = try check(Self.good)
        // Character devices cannot be made here: lines are looked for and not found.
        let missing = items.values.filter { $0.state == .missing }.map(\.id).sorted()
        #expect(missing == ["button", "lights"], "\(items)")
        #expect(items["buzzer"]?.state == .unknown)
        #expect(items["battery"]?.found == "gauge: 71 %")
        #expect(items["watchdog"]?.found == "watchdog0 (bcm2835), in use")
        #expect(items["memory"]?.found == "425 MiB of at least 400")
        #expect(items["keysApart"]?.state == .good)
    }

    /// Each thing that is taken away is missed, and nothing else.
    @Test(arguments: [
        ("sys/class/bluetooth/hci0/address", "controller"), ("sys/class/power_supply/gauge/type", "battery"),
        ("sys/class/rtc/rtc0/name", ""), ("sys/class/misc/hw_random/rng_current", "randomness"),
        ("proc/self/ns/net", "namespaces"), ("sys/fs/cgroup/cgroup.controllers", "controlGroups"),
        ("proc/sys/kernel/seccomp/actions_avail", "filter"), ("proc/sys/kernel/sched_autogroup_enabled", "autogroup"),
    ])
    func whatIsTakenAwayIsMissed(path: String, id: String) throws {
        let before = try check(Self.good).filter { $0.value.state == .missing }.keys
        let after = try check(Self.good.filter { $0.key != path }).filter { $0.value.state == .missing }.keys
        #expect(Set(after).subtracting(before) == (id.isEmpty ? [] : [id]))
    }

    @Test(arguments: [
        ("proc/meminfo", "MemTotal: 200000 kB\n", "memory"), ("proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\n", "root"),
        ("proc/self/mounts", "a / squashfs ro 0 0\nb /data ext4 rw 0 0\nb /keys ext4 rw 0 0\n", "keysApart"),
        ("proc/self/mounts", "a / squashfs ro 0 0\nb /data ext4 ro 0 0\nc /keys ext4 rw 0 0\n", "data"),
        ("sys/kernel/security/lsm", "capability,apparmor", "landlock"),
        ("sys/class/power_supply/gauge/capacity", "400\n", "battery"),
        ("sys/class/misc/hw_random/rng_current", "none\n", "randomness"),
    ])
    func whatIsNotAsItShouldBeIsMissed(path: String, text: String, id: String) throws {
        var files = Self.good
        files[path] = text
        #expect(try check(files)[id]?.state == .missing)
    }

    /// Each form of an address, as the core reads it: there, not there, no address at all.
    @Test(arguments: [
        ("hci:0", BoardItem.State.good), ("hci:hci0", .good), ("hci:1", .missing), ("hci:hci1", .missing),
        ("h4:serial:/dev/ttyS0", .unknown), ("h4:serial:/dev/ttyS0@921600", .unknown), ("h4:serial:/dev/ttyS1", .missing),
        ("h4:serial:/dev/tty@odd@115200", .unknown), ("h4:unix:/run/a@b", .unknown), ("h4:unix:/run/c", .missing),
        ("fd:3", .unknown), ("usb", .missing), ("hci:", .missing), ("h4:tcp:127.0.0.1:6402", .missing),
    ])
    func theWayToTheControllerIsReadAsTheCoreReadsIt(transport: String, state: BoardItem.State) throws {
        var files = Self.good
        for path in ["dev/ttyS0", "dev/tty@odd", "run/a@b"] { files[path] = "" }
        let board = Self.token.replacing("hci:0", with: transport)
        #expect(try check(files, board)["controller"]?.state == state)
    }

    @Test func withoutADescriptionNothingIsClaimed() throws {
        let items = try check(Self.good, nil)
        for id in ["architecture", "lights", "buzzer", "button", "battery", "memory"] {
            #expect(items[id]?.state == .unknown, "\(id)")
        }
        #expect(items["clockChip"]?.state == .good)
    }

    @Test func anotherProcessorIsAnotherBoard() throws {
        #expect(try check(Self.good, machine: "x86_64")["architecture"]?.state == .missing)
    }

    /// Drivers that say anything: nothing of it reaches a terminal as a command, and nothing ends the program.
    @Test func hostileFilesAreOnlyText() throws {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<60 {
            var files = Self.good
            for path in files.keys.sorted() where Int.random(in: 0..<3, using: &generator) == 0 {
                files[path] =
                    round.isMultiple(of: 2)
                    ? String(
                        decoding: (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                            UInt8.random(in: 0...255, using: &generator)
                        }, as: UTF8.self)
                    : String(
                        repeating: ["9", " ", "\n", "/ / ro ", "\u{1B}[2J"].randomElement(using: &generator) ?? "",
                        count: 40_000)
            }
            for item in try check(files).values {
                #expect(item.found.count <= 200)
                #expect(
                    !item.found.unicodeScalars.contains {
                        $0.value == 27 || $0.value == 10 || $0.value == 0 || (127..<160).contains($0.value)
                    })
            }
        }
        #expect(try check([:]).values.contains { $0.state == .missing })
    }

    /// This machine, whatever it is: every line has an answer.
    @Test func thisMachineIsLookedAt() throws {
        let items = BoardCheck(nil, controller: nil, machine: "x86_64").run()
        #expect(items.count >= 18)
        #expect(items.first { $0.id == "namespaces" }?.state == .good)
        #expect(items.first { $0.id == "memory" }?.found.hasSuffix("MiB") == true)
    }
}
