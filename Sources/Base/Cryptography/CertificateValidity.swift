// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The period in which a certificate is valid (RFC 5280, 4.1.2.5), for warnings before it ends. Nothing else of the
/// certificate is read; TLS decides whether it is trusted.
public struct CertificateValidity: Sendable, Hashable {
    /// The first second in which the certificate is valid, in Unix seconds; negative before 1970.
    public let notBefore: Int64
    /// The last second in which the certificate is valid, in Unix seconds.
    public let notAfter: Int64

    /// The largest number of certificates that ``all(pem:)`` returns from one text; any that follow are ignored.
    /// Our own bound for the files of plugins; the bundles of an operating system have more.
    public static let mostCertificates = 64
    /// The length of the longest certificate that is read, in bytes. Our own bound; a real certificate has a few
    /// thousand bytes. In PEM, a block of more than twice as many characters is skipped.
    public static let longest = 65_535

    /// Creates a period from two dates in Unix seconds. Their order is not checked.
    public init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Reads the period from a certificate in DER. The signature is not checked.
    ///
    /// Returns `nil` if the certificate cannot be read, if a date is not in UTC to the second, if it is longer than
    /// ``longest``, or if it ends before it begins.
    public init?(der bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var outer = DERReader(bytes[...])
        guard let certificate = outer.take(0x30), outer.isAtEnd else { return nil }
        var parts = DERReader(certificate)
        guard let content = parts.take(0x30) else { return nil }
        var fields = DERReader(content)
        // Version, which the oldest form does without; serial number, algorithm, issuer.
        _ = fields.take(0xA0)
        guard fields.take(0x02) != nil, fields.take(0x30) != nil, fields.take(0x30) != nil, let validity = fields.take(0x30)
        else { return nil }
        var times = DERReader(validity)
        guard let first = times.takeTime(), let last = times.takeTime(), times.isAtEnd, first <= last else { return nil }
        notBefore = first
        notAfter = last
    }

    /// Returns the periods of the certificates in a PEM text, in the order of the text, at most ``mostCertificates``.
    /// Blocks that cannot be read are skipped. Empty if there is no readable certificate.
    public static func all(pem text: String) -> [CertificateValidity] {
        var found: [CertificateValidity] = []
        var body: String?
        for line in text.utf8.split(separator: 10).lazy.map({ Substring($0) }) {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            if line == "-----BEGIN CERTIFICATE-----" {
                body = ""
            } else if line == "-----END CERTIFICATE-----" {
                if let bytes = body.flatMap({ Base64.bytes($0) }), let validity = CertificateValidity(der: bytes) {
                    found.append(validity)
                }
                body = nil
                if found.count >= mostCertificates { break }
            } else if let so = body {
                body = so.utf8.count <= 2 * longest ? so + line : nil
            }
        }
        return found
    }
}

/// As much of X.690's distinguished encoding as leads to a certificate's dates.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The content of the next value if it has this tag; otherwise nothing is taken.
    mutating func take(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var look = rest
        guard look.popFirst() == tag, let first = look.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            // One to three bytes of length: what is longer is no certificate.
            guard (0x81...0x83).contains(first), look.count >= Int(first & 0x7F) else { return nil }
            count = 0
            for _ in 0..<(first & 0x7F) { count = count << 8 | Int(look.popFirst() ?? 0) }
        }
        guard count <= look.count else { return nil }
        rest = look.dropFirst(count)
        return look.prefix(count)
    }

    /// A UTCTime or GeneralizedTime in the form that certificates have: to the second, in UTC.
    mutating func takeTime() -> Int64? {
        if let text = take(0x17) {
            guard text.count == 13, let year = Self.number(text.prefix(2)) else { return nil }
            return Self.seconds(year: year >= 50 ? 1900 + year : 2000 + year, text.dropFirst(2))
        }
        guard let text = take(0x18), text.count == 15, let year = Self.number(text.prefix(4)) else { return nil }
        return Self.seconds(year: year, text.dropFirst(4))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 48)
        }
        return value
    }

    /// - Parameter rest: MMDDHHMMSSZ.
    private static func seconds(year: Int64, _ rest: ArraySlice<UInt8>) -> Int64? {
        guard rest.last == UInt8(ascii: "Z") else { return nil }
        let start = rest.startIndex
        let parts = (0..<5).map { number(rest[(start + $0 * 2)..<(start + $0 * 2 + 2)]) }
        guard let month = parts[0], let day = parts[1], let hour = parts[2], let minute = parts[3], let second = parts[4],
            let date = CivilDate(year: Int(year), month: Int(month), day: Int(day)), hour < 24, minute < 60, second < 61
        else { return nil }
        return UTCDay(number: date.dayNumber).start + hour * 3_600 + minute * 60 + second
    }
}
