// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import FoundationEssentials
import JSON
import Testing
import VenueNotices

/// The operator's table of venues, and the signed list that boards read.
@Suite struct VenueListTests {
    private static let now = Scene.start

    private func list(_ scene: Scene, at moment: Int64 = now) throws -> RiskyVenueList {
        let lines = try #require(scene.file("/distribution/risky-venues.headers"))
        let signature = try #require(NHSSignature(lines: lines))
        #expect(signature.date.map { $0 <= moment } == true)
        return try RiskyVenueList(
            body: try #require(scene.file("/distribution/risky-venues")), signature: signature, trust: scene.trust(),
            time: moment)
    }

    private func venue(_ id: String = "ABC", _ from: Int64 = now - 7_200, _ until: Int64 = now) -> RiskyVenue {
        RiskyVenue(id: id, from: from, until: until, advice: .bookATest)
    }

    @Test func whatTheOperatorListsIsPublishedSigned() throws {
        let scene = try Scene()
        try scene.publish(Self.now)
        // From the beginning: boards cannot tell a list that is missing from a server that fails.
        #expect(try list(scene).venues.isEmpty)
        #expect(try scene.authority.listVenue(venue(), now: Self.now) == 1)
        #expect(try scene.authority.listVenue(venue("DEF"), now: Self.now) == 2)
        try scene.publish(Self.now)
        #expect(try list(scene).venues == [venue(), venue("DEF")])
        // The same list keeps its signature; another gets its own.
        let lines = scene.file("/distribution/risky-venues.headers")
        try scene.publish(Self.now + Scene.hour)
        #expect(scene.file("/distribution/risky-venues.headers") == lines)
        try scene.authority.unlistVenue(1, now: Self.now)
        try scene.publish(Self.now + Scene.hour)
        #expect(scene.file("/distribution/risky-venues.headers") != lines)
        #expect(try list(scene, at: Self.now + Scene.hour).venues == [venue("DEF")])
        // Nobody keeps visits longer than 14 days. An empty list says that nothing is left.
        try scene.publish(Self.now + 14 * Scene.day)
        let empty = try list(scene, at: Self.now + 14 * Scene.day)
        #expect(empty.venues.isEmpty && empty.implausible == 0)
        let audit = try scene.authority.audit()
        #expect(audit.isWhole && audit.events.count { $0.event == "venue-listed" } == 2)
    }

    /// Boards do not take a list for complete that was signed more than two days ago.
    @Test func theListIsSignedAnewEachDay() throws {
        let scene = try Scene()
        var dates: [Int64] = []
        for hour in stride(from: 0 as Int64, through: 72, by: 6) {
            let moment = Self.now + hour * Scene.hour
            try scene.publish(moment)
            let lines = try #require(scene.file("/distribution/risky-venues.headers"))
            let date = try #require(NHSSignature(lines: lines)?.date)
            #expect(moment - date < Scene.day && date <= moment)
            if dates.last != date { dates.append(date) }
            #expect(try list(scene, at: moment).venues.isEmpty)
        }
        #expect(dates == [0, 24, 48, 72].map { Self.now + $0 * Scene.hour })
        // It is the same document.
        #expect(try scene.authority.audit().events.count { $0.detail["path"] == "/distribution/risky-venues" } == 1)
        try scene.publish(Self.now)
        #expect(try list(scene).venues.isEmpty)
    }

    @Test func whatNoVisitCanMeetIsRefused() throws {
        let scene = try Scene()
        let now = Self.now
        let wrong = [
            venue(""), venue(String(repeating: "A", count: 65)), venue("A B"), venue("Ä"), venue("A\n"),
            venue("ABC", now, now), venue("ABC", now, now - 1), venue("ABC", -1, now),
            venue("ABC", now - 32 * Scene.day, now),
            venue("ABC", .min, .max), venue("ABC", 0, .max), venue("ABC", now - 15 * Scene.day, now - 14 * Scene.day),
            venue("ABC", now, now + 31 * Scene.day),
        ]
        for venue in wrong {
            #expect(throws: AuthorityError(.invalidVenue)) { try scene.authority.listVenue(venue, now: now) }
        }
        #expect(throws: AuthorityError(.unknownVenue)) { try scene.authority.unlistVenue(1, now: now) }
        #expect(try scene.authority.listedVenues().isEmpty)
        // With the longest ids as many as can be listed are what boards read.
        let longest = (0..<5_000).map { _ in venue(String(repeating: "A", count: 64)) }
        #expect(try RiskyVenueList(decoding: RiskyVenueList.encoded(longest)).venues.count == 5_000)
    }

    @Test func theCommandsEditTheTable() throws {
        let scene = try Scene()
        func run(_ arguments: String...) throws -> (output: String, status: Int32) {
            let ran = try Program.run(
                Program.authority, ["venues"] + arguments + ["--state", scene.path, "--now", "\(Self.now)"])
            return (ran.output, ran.status)
        }
        let added = try run(
            "add", "--id", "ABC", "--from", "2026-11-13T08:00:00Z", "--until", "2026-11-13T10:00:00Z", "--advice",
            "bookATest")
        #expect(added.output == "1\n" && added.status == 0)
        #expect(try run("list").output == "1: ABC, 2026-11-13T08:00:00Z to 2026-11-13T10:00:00Z, bookATest\n")
        #expect(try run("add", "--id", "A", "--from", "yesterday", "--until", "2026-11-13T10:00:00Z").status == 64)
        #expect(
            try run("add", "--id", "A", "--from", "2026-11-13T10:00:00Z", "--until", "2026-11-13T10:00:00Z").status == 1)
        #expect(try run("remove", "1").status == 0)
        #expect(try run("remove", "1").status == 1)
        #expect(try run("list").output.isEmpty)
    }
}
