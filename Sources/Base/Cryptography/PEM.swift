// SPDX-License-Identifier: Apache-2.0

/// Text armour (RFC 7468): Base64 between two lines that name what it is.
package enum PEM {
    /// A block with a line feed at its end. `label` is what its lines name, such as `CERTIFICATE`.
    package static func text(_ bytes: [UInt8], label: String) -> String {
        "-----BEGIN \(label)-----\n\(lines(bytes))-----END \(label)-----\n"
    }

    /// Bytes as Base64 in lines of 64 characters, each with a line feed; no line without bytes.
    package static func lines(_ bytes: [UInt8]) -> String {
        let text = Array(Base64.string(bytes).utf8)
        return stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self) + "\n"
        }.joined()
    }

    /// What the blocks with this label have in them, in the order of `text`, whatever stands around them. A block of more than `longest`
    /// bytes, or that is no Base64, is passed over. Lines may end in CR LF.
    package static func blocks(_ label: String, in text: some StringProtocol, longest: Int) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var body: String?
        for line in text.utf8.split(separator: 10).lazy.map({
            String(decoding: $0.last == 13 ? $0.dropLast() : $0, as: UTF8.self)
        }) {
            if line == "-----BEGIN \(label)-----" {
                body = ""
            } else if line == "-----END \(label)-----" {
                if let bytes = body.flatMap({ Base64.bytes($0) }), bytes.count <= longest { found.append(bytes) }
                body = nil
            } else if let so = body {
                body = so.utf8.count <= 2 * longest ? so + line : nil
            }
        }
        return found
    }
}
