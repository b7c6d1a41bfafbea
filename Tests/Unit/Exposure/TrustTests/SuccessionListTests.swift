// SPDX-License-Identifier: Apache-2.0

import Testing
import Trust

@Suite struct SuccessionListTests {
    @Test func aListIsReadAsItWasWritten() throws {
        let list = SuccessionList(files: [#"{"a": 1}"#, "b\n", ""])
        #expect(try SuccessionList(parsing: list.bytes()) == list)
        #expect(try SuccessionList(parsing: SuccessionList(files: []).bytes()).files.isEmpty)
    }

    @Test func whatIsNoListIsRefused() throws {
        let large = String(repeating: "x", count: Succession.maximumDeviceByteCount + 1)
        for text in [
            "", "[]", "{}", #"{"format": "vigil-successions-1"}"#, #"{"format": "vigil-successions-2", "successions": []}"#,
            #"{"format": "vigil-successions-1", "successions": [1]}"#,
            #"{"format": "vigil-successions-1", "successions": ["\#(large)"]}"#,
        ] {
            #expect(throws: TrustError(.malformedDocument, ""), "\(text.prefix(60))") {
                try SuccessionList(parsing: Array(text.utf8))
            }
        }
        let many = SuccessionList(files: Array(repeating: "", count: SuccessionList.maximumCount + 1))
        #expect(throws: TrustError(.malformedDocument, "")) { try many.bytes() }
        #expect(throws: TrustError(.malformedDocument, "")) {
            try SuccessionList(parsing: [UInt8](repeating: 0x20, count: SuccessionList.maximumByteCount + 1))
        }
    }
}
