// SPDX-License-Identifier: Apache-2.0

import CivilTime
import CrowdNotifier
import Cryptography
import FoundationEssentials
import HTTPService
import JSON
import RandomValues
import TestKit
import Testing
import Verification

/// Uploads of hours at venues: which hours count, who may upload, and what an answer tells.
@Suite struct UserUploadTests {
    private static let now = VerificationScene.start
    private static let hour = VerificationScene.hour
    private static let secret = VerificationSecret(SecretBytes(copying: [UInt8](repeating: 9, count: 32)))

    /// Keeps what it is given.
    private final class Shelf: VenueHoursTaking {
        var taken: [(hours: VenueHours, warning: WarningHandle?)] = []
        func take(_ hours: VenueHours, warning: WarningHandle?, now: Int64) throws(VerificationError) -> Int {
            taken.append((hours, warning))
            return hours.entries.count
        }
    }

    /// A stay as devices send it, half an hour longer.
    private static func stay(_ venue: UInt8, _ from: Int64, _ until: Int64) throws -> [UserUpload.Entry] {
        let venue = try CrowdNotifierVenue(
            name: "", address: "", start: 0, end: 4_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: venue, count: 32), countryData: [])
        return UserUpload.entries(
            keys: venue.keys, arrival: from * 1_000, departure: until * 1_000 + UserUpload.stayingAirMilliseconds)
    }

    private static func body(_ genuine: [UserUpload.Entry], seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return UserUpload.filled(genuine, using: &generator).encoded
    }

    private static func flaw<Value>(_ rule: () throws(VenueHoursFlaw) -> Value) -> VenueHoursFlaw? {
        do throws(VenueHoursFlaw) {
            _ = try rule()
            return nil
        } catch { return error }
    }

    private static func onset(_ days: Int64) -> CivilDate { CivilDate(day: now / VerificationScene.day - days) }

    // MARK: Rules

    @Test func exactlyAsManyEntriesAsDevicesSend() throws {
        let rules = UserUploadRules()
        let stay = try Self.stay(1, Self.now - 2 * Self.hour, Self.now - Self.hour)
        #expect(try rules.genuine(Self.body(stay)).count == stay.count)
        #expect(try rules.genuine(Self.body([])).isEmpty)
        var upload = try UserUpload(decoding: Self.body(stay))
        #expect(
            Self.flaw { () throws(VenueHoursFlaw) in try rules.genuine(UserUpload(entries: []).encoded) } == .wrongCount)
        let last = upload.entries.removeLast()
        #expect(Self.flaw { () throws(VenueHoursFlaw) in try rules.genuine(upload.encoded) } == .wrongCount)
        upload.entries += [last, last]
        #expect(Self.flaw { () throws(VenueHoursFlaw) in try rules.genuine(upload.encoded) } == .wrongCount)
        let good = Self.body(stay)
        for wrong in [[], [0xFF], Array(good.dropLast()), good + [0xFF], [UInt8](repeating: 0, count: 200_000)] {
            let flaw = Self.flaw { () throws(VenueHoursFlaw) in try rules.genuine(wrong) }
            #expect(flaw == (wrong.isEmpty ? .wrongCount : .malformed))
        }
        // One key too short in one of them.
        var short = good
        short[2] -= 1
        #expect(Self.flaw { () throws(VenueHoursFlaw) in try rules.genuine(short) } != nil)
    }

    @Test func whatEndedBeforeTheOnsetOrLastsTooLongIsLeftOut() throws {
        let rules = UserUploadRules()
        let day = VerificationScene.day
        let midnight = Self.now / day * day
        let yesterday = try Self.stay(1, midnight - 7_200, midnight - 5_460)
        let today = try Self.stay(2, midnight + 600, midnight + 1_200)
        #expect(try rules.selected(yesterday + today, onset: Self.onset(0)).entries == today)
        #expect(try rules.selected(yesterday + today, onset: Self.onset(1)).entries == yesterday + today)
        // An hour that ends on the day counts, as in the original.
        let night = try Self.stay(3, midnight - 600, midnight)
        #expect(try rules.selected(night, onset: Self.onset(0)).entries == night)
        func entry(_ start: UInt64, _ end: UInt64) -> UserUpload.Entry {
            UserUpload.Entry(
                preID: today[0].preID, timeKey: today[0].timeKey, notificationKey: today[0].notificationKey, start: start,
                end: end, isFake: false)
        }
        let start = UInt64(Self.now) * 1_000
        for (end, count) in [(start, 0), (start - 1, 0), (start + 1, 1), (start + 3_600_000, 1), (start + 3_600_001, 0)] {
            #expect(try rules.selected([entry(start, end)], onset: Self.onset(3)).entries.count == count)
        }
        #expect(try rules.selected([entry(0, .max), entry(.max, 0)], onset: Self.onset(3)).entries.isEmpty)
    }

    @Test func nobodyIsAtTwoPlacesAtOnce() throws {
        let rules = UserUploadRules()
        let (now, hour) = (Self.now, Self.hour)
        func flaw(_ stays: [UserUpload.Entry]...) -> VenueHoursFlaw? {
            var generator = SeededGenerator(seed: 5)
            return Self.flaw { () throws(VenueHoursFlaw) in
                // In any order.
                try rules.selected(stays.flatMap(\.self).shuffled(using: &generator), onset: Self.onset(10))
            }
        }
        let first = try Self.stay(1, now - 5 * hour - 600, now - 3 * hour)
        // The next place at once: only the half hours that are added overlap.
        #expect(flaw(first, try Self.stay(2, now - 3 * hour, now - 2 * hour)) == nil)
        #expect(flaw(first, try Self.stay(2, now - 3 * hour - 1, now - 2 * hour)) == .overlap)
        #expect(flaw(first, try Self.stay(2, now - 5 * hour, now - 4 * hour)) == .overlap)
        #expect(flaw(first, try Self.stay(1, now - 3 * hour + 1_800, now - 2 * hour)) == nil)
        #expect(flaw(first, first) == .overlap)
        let many = try (0..<100).map { try Self.stay(UInt8($0), now - Int64($0 + 2) * hour, now - Int64($0 + 1) * hour) }
        #expect(
            Self.flaw { () throws(VenueHoursFlaw) in try rules.selected(many.flatMap(\.self), onset: Self.onset(10)) }
                == nil)
    }

    /// With stays of half an hour, which have no length without what devices add, one token warned 1,024 places in one minute.
    @Test func oneUploadWarnsNoMoreThanAPersonCan() throws {
        let rules = UserUploadRules()
        let start = UInt64(Self.now - 5 * Self.hour) * 1_000
        func entry(_ place: Int, _ start: UInt64, seconds: UInt64 = 1_800) -> UserUpload.Entry {
            let bytes = SHA256.digest(of: Array("\(place)".utf8))
            return UserUpload.Entry(
                preID: bytes, timeKey: bytes, notificationKey: bytes, start: start, end: start + seconds * 1_000,
                isFake: false)
        }
        func flaw(_ entries: [UserUpload.Entry]) -> VenueHoursFlaw? {
            Self.flaw { () throws(VenueHoursFlaw) in try rules.selected(entries, onset: Self.onset(20)) }
        }
        #expect(flaw((0..<1_024).map { entry($0, start) }) == .tooManyHours)
        for seconds: UInt64 in [1, 1_799, 1_800] {
            #expect(flaw((0..<2).map { entry($0, start, seconds: seconds) }) == nil)
            #expect(flaw((0..<3).map { entry($0, start + UInt64($0), seconds: seconds) }) == .overlap)
        }
        // Shops of one street, a minute each.
        #expect(flaw((0..<20).map { entry($0, start + UInt64($0) * 60_000) }) == nil)
        // Every hour of 14 days, and one more.
        let most = VenueHours.maximumCount
        let hours = (0...most).map { entry(1, start - UInt64($0) * 3_600_000, seconds: 3_600) }
        #expect(flaw(Array(hours.prefix(most))) == nil && flaw(hours) == .tooManyHours)
        // At the publisher's door, too.
        #expect(try VenueHours(messages: hours.prefix(most).map(\.encoded)).entries.count == most)
        #expect(Self.flaw { () throws(VenueHoursFlaw) in try VenueHours(messages: hours.map(\.encoded)) } == .tooManyHours)
    }

    // MARK: Tokens

    /// Whoever gave a token takes back what was uploaded with it, by the token itself.
    @Test func aTokenNamesItsWarning() throws {
        let scene = try VerificationScene()
        let shelf = Shelf()
        let server = UserUploadServer(secret: Self.secret, tans: scene.server, taker: shelf)
        let stay = try Self.stay(1, Self.now - 2 * Self.hour, Self.now - Self.hour)
        let tokens = try (0..<2).map { _ in
            try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: Self.now)
        }
        for token in tokens {
            _ = try server.upload(Self.body(stay), token: token, now: Self.now)
            let taken = try #require(shelf.taken.last?.warning)
            #expect(try scene.server.warningHandles(token) == [taken])
            #expect(try scene.server.warningHandles("  \(token.prefix(100))\n\(token.dropFirst(100)) ") == [taken])
            let teleTAN = try #require(try CheckInToken(token, secret: Self.secret, now: Self.now).teleTAN)
            #expect(try scene.server.warningHandles(teleTAN) == [taken])
        }
        #expect(shelf.taken.map(\.warning)[0] != shelf.taken.map(\.warning)[1])
        let old = try CheckInToken(tan: "tan", onset: Self.onset(3), expires: Self.now + 60).text(
            secret: Self.secret, now: Self.now)
        for wrong in [old, "a.b.c", "..", tokens[0] + ".", String(repeating: "a", count: 5_000)] {
            #expect(throws: VerificationError(.malformedRequest)) { try scene.server.warningHandles(wrong) }
        }
    }

    @Test func aTokenIsReadOnlyAsItWasSigned() throws {
        let now = Self.now
        let token = CheckInToken(tan: "tan", onset: Self.onset(3), expires: now + 60)
        let text = try token.text(secret: Self.secret, now: now)
        #expect(try CheckInToken(text, secret: Self.secret, now: now + 59) == token)
        func isRefused(_ text: String, at moment: Int64 = now) -> Bool {
            do {
                _ = try CheckInToken(text, secret: Self.secret, now: moment)
                return false
            } catch { return error == VerificationError(.invalidTAN) }
        }
        #expect(isRefused(text, at: now + 60))
        let other = VerificationSecret(SecretBytes(copying: [UInt8](repeating: 8, count: 32)))
        #expect(isRefused(try token.text(secret: other, now: now)))
        let parts = text.split(separator: ".").map(String.init)
        // Another onset, no signature, another algorithm.
        let forged = String(
            decoding: try #require(Base64URL.bytes(Array(parts[1].utf8))), as: UTF8.self
        ).replacing(Self.onset(3).isoText, with: Self.onset(9).isoText)
        let none = Base64URL.string(Array(#"{"alg":"none"}"#.utf8))
        for wrong in [
            "", ".", "..", "...", "a.b.c", parts[0], "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", text + ".",
            text + "A",
            "\(parts[0]).\(Base64URL.string(Array(forged.utf8))).\(parts[2])", "\(none).\(parts[1]).\(parts[2])",
            "\(none).\(parts[1]).", String(repeating: "a", count: 5_000),
        ] { #expect(isRefused(wrong), "\(wrong.prefix(40))") }
        // Signed, but not for this: as another service with the same secret might.
        func signed(_ claims: String, _ header: String = #"{"alg":"HS256"}"#) throws -> String {
            let head = "\(Base64URL.string(Array(header.utf8))).\(Base64URL.string(Array(claims.utf8)))"
            let code = try HMACSHA256.code(for: Array(head.utf8), key: Self.secret.bytes)
            return "\(head).\(Base64URL.string(code))"
        }
        func claims(
            aud: String = "checkin", scope: String = "userupload", onset: String = Self.onset(3).isoText,
            exp: String = "\(now + 60)",
            jti: String = "\"tan\""
        ) -> String {
            #"{"aud":"\#(aud)","scope":"\#(scope)","onset":"\#(onset)","exp":\#(exp),"jti":\#(jti)}"#
        }
        #expect(!isRefused(try signed(claims())))
        for wrong in [
            claims(aud: "x"), claims(scope: "exposed"), claims(onset: ""), claims(onset: Self.onset(-1).isoText),
            claims(onset: Self.onset(31).isoText), claims(exp: "null"), claims(exp: "\(now)"), claims(jti: "5"), "[]", "",
        ] { #expect(isRefused(try signed(wrong)), "\(wrong)") }
        #expect(isRefused(try signed(claims(), #"{"alg":"HS512"}"#)))
        #expect(isRefused(try signed(claims(), #"{"alg":"HS256","crit":["x"]}"#)))
    }

    // MARK: The server

    @Test func aTokenCountsForOneBody() throws {
        let scene = try VerificationScene()
        let shelf = Shelf()
        let server = UserUploadServer(secret: Self.secret, tans: scene.server, taker: shelf)
        let token = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: Self.now)
        let stay = try Self.stay(1, Self.now - 2 * Self.hour, Self.now - Self.hour)
        let good = Self.body(stay)
        func refusal(_ body: [UInt8], _ token: String?, at moment: Int64 = Self.now) -> VerificationError? {
            do {
                _ = try server.upload(body, token: token, now: moment)
                return nil
            } catch { return error }
        }
        // What breaks a rule spends no token.
        let twice = Self.body(stay + stay)
        #expect(refusal(twice, token) == VerificationError(.invalidSubmission))
        #expect(refusal(twice, token)?.detail == VenueHoursFlaw.overlap.rawValue)
        #expect(refusal([], token)?.detail == VenueHoursFlaw.wrongCount.rawValue)
        for wrong in [nil, "", "x", token + "x"] { #expect(refusal(good, wrong)?.code == .invalidTAN) }
        #expect(shelf.taken.isEmpty)
        #expect(try server.upload(good, token: token, now: Self.now) == .taken(stay.count))
        // Again after a crash; other bytes with the same token are refused, the same hours among other fakes too.
        #expect(try server.upload(good, token: token, now: Self.now + 60) == .taken(stay.count))
        #expect(refusal(Self.body(stay, seed: 2), token)?.code == .invalidTAN)
        #expect(shelf.taken.count == 2 && shelf.taken[0].hours == shelf.taken[1].hours)
        let warnings = shelf.taken.compactMap(\.warning)
        #expect(warnings.count == 2 && Set(warnings).count == 1)
        // A day later.
        let late = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: Self.now)
        #expect(refusal(good, late, at: Self.now + 86_400)?.code == .invalidTAN)
        // One that was taken back, before it was used and not after.
        let wrong = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: Self.now)
        try scene.server.revokeCheckInToken(wrong, secret: Self.secret, now: Self.now)
        #expect(refusal(good, wrong)?.code == .invalidTAN)
        for text in [wrong, token, "x"] {
            #expect(throws: VerificationError(.invalidTAN)) {
                try scene.server.revokeCheckInToken(text, secret: Self.secret, now: Self.now)
            }
        }
        #expect(try server.upload(good, token: token, now: Self.now + 120) == .taken(stay.count))
        // A token whose TAN the verification does not know, and a TAN that is for keys.
        let unknown = try CheckInToken(tan: VerificationScene.name(1), onset: Self.onset(3), expires: Self.now + 60)
            .text(secret: Self.secret, now: Self.now)
        #expect(refusal(good, unknown)?.code == .invalidTAN)
        try scene.report(0, 2)
        let tan = try scene.server.tan(token: scene.register(0), now: Self.now)
        let foreign = try CheckInToken(tan: tan, onset: Self.onset(3), expires: Self.now + 60)
            .text(secret: Self.secret, now: Self.now)
        #expect(refusal(good, foreign)?.code == .invalidTAN)
        // And a check-in's TAN sends no keys.
        let spare = try CheckInToken(
            scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: Self.now), secret: Self.secret,
            now: Self.now)
        #expect(throws: VerificationError(.invalidTAN)) {
            try scene.server.confirm(spare.tan, type: .test, request: [1], now: Self.now)
        }
        // Cover traffic asks nobody, whatever its token.
        let before = try scene.storedBytes()
        for token in [nil, "fake", token] {
            #expect(try server.upload(Self.body([]), token: token, now: Self.now) == .cover)
        }
        #expect(try scene.storedBytes() == before && shelf.taken.count == 3)
    }

    /// Over the wire: real, cover, refused and malformed have one length, and what a device may have sent is not answered before its slot is over.
    @Test func answersTellNothingByTimeOrLength() throws {
        let scene = try VerificationScene()
        let now = scene.now
        let shelf = Shelf()
        let service = try VerificationService(
            SubmissionServer(rules: SubmissionRules(), tans: scene.another(), taker: OpenAPITests.Nobody()),
            uploads: UserUploadServer(secret: Self.secret, tans: scene.another(), taker: shelf), address: "127.0.0.1",
            port: 0, now: { now })
        let path = UserUploadHTTP.path
        let token = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: now)
        let stay = try Self.stay(1, now - 2 * Self.hour, now - Self.hour)
        let (real, cover) = (Self.body(stay), Self.body([]))
        #expect(real.count == cover.count)
        func lines(_ method: String, _ headers: [String]) -> [UInt8] {
            Array(
                (["\(method) \(path) HTTP/1.1", "Host: x", "Connection: close"] + headers).joined(separator: "\r\n").utf8)
                + Array("\r\n\r\n".utf8)
        }
        func post(_ body: [UInt8], _ token: String?, type: String = "application/x-protobuf") -> [UInt8] {
            let bearer = token.map { ["Authorization: Bearer \($0)"] } ?? []
            return lines("POST", ["Content-Type: \(type)", "Content-Length: \(body.count)"] + bearer) + body
        }
        let requests: [(bytes: [UInt8], status: Int, code: String, isHeld: Bool)] = [
            (post(real, token), 200, "none", true), (post(real, token), 200, "none", true),
            (post(cover, nil), 200, "none", true), (post(cover, "fake"), 200, "none", true),
            (post(real, nil), 403, "invalidTAN", true), (post(real, "x"), 403, "invalidTAN", true),
            (post(Self.body(stay, seed: 3), token), 403, "invalidTAN", true),
            (post(Self.body(stay + stay), token), 400, "invalidSubmission", true),
            // What no device sends.
            (post([], token), 400, "invalidSubmission", false), (post([0xFF], nil), 400, "invalidSubmission", false),
            (post([UInt8](repeating: 0, count: 300_000), token), 400, "malformedRequest", false),
            (post(real, token, type: "application/json"), 415, "malformedRequest", false),
            (lines("GET", []), 405, "malformedRequest", false),
            (
                lines("POST", ["Content-Type: application/x-protobuf", "Transfer-Encoding: chunked"])
                    + Array("0\r\n\r\n".utf8), 406, "malformedRequest", false
            ),
        ]
        var counts: Set<Int> = []
        for (bytes, status, code, isHeld) in requests {
            let start = MonotonicClock.milliseconds()
            let answer = try WireAnswer.exchange(bytes, port: service.port)
            if isHeld { #expect(MonotonicClock.milliseconds() - start >= 1_500, "\(status)") }
            #expect(answer.status == status && answer.headers["cwa-error-code"] == code, "\(status) \(answer.headers)")
            #expect(answer.body.isEmpty)
            counts.insert(answer.bytes.count)
        }
        #expect(counts.count == 1, "\(counts)")
        #expect(shelf.taken.count == 2)
        // Where it is not offered.
        let other = try VerificationService(
            SubmissionServer(rules: SubmissionRules(), tans: scene.another(), taker: OpenAPITests.Nobody()),
            address: "127.0.0.1", port: 0, now: { now })
        #expect(try WireAnswer.exchange(post(real, token), port: other.port).status == 404)
    }

    /// Junk does not hold connections that submissions need, and neither do uploads beyond a limit. By the handler itself, since a loaded machine
    /// has no fast answers.
    @Test func whatNoDeviceSendsIsNotHeldBackAndNoMoreThanSoManyAre() throws {
        let scene = try VerificationScene()
        let now = scene.now
        let shelf = Shelf()
        let server = UserUploadServer(secret: Self.secret, tans: scene.server, taker: shelf)
        let token = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: now)
        let stay = try Self.stay(1, now - 2 * Self.hour, now - Self.hour)
        let (real, cover) = (Self.body(stay), Self.body([]))
        var time = 0.0
        let handler = UserUploadHTTP(
            server: server, now: { now },
            milliseconds: { time }, generator: SeededGenerator(seed: 5))
        func ask(_ body: [UInt8], _ token: String? = nil, _ headers: [String: String] = [:]) -> HTTPResponse {
            var fields = ["content-type": "application/x-protobuf", "content-length": "\(body.count)"]
            if let token { fields["authorization"] = "Bearer \(token)" }
            return handler.answer(
                HTTPRequest(method: "POST", path: UserUploadHTTP.path, headers: fields.merging(headers) { $1 }, body: body))
        }
        let truncated = Array(real.dropLast())
        for (body, headers) in [
            ([], [:]), ([0xFF], [:]), (truncated, [:]), ([UInt8](repeating: 0, count: real.count), [:]),
            (real, ["content-type": "text/plain"]), (real, ["transfer-encoding": "chunked"]),
        ] as [([UInt8], [String: String])] {
            let answer = ask(body, token, headers)
            #expect(answer.status >= 400 && answer.delayMilliseconds == 0, "\(answer.status)")
        }
        for (body, token) in [(real, token), (cover, nil), (cover, "x"), (real, nil), (Self.body(stay + stay), token)] {
            #expect(ask(body, token).delayMilliseconds == 1_500)
        }
        #expect(shelf.taken.count == 1)

        // So many are held back at once, and whoever comes then is told so whatever the body is; the token is as good as before.
        time = 10_000
        let fresh = try scene.server.checkInToken(onset: Self.onset(3), secret: Self.secret, now: now)
        for _ in 0..<UserUploadHTTP.heldLimit { #expect(ask(cover).delayMilliseconds == 1_500) }
        func size(_ answer: HTTPResponse) -> Int { answer.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 } }
        time += 1_499
        for body in [real, cover, Self.body(stay + stay), [0xFF]] {
            let answer = ask(body, fresh)
            #expect(answer.status == 503 && answer.delayMilliseconds == 0)
            #expect(answer.headers.contains { $0 == ("Retry-After", "2") })
            #expect(answer.headers.contains { $0 == ("cwa-error-code", "tooManyUploads") })
            let gate = ask(cover, nil, ["content-type": "text/plain"])
            #expect(
                size(answer) + "Service Unavailable".utf8.count == size(gate) + "Unsupported Media Type".utf8.count)
        }
        #expect(shelf.taken.count == 1)
        time += 1
        #expect(ask(real, fresh).status == 200 && shelf.taken.count == 2)
    }
}
