// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Bodies of EST (RFC 7030 with RFC 8951): Base64 of DER.
public enum ESTText {
    /// The longest body that is read, in bytes: our own bound.
    public static let maximumByteCount = 65_536

    /// Bytes as Base64 in lines of 64 characters, each with a line feed. Cisco's libest refuses a body without a line feed at its end.
    public static func encoded(_ bytes: [UInt8]) -> String { PEM.lines(bytes) }

    /// The bytes of a body. Takes line breaks and blanks anywhere (RFC 8951, section 3.1), lines of PEM around it, and DER itself, because
    /// servers send these. `nil` for any other body, and for one that is too long.
    public static func decoded(_ body: [UInt8]) -> [UInt8]? {
        guard body.count <= maximumByteCount else { return nil }
        // DER begins with a SEQUENCE of more than 127 bytes; no Base64 of one begins so.
        if body.count > 1, body[0] == 0x30, body[1] >= 0x80 { return body }
        var text: [UInt8] = []
        for line in body.split(whereSeparator: { $0 == 10 || $0 == 13 }) where !line.starts(with: Array("-----".utf8)) {
            text += line.filter { $0 != 32 && $0 != 9 }
        }
        guard let bytes = Base64.bytes(String(decoding: text, as: UTF8.self)), !bytes.isEmpty else { return nil }
        return bytes
    }
}
