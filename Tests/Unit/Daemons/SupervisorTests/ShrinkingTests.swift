// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import Supervisor

/// Whose end counts against a configuration.
@Suite struct ShrinkingTests {
    private func grants(_ plugin: String) throws -> JSON.Object {
        try #require(JSON(parsing: Array(#"{"plugins": {"loud": \#(plugin)}}"#.utf8)).object)
    }

    @Test(arguments: [
        (#"{"calls": {"a.b1": ["X", "Y"]}}"#, #"{"calls": {"a.b1": ["Y", "X"]}}"#, false),
        (#"{"calls": {"a.b1": ["X"]}}"#, #"{"calls": {"a.b1": ["X", "Y"], "c.d1": ["Z"]}}"#, false),
        (#"{"calls": {"a.b1": ["X", "Y"]}}"#, #"{"calls": {"a.b1": ["X"]}}"#, true),
        (#"{"calls": {"a.b1": ["X"], "c.d1": ["X"]}}"#, #"{"calls": {"a.b1": ["X"]}}"#, true),
        (#"{"calls": {"a.b1": ["X"]}}"#, "{}", true),
        (
            #"{"endpoints": {"cdn": [{"host": "a.example", "port": 443}]}}"#,
            #"{"endpoints": {"cdn": [{"host": "b.example", "port": 443}]}}"#, true
        ),
        (
            #"{"endpoints": {"cdn": [{"host": "a.example", "port": 443}]}}"#,
            #"{"endpoints": {"cdn": [{"host": "b.example", "port": 443}, {"host": "a.example", "port": 443}]}}"#, false
        ),
        (#"{"settings": {"word": "a"}}"#, #"{"settings": {"word": "b"}}"#, false),
    ]) func whatLosesSomething(_ before: String, _ after: String, _ isLess: Bool) throws {
        #expect(try Supervisor.shrinks("loud", grants(before), grants(after)) == isLess, "\(before) → \(after)")
    }
}
