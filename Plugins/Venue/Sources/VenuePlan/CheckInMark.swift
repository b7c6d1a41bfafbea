// SPDX-License-Identifier: Apache-2.0

public import CrowdNotifier
import Cryptography

/// By what a check-in at a hidden place is known again when it comes once more, because a power cut has swallowed the answer. It is made of the code and of a
/// random text of the caller's, which is kept nowhere on the device: whoever has the mark and all codes, and not that text, learns nothing of the place.
public struct CheckInMark: Sendable, Hashable, CustomStringConvertible {
    /// The lengths of a caller's text, in characters: from 128 random bits in Base64url on. Our choice.
    public static let attemptCounts = 22...64
    /// Half a digest: 2^64 check-ins would have to be tried for two marks that are the same.
    private static let byteCount = 16
    private static let context = Array("vigil check-in\n".utf8)

    let bytes: [UInt8]

    /// Makes the mark of a check-in. `attempt` is the caller's text, random for each check-in, of ``attemptCounts`` letters, digits, `-` and `_`; returns `nil` for another one, or if Mbed TLS has no memory left. Whoever
    /// chooses a text that can be guessed lets the place be guessed while the visit is open.
    public init?(_ venue: CrowdNotifierVenue, attempt: String) {
        let text = Array(attempt.utf8)
        guard Self.attemptCounts.contains(text.count), text.allSatisfy(Self.isAllowed),
            let code = try? HMACSHA256.code(for: Self.context + venue.payload, key: SecretBytes(copying: text))
        else { return nil }
        bytes = Array(code.prefix(Self.byteCount))
    }

    /// Draws a mark that no check-in has. `random` must be cryptographically secure.
    init(using random: inout some RandomNumberGenerator) {
        bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Restores one that was stored; `nil` for another length.
    init?(stored: [UInt8]) {
        guard stored.count == Self.byteCount else { return nil }
        bytes = stored
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The word `CheckInMark`, and nothing else.
    public var description: String { "CheckInMark" }
}
