// SPDX-License-Identifier: Apache-2.0

import Authority
import HTTPService
import KeyExport
import PresenceTracing
import RandomValues
import Testing
import Verification

/// Check-ins that come with keys: taken as they are, or the whole is refused and the TAN stays good.
@Suite struct CheckInSubmissionTests {
    private static let now = VerificationScene.start
    private static let location = LocationID(payload: [1, 2, 3])

    private static func plain(
        id: [UInt8] = location.bytes, start: Int64 = now / 600 - 6, end: Int64 = now / 600, level: UInt64 = 5
    ) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.data(1, id)
        writer.number(2, UInt64(bitPattern: start))
        writer.number(3, UInt64(bitPattern: end))
        writer.number(4, level)
        return writer.bytes
    }

    private static func report(_ number: Int = 0, lengths: [Int] = [32, 16, 16, 32]) -> [UInt8] {
        var writer = ProtobufWriter()
        for (index, length) in lengths.enumerated() {
            writer.data(index + 1, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length))
        }
        return writer.bytes
    }

    @Test func bothKindsAreHandedOnAndCountedInTheAnswer() throws {
        let front = try SubmissionTests.Front()
        let body = Payload.body(
            [Payload.key(1)], plain: [Self.plain(), Self.plain(level: 1)], reports: (0..<12).map { Self.report($0) })
        let answer = front.send(body, tan: try front.scene.tan(0))
        #expect(answer.status == 200)
        let taken = try #require(front.shelf.checkIns.first)
        #expect(taken.plain.map(\.record.level) == [5, 1] && taken.plain.allSatisfy { $0.location == Self.location })
        #expect(taken.reports.map(\.encoded) == (0..<12).map { Self.report($0) })
        let counts = Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.0, $0.1) })
        #expect(counts["cwa-saved-checkins"] == "012" && counts["cwa-filtered-checkins"] == "002")
        #expect(front.server.counters.checkIns == 12)
        // No answer is longer or shorter for it.
        let without = front.send(Payload.body([Payload.key(2)]), tan: try front.scene.tan(1))
        let fake = front.send(body, tan: nil, fake: "1")
        func size(_ answer: HTTPResponse) -> [Int] { answer.headers.map { $0.0.utf8.count + $0.1.utf8.count } }
        #expect(size(answer) == size(without) && size(answer) == size(fake))
    }

    @Test func whatAVisitIsMadeOfIsTaken() throws {
        let visit = try #require(
            Visit(number: 1, location: Self.location, start: Self.now - 86_400, end: Self.now - 80_000))
        let parts = CheckInSubmission.parts(
            of: [visit], levels: [8, 7, 6], values: PresenceRiskParameters.published.transmissionRiskValueMapping,
            derivation: .published, now: Self.now)
        var random = SeededGenerator(seed: 17)
        let reports = try CheckInSubmission.reports(parts, using: &random)
        let taken = try SubmittedCheckIns(plain: parts.map(\.encodedPlain), reports: reports.map(\.encoded))
        #expect(!parts.isEmpty && taken.plain.map(\.record) == parts.map(\.record) && taken.reports == reports)
    }

    @Test(
        arguments: [
            (SubmissionRules.Flaw.malformedCheckIn, [[0xFF]], [[UInt8]]()), (.malformedCheckIn, [[]], []),
            (.malformedCheckIn, [plain(id: [])], []),
            (.malformedCheckIn, [plain(id: [UInt8](repeating: 1, count: 33))], []),
            // No time, a time backwards, more than a day, before 1970, beyond the numbers.
            (.malformedCheckIn, [plain(start: 10, end: 10)], []), (.malformedCheckIn, [plain(start: 10, end: 9)], []),
            (.malformedCheckIn, [plain(start: 10, end: 155)], []), (.malformedCheckIn, [plain(start: -5, end: -3)], []),
            (.malformedCheckIn, [plain(start: 0, end: 4_294_967_295)], []),
            (.malformedCheckIn, [plain(level: 0)], []), (.malformedCheckIn, [plain(level: 9)], []),
            (.malformedCheckIn, [plain(), plain(level: 9)], []),
            (.malformedCheckIn, [], [[0xFF]]), (.malformedCheckIn, [], [[]]),
            (.malformedCheckIn, [], [report(lengths: [31, 16, 16, 32])]),
            (.malformedCheckIn, [], [report(lengths: [32, 32, 16, 32])]),
            (.malformedCheckIn, [], [report(lengths: [32, 16, 32, 32])]),
            (.malformedCheckIn, [], [report(lengths: [32, 16, 16])]),
            (.tooManyCheckIns, [], (0..<221).map { report($0) }),
            (.tooManyCheckIns, [[UInt8]](repeating: [], count: 221), []),
            (.tooManyCheckIns, [[UInt8]](repeating: plain(), count: 21), []),
            // More than is looked at.
            (.malformed, [], [[UInt8]](repeating: [], count: 1_001)),
            (.malformed, [[UInt8]](repeating: [], count: 40_000), []),
        ] as [(SubmissionRules.Flaw, [[UInt8]], [[UInt8]])])
    func aFaultRefusesTheWholeAndSpendsNoTAN(flaw: SubmissionRules.Flaw, plain: [[UInt8]], reports: [[UInt8]]) throws {
        let front = try SubmissionTests.Front()
        let tan = try front.scene.tan(0)
        #expect(front.send(Payload.body([Payload.key(1)], plain: plain, reports: reports), tan: tan).status == 400)
        #expect(front.server.counters.flaws == [flaw: 1] && front.shelf.calls == 0)
        #expect(front.send(Payload.body([Payload.key(1)]), tan: tan).status == 200)
    }

    @Test func asManyAsOnePersonHasAreTaken() throws {
        let days = (0..<11).flatMap { day in
            (0..<20).map { _ in Self.plain(start: Int64(day) * 144, end: Int64(day) * 144 + 6) }
        }
        let all = try SubmittedCheckIns(plain: days, reports: (0..<220).map { Self.report($0) })
        #expect(all.plain.count == SubmittedCheckIns.maximumCount && all.reports.count == SubmittedCheckIns.maximumCount)
        // And no warning is larger than what is read: a hundred thousand check-ins are more bytes than a body has.
        let huge = Payload.body([Payload.key(1)], reports: [[UInt8]](repeating: [], count: 100_000))
        guard case .failure(let found) = SubmissionRules().judge(huge, now: Self.now) else {
            Issue.record("taken")
            return
        }
        #expect(found.flaw == .malformed && huge.count > SubmissionRules.maximumBytes)
    }

    /// The second TAN of a warning is for keys of one day and nothing else.
    @Test func theRestOfADayHasNoCheckIns() throws {
        func accepted(_ reports: [[UInt8]]) throws -> SubmissionRules.Accepted {
            try SubmissionRules().judge(Payload.body([Payload.key(1)], reports: reports), now: Self.now).get()
        }
        #expect(SubmissionRules.isRemainder(try accepted([]), now: Self.now))
        #expect(!SubmissionRules.isRemainder(try accepted([Self.report()]), now: Self.now))
    }
}
