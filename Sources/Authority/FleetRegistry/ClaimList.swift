// SPDX-License-Identifier: Apache-2.0

package import Enrolment
import ForeignText

/// The list of boards that an operator hands to the registration authority: a line `NAME sha256:DIGEST` each, as `vigil-fleet claims`
/// writes it. It shows no claim.
package enum ClaimList {
    /// A board that may enrol.
    package struct Entry: Sendable, Hashable {
        /// The board's name.
        package let name: BoardName
        /// `sha256:` and 64 small hexadecimal digits: the digest of its claim.
        package let digest: String
    }

    /// The longest list, in bytes: 200,000 boards and more.
    package static let maximumByteCount = 32 << 20

    /// Reads a list. Empty lines, and lines that begin with `#`, do not count. Throws `invalidList` with the first line that is wrong; also
    /// for a board that is in it twice, and for a list with no board.
    package static func parse(_ bytes: [UInt8]) throws(RegistryError) -> [Entry] {
        guard bytes.count <= maximumByteCount else { throw RegistryError(.invalidList, "it has \(bytes.count) bytes") }
        var entries: [Entry] = []
        var names: Set<BoardName> = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            if text.isEmpty || text.hasPrefix("#") { continue }
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let name = BoardName(parts[0]), isDigest(parts[1]) else {
                throw RegistryError(.invalidList, "line \(index + 1): “\(ForeignText.line(text, limit: 100))”")
            }
            guard names.insert(name).inserted else {
                throw RegistryError(.invalidList, "line \(index + 1): \(name) is in the list twice")
            }
            entries.append(Entry(name: name, digest: String(parts[1])))
        }
        guard !entries.isEmpty else { throw RegistryError(.invalidList, "there is no board in it") }
        return entries
    }

    private static func isDigest(_ text: Substring) -> Bool {
        text.hasPrefix("sha256:") && text.utf8.count == 71
            && text.utf8.dropFirst(7).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
