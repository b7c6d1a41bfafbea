// SPDX-License-Identifier: Apache-2.0

/// The words of a name written likeThis, and what they say about what the field could carry.
struct FieldWords {
    /// A word that must not be in an interface.
    struct Suspicion: Hashable {
        enum Kind: Hashable {
            /// Keys, identifiers, addresses, what was on air.
            case secret
            /// Bytes as text.
            case encoding
        }
        let word: String
        let kind: Kind
    }

    /// Of the protocol: temporary exposure keys (tek), identifiers (rpi), their keys (rpik, aemk), metadata (aem) and the seed of
    /// everything; of Bluetooth: addresses and the keys behind them; of cryptography: what is secret, and what stands for it.
    /// Digests too: of an identifier they are one.
    private static let secrets: Set<String> = [
        "address", "addr", "advertisement", "advertising", "aem", "aemk", "bdaddr", "bssid", "ciphertext", "credential",
        "digest", "fingerprint", "guid", "hash", "hmac", "id", "identifier", "identity", "imei", "irk", "key", "ltk", "mac",
        "metadata", "nonce", "passphrase", "password", "payload", "pdu", "pin", "plaintext", "pseudonym", "raw", "rpi",
        "rpik", "salt", "secret", "seed", "serial", "sha", "sighting", "signature", "tag", "tek", "token", "uuid",
    ]
    private static let encodings: Set<String> = [
        "base", "binary", "blob", "bytes", "data", "encoded", "hex", "hexadecimal", "octets", "opaque",
    ]
    /// Long enough to be told inside of a longer word, as in `diagnosiskeys`.
    private static let telling = [
        "key", "identifier", "address", "payload", "secret", "advertisement", "metadata", "password",
    ]
    /// Last words of numbers that count or measure.
    private static let quantities: Set<String> = [
        "age", "bytes", "count", "counts", "day", "days", "hours", "interval", "intervals", "limit", "maximum",
        "milliseconds", "minimum", "minutes", "percent", "seconds", "size", "total", "version",
    ]
    private static let claims: Set<String> = ["are", "can", "has", "have", "is", "may", "must", "needs", "was", "were"]
    private static let names: Set<String> = ["file", "files", "name", "names"]
    private static let settings: Set<String> = ["configuration", "mapping"]

    private let words: [String]

    init(_ name: String) { words = Self.split(name) }

    /// The first word that must not be there: by itself, in the plural, put together from neighbours (`bdAddr`), or inside of another.
    var suspicion: Suspicion? {
        for start in words.indices {
            var joined = ""
            for word in words[start...].prefix(4) {
                joined += word
                let forms =
                    [joined] + (joined.hasSuffix("s") ? [String(joined.dropLast())] : [])
                    + (joined.hasSuffix("es") ? [String(joined.dropLast(2))] : [])
                for form in forms {
                    if Self.secrets.contains(form) { return Suspicion(word: form, kind: .secret) }
                    if Self.encodings.contains(form) { return Suspicion(word: form, kind: .encoding) }
                }
            }
            let word = words[start]
            for part in Self.telling {
                for form in [part, part + "s", part + "es"] where word.hasSuffix(form) || word.hasPrefix(form) {
                    return Suspicion(word: part, kind: .secret)
                }
            }
        }
        return nil
    }

    /// `keyCount`, `keyFileLimit`: a number of things is none of them.
    var isQuantity: Bool { words.last.map(Self.quantities.contains) ?? false }
    /// `hasKeys`
    var isClaim: Bool { words.first.map(Self.claims.contains) ?? false }
    /// `diagnosisKeysMapping`
    var isSetting: Bool { words.last.map(Self.settings.contains) ?? false }
    /// `keyFile`, `keyFileName`
    var isNameOfSomething: Bool { words.last.map(Self.names.contains) ?? false }

    /// `tekRPIList2_raw` is tek, rpi, list, 2, raw.
    private static func split(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        var words: [String] = []
        var word: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let startsWord: Bool
            if let last = word.last {
                let isHump = Name.isUpper(byte) && !Name.isUpper(last)
                // The last capital of a row belongs to what follows: RPIList.
                let nextIsLower =
                    index + 1 < bytes.count && Name.isLetter(bytes[index + 1]) && !Name.isUpper(bytes[index + 1])
                let isEndOfRow = Name.isUpper(byte) && Name.isUpper(last) && nextIsLower
                startsWord = isHump || isEndOfRow || Name.isDigit(byte) != Name.isDigit(last) || byte == UInt8(ascii: "_")
            } else {
                startsWord = false
            }
            if startsWord {
                words.append(String(decoding: word, as: UTF8.self).lowercased())
                word = []
            }
            if byte != UInt8(ascii: "_") { word.append(byte) }
        }
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self).lowercased()) }
        return words
    }
}
