// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// `state.json` in the run folder: replaced as a whole, so that whoever reads it never sees half of it. In memory (tmpfs) on boards,
/// so it is not synced.
struct StateFile {
    static let name = "state.json"
    private let folder: String

    init(folder: String) { self.folder = folder }

    /// Writes `status`; gives the reason if it could not be written. The beacon does not depend on it.
    func write(_ status: CoreStatus) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(status) else { return "the state cannot be encoded" }
        let bytes = Array(json) + [UInt8(ascii: "\n")]
        let path = "\(folder)/\(Self.name)"
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { return Self.reason }
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard count == bytes.count, rename(draft, path) == 0 else { return Self.reason }
        return nil
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
