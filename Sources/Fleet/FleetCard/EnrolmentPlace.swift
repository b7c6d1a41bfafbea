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

    /// The most certificates that a board takes, and the most bytes of each in PEM: `settings` in `Plugins/Enrolment/plugin.json`.
    static let (mostCertificates, longestCertificate) = (8, 4_096)

    /// Takes an address of `https` and the certificates, as bytes of a file in PEM, that its server is checked by. Throws
    /// ``EnrolmentPlaceFault`` for what a board would refuse.
    public init(address: String, anchor: [UInt8]) throws(EnrolmentPlaceFault) {
        guard let text = String(validating: anchor, as: UTF8.self),
            EnrolmentOrder.fault(address: address, anchor: text) == nil
        else { throw .unusable }
        (self.address, self.anchor) = (address, text)
        guard (1...65_535).contains(server.port) else { throw .unusable }
        let certificates = certificates
        guard certificates.count <= Self.mostCertificates else { throw .tooMany(certificates.count) }
        for (index, certificate) in certificates.enumerated() where certificate.utf8.count > Self.longestCertificate {
            throw .tooLong(position: index + 1, bytes: certificate.utf8.count)
        }
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

/// The reason why boards cannot enrol at a place.
public enum EnrolmentPlaceFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is none, or there is no certificate.
    case unusable
    /// More certificates than a board takes.
    case tooMany(Int)
    /// A certificate, counted from 1, that is longer than a board takes.
    case tooLong(position: Int, bytes: Int)

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .unusable: "give an address like https://ra.example/.well-known/est, and a file with a certificate in PEM"
        case .tooMany(let count):
            "the file of --enrolment-anchor has \(count) certificates, and a board takes \(EnrolmentPlace.mostCertificates); leave those that end the chain of the authority's web server"
        case .tooLong(let position, let bytes):
            "certificate \(position) of the file of --enrolment-anchor has \(bytes) bytes in PEM, and a board takes \(EnrolmentPlace.longestCertificate); give another one of the chain"
        }
    }
}
