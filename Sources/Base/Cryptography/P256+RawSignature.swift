// SPDX-License-Identifier: Apache-2.0

extension P256 {
    /// Signatures as JSON Web Signatures carry them (RFC 7518, section 3.4): both numbers with 32 bytes each, instead of ASN.1.
    public enum RawSignature {
        private static let numberByteCount = 32
        /// Length of a raw signature in bytes: two numbers of 32 bytes each, `r` and `s`.
        public static let byteCount = 2 * numberByteCount

        /// The same signature in ASN.1, as ``VerificationKey/isValid(signature:over:hash:)`` takes it; `nil` for another length.
        public static func der(_ raw: [UInt8]) -> [UInt8]? {
            guard raw.count == byteCount else { return nil }
            let numbers = [raw.prefix(numberByteCount), raw.suffix(numberByteCount)].map { number -> [UInt8] in
                let significant = Array(number.drop { $0 == 0 })
                let value = significant.isEmpty || significant[0] >= 0x80 ? [0] + significant : significant
                return [0x02, UInt8(value.count)] + value
            }
            let content = numbers[0] + numbers[1]
            return [0x30, UInt8(content.count)] + content
        }

        /// The raw form of a signature in ASN.1: 64 bytes. `nil` unless it is two numbers of at most 32 bytes each and nothing else; whether they
        /// make a signature is not checked.
        public static func raw(_ der: [UInt8]) -> [UInt8]? {
            guard der.count > 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
            var rest = der.dropFirst(2)
            var result: [UInt8] = []
            for _ in 0..<2 {
                guard rest.count > 2, rest.first == 0x02 else { return nil }
                let count = Int(rest[rest.startIndex + 1])
                rest = rest.dropFirst(2)
                guard rest.count >= count else { return nil }
                let number = rest.prefix(count).drop { $0 == 0 }
                guard number.count <= numberByteCount else { return nil }
                result += [UInt8](repeating: 0, count: numberByteCount - number.count) + number
                rest = rest.dropFirst(count)
            }
            return rest.isEmpty ? result : nil
        }
    }
}
