// SPDX-License-Identifier: Apache-2.0

import Donation

/// What the judge knows of a wearer's error logs.
struct LogStory {
    var hasConsent = false
    var entries = DonorLook.Entries()
    var consentOrigin = ""
    /// The logs that the wearer has let go.
    var releaseCount = 0
    /// What the wearer has let go and nobody has taken yet; empty for nothing.
    var released: Set<DeviceTrouble> = []
    /// What the wearer lets go now, or has let go last.
    var offered: Set<DeviceTrouble> = []
    /// The day on which the wearer has looked at the log last.
    var readDay: Int64 = 0

    /// By the byte with which a request names a key of the document that holds: the first day of its month.
    var monthNames: [UInt8: Int64] = [:]
    /// By the name of a key: the first day of its month.
    var monthKeys: [[UInt8]: Int64] = [:]

    /// By month: what left the board.
    var messages: [Int64: Set<[UInt8]>] = [:]
    var nonces: [Int64: Set<[UInt8]>] = [:]
    /// By the nonce of a token: the contents that left with it.
    var contents: [[UInt8]: Set<[UInt8]>] = [:]
    /// By the nonce of a token: the content that the server has said it has, and the day on which it did.
    var taken: [[UInt8]: (content: [UInt8], on: Int64)] = [:]

    /// A consent is there, new or for other servers.
    mutating func given(by origin: String) {
        (hasConsent, consentOrigin, released) = (true, origin, [])
        entries.given += 1
    }

    /// The consent is taken back.
    mutating func takenBack() {
        (hasConsent, released) = (false, [])
        entries.withdrawn += 1
    }

    /// The log that was shown is let go.
    mutating func letGo() {
        released = offered
        releaseCount += 1
    }
}
