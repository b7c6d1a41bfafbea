// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The claim of a card: what enrols its board, once. Printed nowhere.
public struct EnrolmentClaim: Sendable, CustomStringConvertible, CustomReflectable {
    /// The longest file of a claim, in bytes.
    public static let maximumByteCount = 64
    private let characters: SecretBytes

    /// Reads the file of a claim: 16 letters and digits; dashes, blanks and line ends do not count. `nil` for anything else.
    public init?(_ file: SecretBytes) {
        var kept = file.withBytes { $0.filter { ![10, 13, 32, 45].contains($0) } }
        defer { for index in kept.indices { kept[index] = 0 } }
        guard file.count <= Self.maximumByteCount, kept.count == 16,
            kept.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) })
        else { return nil }
        characters = SecretBytes(copying: kept)
    }

    /// SHA-256 of the sixteen characters, as inventories and device files write it: `sha256:` and 64 hexadecimal digits.
    public var digest: String { characters.withBytes { "sha256:" + Hex.string(SHA256.digest(of: $0)) } }

    /// The value of `Authorization` that shows the claim to a server: Basic (RFC 7617) with the board's name. It is secret.
    public func authorization(_ name: BoardName) -> String {
        var pair = Array("\(name.text):".utf8) + characters.withBytes { Array($0) }
        defer { for index in pair.indices { pair[index] = 0 } }
        return "Basic " + Base64.string(pair)
    }

    /// The name of the type.
    public var description: String { "EnrolmentClaim" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
