// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@testable import Core

@Suite struct LineLogHandlerTests {
    @Test func jsonStringsAreQuoted() {
        #expect(LineLogHandler.quoted("a \"b\" \\ c\n\u{1}é") == #""a \"b\" \\ c\n\u0001é""#)
    }

    @Test func bothFormsHoldEverything() {
        let text = LineLogHandler(format: .text, level: .info).line(level: .info, message: "m", fields: [("a", "1")])
        #expect(text.hasSuffix(" info m a=1"))
        let forged = LineLogHandler(format: .text, level: .info).line(
            level: .info, message: "m\n1.000 error all is lost", fields: [("a", "1\r\n\u{1B}[2J")])
        #expect(forged.hasSuffix(" info m 1.000 error all is lost a=1 ?[2J") && !forged.contains { $0.isNewline })
        let json = LineLogHandler(format: .json, level: .info).line(level: .info, message: "m", fields: [("a", "1")])
        #expect(json.hasPrefix("{\"boot\":") && json.hasSuffix(#","level":"info","message":"m","a":"1"}"#))
    }
}
