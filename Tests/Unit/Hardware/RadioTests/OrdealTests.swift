// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LabKit
import RandomValues
import Testing
import VirtualAir

@Suite struct OrdealTests {
    /// Fuzz/ goes further; this runs with every test.
    @Test func whateverTheControllerDoes() {
        var generator = SeededGenerator(seed: 1)
        for number in 0..<3_000 {
            let length = Int.random(in: 0...400, using: &generator)
            let script = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if let problem = RadioOrdeal.run(script) {
                Issue.record("script \(number): \(problem)")
                return
            }
        }
    }

    /// What the fuzzer starts from, and what it has found.
    @Test func whatTheFuzzerKnows() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzz/corpus/fuzz-radio").path()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count >= 3)
        for name in names {
            let script = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            #expect(RadioOrdeal.run(script) == nil, "\(name)")
        }
    }
}
