// SPDX-License-Identifier: Apache-2.0

/// Random UUIDs of version 4 in lower case, 36 characters: the form of tokens, TANs and names of requests on the servers of
/// exposure notification.
package enum RandomUUID {
    /// Returns the UUID made of the first 16 bytes, padded with zeros; six bits of them are lost (RFC 9562, 5.4). Cannot fail.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var bytes = Array(bytes.prefix(16))
        bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Hex.string(bytes)
        var result = ""
        for (index, character) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { result.append("-") }
            result.append(character)
        }
        return result
    }

    /// Returns a random UUID, from two words of the generator. Cannot fail.
    package static func text(using generator: inout some RandomNumberGenerator) -> String {
        let words = [generator.next(), generator.next()]
        return text(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } })
    }

    /// Returns the 16 bytes of a UUID of any version, in any case; `nil` for anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        return Hex.bytes(parts.joined().lowercased())
    }
}
