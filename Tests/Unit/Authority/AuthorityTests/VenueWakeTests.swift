// SPDX-License-Identifier: Apache-2.0

import PresenceTracing
import Testing
import VenueNotices
import Verification

@testable import Authority

/// Boards are woken for warnings about venues, also where no key comes with them.
@Suite struct VenueWakeTests {
    private static let now = Scene.start
    private static let hour = Scene.hour

    /// Keys wait for a day, so that they wake nobody here.
    private static func scene(_ regions: [String] = ["DE", "EUR"]) throws -> Scene {
        let scene = try Scene { settings in
            settings.regions = regions
            settings.publishing.shiftingThreshold = 1_000
            settings.swissCovid = .init()
            settings.wake = .init()
            settings.wake?.host = "localhost"
            settings.wake?.port = 1
        }
        // The first lists are empty.
        #expect(try scene.publish(now).regionsToWake == [])
        return scene
    }

    /// As if the broker had taken the messages.
    private func taken(_ scene: Scene, _ regions: [String], now: Int64) throws {
        for region in regions { try scene.authority.noteWake(region, topic: "vigil/\(region)/wake", now: now) }
    }

    private func submit(_ scene: Scene, person: Int = 0) throws {
        let location = LocationID(payload: [UInt8(person)])
        let record = try #require(CheckInRecord(start: Self.now / 600 - 18, period: 6, level: 5))
        let report = try ProtectedReport(
            record, location: location, initializationVector: [UInt8](repeating: UInt8(person), count: 16))
        _ = try scene.authority.accept(
            [SubmittedKey(Scene.key(person))], checkIns: SubmittedCheckIns(plain: [], reports: [report.encoded]),
            source: "test", now: Self.now)
    }

    @Test func anHourWithCheckInsWakesOnce() throws {
        let scene = try Self.scene()
        try submit(scene)
        #expect(try scene.publish(Self.now + 60).regionsToWake == [])
        #expect(try scene.publish(Self.now + Self.hour).regionsToWake == ["DE", "EUR"])
        try taken(scene, ["DE", "EUR"], now: Self.now + Self.hour)
        for hours: Int64 in [1, 2, 3] {
            #expect(try scene.publish(Self.now + hours * Self.hour + 60).regionsToWake == [], "\(hours)")
        }
    }

    @Test func aListOfVenuesWakesWhenItHasAnother() throws {
        let scene = try Self.scene()
        func list(_ id: String) throws -> Int64 {
            try scene.authority.listVenue(
                RiskyVenue(id: id, from: Self.now - 7_200, until: Self.now, advice: .inform), now: Self.now)
        }
        let first = try list("ABC")
        #expect(try scene.publish(Self.now + 60).regionsToWake == ["DE", "EUR"])
        try taken(scene, ["DE", "EUR"], now: Self.now + 60)
        // Signed anew after a day, and the same.
        #expect(try scene.publish(Self.now + Scene.day + Self.hour).regionsToWake == [])
        _ = try list("DEF")
        #expect(try scene.publish(Self.now + Scene.day + 2 * Self.hour).regionsToWake == ["DE", "EUR"])
        try taken(scene, ["DE", "EUR"], now: Self.now + Scene.day + 2 * Self.hour)
        try scene.authority.unlistVenue(first, now: Self.now)
        try scene.authority.unlistVenue(first + 1, now: Self.now)
        #expect(try scene.publish(Self.now + Scene.day + 3 * Self.hour).regionsToWake == [])
    }

    @Test func traceKeysWakeWithTheirHour() throws {
        let scene = try Self.scene()
        let warning = VenueWarning(
            from: Self.now - 2 * Self.hour, until: Self.now - Self.hour, message: "x", isUrgent: false)
        #expect(try scene.authority.warnVisitors(of: TraceKeyTests.venue(), warning, now: Self.now) == 1)
        #expect(try scene.publish(Self.now + 60).regionsToWake == [])
        #expect(try scene.publish(Self.now + Self.hour).regionsToWake == ["DE", "EUR"])
        try taken(scene, ["DE", "EUR"], now: Self.now + Self.hour)
        #expect(try scene.publish(Self.now + 2 * Self.hour).regionsToWake == [])
        // What is withdrawn wakes nobody.
        #expect(
            try scene.authority.withdrawWarnings(
                of: TraceKeyTests.venue(), from: Self.now - 2 * Self.hour, until: Self.now - Self.hour,
                now: Self.now + 2 * Self.hour) == 1)
        #expect(try scene.publish(Self.now + 3 * Self.hour).regionsToWake == [])
    }

    /// A clock that was ahead has decided hours to come; the next one is public as it grows, and wakes each time.
    @Test func anHourThatGrowsWakesEachTime() throws {
        let scene = try Self.scene()
        func warn(_ number: UInt8, at moment: Int64) throws {
            let warning = VenueWarning(from: Self.now - Self.hour, until: Self.now, message: "x", isUrgent: false)
            #expect(try scene.authority.warnVisitors(of: TraceKeyTests.venue(number), warning, now: moment) == 1)
        }
        try warn(1, at: Self.now)
        #expect(try scene.publish(Self.now + Self.hour).regionsToWake == ["DE", "EUR"])
        try taken(scene, ["DE", "EUR"], now: Self.now + Self.hour)
        #expect(try scene.publish(Self.now + 7 * Self.hour).regionsToWake == [])
        for hours: Int64 in 2...4 {
            let moment = Self.now + hours * Self.hour
            try warn(UInt8(hours), at: moment - Self.hour + 60)
            #expect(try scene.publish(moment).regionsToWake == ["DE", "EUR"], "\(hours)")
            try taken(scene, ["DE", "EUR"], now: moment)
            #expect(try scene.publish(moment + 60).regionsToWake == [], "\(hours)")
        }
    }

    /// Killed when the tree is public and the wake is not noted yet: the next publication, which changes nothing, notes it.
    @Test func aKillLosesNoWake() throws {
        let scene = try Self.scene()
        try submit(scene)
        #expect(throws: AuthorityError.self) {
            try scene.authority.publish(now: Self.now + Self.hour) { step throws(AuthorityError) in
                if step == .switched { throw AuthorityError(.full) }
            }
        }
        #expect(try scene.authority.pendingWakes() == [])
        try scene.reopen()
        #expect(try scene.publish(Self.now + Self.hour + 60).regionsToWake == ["DE", "EUR"])
    }

    /// Without a broker nothing is noted; once there is one, what is public wakes once.
    @Test func withoutABrokerNobodyIsToBeWoken() throws {
        let scene = try Self.scene()
        try scene.reopen { $0.wake = nil }
        try submit(scene)
        #expect(try scene.publish(Self.now + Self.hour).regionsToWake == [])
        try scene.reopen {
            $0.wake = .init()
            $0.wake?.host = "localhost"
        }
        #expect(try scene.publish(Self.now + Self.hour + 60).regionsToWake == ["DE", "EUR"])
    }
}
