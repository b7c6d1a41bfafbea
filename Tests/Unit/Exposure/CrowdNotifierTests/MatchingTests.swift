// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CrowdNotifier
import Cryptography
import RandomValues
import Testing
import Trust

@Suite struct MatchingTests {
    private let keys = VenueKeys(payload: [1, 2, 3])
    private let other = VenueKeys(payload: [1, 2, 4])
    private let noon = Samples.midnight + 12 * 3_600

    private func visit(_ number: Int, _ keys: VenueKeys, _ arrival: Int64, _ departure: Int64) throws -> CrowdNotifierVisit
    {
        try #require(CrowdNotifierVisit(number: number, keys: keys, arrival: arrival, departure: departure))
    }

    private func key(
        _ keys: VenueKeys, hour: Int64, start: Int64, end: Int64, day: Int64 = Samples.midnight,
        sealedFor: VenueKeys? = nil,
        nonce: [UInt8] = [UInt8](repeating: 7, count: 24)
    ) throws -> TraceKey {
        let data = AssociatedData(message: "Bitte testen", start: start, end: end, countryData: [0x08, 4, 0x10, 1])
        return TraceKey(
            identity: keys.identity(start: hour), secretKey: [UInt8](repeating: 1, count: 48), day: day,
            encryptedData: try data.sealed(
                notificationKey: (sealedFor ?? keys).notificationKey, nonce: Array(nonce.prefix(24))),
            nonce: nonce)
    }

    /// The warning is about 12:10 to 12:20; visits in seconds after noon.
    @Test func momentsInCommon() throws {
        let warning = try key(keys, hour: noon, start: noon + 600, end: noon + 1_200)
        let table: [(Int64, Int64, Bool)] = [
            (0, 599, false), (0, 600, true), (0, 700, true), (700, 800, true), (1_200, 1_300, true), (1_201, 1_300, false),
            (0, 7_200, true), (600, 600, true), (599, 599, false), (1_200, 1_200, true),
            // The wrong way round is turned.
            (700, 0, true), (599, 0, false),
        ]
        for (arrival, departure, expected) in table {
            let matcher = IdentityMatcher([try visit(1, keys, noon + arrival, noon + departure)])
            #expect(matcher.opened([warning]).count == 1)
            #expect(matcher.matches([warning]).count == (expected ? 1 : 0), "\(arrival) \(departure)")
        }
    }

    @Test func onlyTheRightPlaceHourDayAndReader() throws {
        let matcher = IdentityMatcher([try visit(1, keys, noon, noon + 60)])
        func matches(_ key: TraceKey) -> Int { matcher.opened([key]).count }
        #expect(matches(try key(keys, hour: noon, start: noon, end: noon)) == 1)
        #expect(matches(try key(other, hour: noon, start: noon, end: noon)) == 0)
        #expect(matches(try key(keys, hour: noon - 3_600, start: noon, end: noon)) == 0)
        #expect(matches(try key(keys, hour: noon + 3_600, start: noon, end: noon)) == 0)
        #expect(matches(try key(keys, hour: noon, start: noon, end: noon, day: Samples.midnight - 86_400)) == 0)
        #expect(matches(try key(keys, hour: noon, start: noon, end: noon, sealedFor: other)) == 0)
        // The SDKs store 32 bytes and use 24; fewer are none.
        #expect(matches(try key(keys, hour: noon, start: noon, end: noon, nonce: [UInt8](repeating: 7, count: 32))) == 1)
        var short = try key(keys, hour: noon, start: noon, end: noon)
        short = TraceKey(
            identity: short.identity, secretKey: [], day: short.day, encryptedData: short.encryptedData, nonce: [7])
        #expect(matches(short) == 0)
    }

    @Test func hoursAfterMidnightMatchOnTheirDay() throws {
        let late = Samples.midnight + 86_400
        let stay = try visit(1, keys, late - 1_800, late + 1_800)
        #expect(stay.hours.map(\.day) == [Samples.midnight, late])
        let warning = try key(keys, hour: late, start: late, end: late + 600, day: late)
        #expect(IdentityMatcher([stay]).matches([warning]).map(\.hour) == [late])
    }

    @Test func severalVisitsOfOnePlace() throws {
        let visits = [
            try visit(1, keys, noon, noon + 300), try visit(2, keys, noon + 900, noon + 1_000),
            try visit(3, other, noon, noon),
        ]
        let matcher = IdentityMatcher(visits)
        #expect(matcher.wanted.count == 2)
        let warning = try key(keys, hour: noon, start: noon + 800, end: noon + 2_000)
        #expect(matcher.opened([warning]).map(\.visit).sorted() == [1, 2])
        #expect(matcher.matches([warning]).map(\.visit) == [2])
        #expect(matcher.matches([warning]).first?.data.criticality == .high)
    }

    @Test func listsAreReadWithinLimits() throws {
        let one = try key(keys, hour: noon, start: noon, end: noon)
        let list = try TraceKeyList(decoding: TraceKeyList.encoded([one, one]), wanted: nil)
        #expect(list.keys == [one, one] && list.version == 3 && list.count == 2)
        let none = try TraceKeyList(decoding: TraceKeyList.encoded([one]), wanted: [other.identity(start: noon)])
        #expect(none.keys.isEmpty && none.count == 1)
        #expect(try TraceKeyList(decoding: [], wanted: nil).count == 0)
        var limits = TraceKeyList.Limits()
        limits.maximumKeys = 1
        func refusal(_ bytes: [UInt8], _ limits: TraceKeyList.Limits = .standard) -> CrowdNotifierError.Code? {
            Samples.refusal { _ = try TraceKeyList(decoding: bytes, wanted: [], limits: limits) }
        }
        #expect(refusal(TraceKeyList.encoded([one, one]), limits) == .tooManyEntries)
        limits.maximumBytes = 10
        #expect(refusal(TraceKeyList.encoded([one]), limits) == .tooLarge)
        #expect(refusal(Array(repeatElement([0x12, 0] as [UInt8], count: 1_000_000).joined())) == .tooManyEntries)
        for bytes: [UInt8] in [[0x12], [0x08], [0x0A, 0], [0x10, 1], [0x12, 2, 0x10, 1], [0x12, 2, 0x22, 0], [0x80]] {
            #expect(refusal(bytes) == .malformedMessage, "\(bytes)")
        }
        // An identity of another length, a text without end.
        let strange = try TraceKeyList(decoding: [0x12, 3, 0x12, 1, 1] + TraceKeyList.encoded([one]), wanted: nil)
        #expect(strange.implausible == 1 && strange.keys == [one])
        let long = TraceKey(
            identity: one.identity, secretKey: [], day: 0, encryptedData: [UInt8](repeating: 0, count: 20_000),
            nonce: one.nonce)
        #expect(try TraceKeyList(decoding: TraceKeyList.encoded([long]), wanted: nil).implausible == 1)
    }

    @Test func onlySignedListsAreTaken() throws {
        let (signer, stranger) = (try P256.SigningKey.generate(), try P256.SigningKey.generate())
        let trust = try TrustStore(keys: [
            TrustedKey(name: KeyName(id: "dp3t", version: "1"), role: .config, key: signer.verificationKey)
        ])
        let body = TraceKeyList.encoded([try key(keys, hour: noon, start: noon, end: noon)])
        func token(_ key: P256.SigningKey, _ body: [UInt8]) throws -> [UInt8] {
            try #require(try ContentToken.text(body: body, issued: 100, expires: 200) { try key.sign($0) })
        }
        func refusal(_ body: [UInt8], _ token: [UInt8], time: Int64? = 150) -> CrowdNotifierError.Code? {
            Samples.refusal { _ = try TraceKeyList(body: body, token: token, trust: trust, time: time, wanted: nil) }
        }
        let good = try token(signer, body)
        #expect(refusal(body, good) == nil)
        #expect(refusal(body, good, time: 199) == nil)
        #expect(refusal(body, good, time: 200) == .signatureExpired)
        #expect(refusal(body, good, time: nil) == nil)
        #expect(refusal(body + [0x08, 4], good) == .wrongSignature)
        #expect(refusal(body, try token(stranger, body)) == .wrongSignature)
        #expect(refusal(body, []) == .malformedSignature)
        #expect(refusal(body, Array(good.dropLast(2))) == .malformedSignature)
        #expect(refusal([0x12], try token(signer, [0x12])) == .malformedMessage)
    }

    /// Which question a list answers is signed, or not known.
    @Test func whatAListAnswersIsSigned() throws {
        let signer = try P256.SigningKey.generate()
        let trust = try TrustStore(keys: [
            TrustedKey(name: KeyName(id: "dp3t", version: "1"), role: .config, key: signer.verificationKey)
        ])
        let body = TraceKeyList.encoded([])
        func list(_ claims: [(String, String)]) throws -> TraceKeyList {
            let token = try #require(
                try ContentToken.text(body: body, issued: 100, expires: 200, protected: claims) { try signer.sign($0) })
            return try TraceKeyList(body: body, token: token, trust: trust, time: 150, wanted: nil)
        }
        let whole = try list([(TraceKeyList.sinceClaim, "0"), (TraceKeyList.nextTagClaim, "3600000")])
        #expect(whole.since == 0 && whole.nextTag == 3_600_000)
        let theirs = try list([(TraceKeyList.nextTagClaim, "3600000")])
        #expect(theirs.since == nil && theirs.nextTag == 3_600_000)
        for text in ["", " 1", "-1", "+1", "1.0", "0x1", "99999999999999999999", "\u{0661}"] {
            #expect(try list([(TraceKeyList.sinceClaim, text)]).since == nil, "\(text)")
        }
        let unsigned = try TraceKeyList(decoding: body, wanted: nil)
        #expect(unsigned.since == nil && unsigned.nextTag == nil && unsigned.signed == nil)
    }

    @Test func uploadsAllLookAlike() throws {
        var random = SeededGenerator(seed: 5)
        let entries = UserUpload.entries(
            keys: keys, arrival: noon * 1_000 + 500, departure: (noon + 5_400) * 1_000 + UserUpload.stayingAirMilliseconds)
        #expect(
            entries.map(\.start) == [noon * 1_000 + 500, (noon + 3_600) * 1_000, (noon + 7_200) * 1_000].map(UInt64.init))
        #expect(entries.map(\.end) == [noon + 3_600, noon + 7_200, noon + 7_200].map { UInt64($0 * 1_000) })
        var sizes: Set<Int> = []
        for genuine in [[], entries, Array(repeatElement(entries, count: 500).joined())] {
            let upload = UserUpload.filled(genuine, using: &random)
            #expect(upload.entries.count == 1_024)
            #expect(upload.entries.count { !$0.isFake } == min(genuine.count, 1_024))
            #expect(try UserUpload(decoding: upload.encoded) == upload)
            sizes.insert(upload.encoded.count)
        }
        #expect(sizes.count == 1)
        // Genuine ones are not the first.
        let upload = UserUpload.filled(entries, using: &random)
        #expect(upload.entries.prefix(3).map(\.isFake) != [false, false, false])
        // What a server makes of an entry is what a visitor looks for.
        let entry = try #require(entries.first)
        #expect(
            VenueKeys.identity(
                preID: entry.preID, timeKey: entry.timeKey, start: VisitHours.start(Int64(entry.start / 1_000)))
                == keys.identity(start: noon))
    }

    @Test func malformedUploads() throws {
        func refusal(_ bytes: [UInt8]) -> CrowdNotifierError.Code? {
            Samples.refusal { _ = try UserUpload(decoding: bytes) }
        }
        let entry = UserUpload(entries: UserUpload.entries(keys: keys, arrival: noon * 1_000, departure: noon * 1_000))
            .encoded
        #expect(refusal(entry) == nil)
        var neither = entry
        neither[neither.count - 1] = 2
        #expect(refusal(neither) == .malformedMessage)
        for bytes: [UInt8] in [[0x12, 0], [0x12], [0x18, 1], [0x1D, 1], [0x12, 3, 0x0A, 1, 1], Array(entry.dropLast())] {
            #expect(refusal(bytes) == .malformedMessage, "\(bytes.count)")
        }
        #expect(refusal(Array(repeatElement(entry.dropFirst(2), count: 2_049).joined())) == .tooManyEntries)
        #expect(refusal([UInt8](repeating: 0, count: 600_000)) == .tooLarge)
    }

    @Test func visitsThatAreNone() {
        func isVisit(_ arrival: Int64, _ departure: Int64) -> Bool {
            CrowdNotifierVisit(number: 1, keys: keys, arrival: arrival, departure: departure) != nil
        }
        #expect(isVisit(0, 0) && isVisit(CrowdNotifierVisit.longestSeconds, 0))
        for (arrival, departure): (Int64, Int64) in [
            (-1, 0), (0, CrowdNotifierVisit.longestSeconds + 1), (.min, .max), (.max, .max), (0, .min),
        ] {
            #expect(!isVisit(arrival, departure), "\(arrival) \(departure)")
        }
        #expect(Array(VisitHours(from: .max, to: .max)).count == 1)
        #expect(Array(VisitHours(from: .min, to: -1)) == [0])
    }
}
