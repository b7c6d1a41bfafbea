// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PresenceTracing

/// The bytes that stand for a code's text in a broadcast: one byte for the kind, and then the code
/// (docs/decisions/0046-check-in-by-broadcast.md).
public enum BroadcastCode {
    /// The most bytes that a broadcast carries: 662 (`org.vigil.door1.Broadcast`).
    public static let maximumBytes = 662

    private enum Kind: UInt8 {
        /// The text itself, in UTF-8.
        case text = 0
        /// A `QRCodePayload` of the Corona-Warn-App; its text is ``VenueCode/text(_:)``.
        case coronaWarnApp = 1
    }

    /// Returns the bytes for a code's text; `nil` if they are more than ``maximumBytes``, or the text is empty. A link of the
    /// Corona-Warn-App in its usual form takes three quarters of its length.
    public static func bytes(of text: String) -> [UInt8]? {
        var bytes = [Kind.text.rawValue] + Array(text.utf8)
        if let location = try? VenueCode.decode(text), VenueCode.text(location) == text {
            bytes = [Kind.coronaWarnApp.rawValue] + location.payload
        }
        return (2...maximumBytes).contains(bytes.count) ? bytes : nil
    }

    /// Returns the text of a code that was broadcast, by anybody; `nil` if the bytes are none. Nothing of the text is
    /// checked: read it as one that was scanned.
    public static func text(of bytes: [UInt8]) -> String? {
        guard (2...maximumBytes).contains(bytes.count), let kind = Kind(rawValue: bytes[0]) else { return nil }
        let rest = Array(bytes.dropFirst())
        switch kind {
        case .text: return String(validating: rest, as: UTF8.self)
        case .coronaWarnApp: return (try? TraceLocation(payload: rest)).map(VenueCode.text)
        }
    }
}
