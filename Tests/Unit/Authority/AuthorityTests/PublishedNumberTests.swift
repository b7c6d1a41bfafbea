// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import FoundationEssentials
import RandomValues
import TestKit
import Testing

/// The number of the public configuration rises with each change, whatever happens to clock, folder and process.
@Suite struct PublishedNumberTests {
    private let now = Scene.start

    private func number(_ scene: Scene) throws -> Int64 { try #require(scene.configuration().number).value }

    /// A configuration that differs from that of any other `version`.
    private func write(_ version: Int, _ scene: Scene) throws {
        let text = """
            {"version": \(version), "appConfig": {"latestVersionCode": \(version), "appFeatures": {"appFeatures": [
              {"label": "some-feature", "value": 3}]}}}
            """
        try Data(text.utf8).write(to: URL(filePath: scene.folder.configurationFile))
    }

    private func publish(_ scene: Scene, at time: Int64, dieAt step: Int? = nil) throws -> Program {
        try Program(
            Program.authority,
            ["publish", "--quiet", "--state", scene.path, "--now", "\(time)", "--shifting-threshold", "0"]
                + (step.map { ["--die-at-step", "\($0)"] } ?? []))
    }

    @Test func theNumberRisesWithEachChangeAndOnceADay() throws {
        let scene = try Scene()
        try write(1, scene)
        try scene.publish(now)
        let first = try number(scene)
        #expect(first == now / 60)
        // The operator's features are there as before.
        #expect(try scene.configuration().features == ["some-feature": 3, ConfigurationNumber.label: first])
        try scene.publish(now + 5 * Scene.hour)
        #expect(try number(scene) == first)
        try write(2, scene)
        try scene.publish(now + 5 * Scene.hour)
        #expect(try number(scene) == now / 60 + 300)
        // Two changes in one minute.
        try write(3, scene)
        try scene.publish(now + 5 * Scene.hour)
        #expect(try number(scene) == now / 60 + 301)
        // A package that is withdrawn changes it, too, whatever the version.
        _ = try scene.accept([Scene.key(0)], now: now + 5 * Scene.hour)
        try scene.publish(now + 7 * Scene.hour)
        let before = try number(scene)
        _ = try scene.authority.revoke(
            region: "EUR", date: "2026-11-13", hour: 15, reason: "a test", now: now + 7 * Scene.hour + 60)
        try scene.publish(now + 7 * Scene.hour + 60)
        #expect(try number(scene) == now / 60 + 421 && number(scene) > before)
        #expect(try !scene.configuration().revokedPackages.isEmpty)
        try scene.publish(now + Scene.day)
        #expect(try number(scene) == now / 60 + 1_440)
    }

    @Test func aClockThatGoesBackLetsNoNumberFall() throws {
        let scene = try Scene()
        var generator = SeededGenerator(seed: 68)
        var last: Int64 = 0
        for version in 1...40 {
            try write(version, scene)
            // At most a day behind, also the day before.
            let report = try scene.publish(now - Int64.random(in: 0..<20 * Scene.hour, using: &generator))
            #expect(report.configurationFaults == [])
            #expect(try number(scene) > last)
            last = try number(scene)
        }
        // Nothing was changed: the number is the same, whatever the clock says.
        try scene.publish(now - 20 * Scene.hour)
        #expect(try number(scene) == last)
    }

    /// A clock that was ahead by days gave a number that no board takes. It shuts out nothing: numbers begin anew at the right time, and that is said.
    @Test func aNumberOfTheFutureIsGivenUp() throws {
        let scene = try Scene()
        try write(1, scene)
        try scene.publish(now)
        let first = try number(scene)
        try write(2, scene)
        try scene.publish(now + 25 * Scene.hour)
        let slip = try #require(ConfigurationNumber(number(scene)))
        #expect(throws: ConfigurationRefusal.ahead(slip)) {
            try ConfigurationNumber.check(slip, after: ConfigurationNumber(first), at: now)
        }
        let report = try scene.publish(now + 60)
        #expect(report.configurationFaults == [AuthorityError(.configurationNumberAhead)])
        #expect(try number(scene) == first + 1)
        #expect(try scene.authority.audit().events.contains { $0.event == "configuration-number-lowered" })
        // Once.
        #expect(try scene.publish(now + 120).configurationFaults == [])
        #expect(try number(scene) == first + 1)
    }

    /// A folder from a copy of before a change: boards have seen a higher number, and get one above it with the next change, or the next day.
    @Test(arguments: [true, false]) func aRestoredFolderIsBelievedAgain(isChanged: Bool) throws {
        let scene = try Scene()
        let copy = scene.path + "-copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try write(1, scene)
        try scene.publish(now)
        try FileManager.default.copyItem(atPath: scene.path, toPath: copy)
        try write(2, scene)
        try scene.publish(now + Scene.hour)
        let seen = try number(scene)
        try FileManager.default.removeItem(atPath: scene.path)
        try FileManager.default.moveItem(atPath: copy, toPath: scene.path)
        try scene.reopen()
        try scene.publish(now + 2 * Scene.hour)
        // What boards refuse until then.
        #expect(try number(scene) < seen)
        if isChanged { try write(3, scene) }
        try scene.publish(now + (isChanged ? 3 : 14) * Scene.hour)
        #expect(try number(scene) > seen)
    }

    @Test func theLabelIsNotTheOperators() throws {
        let text = """
            {"version": 1, "appConfig": {"appFeatures": {"appFeatures": [{"label": "\(ConfigurationNumber.label)", "value": 9}]}}}
            """
        let error = #expect(throws: AuthorityError(.invalidConfiguration)) {
            try PublicConfiguration(parsing: Array(text.utf8))
        }
        #expect(error?.detail.contains("appFeatures[0]: is given by vigil-authority itself") == true)
    }

    /// Two programs publish at once, with clocks that differ by hours.
    @Test func twoProcessesGiveNoNumberTwice() throws {
        let scene = try Scene()
        var seen: [Int64] = []
        for round in 1...6 {
            try write(round, scene)
            let time = now + Int64(round) * 60
            let both = try [publish(scene, at: time), publish(scene, at: time - 3 * Scene.hour)]
            for program in both { #expect(program.wait() == 0) }
            seen.append(try number(scene))
        }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
    }

    /// Killed at every step of the publication of a change: what is public then has a number, and the next start publishes the change with a higher one.
    @Test func aKilledPublicationGivesNoNumberTwice() throws {
        let scene = try Scene()
        try write(1, scene)
        try scene.publish(now)
        var (step, version) = (0, 1)
        while true {
            (step, version) = (step + 1, version + 1)
            let before = try (number(scene), scene.configuration().content)
            try write(version, scene)
            let isWhole = try publish(scene, at: now, dieAt: step).wait() == 0
            let cut = try (number(scene), scene.configuration().content)
            // Either of the two, each with its own number.
            #expect(cut.1 == before.1 ? cut.0 == before.0 : cut.0 > before.0)
            #expect(try publish(scene, at: now).wait() == 0)
            #expect(try number(scene) > before.0 && number(scene) >= cut.0)
            #expect(try scene.configuration().content["latestVersionCode"]?.integer == Int64(version))
            if isWhole { break }
        }
        #expect(step > 3, "\(step) steps")
    }
}
