// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import HTTPFields
public import Trust

/// The signature of an answer of NHS COVID-19's servers: two headers beside the body (spec rules-and-nhs 1.1).
public struct NHSSignature: Sendable, Hashable {
    /// The name of the header with key and signature, the first of ``lines(header:date:)`` (spec rules-and-nhs
    /// 1.1).
    public static let signatureHeader = "x-amz-meta-signature"
    /// The name of the header with the date, the second of ``lines(header:date:)`` (spec rules-and-nhs 1.1).
    public static let dateHeader = "x-amz-meta-signature-date"
    /// The maximum size in bytes of a value of ``signatureHeader``, inclusive; ``init(lines:)`` reads twice as many
    /// in all. Real values have 152 bytes, and those of the date 29. The number is this project's own.
    public static let maximumHeaderByteCount = 512

    /// The server's name for its key; 1 to 100 visible ASCII characters, neither a quotation mark nor a backslash.
    public let keyID: String
    /// The signature, 1 byte or more: ASN.1 DER on real servers. Neither its form nor itself was verified.
    public let signature: [UInt8]
    /// The date as it came, 1 to 64 visible ASCII characters and blanks: this text is what was signed.
    public let dateText: String

    /// The Unix seconds of ``dateText`` (`Sun, 02 Aug 2020 18:13:05 UTC`), years 1970 to 9999; `nil` when it is no such
    /// date.
    public var date: Int64? {
        guard dateText.hasSuffix(" UTC") else { return nil }
        return HTTPDate.unixSeconds(dateText.dropLast(3) + "GMT")
    }

    /// Reads `keyId="…",signature="…"` exactly, as the apps for Android did, which accepted no blank and no other
    /// order. Returns `nil` for anything else, for more than ``maximumHeaderByteCount`` bytes, an id that ``keyID``
    /// cannot be or a signature that is no Base64, and for a date with anything but 1 to 64 visible ASCII
    /// characters and blanks.
    public init?(header: String, date: String) {
        let (before, between, after) = ("keyId=\"", "\",signature=\"", "\"")
        guard header.utf8.count <= Self.maximumHeaderByteCount, header.hasPrefix(before), header.hasSuffix(after),
            (1...64).contains(date.utf8.count), date.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        let rest = header.dropFirst(before.count)
        guard let quote = rest.firstIndex(of: "\""), rest[quote...].hasPrefix(between) else { return nil }
        let id = rest[..<quote]
        let value = rest[quote...].dropFirst(between.count).dropLast()
        guard (1...100).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }),
            !value.isEmpty, let signature = Base64.bytes(String(value))
        else { return nil }
        keyID = String(id)
        self.signature = signature
        dateText = date
    }

    /// Reads both headers from two lines, the form in which they are carried and stored: `name: value`, each with a
    /// line feed, ``signatureHeader`` first. Returns `nil` for more than 1,024 bytes, for bytes that are not UTF-8
    /// or not these two lines, and for values that ``init(header:date:)`` refuses.
    public init?(lines: [UInt8]) {
        guard lines.count <= 2 * Self.maximumHeaderByteCount, let text = StreamSafe.decode(lines) else {
            return nil
        }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, parts[0].hasPrefix(Self.signatureHeader + ": "),
            parts[1].hasPrefix(Self.dateHeader + ": ")
        else { return nil }
        self.init(
            header: String(parts[0].dropFirst(Self.signatureHeader.count + 2)),
            date: String(parts[1].dropFirst(Self.dateHeader.count + 2)))
    }

    /// Returns the two lines that ``init(lines:)`` reads, from the values of the headers as received. Nothing is
    /// checked.
    public static func lines(header: String, date: String) -> [UInt8] {
        Array("\(signatureHeader): \(header)\n\(dateHeader): \(date)\n".utf8)
    }

    /// Returns the header that names a key and has its signature (ASN.1 DER), for test servers. Nothing is checked.
    public static func header(keyID: String, signature: [UInt8]) -> String {
        "keyId=\"\(keyID)\",signature=\"\(Base64.string(signature))\""
    }

    /// Returns the bytes that are signed of a document that is the same for everybody: `date`, a colon and `body`.
    /// Cannot fail.
    public static func content(date: String, body: [UInt8]) -> [UInt8] { Array("\(date):".utf8) + body }

    /// Returns the bytes that are signed of the answer to one request: `requestID`, `method`, `path`, `date` and
    /// `body`, separated by colons. `path` is encoded and has no query; `requestID` is as sent, and `nil` when none
    /// was sent, for which `not-set` is signed. Cannot fail.
    public static func content(
        date: String, body: [UInt8], requestID: String?, method: String, path: String
    ) -> [UInt8] {
        Array("\(requestID ?? "not-set"):\(method):\(path):\(date):".utf8) + body
    }

    /// Returns the key of role `config` with this id, valid at `time` (Unix seconds, `nil` when unknown), that made
    /// this signature over `content`; `nil` when there is none. Keys with another id are not tried.
    public func signer(of content: [UInt8], trust: TrustStore, time: Int64?) -> TrustedKey? {
        let digest = SHA256.digest(of: content)
        return trust.keys(for: .config, at: time).first {
            $0.name.id == keyID && $0.key.isValid(signature: signature, over: digest)
        }
    }
}
