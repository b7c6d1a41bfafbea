// SPDX-License-Identifier: Apache-2.0

extension SandboxPlan {
    /// Bounds of vigil-jail (jail.h).
    private enum Bound {
        static let byteCount = 32768
        static let binds = 43
        static let words = 64
    }

    /// The plan as vigil-jail reads it.
    ///
    /// - Throws: `planInvalid` for what vigil-jail would refuse anyway, so that the reason is said where the plan is made.
    func text(extraDescriptors: Int) throws(SandboxFailure) -> String {
        var lines = Lines()
        try lines.add("name", name)
        if !program.isEmpty { try lines.add("program", program) }
        try lines.add("profile", profile.rawValue)
        try lines.add("denials", denials.rawValue)
        for argument in arguments { try lines.add("argument", argument) }
        for (key, value) in environment.sorted(by: { $0.key < $1.key }) { try lines.add("environment", key, value) }
        try addNetwork(to: &lines)
        try addFiles(to: &lines)
        if let user {
            try lines.add("user", "\(user.user)", "\(user.group)")
            for group in user.furtherGroups { try lines.add("group", "\(group)") }
        }
        try addLimits(to: &lines)
        for membership in controlGroups { try lines.add("cgroup", membership.controller.rawValue, membership.folder) }
        for primitive in required.sorted(by: { $0.rawValue < $1.rawValue }) { try lines.add("require", primitive.rawValue) }
        if extraDescriptors > 0 { try lines.add("extra", "\(extraDescriptors)") }
        if isProbe { try lines.add("probe") }
        try lines.add("end")
        guard lines.text.utf8.count <= Bound.byteCount else {
            throw SandboxFailure(.planInvalid, "it is longer than 32 KiB")
        }
        guard arguments.count <= Bound.words, environment.count <= Bound.words else {
            throw SandboxFailure(.planInvalid, "more than \(Bound.words) arguments or environment variables")
        }
        return lines.text
    }

    private func addNetwork(to lines: inout Lines) throws(SandboxFailure) {
        switch network {
        case .none: try lines.add("network", "none")
        case .host: try lines.add("network", "host")
        case .proxied(let port, let outside):
            try lines.add("network", "private")
            try lines.add("socks", "\(port)")
            if let outside { try lines.add("socks-outside", outside) }
        }
    }

    private func addFiles(to lines: inout Lines) throws(SandboxFailure) {
        guard binds.count + devices.count + 3 <= Bound.binds else {
            throw SandboxFailure(.planInvalid, "more than \(Bound.binds) folders and devices")
        }
        for bind in binds {
            guard !bind.isOptional || bind.access == .programs || bind.access == .readable else {
                throw SandboxFailure(.planInvalid, "\(bind.target): what is writable must be there")
            }
            try lines.add(bind.access.rawValue + (bind.isOptional ? "-if-there" : ""), bind.source, bind.target)
        }
        for (kind, folder) in [("state", stateFolder), ("spool", spoolFolder), ("run", runFolder)] {
            if let folder { try lines.add("folder", kind, folder) }
        }
        for device in devices { try lines.add("device", device.path, "\(device.major)", "\(device.minor)") }
    }

    private func addLimits(to lines: inout Lines) throws(SandboxFailure) {
        try lines.add("limit", "core", "0")
        let named = [
            ("nofile", limits.openFiles), ("nproc", limits.processes), ("fsize", limits.fileBytes),
            ("data", limits.dataBytes),
            ("as", limits.addressBytes),
        ]
        for (name, value) in named {
            if let value { try lines.add("limit", name, "\(min(value, UInt64(Int64.max)))") }
        }
        if let oomScore { try lines.add("oom", "\(oomScore)") }
        if let niceness = niceness ?? (profile == .plugin ? 5 : nil) { try lines.add("nice", "\(niceness)") }
    }
}

/// Lines of words between tabs.
private struct Lines {
    private(set) var text = "vigil-plan\t1\n"

    mutating func add(_ words: String...) throws(SandboxFailure) {
        for word in words where word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw SandboxFailure(.planInvalid, "a control character in \"\(words[0])\"")
        }
        text += words.joined(separator: "\t") + "\n"
    }
}
