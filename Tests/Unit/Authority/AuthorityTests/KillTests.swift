// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import FoundationEssentials
import JSON
import KeyExport
import PresenceTracing
import Testing
import VenueNotices
import Verification

/// The real program, killed at every step of a publication. Whatever the step: boards find a whole tree, and the next start ends where
/// an undisturbed one would have ended.
@Suite struct KillTests {
    @Test func aPublicationCanBeKilledAtAnyStep() throws {
        let now = Scene.start
        let later = now + 15 * Scene.hour
        func prepared() throws -> Scene {
            let scene = try Scene(threshold: 0)
            try scene.publish(now)
            _ = try scene.accept((0..<20).map { Scene.key($0) }, now: now)
            // Warnings about venues of two hours, and between them one without any.
            for hour in [0, 2] as [Int64] {
                let record = try #require(CheckInRecord(start: now / 600, period: 6, level: 5))
                let report = try ProtectedReport(
                    record, location: LocationID(payload: [1]),
                    initializationVector: [UInt8](repeating: UInt8(hour), count: 16))
                _ = try scene.authority.accept(
                    [], checkIns: SubmittedCheckIns(plain: [], reports: [report.encoded]), source: "test",
                    now: now + (2 + hour) * Scene.hour)
            }
            _ = try scene.accept((20..<30).map { Scene.key($0) }, regions: ["DE"], now: now + 3 * Scene.hour)
            try scene.publish(now + 2 * Scene.hour)
            _ = try scene.authority.listVenue(
                RiskyVenue(id: "ABC", from: now - 60, until: now, advice: .inform), now: now)
            return scene
        }
        func publish(_ scene: Scene, dieAt step: Int? = nil) throws -> Program {
            let program = try Program(
                Program.authority,
                ["publish", "--state", scene.path, "--now", "\(later)", "--shifting-threshold", "0"]
                    + (step.map { ["--die-at-step", "\($0)"] } ?? []))
            program.wait()
            return program
        }
        /// What boards see, apart from the bytes that hold other keys' signatures.
        func view(_ scene: Scene) throws -> [String] {
            var lines: [String] = []
            for region in ["DE", "EUR"] {
                lines.append("\(region) \(try scene.dates(region: region))")
                for date in ["2026-11-13", "2026-11-14"] {
                    let hours = try scene.hours(date, region: region)
                    lines.append("\(region) \(date) \(hours)")
                    for hour in hours {
                        let path = "/version/v1/diagnosis-keys/country/\(region)/date/\(date)/hour/\(hour)"
                        lines.append("\(path) \(try scene.package(path).keys.map(\.content).hashValue)")
                    }
                }
                let path = "/version/v2/twp/country/\(region)/hour"
                let list = try scene.list(path)
                lines.append("\(list)")
                guard let oldest = list["oldest"]?.int, let latest = list["latest"]?.int else { continue }
                for hour in oldest...latest {
                    lines.append("\(hour) \(try #require(scene.file("\(path)/\(hour)")).isEmpty)")
                }
            }
            let venues = scene.file("/distribution/risky-venues")
            if let venues {
                let signature = try #require(NHSSignature(lines: scene.file("/distribution/risky-venues.headers") ?? []))
                let list = try RiskyVenueList(body: venues, signature: signature, trust: scene.trust(), time: later)
                lines.append("\(list.venues.count) venues")
            }
            return lines
        }
        let undisturbed = try prepared()
        let before = try view(undisturbed)
        #expect(try publish(undisturbed, dieAt: 100_000).wait() == 0)
        let after = try view(undisturbed)
        #expect(before != after)
        let count = try undisturbed.checkTree()
        var step = 1
        var died = 0
        while true {
            let scene = try prepared()
            let status = try publish(scene, dieAt: step).wait()
            guard status != 0 else { break }
            try #require(status == 128 + 9)
            died += 1
            // In between: the old tree or the new one, whole.
            try scene.checkTree()
            let between = try view(scene)
            #expect(between == before || between == after, "step \(step)")
            // Killed once more on the way, then left alone.
            _ = try publish(scene, dieAt: 3)
            #expect(try publish(scene).wait() == 0)
            #expect(try view(scene) == after, "step \(step)")
            #expect(try scene.checkTree() == count)
            let audit = try scene.authority.audit()
            #expect(audit.isWhole)
            let paths = audit.events.filter { $0.event == "package-published" }.map { "\($0.detail)" }
            #expect(paths.count == Set(paths).count && paths.count == count, "step \(step)")
            let warnings = audit.events.filter { $0.event == "warnings-published" }.map { "\($0.detail)" }
            #expect(warnings.count == 4 && Set(warnings).count == 4, "step \(step)")
            let left = try FileManager.default.contentsOfDirectory(atPath: scene.path + "/packages")
            #expect(left.count == count + 4 + 3 && !left.contains { $0.hasSuffix(".partial") }, "step \(step)")
            step += step < 12 ? 1 : 7
        }
        #expect(died > 20)
    }

    @Test func keysAreDurableOnceTheCommandSaysSo() throws {
        let scene = try Scene()
        try scene.publish(Scene.start)
        let file = scene.path + "/keys.json"
        let list =
            "{\"temporaryExposureKeys\": [{\"key\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"rollingStartNumber\": \(20_769 * 144), \"transmissionRisk\": 5}]}"
        try #require(FileManager.default.createFile(atPath: file, contents: Data(list.utf8)))
        let arguments = ["accept", "--state", scene.path, "--now", "\(Scene.start)", "--json", file]
        #expect(try Program.run(Program.authority, arguments).output == "{\"accepted\":1,\"known\":0,\"refused\":{}}\n")
        #expect(try Program.run(Program.authority, arguments).output == "{\"accepted\":0,\"known\":1,\"refused\":{}}\n")
        try scene.publish(Scene.start + Scene.hour)
        #expect(try scene.package("\(Scene.dates)/2026-11-13/hour/10").keys.count == 1)
    }
}
