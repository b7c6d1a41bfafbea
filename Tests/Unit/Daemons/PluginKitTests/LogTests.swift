// SPDX-License-Identifier: Apache-2.0

import Logging
import PluginKit
import Synchronization
import Testing

@Suite struct LogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func lines(_ body: (Logger) -> Void) -> [String] {
        let lines = Lines()
        let handler = PluginLogHandler { line in lines.all.withLock { $0.append(line) } }
        body(Logger(label: "x") { _ in handler })
        return lines.all.withLock { $0 }
    }

    @Test func oneEntryIsOneHarmlessLine() {
        let found = lines { log in
            log.warning("two\nlines \u{1B}[2J \u{202E}", metadata: ["b": "x y", "a": "1", "c": "say \"hi\"\n", "d": ""])
        }
        #expect(found == [#"warning two\nlines \u{1b}[2J \u{202e} a=1 b="x y" c="say \"hi\"\n" d="""#])
    }

    @Test func privateValuesAreNotWritten() {
        let secret = Redacted("hunter2")
        let found = lines { log in
            log.info("\(private: "hunter2") \(secret)", metadata: ["a": "\(secret)", "b": .stringConvertible(secret)])
        }
        #expect(found == ["info (private) (private) a=(private) b=(private)"])
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("hunter2") && !String(reflecting: [secret]).contains("hunter2"))
    }

    @Test func longLinesAreCut() {
        let found = lines { $0.info("\(String(repeating: "ä", count: 2_000))") }
        #expect(found.first.map { $0.utf8.count <= PluginLogHandler.longestLine && $0.hasSuffix("…") } == true)
    }
}
