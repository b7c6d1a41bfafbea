// SPDX-License-Identifier: Apache-2.0

import ControlTool
import Glibc
import JSON
import PluginTool
import Synchronization

/// A board's folders in a folder of their own, and commands on them.
final class Bench {
    let root: String
    let places: PluginPlaces
    private(set) var shown = ""
    private var lock: Int32 = -1

    init() {
        var template = Array("/tmp/vigil-plugin-tool-XXXXXX".utf8CString)
        root = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
        places = PluginPlaces(
            plugins: ["\(root)/usr", "\(root)/plugins"], added: "\(root)/plugins", grants: "\(root)/etc/grants.json",
            run: "\(root)/run", state: "\(root)/state")
        for folder in ["run", "usr", "state"] { mkdir("\(root)/\(folder)", 0o755) }
    }

    deinit {
        if lock >= 0 { close(lock) }
        var command = Array("rm -rf \(root)".utf8CString)
        _ = system(&command)
    }

    /// A command, with what it shows in ``shown``.
    func session(json: Bool = false, dryRun: Bool = false, answers: [String]? = nil) -> PluginSession {
        shown = ""
        var rest = answers ?? []
        let person = Person(answer: answers == nil ? nil : { _ in rest.isEmpty ? nil : rest.removeFirst() })
        return PluginSession(
            places: places, isJSON: json, isDryRun: dryRun, screen: Screen(width: 160), person: person
        ) { [unowned self] in shown += $0 }
    }

    /// What was shown, as JSON.
    var answer: JSON { (try? JSON(parsing: Array(shown.utf8.dropLast()))) ?? .null }

    func write(_ path: String, _ text: String, mode: mode_t = 0o644) {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        let file = open("\(root)/\(path)", O_WRONLY | O_CREAT | O_TRUNC, mode)
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        fchmod(file, mode)
        close(file)
    }

    func text(_ path: String) -> String? {
        guard let file = fopen("\(root)/\(path)", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    func json(_ path: String) -> JSON { (try? JSON(parsing: Array((text(path) ?? "").utf8))) ?? .null }

    func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat("\(root)/\(path)", &status) == 0 ? status.st_mode & 0o777 : nil
    }

    func has(_ path: String) -> Bool { mode(path) != nil }

    /// Every name below the root with its size and time of change.
    func everything() -> String {
        guard let pipe = popen("cd \(root) && find . -printf '%p %s %T@\\n' | sort", "r") else { return "" }
        defer { pclose(pipe) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, pipe) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// A plugin as its author has it.
    func makePlugin(_ id: String = "hello", version: String = "1.0.0", in folder: String = "source", wants: JSON? = nil) {
        let manifest: JSON = [
            "id": .string(id), "version": .string(version), "title": "Hello", "description": "Greets.",
            "run": ["program": "bin/hello"], "start": "onDemand", "provides": [],
            "wants": wants ?? [
                ["interface": "org.vigil.exposure1", "methods": ["GetStatus"], "why": "To say how you are."],
                ["interface": "org.vigil.device1", "methods": ["GetRadio"], "why": "To say what is on air."],
            ],
            "endpoints": [["name": "news", "why": "To fetch greetings."]],
            "listens": [["name": "web", "why": "To show greetings.", "port": id == "second" ? 8081 : 8080]],
            "settings": [
                "properties": [
                    "greeting": ["type": "string", "default": "Hello"], "token": ["type": "string", "writeOnly": true],
                    "times": ["type": "integer", "minimum": 1],
                ]
            ],
        ]
        write("\(folder)/plugin.json", manifest.description)
        write("\(folder)/bin/hello", "#!/bin/sh\necho hello\n", mode: 0o755)
        write("\(folder)/README.md", "Greets.\n", mode: 0o664)
        write("\(folder)/.git/config", "secret\n")
    }

    /// Stands in for a supervisor as far as files show one: its number, its lock, its state.
    func pretendSupervisor(_ state: String = #"{"version":"1","safeMode":false,"processes":[]}"#) {
        write("run/supervisor.pid", "\(getpid())\n")
        _ = Hangups.count
        lock = open("\(root)/run/supervisor.pid", O_RDWR | O_CLOEXEC)
        flock(lock, LOCK_EX | LOCK_NB)
        write("run/supervisor.json", state)
    }
}

/// Signals that came to this process; it is this process that stands in for the supervisor.
enum Hangups {
    private static let counted = Atomic<Int>(0)
    /// Once, and for good: a signal may arrive after the test that caused it.
    private static let handler: Void = { signal(SIGHUP) { _ in Hangups.counted.add(1, ordering: .relaxed) } }()

    static var count: Int {
        _ = handler
        return counted.load(ordering: .relaxed)
    }
}
