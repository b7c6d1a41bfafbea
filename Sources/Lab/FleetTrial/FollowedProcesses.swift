// SPDX-License-Identifier: Apache-2.0

import CTracer
import Glibc
import VirtualAir

/// The process of the boards and the registry's, followed from one call of the system to the next, and killed before or after some of those that
/// write or send: every process dies at any of its writes. Used by the thread that made it.
final class FollowedProcesses {
    enum Role: String, CaseIterable { case boards, registry }

    /// How many kills there were, by who and where, such as `registry after fdatasync`.
    private(set) var kills: [String: Int] = [:]
    private let program: String
    private let page: SharedPage
    private let arguments: (Role) -> [String]
    /// After how many such moments a process is killed, on average; 0 for never.
    private let every: [Role: Int]
    private var random: SplitMix64
    private var processes: [Role: pid_t] = [:]
    private var countdown: [Role: Int] = [:]
    private var dying: Set<pid_t> = []
    private var threads: [pid_t: Role] = [:]
    /// The call that a thread is in, after which its process is killed.
    private var fatal: [pid_t: String] = [:]

    init(
        _ program: String, page: SharedPage, every: [Role: Int], seed: UInt64, arguments: @escaping (Role) -> [String]
    ) {
        (self.program, self.page, self.every, self.arguments) = (program, page, every, arguments)
        random = SplitMix64(seed: seed)
        for role in Role.allCases { aim(role) }
    }

    deinit {
        for process in processes.values { kill(process, SIGKILL) }
        // A process is at its end when whoever follows it has taken all its threads.
        var left = Set(processes.values)
        while !left.isEmpty {
            let ended = waitpid(-1, nil, Int32(bitPattern: 0x4000_0000))
            if ended < 0, errno != EINTR { return }
            left.remove(ended)
        }
    }

    private func aim(_ role: Role) {
        let mean = every[role] ?? 0
        countdown[role] = mean == 0 ? .max : Int.random(in: 1...(2 * mean - 1), using: &random)
    }

    private func start(_ role: Role) throws(FleetTrialFailure) {
        if role == .registry { page.port = 0 }
        var words: [UnsafeMutablePointer<CChar>?] = (["vigil-lab"] + arguments(role)).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = vigil_tracer_start_at_changes(program, &words)
        guard process > 0 else {
            throw FleetTrialFailure("\(program) cannot be followed: \(String(cString: strerror(-process)))")
        }
        processes[role] = process
        threads[process] = role
    }

    /// Has both live, die and live again until the boards' process is at its end. Blocks. `progress` is called now and then. Throws
    /// ``FleetTrialFailure`` if one of them ends otherwise.
    func run(progress: () -> Void) throws(FleetTrialFailure) {
        for role in Role.allCases where processes[role] == nil { try start(role) }
        while true {
            var stop = vigil_tracer_stop()
            let result = vigil_tracer_next(0, &stop)
            guard result == 0 else { throw FleetTrialFailure("following: \(String(cString: strerror(-result)))") }
            if stop.kind == VIGIL_TRACER_ENDED {
                if try ended(stop) { return }
                progress()
                continue
            }
            if isKilled(stop) { continue }
            vigil_tracer_go(stop.thread, fatal[stop.thread] == nil ? 0 : 1)
        }
    }

    /// Whether the boards are at their end.
    private func ended(_ stop: vigil_tracer_stop) throws(FleetTrialFailure) -> Bool {
        fatal[stop.thread] = nil
        let role = threads.removeValue(forKey: stop.thread)
        guard let role, processes[role] == stop.thread else { return false }
        processes[role] = nil
        threads = threads.filter { $0.value != role }
        if dying.remove(stop.thread) != nil {
            try start(role)
            return false
        }
        guard role == .boards, stop.status == 0 else {
            throw FleetTrialFailure("the process of \(role.rawValue) ended by itself, status \(stop.status)")
        }
        return true
    }

    private func role(of thread: pid_t) -> Role? {
        if let known = threads[thread] { return known }
        let found = processes.first { access("/proc/\($0.value)/task/\(thread)", F_OK) == 0 }?.key
        threads[thread] = found
        return found
    }

    /// Whether the process is killed here: before or after a call that writes, makes lasting, or sends.
    private func isKilled(_ stop: vigil_tracer_stop) -> Bool {
        guard let role = role(of: stop.thread), let process = processes[role], !dying.contains(process) else {
            return false
        }
        if let name = fatal[stop.thread] {
            guard stop.kind == VIGIL_TRACER_EXIT else { return false }
            end(role, process, "after \(name)")
            return true
        }
        guard stop.kind == VIGIL_TRACER_ENTRY, let name = vigil_tracer_name(stop.number).map({ String(cString: $0) }),
            Self.isDeed(name, stop)
        else { return false }
        countdown[role] = (countdown[role] ?? 0) - 1
        guard countdown[role] == 0 else { return false }
        aim(role)
        guard Bool.random(using: &random) else {
            end(role, process, "before \(name)")
            return true
        }
        fatal[stop.thread] = name
        return false
    }

    /// A call that has not begun is never made: the thread is not let go on.
    private func end(_ role: Role, _ process: pid_t, _ place: String) {
        kills["\(role.rawValue) \(place)", default: 0] += 1
        fatal = fatal.filter { self.role(of: $0.key) != role }
        dying.insert(process)
        kill(process, SIGKILL)
    }

    private static func isDeed(_ name: String, _ stop: vigil_tracer_stop) -> Bool {
        switch name {
        case "openat": Int32(truncatingIfNeeded: stop.arguments.2) & (O_WRONLY | O_RDWR | O_CREAT) != 0
        // What a process complains of is no deed: one that cannot start must come to its end, and be told.
        case "write", "writev": stop.arguments.0 > 2
        case "pwrite", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "unlink", "unlinkat",
            "connect", "send", "sendmsg":
            true
        default: false
        }
    }
}
