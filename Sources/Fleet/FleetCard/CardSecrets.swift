// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography

/// The two secrets of a new board, and a random name that is no secret. The secrets are independent, so that one tells nothing about the other: the label's
/// code is where people can see it, the enrolment claim only on the memory card.
public struct CardSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first code of the page, as it is printed on the label: 80 bits.
    let labelCode: SecretBytes
    /// What enrols the board at the fleet's authority, once: 80 bits.
    let claim: SecretBytes
    /// A name on the network for a person's board, such as `vigil-q7m2xa`: 30 bits. It comes of nothing, and is on the label and
    /// in the folder only, so that whoever hears it learns of no number that an inventory has.
    let localName: String

    /// Draws two new secrets of 80 bits each, and the name. `generator` must be cryptographically secure outside of tests. Cannot
    /// fail.
    public init(using generator: inout some RandomNumberGenerator) {
        labelCode = SecretBytes(copying: PrintedSecret.make(using: &generator).utf8)
        claim = SecretBytes(copying: PrintedSecret.make(using: &generator).utf8)
        localName =
            "vigil-"
            + String(
                decoding: (0..<6).map { _ in BoardSerial.alphabet[Int.random(in: 0..<32, using: &generator)] },
                as: UTF8.self)
    }

    /// SHA-256 of the sixteen characters without dashes, which is what an inventory keeps: of 80 random bits nobody finds the secret again.
    static func digest(_ secret: SecretBytes) -> String {
        secret.withBytes { bytes in
            "sha256:" + Hex.string(SHA256.digest(of: Array(bytes).filter { $0 != UInt8(ascii: "-") }))
        }
    }

    /// The word `CardSecrets`, without the secrets.
    public var description: String { "CardSecrets" }
    /// The word `CardSecrets`, without the secrets.
    public var debugDescription: String { description }
    /// A mirror without children, so that the secrets do not show.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
