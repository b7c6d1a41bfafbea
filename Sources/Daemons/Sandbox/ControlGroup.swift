// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import SystemCalls

/// The control group of one process and of all processes that it starts: the kernel counts and limits them together.
///
/// It is made before the process, which joins it by itself, and removed afterwards.
public struct ControlGroup: Sendable, Hashable {
    /// The controllers, by what the kernel counts and limits. Raw values are the kernel's names.
    public enum Controller: String, Sendable, Hashable, Codable, CaseIterable {
        /// Memory in use (`memory`), and the number of processes and threads (`pids`).
        case memory, pids
        /// The group's share of the processors when there are not enough for all.
        case cpu

        /// Its name in reports.
        var primitive: Primitive {
            switch self {
            case .memory: .controlGroupMemory
            case .pids: .controlGroupProcesses
            case .cpu: .controlGroupProcessor
            }
        }
    }

    /// The group's folder under one controller.
    public struct Membership: Sendable, Hashable {
        /// The controller.
        public let controller: Controller
        /// The group's folder under that controller, absolute.
        public let folder: String

        /// Creates a membership of these values. Cannot fail.
        ///
        /// - Parameters:
        ///   - controller: The controller that limits the group.
        ///   - folder: The absolute path of the group's folder, as the supervisor sees it.
        public init(controller: Controller, folder: String) {
            self.controller = controller
            self.folder = folder
        }
    }

    /// The controllers that limit the group, with its folders, for ``SandboxPlan/controlGroups``; empty if no limit was
    /// asked for or none can be set.
    public let memberships: [Membership]
    /// The controllers whose limits were asked for and could not be set, each with the reason on one English line; empty if
    /// all limits are in force.
    public let missing: [Controller: String]

    /// The memory in use by the group, in bytes, including its share of the page cache; each read asks the kernel. `nil` if
    /// the group has no limit on memory, does not exist any more, or the kernel does not count it.
    public var memoryByteCount: UInt64? {
        folder(.memory).flatMap { folder in
            ["memory.current", "memory.usage_in_bytes"].lazy.compactMap {
                readLine("\(folder)/\($0)").flatMap { UInt64($0) }
            }.first
        }
    }

    /// The number of times that the kernel killed a process of the group because its memory was used up, since the group
    /// was made, 0 or more; each read asks the kernel. `nil` if the group has no limit on memory, does not exist any more,
    /// or the kernel does not count it.
    public var memoryKillCount: UInt64? {
        guard let folder = folder(.memory) else { return nil }
        for name in ["memory.events", "memory.oom_control"] {
            guard let text = readText("\(folder)/\(name)") else { continue }
            for line in text.split(separator: "\n") where line.hasPrefix("oom_kill ") { return UInt64(line.dropFirst(9)) }
        }
        return nil
    }

    /// Sends SIGKILL to every process in the group, and returns without waiting for their ends; cannot fail. Where there is
    /// no process namespace, this ends the processes that a program leaves behind. The caller must not be in the group,
    /// because version 2 would end it, too. If the kernel has no `cgroup.kill`, it searches for processes 10 times.
    public func killAll() {
        for folder in Set(memberships.map(\.folder)) {
            if writeText("1", to: "\(folder)/cgroup.kill") == 0 { continue }
            // Whoever is born meanwhile is met in the next round; a bounded number, because of the limit on their number.
            for _ in 0..<10 {
                let numbers = (readText("\(folder)/cgroup.procs") ?? "").split(separator: "\n").compactMap { Int32($0) }
                if numbers.isEmpty { break }
                for number in numbers where number > 1 && number != getpid() { kill(number, SIGKILL) }
            }
        }
    }

    /// Removes the group's folders. Returns `true` if none is left, also if there was none; `false` as soon as the kernel
    /// refuses to remove one, usually because a process is still in it, and then others may be left, too.
    @discardableResult
    public func remove() -> Bool {
        Set(memberships.map(\.folder)).allSatisfy { rmdir($0) == 0 || errno == ENOENT }
    }

    private func folder(_ controller: Controller) -> String? { memberships.first { $0.controller == controller }?.folder }
}

/// A small file of the kernel; `nil` when it cannot be read, or has more than a mebibyte.
func readText(_ path: String) -> String? {
    (try? WholeFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
}

func readLine(_ path: String) -> String? {
    readText(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
}

/// 0 or errno.
func writeText(_ text: String, to path: String) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return write(descriptor, text, text.utf8.count) == text.utf8.count ? 0 : errno
}
