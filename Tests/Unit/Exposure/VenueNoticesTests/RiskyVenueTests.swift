// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import JSON
import Testing
import Trust
import VenueNotices

@Suite struct RiskyVenueTests {
    private func visit(_ from: Int64, _ to: Int64, id: String = "A", number: Int = 1, wasTold: Bool = false) -> PosterVisit
    {
        PosterVisit(number: number, venueID: id, from: from, to: to, wasTold: wasTold)
    }

    /// The venue is risky from 100 to 200.
    @Test func halfOpenWindows() {
        let venue = RiskyVenue(id: "A", from: 100, until: 200)
        let table: [(Int64, Int64, Bool)] = [
            (0, 100, false), (0, 101, true), (199, 300, true), (200, 300, false), (100, 200, true), (120, 130, true),
            (0, 300, true),
            // Moments.
            (100, 100, true), (99, 99, false), (199, 199, true), (200, 200, false),
            // The wrong way round is no visit.
            (150, 120, false),
        ]
        for (from, to, expected) in table { #expect(venue.meets(visit(from, to)) == expected, "\(from) \(to)") }
        #expect(!venue.meets(visit(100, 200, id: "a")))
        #expect(!RiskyVenue(id: "A", from: 200, until: 100).meets(visit(0, 300)))
        #expect(!RiskyVenue(id: "A", from: 100, until: 100).meets(visit(0, 300)))
    }

    private func list(_ entries: String...) -> [UInt8] { Array("{\"venues\":[\(entries.joined(separator: ","))]}".utf8) }

    private func entry(
        _ id: String = "A", _ from: String = "2020-07-08T10:00:00Z", _ until: String = "2020-07-08T12:00:00.123Z",
        _ type: String = "\"M1\""
    ) -> String {
        "{\"id\":\"\(id)\",\"riskyWindow\":{\"from\":\"\(from)\",\"until\":\"\(until)\"},\"messageType\":\(type)}"
    }

    @Test func aListIsRead() throws {
        let read = try RiskyVenueList(
            decoding: list(entry(), entry("B", "1970-01-01T00:00:00Z", "2020-02-29T23:59:59Z", "\"M2\"")))
        #expect(
            read.venues == [
                RiskyVenue(id: "A", from: 1_594_202_400, until: 1_594_209_600),
                RiskyVenue(id: "B", from: 0, until: 1_583_020_799, advice: .bookATest),
            ])
        #expect(try RiskyVenueList(decoding: list()).venues.isEmpty)
        // A message that this software does not know is still one.
        for type in ["\"M3\"", "5", "null"] {
            #expect(
                try RiskyVenueList(decoding: list(entry("A", "2020-07-08T10:00:00Z", "2020-07-08T11:00:00Z", type))).venues
                    .map(\.advice) == [.inform])
        }
    }

    @Test func whatNamesNoTimeIsPassedOver() throws {
        for time in [
            "2020-07-08", "2020-07-08T10:00Z", "2020-07-08T10:00:00", "2020-07-08T10:00:00+01:00", "2020-07-08 10:00:00Z",
            "2020-02-30T10:00:00Z", "2020-07-08T24:00:00Z", "2020-07-08T10:60:00Z", "2020-07-08T10:00:60Z",
            "2020-07-08T10:00:00.Z",
            "2020-07-08T10:00:00.1234567890123Z", "2020-07-08T1a:00:00Z", "", "2020-07-08T10:00:00,1Z",
            "2020-07-08T12:00:00Z",
        ] {
            let read = try RiskyVenueList(decoding: list(entry("A", time, "2020-07-08T12:00:00Z"), entry("B")))
            #expect(read.venues.map(\.id) == ["B"] && read.implausible == 1, "\(time)")
        }
        for other in ["5", "{}", "null", #"{"id":"A"}"#, #"{"id":"","riskyWindow":{}}"#] {
            #expect(try RiskyVenueList(decoding: list(other, entry())).implausible == 1, "\(other)")
        }
    }

    @Test func listsThatAreNone() {
        func refusal(_ body: [UInt8]) -> VenueNoticesError.Code? {
            do throws(VenueNoticesError) {
                _ = try RiskyVenueList(decoding: body)
                return nil
            } catch { return error.code }
        }
        for text in [
            "", "{", "[]", "{}", #"{"venues":{}}"#, #"{"venues":null}"#, "{\"venues\":" + String(repeating: "[", count: 20),
        ] {
            #expect(refusal(Array(text.utf8)) == .malformedList, "\(text)")
        }
        #expect(refusal(list(Array(repeating: "0", count: 10_001).joined(separator: ","))) == .tooManyVenues)
        #expect(refusal(list(Array(repeating: "0", count: 1_000_000).joined(separator: ","))) == .listTooLarge)
        #expect(refusal([UInt8](repeating: 0x20, count: RiskyVenueList.maximumBytes + 1)) == .listTooLarge)
    }

    @Test func visitsAreToldOnceAndTheStrongestAdvice() throws {
        let read = try RiskyVenueList(
            decoding: list(
                entry("A", "1970-01-01T00:00:10Z", "1970-01-01T00:00:20Z"),
                entry("A", "1970-01-01T00:00:15Z", "1970-01-01T00:00:30Z", "\"M2\"")))
        let visits = [
            visit(0, 12, number: 1), visit(16, 18, number: 2), visit(16, 18, number: 3, wasTold: true),
            visit(30, 40, number: 4),
            visit(16, 18, id: "B", number: 5),
        ]
        let matches = read.matches(visits)
        #expect(matches.map(\.visit.number) == [1, 2])
        #expect(matches.map(\.venue.advice) == [.inform, .bookATest])
    }

    @Test func onlySignedListsAreTaken() throws {
        let (signer, stranger) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        func trust(_ role: KeyRole) throws -> TrustStore {
            try TrustStore(keys: [TrustedKey(name: KeyName(id: "k", version: ""), role: role, key: signer.verificationKey)])
        }
        let (body, date) = (list(entry()), "Sun, 02 Aug 2020 18:13:05 UTC")
        func signature(_ key: P256.SigningKey, id: String = "k") throws -> NHSSignature {
            let raw = try key.sign(SHA256.digest(of: NHSSignature.content(date: date, body: body)))
            return try #require(NHSSignature(header: NHSSignature.header(keyID: id, signature: raw), date: date))
        }
        func isTaken(_ body: [UInt8], _ signature: NHSSignature, _ trust: TrustStore) -> Bool {
            (try? RiskyVenueList(body: body, signature: signature, trust: trust, time: 100)) != nil
        }
        #expect(isTaken(body, try signature(signer), try trust(.config)))
        #expect(!isTaken(body, try signature(stranger), try trust(.config)))
        #expect(!isTaken(body, try signature(signer, id: "l"), try trust(.config)))
        #expect(!isTaken(body, try signature(signer), try trust(.export)))
        #expect(!isTaken(body + [0x20], try signature(signer), try trust(.config)))
    }

    /// Answers one after the other, and what comes of the last.
    @Test func noticesWaitForTheOperators() {
        let token = String(repeating: "t", count: 50)
        func answer(_ word: String, _ token: String? = nil) -> [UInt8]? {
            Array("{\"approval\":\"\(word)\"\(token.map { ",\"approvalToken\":\"\($0)\"" } ?? "")}".utf8)
        }
        let ask = "POST \(NHSCircuitBreaker.venuePath)"
        let poll = "GET /circuit-breaker/venue/resolution/\(token)"
        let table: [([[UInt8]?], HeldNotice.Outcome, String)] = [
            ([answer("yes")], .tell, ask), ([answer("no")], .drop, ask), ([nil], .wait, ask),
            ([answer("maybe")], .wait, ask),
            ([Array("garbage".utf8)], .wait, ask), ([answer("pending", token)], .wait, poll),
            ([answer("pending", token), answer("pending")], .wait, poll), ([answer("pending", token), nil], .wait, poll),
            ([answer("pending", token), nil, answer("yes")], .tell, poll),
            ([answer("pending", token), answer("no")], .drop, poll),
            // Without a token that can be one, it is asked from the beginning.
            ([answer("pending")], .wait, ask), ([answer("pending", "../x")], .wait, ask),
            ([answer("pending"), answer("yes")], .tell, ask),
            ([[UInt8](repeating: 0x20, count: 20_000)], .wait, ask),
        ]
        for (index, (answers, outcome, call)) in table.enumerated() {
            var notice = HeldNotice(visit: 1, advice: .inform)
            #expect("\(notice.call.method) \(notice.call.path)" == ask)
            #expect(answers.map { notice.take($0) }.last == outcome, "row \(index)")
            #expect("\(notice.call.method) \(notice.call.path)" == call, "row \(index)")
            #expect(HeldNotice(visit: 1, advice: .inform, token: notice.token) == notice, "row \(index)")
        }
        #expect(HeldNotice(visit: 1, advice: .inform, token: "short").token == nil)
    }
}
