// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which user number belongs to which plugin, for good: files that last are owned by it. Text, `vigil-users 1` and then a line
/// `NAME OFFSET` each; kept beside the data. A number is not given to another plugin while the first one's data is there.
struct UserTable {
    private static let header = "vigil-users 1"
    private let path: String
    private let first: UInt32
    private var offsets: [String: UInt32] = [:]
    /// The last one given. What a plugin left in the kernel (descriptors in flight) counts for its number until the machine restarts, so a number that
    /// is free again is given as late as can be.
    private var last: UInt32 = Self.plugins.upperBound

    /// Reads the table; a damaged one is set aside, and `findings` says so.
    init(path: String, first: UInt32, findings: inout [String]) {
        self.path = path
        self.first = first
        guard let bytes = Folders.read(path, limit: 16_384) else { return }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        var isWhole = lines.first.map { $0 == Self.header } ?? false
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let offset = UInt32(parts[1]), Self.plugins.contains(offset),
                !offsets.values.contains(offset)
            else {
                isWhole = false
                continue
            }
            offsets[String(parts[0])] = offset
        }
        if !isWhole {
            rename(path, path + ".damaged")
            findings.append("\(path) was damaged and is set aside as users.damaged; what could be read of it holds")
            store()
        }
    }

    var core: UInt32 { first }
    var egress: UInt32 { first + 1 }
    private static let plugins: Range<UInt32> = 2..<SupervisorConfiguration.userCount

    /// The plugin's number; a new one is stored before it is given. `nil` when all are taken.
    mutating func user(for plugin: String) -> UInt32? {
        if let offset = offsets[plugin] { return first + offset }
        let free = Self.plugins.filter { !offsets.values.contains($0) }
        guard let free = free.first(where: { $0 > last }) ?? free.first else { return nil }
        last = free
        offsets[plugin] = free
        store()
        return first + free
    }

    /// The plugin's data is gone; its number may be given again.
    mutating func forget(_ plugin: String) {
        if offsets.removeValue(forKey: plugin) != nil { store() }
    }

    private func store() {
        let lines = offsets.sorted { $0.value < $1.value }.map { "\($0.key) \($0.value)\n" }.joined()
        try? Folders.replaceLastingly(path, with: Array("\(Self.header)\n\(lines)".utf8), mode: 0o644)
    }
}
