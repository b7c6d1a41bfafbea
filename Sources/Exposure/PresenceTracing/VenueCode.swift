// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The text form of a venue's code: a link whose fragment is `QRCodePayload` (spec cwa-protocols 8.1).
public enum VenueCode {
    /// A form of links that an authority's configuration accepts (`PresenceTracingQRCodeDescriptor`).
    ///
    /// Its regular expressions are not executed, because a slow one would block the device. All those that were ever
    /// published are known here.
    public struct Descriptor: Sendable, Hashable {
        /// The system whose links it describes.
        public enum Form: Sendable, Hashable {
            /// `https://e.coronawarn.app?v=1#…`, with or without `/` before the question mark.
            case coronaWarnApp
            /// A link of luca with the code of the Corona-Warn-App in it: `https://app.luca-app.de/webapp/…#…/CWA1/…`.
            case luca
        }

        /// The encoding of the code's content: Base32 or Base64URL (RFC 4648).
        public enum Encoding: Sendable, Hashable { case base32, base64 }

        /// The system whose links it describes.
        public let form: Form
        /// The encoding of the content of such codes.
        public let encoding: Encoding

        /// Creates a descriptor; Corona-Warn-App's published ones use Base64URL. Cannot fail.
        public init(form: Form, encoding: Encoding = .base64) {
            self.form = form
            self.encoding = encoding
        }

        /// Creates the descriptor for a regular expression of an authority's configuration; returns `nil` when it is
        /// not one of the published expressions.
        public init?(regexPattern: String, encoding: Encoding) {
            switch regexPattern {
            case ##"https://e\.coronawarn\.app/?\?v=(\d+)\#(.+)"##, ##"https://e\.coronawarn\.app\?v=(\d+)\#(.+)"##:
                form = .coronaWarnApp
            case ##"https://app\.luca-app\.de/webapp/.*#.*/CWA(\d+)/(.+)"##: form = .luca
            default: return nil
            }
            self.encoding = encoding
        }

        /// The descriptors of the last configuration (cwa-server `presence-tracing-parameters.yaml`).
        public static let published = [Descriptor(form: .coronaWarnApp), Descriptor(form: .luca)]
        /// All that this software knows: the published ones, and the same links with Base32.
        public static let known =
            published + [Descriptor(form: .coronaWarnApp, encoding: .base32), Descriptor(form: .luca, encoding: .base32)]
    }

    /// The maximum size in bytes of a text that is read, inclusive, with the white space around it; more than any QR
    /// code can have (2,953, ISO/IEC 18004 version 40). The number is this project's own.
    public static let maximumBytes = 4_096

    /// Returns the link to be printed for a place: `https://e.coronawarn.app?v=1#` and the payload in Base64URL.
    /// Nothing is checked. Cannot fail.
    public static func text(_ location: TraceLocation) -> String {
        "https://e.coronawarn.app?v=\(TraceLocation.supportedVersion)#\(Base64URL.string(location.payload))"
    }

    /// Reads a scanned or pasted link, which may have white space around it. Its fixed parts may be in upper or lower
    /// case, as in the published expressions; the first of `descriptors` that matches is used. Throws `codeTooLong`,
    /// `notAVenueCode`, `unsupportedVersion` or `malformedEncoding` for the link, or the errors of
    /// ``TraceLocation/init(payload:)``. The content is not checked (``TraceLocation/check()``).
    public static func decode(
        _ text: some StringProtocol, as descriptors: [Descriptor] = Descriptor.published
    ) throws(PresenceTracingError) -> TraceLocation {
        guard text.utf8.count <= maximumBytes else {
            throw PresenceTracingError(.codeTooLong, "more than \(maximumBytes) bytes")
        }
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        for descriptor in descriptors {
            guard let (version, encoded) = parts(bytes, form: descriptor.form) else { continue }
            guard version.elementsEqual(Array("\(TraceLocation.supportedVersion)".utf8)) else {
                throw PresenceTracingError(.unsupportedVersion)
            }
            let payload =
                switch descriptor.encoding {
                case .base32: Base32.bytes(encoded)
                case .base64: Base64URL.lenientBytes(encoded)
                }
            guard let payload else { throw PresenceTracingError(.malformedEncoding) }
            return try TraceLocation(payload: payload)
        }
        throw PresenceTracingError(.notAVenueCode)
    }

    /// Reads a link for a check-in, and checks its version and content. Throws the errors of ``decode(_:as:)``,
    /// `unsupportedVersion` for an unknown version, `revokedVersion` for one that the authority has withdrawn
    /// (`revokedTraceLocationVersions`), or the errors of ``TraceLocation/check()``.
    public static func read(
        _ text: some StringProtocol, as descriptors: [Descriptor] = Descriptor.published, revoked: Set<UInt32> = []
    ) throws(PresenceTracingError) -> TraceLocation {
        let location = try decode(text, as: descriptors)
        guard location.version == TraceLocation.supportedVersion else { throw PresenceTracingError(.unsupportedVersion) }
        guard revoked.isDisjoint(with: [location.version, location.locationVersion]) else {
            throw PresenceTracingError(.revokedVersion)
        }
        try location.check()
        return location
    }

    /// The two groups of the form's expression.
    private static func parts(
        _ bytes: ArraySlice<UInt8>, form: Descriptor.Form
    ) -> (version: ArraySlice<UInt8>, encoded: ArraySlice<UInt8>)? {
        switch form {
        case .coronaWarnApp:
            guard var rest = dropping("https://e.coronawarn.app", from: bytes) else { return nil }
            if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
            guard let query = dropping("?v=", from: rest) else { return nil }
            let version = query.prefix(while: isDigit)
            let fragment = query.dropFirst(version.count)
            guard !version.isEmpty, fragment.first == UInt8(ascii: "#"), fragment.count > 1 else { return nil }
            return (version, fragment.dropFirst())
        case .luca:
            guard let rest = dropping("https://app.luca-app.de/webapp/", from: bytes),
                let hash = rest.firstIndex(of: UInt8(ascii: "#"))
            else { return nil }
            // The expression is greedy: the last place counts.
            var start = rest.endIndex
            while start > hash + 1 {
                start -= 1
                guard rest[start] == UInt8(ascii: "/"), let digits = dropping("/cwa", from: rest[start...]) else {
                    continue
                }
                let version = digits.prefix(while: isDigit)
                let encoded = digits.dropFirst(version.count)
                if !version.isEmpty, encoded.first == UInt8(ascii: "/"), encoded.count > 1 {
                    return (version, encoded.dropFirst())
                }
            }
            return nil
        }
    }

    /// What follows `prefix` (lower case), if `bytes` begin with it in any case.
    private static func dropping(_ prefix: StaticString, from bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        prefix.withUTF8Buffer { prefix in
            guard bytes.count >= prefix.count else { return nil }
            let isSame = zip(bytes, prefix).allSatisfy { byte, wanted in
                byte == wanted || ((65...90).contains(byte) && byte + 32 == wanted)
            }
            return isSame ? bytes.dropFirst(prefix.count) : nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
