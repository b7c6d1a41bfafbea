// SPDX-License-Identifier: Apache-2.0

import CodedError
import Testing

private struct TeapotError: CodedError {
    enum Code: String, Sendable { case tooHot, empty }

    let code: Code
    let origin: ErrorOrigin
    let detail: String

    init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        self.detail = detail
        origin = ErrorOrigin(file: file, line: line)
    }

    var description: String { "the pot is \(code.rawValue): \(detail)" }
}

@Suite struct CodedErrorTests {
    @Test func errorsAreEqualByTheirCodes() {
        #expect(TeapotError(.tooHot, "90") == TeapotError(.tooHot, "80"))
        #expect(TeapotError(.tooHot) != TeapotError(.empty))
        #expect(Set([TeapotError(.tooHot, "90"), TeapotError(.tooHot, "80"), TeapotError(.empty)]).count == 2)
    }

    @Test func theOriginIsTheLineThatMadeIt() {
        let line = #line + 1
        let error = TeapotError(.empty, "none left")
        #expect("\(error.origin)" == "CodedErrorTests/CodedErrorTests.swift:\(line)")
        #expect(error.debugDescription == "the pot is empty: none left (CodedErrorTests/CodedErrorTests.swift:\(line))")
        #expect("\(error)" == "the pot is empty: none left")
    }
}
