// SPDX-License-Identifier: Apache-2.0

import ControlTool
import FoundationEssentials
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
    /// What of each plugin a technician may set at the page. Everything else is the operator's: whom it talks to and believes, and how it shows itself
    /// there. A setting that is added is the operator's until somebody has decided that it may stand here.
    private static let technicians: [String: Set<String>] = [
        "diagnosis": [],
        "wake": ["profile", "gapSeconds", "wakesPerDay", "staleAfterSeconds", "factsSeconds"],
        "sync": [], "webui": ["title"], "indicator": ["sound"],
    ]

    @Test func whatATechnicianMaySetIsHarmless() throws {
        var judged: Set<String> = []
        for path in Self.manifests() where !path.contains("/Examples/") {
            let manifest = try JSON(parsing: [UInt8](Data(contentsOf: URL(filePath: path))))
            let id = try #require(manifest["id"]?.string)
            let settings = manifest["settings"]?["properties"]?.object?.members ?? []
            let open = Set(settings.filter { $0.value["operatorOnly"]?.bool != true }.map(\.name))
            #expect(open == Self.technicians[id] ?? [], "\(id)")
            judged.insert(id)
        }
        #expect(judged.isSuperset(of: Self.technicians.keys))
    }
}
