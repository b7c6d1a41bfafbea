// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc

/// Looks for secrets in bytes, however they may be written there.
struct SecretSearch {
    private var patterns: [(name: String, form: String, bytes: [UInt8])] = []

    /// `name` is for people; the secret itself is never told. Short ones are not looked for in base64, where four letters mean nothing.
    mutating func add(_ name: String, _ secret: [UInt8]) {
        for (form, bytes) in Self.forms(of: secret) { patterns.append((name, form, bytes)) }
    }

    /// Bluetooth addresses also as they are written, with colons.
    mutating func add(address text: String) {
        let bytes = text.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        add("address", bytes)
        for form in [text.lowercased(), text.uppercased()] { patterns.append(("address", "text", Array(form.utf8))) }
        let reversed = text.split(separator: ":").reversed().joined(separator: ":")
        for form in [reversed.lowercased(), reversed.uppercased()] {
            patterns.append(("address", "reversed text", Array(form.utf8)))
        }
    }

    var count: Int { patterns.count }

    /// What is found in `haystack`: names of secrets and forms.
    func findings(in haystack: [UInt8], except exempt: Set<String> = []) -> Set<String> {
        haystack.withUnsafeBytes { all in
            guard let base = all.baseAddress, !all.isEmpty else { return [] }
            var found: Set<String> = []
            for pattern in patterns where !exempt.contains(pattern.name) {
                if Self.contains(base, all.count, pattern.bytes) {
                    found.insert("\(pattern.name) as \(pattern.form)")
                }
            }
            return found
        }
    }

    private static func contains(_ start: UnsafeRawPointer, _ count: Int, _ pattern: [UInt8]) -> Bool {
        var place = 0
        while place + pattern.count <= count,
            let hit = memchr(start + place, Int32(pattern[0]), count - place - pattern.count + 1)
        {
            if memcmp(hit, pattern, pattern.count) == 0 { return true }
            place = UnsafeRawPointer(hit) - start + 1
        }
        return false
    }

    /// Raw, hexadecimal of both cases, base64 of both alphabets at each of the three places it can begin, and all of that of the bytes
    /// in reverse.
    static func forms(of secret: [UInt8]) -> [(form: String, bytes: [UInt8])] {
        var forms: [(String, [UInt8])] = []
        for (order, bytes) in [("", secret), (" reversed", Array(secret.reversed()))] {
            forms.append(("bytes" + order, bytes))
            let hex = Hex.string(bytes)
            forms.append(("hexadecimal" + order, Array(hex.utf8)))
            forms.append(("capital hexadecimal" + order, Array(hex.uppercased().utf8)))
            guard bytes.count >= 6 else { continue }
            for offset in 0..<3 {
                for isURL in [false, true] {
                    forms.append(("base64 at \(offset)" + order, base64(bytes, offset: offset, isURL: isURL)))
                }
            }
        }
        return forms
    }

    /// The letters that depend on `bytes` only, when `offset` other bytes come before.
    static func base64(_ bytes: [UInt8], offset: Int, isURL: Bool) -> [UInt8] {
        let letters = Array(
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + (isURL ? "-_" : "+/")).utf8)
        let padded = [UInt8](repeating: 0, count: offset) + bytes
        var text: [UInt8] = []
        // Whole letters only: the first and the last may hold bits of others.
        for letter in (offset * 8 + 5) / 6..<(padded.count * 8) / 6 {
            let value = (0..<6).reduce(0) { sum, bit in
                let place = letter * 6 + bit
                return sum << 1 | Int(padded[place / 8] >> (7 - place % 8) & 1)
            }
            text.append(letters[value])
        }
        return text
    }
}
