// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A system of venue codes. The text of a code is a link whose fragment is `QRCodePayload` (spec checkin-and-nhs
/// A.2).
public struct CrowdNotifierCode: Sendable, Hashable {
    /// The exact host of the links, without subdomains, such as `qr.swisscovid.ch`.
    public let host: String
    /// The value that the link's parameter `v` must have, such as `4`; another value, or none, is refused with
    /// `unsupportedVersion`.
    public let version: String

    /// Creates a system of venue codes with this host and this value of the parameter `v`; nothing is checked.
    public init(host: String, version: String = "4") {
        self.host = host
        self.version = version
    }

    /// The system of SwissCovid's codes: host qr.swisscovid.ch, version 4 (spec checkin-and-nhs A.2).
    public static let swissCovid = CrowdNotifierCode(host: "qr.swisscovid.ch")
    /// The system of NotifyMe's codes: host qr.notify-me.ch, version 3 (spec checkin-and-nhs A.2).
    public static let notifyMe = CrowdNotifierCode(host: "qr.notify-me.ch", version: "3")

    /// The maximum size in bytes of a text that is read, inclusive, with the white space around it; more than any
    /// QR code can have (2,953, ISO/IEC 18004 version 40). The number is this project's own.
    public static let maximumBytes = 4_096

    /// Returns the link to be printed for a place: `https`, ``host``, ``version`` and the payload in Base64URL.
    /// Cannot fail.
    public func text(_ venue: CrowdNotifierVenue) -> String {
        "https://\(host)?v=\(version)#\(Base64URL.string(venue.payload))"
    }

    /// Reads a scanned or pasted link, which may have white space around it, for a check-in at `now` (Unix
    /// seconds). As on Android, the scheme may be `http` or missing, and there may be other parameters than `v`;
    /// all `v` must have the value ``version``. The scheme must be in lower case, and the host written as ``host``
    /// is. Throws the errors of ``decode(_:)``, and `notYetValid` or `expired` when the code is not valid at `now`.
    public func read(_ text: some StringProtocol, at now: Int64) throws(CrowdNotifierError) -> CrowdNotifierVenue {
        let venue = try decode(text)
        try venue.check(at: now)
        return venue
    }

    /// Reads a link as ``read(_:at:)`` does, but does not check that the code is valid now. Throws `codeTooLong`,
    /// `notAVenueCode`, `unsupportedVersion` or `malformedEncoding` for the link, or the errors of
    /// ``CrowdNotifierVenue/init(payload:)``.
    public func decode(_ text: some StringProtocol) throws(CrowdNotifierError) -> CrowdNotifierVenue {
        guard text.utf8.count <= Self.maximumBytes else {
            throw CrowdNotifierError(.codeTooLong, "more than \(Self.maximumBytes) bytes")
        }
        var rest = Array(text.utf8)[...]
        while let first = rest.first, Self.isSpace(first) { rest.removeFirst() }
        while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
        for scheme in ["https://", "http://"] where rest.starts(with: scheme.utf8) {
            rest = rest.dropFirst(scheme.utf8.count)
            break
        }
        guard rest.starts(with: host.utf8) else { throw CrowdNotifierError(.notAVenueCode) }
        rest = rest.dropFirst(host.utf8.count)
        // The host ends here: neither a port nor the rest of a longer name.
        guard let next = rest.first, [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(next),
            let hash = rest.firstIndex(of: UInt8(ascii: "#")), hash + 1 < rest.endIndex
        else { throw CrowdNotifierError(.notAVenueCode) }
        let query = rest[..<hash].drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let versions = query.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: "v=".utf8) }.map {
            $0.dropFirst(2)
        }
        guard !versions.isEmpty, versions.allSatisfy({ $0.elementsEqual(version.utf8) }) else {
            throw CrowdNotifierError(.unsupportedVersion)
        }
        guard let payload = Base64URL.bytes(rest[(hash + 1)...]) else { throw CrowdNotifierError(.malformedEncoding) }
        return try CrowdNotifierVenue(payload: payload)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
