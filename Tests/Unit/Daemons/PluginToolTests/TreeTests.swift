// SPDX-License-Identifier: Apache-2.0

import ControlTool
import Glibc
import JSON
import PluginTool
import Testing

/// Every plugin of this tree has a manifest without problems.
@Suite struct TreeTests {
    private static let repository = #filePath.split(separator: "/").dropLast(5).reduce(into: "") { $0 += "/\($1)" }

    private static func manifests() -> [String] {
        guard let pipe = popen("find \(repository)/Plugins/ -name plugin.json -not -path '*/.build/*' | sort", "r") else {
            return []
        }
        defer { pclose(pipe) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, pipe) }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func manifestsOfTheTreeAreRight() throws {
        let manifests = Self.manifests()
        #expect(manifests.count >= 2)
        for manifest in manifests {
            let bench = Bench()
            let folder = String(manifest.dropLast("/plugin.json".count))
            try? bench.session(json: true).check(folder)
            let problems = (bench.answer["problems"]?.array ?? [.null]).filter { problem in
                // A program that is built elsewhere is not there yet.
                !(problem["code"] == "missing" && problem["file"] == "")
            }
            #expect(problems.isEmpty, "\(manifest): \(problems)")
            #expect(bench.answer["notes"] == [], "\(manifest): \(bench.shown)")
        }
    }
}
