// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Testing

struct Base64Tests {
    @Test func everyLengthComesBack() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            #expect(Base64.bytes(Base64.string(bytes)) == bytes)
        }
    }

    /// RFC 4648, section 10.
    @Test func testVectorsOfTheRFC() {
        let vectors = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
        ]
        for (plain, text) in vectors {
            #expect(Base64.string(Array(plain.utf8)) == text)
            #expect(Base64.bytes(text) == Array(plain.utf8))
        }
    }

    @Test func everythingElseIsRefused() {
        for text in [
            "A", "AA", "AA=", "AB==", "A===", "====", "AAA*", "AA==AA==", "AAB=", "Zh==", "Zg\n=", "Zm9v Zm9v", "Z-8=",
            "Zm9v\n\n\n\n",
            " Zm9v   ", "Zg==\r\n\r\n", "Zm9v\u{0}\u{0}\u{0}\u{0}", "ZgéA",
        ] {
            #expect(Base64.bytes(text) == nil, "\(text)")
        }
    }
}
