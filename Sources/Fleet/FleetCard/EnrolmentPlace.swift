// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment

/// Where boards enrol, as their device files say it.
public struct EnrolmentPlace: Hashable, Sendable {
    /// The longest file of certificates, in bytes.
    public static let maximumByteCount = 32_768

    /// The address of the EST server, without a slash at its end.
    public let address: String
    /// The certificates by which boards know that server, in PEM.
    public let anchor: String

    /// Takes an address of `https` and the certificates, as bytes of a file in PEM, that its server is checked by. `nil` for what a board
    /// would refuse.
    public init?(address: String, anchor: [UInt8]) {
        guard let text = String(validating: anchor, as: UTF8.self),
            EnrolmentOrder.fault(address: address, anchor: text) == nil
        else { return nil }
        (self.address, self.anchor) = (address, text)
        guard (1...65_535).contains(server.port) else { return nil }
    }

    /// Host and port of the server; port 0 for what is none. What is no host is found when the grants are checked.
    var server: (host: String, port: Int) {
        let place = address.dropFirst("https://".utf8.count).prefix { $0 != "/" }
        // The colons of an IPv6 address are within brackets.
        guard let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") else { return (place.lowercased(), 443) }
        return (place[..<colon].lowercased(), Int(place[place.index(after: colon)...]) ?? 0)
    }

    /// The certificates, one text of PEM each.
    var certificates: [String] {
        PEM.blocks("CERTIFICATE", in: anchor, longest: Self.maximumByteCount).map { PEM.text($0, label: "CERTIFICATE") }
    }
}
