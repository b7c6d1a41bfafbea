// SPDX-License-Identifier: Apache-2.0

extension P256 {
    /// Signatures in the form of JSON Web Signatures (RFC 7518, section 3.4): two numbers of 32 bytes each, instead of
    /// ASN.1.
    public enum RawSignature {
        private static let numberByteCount = 32
        /// The length of a raw signature in bytes: the numbers `r` and `s`, 32 bytes each.
        public static let byteCount = 2 * numberByteCount

        /// Converts a raw signature to ASN.1, as ``VerificationKey/isValid(signature:over:hash:)`` takes it. Returns `nil`
        /// if `raw` does not have 64 bytes.
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

        /// Converts a signature in ASN.1 to its raw form, 64 bytes. Returns `nil` unless `der` consists of two numbers of
        /// at most 32 bytes each and nothing else. Does not check that the numbers are a signature.
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
