// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import Glibc
import Simulation

/// SIGKILL before and after every single step that a core takes on real files, and what is left after each.
struct KillProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills",
        abstract: "Kills a core on real files before and after each of its steps; then asks what is left.",
        discussion: "Disks that are full or read-only at midnight are real ones, too, which takes root.")

    @Option(help: "Folder to work in; made and removed.")
    var folder = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/vigil-kills.\(getpid())"

    func run() throws {
        try Self.make(folder)
        defer { Self.clear(folder) }
        var passed = 0
        var failed = 0
        func judge(_ name: String, _ problem: String?) {
            if problem == nil { passed += 1 } else { failed += 1 }
            if let problem { print("\(name): \(problem)") }
        }
        try kill(judge)
        for disk in RealDisk.all {
            guard geteuid() == 0 else {
                print("\(disk.name): left out, because mounting takes root")
                continue
            }
            let problem = try disk.problem(in: folder)
            if problem == nil { print("\(disk.name): the TEK rolls, the beacon is on: ok") }
            judge(disk.name, problem)
        }
        for damage in RealDamage.all {
            try Self.refresh(folder)
            let problem = try damage.problem(data: "\(folder)/data", keys: "\(folder)/keys")
            if problem == nil { print("\(damage.name): reported, the beacon is on: ok") }
            judge(damage.name, problem)
        }
        print("\(passed) passed, \(failed) failed")
        if failed > 0 { throw ExitCode.failure }
    }

    private func kill(_ judge: (String, String?) -> Void) throws {
        try Self.refresh(folder)
        let whole = try life(number: nil, isAfter: false)
        guard let operations = whole.operations else { throw InputError(file: "core-life", "does not reach its end") }
        var steps: [(name: String, isSound: Bool)] = []
        var bar = ProgressBar("kills")
        for number in 1...operations {
            for isAfter in [false, true] {
                try Self.refresh(folder)
                let testimony = try life(number: number, isAfter: isAfter)
                guard testimony.operations == nil, !testimony.step.isEmpty else {
                    judge("step \(number)", "the core did not die there")
                    continue
                }
                let scene = try KillScene(
                    data: "\(folder)/data", keys: "\(folder)/keys", seed: UInt64(1_000 + number),
                    fatal: KillSwitch(number: nil, isAfter: false), moment: testimony.moment + 2_000)
                let problem = try scene.aftermath(of: testimony)
                judge("\(isAfter ? "after" : "before") step \(number), \(testimony.step)", problem)
                if let place = steps.firstIndex(where: { $0.name == testimony.step }) {
                    steps[place].isSound = steps[place].isSound && problem == nil
                } else {
                    steps.append((testimony.step, problem == nil))
                }
            }
            bar.update(UInt64(number), of: UInt64(operations))
        }
        for step in steps { print("\(step.name): \(step.isSound ? "ok" : "FAILED")") }
        print("\(operations) steps, killed before and after each: \(2 * operations) kills, \(steps.count) named steps")
    }

    /// Starts this executable again, to die.
    private func life(number: Int?, isAfter: Bool) throws -> KillScene.Testimony {
        var arguments = ["core-life", "\(folder)/data", "\(folder)/keys"]
        if let number { arguments += ["--number", "\(number)"] }
        if isAfter { arguments.append("--after") }
        return KillScene.Testimony(lines: try OwnProcess.output(of: arguments))
    }

    static func make(_ folder: String) throws {
        guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
        throw InputError(file: folder, "cannot be made: \(String(cString: strerror(errno)))")
    }

    private static func refresh(_ folder: String) throws {
        for part in ["data", "keys"] {
            clear("\(folder)/\(part)")
            try make("\(folder)/\(part)")
        }
    }

    /// Removes a folder of files and folders of files.
    static func clear(_ folder: String) {
        guard let stream = opendir(folder) else { return }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if unlink("\(folder)/\(name)") != 0 { clear("\(folder)/\(name)") }
        }
        closedir(stream)
        rmdir(folder)
    }
}

/// The core that is killed; not for people.
struct CoreLifeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "core-life", shouldDisplay: false)

    @Argument var data: String
    @Argument var keys: String
    @Option var number: Int?
    @Flag var after = false

    func run() throws {
        try KillScene(data: data, keys: keys, seed: 1, fatal: KillSwitch(number: number, isAfter: after)).play()
    }
}

/// This executable once more, in a process of its own.
enum OwnProcess {
    /// Its standard output, to its end, whatever ended it.
    static func output(of arguments: [String]) throws -> String {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw InputError(file: "pipe", String(cString: strerror(errno))) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        var argv: [UnsafeMutablePointer<CChar>?] = (["vigil-lab"] + arguments).map { strdup($0) } + [nil]
        defer { for argument in argv { free(argument) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, "/proc/self/exe", &actions, nil, &argv, environ)
        close(ends[1])
        defer { close(ends[0]) }
        guard status == 0 else {
            throw InputError(file: "vigil-lab", "cannot start itself: \(String(cString: strerror(status)))")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(ends[0], &piece, piece.count), count > 0 { bytes += piece.prefix(count) }
        var ending: Int32 = 0
        waitpid(process, &ending, 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
