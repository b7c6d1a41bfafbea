// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import LabKit
import RandomValues
import Testing

/// A board with every plugin that comes along, and a hostile one: 200 texts that nobody writes by chance lie wherever a plugin can put something. After
/// a reset none of them is left: not below any folder of the board, and not in any block of the disk.
@Suite(.serialized) struct ResetCanaryTests {
    /// When the wearer resets.
    enum Moment: String, CaseIterable {
        case running, laterLife, disabled, uninstalled, killedMeanwhile
    }

    private static let inTree = ["sync", "wake", "diagnosis", "webui", "indicator"]
    private static let names = inTree + ["hostile"]
    /// Those that may keep something: the indicator's quota is none, so whatever lies in its folder goes whenever it ends.
    private static let keeping = ["sync", "wake", "diagnosis", "webui"]

    /// Puts what its settings say wherever it can: files, names, links, wide and deep, in state, spool and log.
    private static let hostile = """
        #!/usr/bin/python3
        import json, os, socket, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.setblocking(True)
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        canaries = json.load(open(os.environ["VIGIL_RUN"] + "/settings.json"))["canaries"]
        for place in (os.environ["VIGIL_STATE"], os.environ["VIGIL_SPOOL"]):
            deep = place
            for number, text in enumerate(canaries):
                path = "%s/%d" % (deep, number)
                if number % 4 == 0: open(path, "w").write(text)
                elif number % 4 == 1: open(deep + "/" + text, "w").write("x")
                elif number % 4 == 2:
                    if not os.path.islink(path): os.symlink("/" + text, path)
                else: open(path, "w").write(" " * 5000 + text)
                if number % 20 == 19:
                    deep += "/.forgotten-%d" % number
                    os.makedirs(deep, exist_ok=True)
        os.sync()
        # A flood of lines would be dropped.
        for first in range(0, len(canaries), 20): print(" ".join(canaries[first:first + 20]), file=sys.stderr)
        print("has written %d" % len(canaries), file=sys.stderr, flush=True)
        while control.recv(4096) not in (b"STOP", b""): pass
        """

    private static let manifest = """
        {"id": "hostile", "version": "1.0.0", "title": "Test", "description": "A test's plugin.",
         "run": {"program": "bin/main"}, "start": "resident",
         "settings": {"properties": {"canaries": {"type": "array", "maxItems": 200, "items": {"type": "string"}, "title": "Texts", "default": []}}},
         "quotas": {"memory": 67108864, "state": 1048576, "spool": 1048576, "processes": 8}}
        """

    private let canaries: [String]
    private let board: BoardProcess
    private let air: AirProcess
    private let port: UInt16
    private let recording: String

    init() throws {
        let seed = Unique.name()
        recording = "canary-1200-\(seed)"
        canaries = (1_000..<1_200).map { "canary-\($0)-\(seed)" }
        air = try AirProcess()
        port = try Unique.port()
        board = try BoardProcess("board", on: air)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        for (name, folder) in zip(Self.inTree, ["Sync", "Wake", "Diagnosis", "WebUI", "Indicator"]) {
            let source = root.appending(path: "Plugins/\(folder)")
            var files: [String: String] = [:]
            for text in (try? FileManager.default.contentsOfDirectory(atPath: source.path + "/texts")) ?? [] {
                files["texts/\(text)"] = String(
                    decoding: try Data(contentsOf: source.appending(path: "texts/\(text)")), as: UTF8.self)
            }
            let manifest = String(decoding: try Data(contentsOf: source.appending(path: "plugin.json")), as: UTF8.self)
            try board.install(name, manifest: manifest, files: files)
        }
        try board.install(
            "hostile", manifest: Self.manifest, files: ["bin/main": Self.hostile], programs: ["bin/main"])
    }

    /// What a plugin keeps of its own accord, and what the test puts beside it: the hostile one's hundred, and twenty-five for each of the others
    /// that keep something.
    private var planted: ArraySlice<String> { canaries.prefix(100) }
    private func share(of name: String) -> ArraySlice<String> {
        let number = Self.keeping.firstIndex(of: name) ?? 0
        return canaries[(100 + 25 * number)..<(125 + 25 * number)]
    }

    private func grant(isEnabled: Bool = true, hasCanaries: Bool) throws {
        let texts = hasCanaries ? planted.map { "\"\($0)\"" }.joined(separator: ", ") : ""
        // Settings are the operator's and outlast a reset; here they carry texts into whatever a plugin makes of them.
        func word(_ name: String, _ otherwise: String) -> String { hasCanaries ? (share(of: name).first ?? "") : otherwise }
        let settings = [
            "sync": #"{"sources": [{"name": "x", "kind": "folder", "base": "/\#(word("sync", "x"))"}]}"#,
            "wake": #"{"host": "127.0.0.1", "port": 9, "region": "\#(word("wake", "x"))", "tls": false}"#,
            "diagnosis":
                #"{"verification": "https://\#(word("diagnosis", "x")).invalid", "submission": "https://x.invalid"}"#,
            "webui": #"{"title": "\#(word("webui", "x"))"}"#, "indicator": "{}",
            "hostile": #"{"canaries": [\#(texts)]}"#,
        ]
        let place = #"{"host": "127.0.0.1", "port": 9, "private": true}"#
        let more = [
            "wake": #", "endpoints": {"broker": [\#(place)]}"#,
            "webui": #", "listens": {"secure": {"port": \#(port)}}"#,
        ]
        let entries = Self.names.map { name in
            #""\#(name)": {"enabled": \#(isEnabled), "settings": \#(settings[name] ?? "{}")\#(more[name] ?? "")}"#
        }
        try board.grant(#"{"plugins": {\#(entries.joined(separator: ", "))}}"#)
    }

    /// Of a regular file; `nil` of anything else.
    private func contents(_ path: String) -> [UInt8]? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (try? Data(contentsOf: URL(filePath: path))).map(Array.init)
    }

    /// Every file and name below what the board keeps: in how many of the texts is one found.
    ///
    /// What the operator has set outlasts a reset, and is not searched; it is in memory here, and in `grants.json`.
    private func countInFiles() -> Set<String> {
        var found: Set<String> = []
        let texts = Set((canaries + [recording]).map { ArraySlice($0.utf8) }), length = canaries[0].utf8.count,
            first = UInt8(ascii: "c")
        func look(_ bytes: [UInt8]) {
            for place in bytes.indices where bytes[place] == first && place + length <= bytes.count {
                let text = bytes[place..<place + length]
                if texts.contains(text) { found.insert(String(decoding: text, as: UTF8.self)) }
            }
        }
        for top in [board.folder + "/data/", board.run + "/"] {
            for name in (try? FileManager.default.subpathsOfDirectory(atPath: top)) ?? []
            where !name.hasSuffix("/settings.json") {
                look(Array(name.utf8))
                if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: top + name) {
                    look(Array(target.utf8))
                } else if let bytes = contents(top + name) {
                    look(bytes)
                }
            }
        }
        return found
    }

    /// Bytes of what is secret and was not chosen by the test: seals, the core's key, and what the plugins made by themselves, the page's
    /// certificate for one.
    private func secrets() -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for part in ["state", "seals", "core/key"] {
            let top = "\(board.folder)/data/\(part)/"
            for name in (try? FileManager.default.subpathsOfDirectory(atPath: top)) ?? [] {
                // Which life it belongs to is no secret, and marks are alike.
                guard !name.hasSuffix(".life"), let bytes = contents(top + name), bytes.count >= 32 else { continue }
                // The core's key lies behind a mark; of all others the middle is looked for.
                let middle = Array(
                    bytes.dropFirst(part == "core/key" ? 12 : bytes.count / 2 - 12).drop { $0 == 0 }.prefix(24))
                // Neither blanks nor zeros; a text by itself might be written again.
                if Set(middle).count >= 16, middle.contains(where: { $0 > 127 }) {
                    found["\(part)/\(name)"] = middle
                }
            }
        }
        return found
    }

    /// As a plugin that keeps a file with rows, names, and a link; within the smallest quota.
    private func plant() throws {
        for name in Self.keeping {
            let folder = board.folder + "/data/state/\(name)"
            var status = stat()
            try #require(stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR, "\(name) has no folder")
            let share = Array(share(of: name))
            try Data(share.prefix(17).joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/rows"))
            for text in share[17..<21] { try #require(mkdir("\(folder)/\(text)", 0o700) == 0) }
            for text in share[21...] { try #require(symlink("/\(text)", "\(folder)/link-\(text.prefix(11))") == 0) }
        }
        // As a recording that nobody fetched. It is in memory, and not among those that are looked for on the disk.
        try Data(recording.utf8).write(to: URL(filePath: board.run + "/ctl/recording.btsnoop"))
    }

    private func hasWritten(_ count: Int) -> Int {
        board.log.split(separator: "\n").count { $0.hasSuffix("has written \(count)") }
    }

    private func reset() throws {
        let console = try CallClient(board.run + "/ctl.sock")
        console.send(CallClient.message("org.vigil.device1.GiveConsent", #"{"purpose": "reset"}"#))
        let answer = try #require(console.receive())
        let ticket = try #require(try JSON(parsing: Array(answer.utf8))["parameters"]?["ticket"]?.string, "\(answer)")
        console.send(CallClient.message("org.vigil.device1.Reset", #"{"ticket": "\#(ticket)"}"#))
        // Answered: it has begun, and whatever is cut off now, it is finished.
        _ = console.receive()
    }

    private func life() -> [UInt8] {
        (try? [UInt8](Data(contentsOf: URL(filePath: board.folder + "/data/core/life")))) ?? []
    }

    /// On a disk that encrypts, on one that does not (where the texts have to be found before, and where only files are searched afterwards), and
    /// without a disk of its own.
    @Test(
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: Moment.allCases.map { ($0, true) } + [(.running, false)])
    func nothingOfAnyPluginIsLeft(moment: Moment, encrypts: Bool) throws {
        let disk = DiskImage.canEncrypt ? DiskImage(encrypts: encrypts) : nil
        if disk == nil { print("ResetCanaryTests: \(DiskImage.needs). Only files are searched.") }
        if let disk {
            rmdir(board.folder + "/data")
            try #require(symlink(disk.mount, board.folder + "/data") == 0)
            chmod(disk.mount, 0o755)
        }
        if moment == .laterLife {
            try grant(hasCanaries: false)
            try board.start()
            try #require(board.waits { board.state("core") == "running" && hasWritten(0) >= 1 }, "\(board.log)")
            let first = life(), count = hasWritten(0)
            try reset()
            try #require(
                board.waits { life() != first && hasWritten(0) > count && board.state("hostile") == "running" },
                "\(board.log)")
            board.end()
        }
        try grant(hasCanaries: true)
        try board.start()
        let isReady = board.waits(seconds: 120) {
            board.state("core") == "running" && hasWritten(planted.count) >= 1 && board.state("wake") == "running"
                && Self.names.allSatisfy { access("\(board.folder)/data/seals/\($0).life", F_OK) == 0 }
        }
        try #require(
            isReady, "\(Self.names.map { "\($0): \(board.state($0)) \(board.process($0)["reason"] ?? "")" }) \(board.log)")
        try plant()
        let kept = secrets(), former = life()
        // The search finds what is there: all 200 in files, the seals among the secrets, and, where nothing is encrypted, all in the disk's blocks.
        #expect(countInFiles().count == canaries.count + 1)
        #expect(
            Self.names.allSatisfy { kept["seals/\($0)"] != nil } && kept.keys.contains { $0.hasPrefix("core/key/") },
            "\(kept.keys)")
        if let disk {
            let onDisk = try #require(disk.found(of: canaries))
            let hidden = Set(canaries).subtracting(onDisk).sorted()
            #expect(encrypts ? onDisk.isEmpty : hidden.isEmpty, "on the disk \(onDisk.count), not there \(hidden)")
            for (name, bytes) in kept where name.hasPrefix("seals/") || name.hasPrefix("core/key/") {
                #expect(disk.has(bytes) == true, "\(name)")
            }
        }
        // What is written from now on is of the next life: nobody has anything to write there.
        try grant(isEnabled: moment != .disabled, hasCanaries: false)
        if moment == .uninstalled {
            for name in Self.names { try FileManager.default.removeItem(atPath: "\(board.folder)/plugins/\(name)") }
        }
        board.signal(SIGHUP)
        switch moment {
        case .disabled:
            try #require(board.waits { Self.names.allSatisfy { board.state($0) == "disabled" } }, "\(board.log)")
        case .uninstalled:
            try #require(board.waits { Self.names.allSatisfy { board.process($0) == .empty } }, "\(board.log)")
        default: break
        }
        try reset()
        if moment == .killedMeanwhile {
            board.end(SIGKILL)
            try board.start()
        }
        let isNew = board.waits {
            let now = life()
            return !now.isEmpty && now != former && board.state("core") == "running"
        }
        try #require(isNew, "\(board.log)")
        // Who runs has started anew since; who does not run has been emptied all the same.
        if ![.disabled, .uninstalled].contains(moment) {
            try #require(board.waits { hasWritten(0) >= 1 && board.state("hostile") == "running" }, "\(board.log)")
        }
        #expect(board.waits(seconds: 120) { countInFiles().isEmpty }, "\(countInFiles().sorted())")
        board.end()
        #expect(countInFiles() == [])
        for name in Self.names {
            let seal = try #require(kept["seals/\(name)"])
            for place in ["\(board.folder)/data/seals/\(name)", "\(board.run)/plugins/\(name)/seal"] {
                #expect(contents(place).map { $0.contains(seal) } != true, "\(place) is of the life before")
            }
        }
        guard let disk, encrypts else { return }
        #expect(disk.found(of: canaries) == [])
        for (name, bytes) in kept { #expect(disk.has(bytes) == false, "\(name) is on the disk") }
        // Nor does the kernel's knowledge of keys hide anything: as whoever takes the card out.
        #expect(disk.restart() && disk.found(of: canaries) == [])
    }
}
