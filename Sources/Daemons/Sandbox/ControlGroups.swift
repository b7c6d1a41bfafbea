// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import SystemCalls

/// The supervisor's own place among the control groups, below which it makes the groups of its children.
///
/// They are made only there, so that what is counted and limited for the supervisor includes them.
public struct ControlGroups: Sendable, Hashable {
    enum Version: Sendable, Hashable {
        case one, two
    }
    struct Place: Sendable, Hashable {
        let version: Version
        let folder: String
    }

    let places: [ControlGroup.Controller: Place]
    /// The controllers that this machine does not provide, each with the reason on one English line; empty if it provides
    /// all.
    public let missing: [ControlGroup.Controller: String]

    /// Finds the control groups of this process; cannot fail: a controller that is not there is in ``missing``. It writes
    /// only with version 2: it hands controllers down that groups below do not have yet, and if the kernel requires it,
    /// first moves this process into a group `supervisor` beside those that it will make.
    public static func own() -> ControlGroups {
        own(membership: readText("/proc/self/cgroup") ?? "", mounts: readText("/proc/self/mountinfo") ?? "")
    }

    static func own(membership: String, mounts: String) -> ControlGroups {
        var places: [ControlGroup.Controller: Place] = [:]
        var missing: [ControlGroup.Controller: String] = [:]
        let mounted = ControlGroupMount.parse(mounts)
        for controller in ControlGroup.Controller.allCases {
            if let folder = folder(of: controller, membership: membership, mounted: mounted) {
                places[controller] = Place(version: .one, folder: folder)
            } else if let folder = unifiedFolder(membership: membership, mounted: mounted) {
                if let reason = handDown(controller, in: folder) {
                    missing[controller] = reason
                } else {
                    places[controller] = Place(version: .two, folder: folder)
                }
            } else {
                missing[controller] = "no control groups are mounted"
            }
        }
        return ControlGroups(places: places, missing: missing)
    }

    /// Makes the group `name` with its limits, as a folder below the supervisor's; an existing one is used, with the
    /// processes in it.
    ///
    /// - Parameters:
    ///   - name: The group's name.
    ///   - memoryByteCount: The most bytes of memory of all its processes together, which may not be moved to swap; `nil`
    ///     for no limit.
    ///   - processCount: The most processes and threads together; `nil` for no limit.
    ///   - processorWeight: The group's weight when there are not enough processors, 1 to 10,000, not checked here;
    ///     processes in no group have 100. `nil` sets none. Niceness is not enough: if the kernel shares processors by
    ///     session (autogroup), a program gets a full share for each session that it makes.
    /// - Returns: The group. Limits that could not be set are in its ``ControlGroup/missing``; nothing is thrown.
    public func make(
        _ name: String, memoryByteCount: UInt64?, processCount: Int?, processorWeight: Int? = nil
    ) -> ControlGroup {
        var memberships: [ControlGroup.Membership] = []
        var missing: [ControlGroup.Controller: String] = [:]
        let limits: [(ControlGroup.Controller, String?)] = [
            (.memory, memoryByteCount.map { "\($0)" }), (.pids, processCount.map { "\($0)" }),
            (.cpu, processorWeight.map { Self.processorLimit($0, places[.cpu]?.version) }),
        ]
        for (controller, limit) in limits {
            guard let limit else { continue }
            guard let place = places[controller] else {
                missing[controller] = self.missing[controller]
                continue
            }
            let folder = "\(place.folder)/\(name)"
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
                missing[controller] = "\(folder): \(SystemCall.text(errno))"
                continue
            }
            let file = Self.file(controller, place.version)
            let error = writeText(limit, to: "\(folder)/\(file)")
            if error == 0 {
                if controller == .memory { keepOutOfSwap(folder, limit, place.version) }
                memberships.append(ControlGroup.Membership(controller: controller, folder: folder))
            } else {
                missing[controller] = "\(folder)/\(file): \(SystemCall.text(error))"
                rmdir(folder)
            }
        }
        return ControlGroup(memberships: memberships, missing: missing)
    }

    /// Version 1 counts to 1024 where version 2 counts to 100, from 2 on.
    static func processorLimit(_ weight: Int, _ version: Version?) -> String {
        let weight = min(max(weight, 1), 10_000)
        return version == .one ? "\(max(weight * 1024 / 100, 2))" : "\(weight)"
    }

    /// What does not fit is not moved to swap instead, where the others' memory would wait for the disk. Without swap, or where the kernel does
    /// not count it, the files are not there.
    private func keepOutOfSwap(_ folder: String, _ limit: String, _ version: Version) {
        switch version {
        // Memory and swap together: no more than memory alone.
        case .one: _ = writeText(limit, to: "\(folder)/memory.memsw.limit_in_bytes")
        case .two: _ = writeText("0", to: "\(folder)/memory.swap.max")
        }
    }

    private static func file(_ controller: ControlGroup.Controller, _ version: Version) -> String {
        switch (controller, version) {
        case (.memory, .one): "memory.limit_in_bytes"
        case (.cpu, .one): "cpu.shares"
        case (.cpu, .two): "cpu.weight"
        default: "\(controller.rawValue).max"
        }
    }

    /// Version 1: one line `number:controllers:path` per hierarchy, each mounted with its controllers as options.
    private static func folder(
        of controller: ControlGroup.Controller, membership: String, mounted: [ControlGroupMount]
    ) -> String? {
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[1].split(separator: ",").contains(where: { $0 == controller.rawValue }) else {
                continue
            }
            return mounted.lazy.filter { !$0.isUnified && $0.controllers.contains(controller.rawValue) }
                .compactMap { $0.folder(of: String(parts[2])) }.first
        }
        return nil
    }

    private static func unifiedFolder(membership: String, mounted: [ControlGroupMount]) -> String? {
        guard let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
        return mounted.lazy.filter(\.isUnified).compactMap { $0.folder(of: String(line.dropFirst(3))) }.first
    }

    /// Why the controller cannot be used below `folder`; nil when it can.
    private static func handDown(_ controller: ControlGroup.Controller, in folder: String) -> String? {
        let given = (readLine("\(folder)/cgroup.controllers") ?? "").split(separator: " ")
        guard given.contains(where: { $0 == controller.rawValue }) else {
            return "the kernel, or whoever started the supervisor, does not give it the controller \(controller.rawValue)"
        }
        let control = "\(folder)/cgroup.subtree_control"
        if (readLine(control) ?? "").split(separator: " ").contains(where: { $0 == controller.rawValue }) { return nil }
        var error = writeText("+\(controller.rawValue)", to: control)
        if error == EBUSY {
            // Groups that hand controllers down hold no process themselves (cgroups(7), "no internal processes").
            guard mkdir("\(folder)/supervisor", 0o755) == 0 || errno == EEXIST else { return SystemCall.text(errno) }
            error = writeText("\(getpid())", to: "\(folder)/supervisor/cgroup.procs")
            if error == 0 { error = writeText("+\(controller.rawValue)", to: control) }
        }
        return error == 0 ? nil : "\(control): \(SystemCall.text(error))"
    }
}
