// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CommandFiles
import FoundationEssentials
import Glibc
import TimeTrust

/// A real `vigil core`, or whatever else is compared with it, with folders of its own.
final class BoardProcess {
    private(set) var process: pid_t = 0
    /// The time when it was started, nanoseconds of the boot clock.
    private(set) var started: Int64 = 0

    /// Starts `words` with its output thrown away.
    init(_ words: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for value in values { free(value) } }
        started = Station.now
        guard posix_spawnp(&process, words[0], &actions, nil, &values, environ) == 0 else {
            throw InputError(file: words[0], "cannot be started")
        }
    }

    deinit { end(SIGKILL) }

    /// Whether it has ended by itself.
    var isOver: Bool {
        var information = siginfo_t()
        let flags = WEXITED | WNOHANG | WNOWAIT
        return process > 0 && waitid(P_PID, id_t(process), &information, flags) == 0
            && information._sifields._kill.si_pid != 0
    }

    /// Sends the signal and waits for the end.
    func end(_ signal: Int32) {
        guard process > 0 else { return }
        kill(process, signal)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = 0
    }

    // MARK: The kernel's account

    /// Memory in MiB, from `/proc/PID/smaps`.
    struct Memory {
        /// What it would be if nothing else on the machine used Swift: what it shares with this benchmark counts in full, the
        /// C library only by its share.
        var alone = 0.0
        var resident = 0.0
        /// Whether the Swift libraries are files of their own; on boards they are part of the executable.
        var isSwiftDynamic = false
        /// Its own and written to: what no other process and no file could give.
        var anonymous = 0.0
    }

    func memory() -> Memory { Self.memory(of: process) }

    static func memory(of process: pid_t) -> Memory {
        var result = Memory()
        var isSwift = false
        // Boards of one trial share the executable, whatever it is called.
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) ?? "/vigil"
        for line in text("smaps", of: process).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count >= 2 else { continue }
            if !words[0].hasSuffix(":") {
                let name = words.count > 5 ? words[5] : ""
                isSwift = ["/libswift", "Foundation", "/libdispatch", "/libBlocks", executable].contains {
                    name.contains($0)
                }
                if name.contains("/libswiftCore.so") { result.isSwiftDynamic = true }
                continue
            }
            let mebibytes = (Double(words[1]) ?? 0) / 1_024
            switch words[0] {
            case "Rss:":
                result.resident += mebibytes
                if isSwift { result.alone += mebibytes }
            case "Pss:" where !isSwift: result.alone += mebibytes
            case "Anonymous:": result.anonymous += mebibytes
            default: break
            }
        }
        return result
    }

    /// How often it has waited of its own accord so far, which is how often it was woken.
    func wakeUps() -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Double($0) } ?? .nan
    }

    /// Nanoseconds of processor time so far; the scheduler's own account, as the ticks of `stat` are 10 ms.
    func processorNanoseconds() -> Double {
        text("schedstat").split(separator: " ").first.flatMap { Double($0) } ?? .nan
    }

    /// A line of `status` in MiB: `VmRSS`, or `VmHWM` for the highest since ``forgetPeak()``.
    func mebibytes(_ name: String) -> Double {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Double($0) } ?? .nan)
            / 1_024
    }

    /// Lets the kernel measure the highest resident memory anew.
    func forgetPeak() {
        let descriptor = open("/proc/\(process)/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = Glibc.write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Processor seconds of its children that ended and were waited for, in steps of 10 ms (proc(5), `cutime` and `cstime`).
    func childrensProcessorSeconds() -> Double {
        guard let rest = text("stat").split(separator: ")").last else { return .nan }
        let fields = rest.split(separator: " ")
        guard fields.count > 14, let user = Double(fields[13]), let system = Double(fields[14]) else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Highest resident memory of the child it has now, in MiB; 0 without one.
    func childsPeak() -> Double {
        guard let bytes = try? Files.read("/proc/\(process)/task/\(process)/children", limit: 256),
            let child = String(decoding: bytes, as: UTF8.self).split(separator: " ").first,
            let status = try? Files.read("/proc/\(child)/status", limit: 1 << 16)
        else { return 0 }
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Double($0) } ?? 0)
            / 1_024
    }

    private func text(_ name: String) -> String { Self.text(name, of: process) }

    private static func text(_ name: String, of process: pid_t) -> String {
        guard let bytes = try? Files.read("/proc/\(process)/\(name)", limit: 4 << 20) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The folders of one board.
struct BoardFolders {
    let root: String
    let run: String

    /// Makes them under `parent`, the run folder in memory if possible, as on boards.
    init(_ name: String, in parent: String) throws {
        root = "\(parent)/\(name)"
        let memory = Self.memoryFolder(for: parent)
        run = access(memory, W_OK) == 0 ? "\(memory)/\(name)" : root + "/run"
        for folder in [root, run] {
            guard mkdir(folder, 0o700) == 0 else { throw InputError(file: folder, "cannot be created") }
        }
    }

    /// Where folders in memory belong that belong to those under `parent`; whoever makes it removes it.
    static func memoryFolder(for parent: String) -> String {
        "/dev/shm" + parent.suffix(from: parent.lastIndex(of: "/") ?? parent.startIndex)
    }

    /// What starts the firmware on these folders.
    func command(_ vigil: String, _ station: Station, profile: String = "token") -> [String] {
        command(vigil, socket: station.socket, profile: profile)
    }

    /// The same for a controller at `socket`.
    func command(_ vigil: String, socket: String, profile: String = "token") -> [String] {
        [
            vigil, "core", "--enable", "--transport", "h4:unix:\(socket)", "--data", root + "/data", "--run", run,
            "--profile",
            profile,
        ]
    }

    /// What `vigil time set` does, with a moment that is known exactly.
    func setTime(_ time: UnixTime = BoardClock.system(), at moment: Int64 = Station.now) throws {
        try OperatorTime(time, at: BootInstant(nanoseconds: moment)).write(to: run)
    }

    /// A number of the state file, by its section and name.
    func state(_ section: String, _ name: String) -> Double? {
        guard let bytes = try? Files.read(run + "/state.json", limit: 1 << 20),
            let state = try? JSONDecoder().decode(Numbers.self, from: Data(bytes))
        else { return nil }
        return state.sections[section]?[name]
    }

    /// The numbers of a JSON object of objects.
    private struct Numbers: Decodable {
        var sections: [String: [String: Double]] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for section in container.allKeys {
                guard let inner = try? container.nestedContainer(keyedBy: Key.self, forKey: section) else { continue }
                for key in inner.allKeys {
                    sections[section.stringValue, default: [:]][key.stringValue] = try? inner.decode(
                        Double.self, forKey: key)
                }
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
