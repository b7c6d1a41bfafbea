// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import CrowdNotifier
import Cryptography
import Interfaces
import PresenceTracing
import Testing
import VenueNotices
import VenuePlan

@testable import VenuePlugin

/// SwissCovid and the NHS, which have one list each.
extension WarningFetcherTests {
    // MARK: SwissCovid

    @Test func aTraceKeyIsToldOnceAndTheTagIsKeptAfterIt() throws {
        let store = try open()
        let venue = try CrowdNotifierVenue(
            name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: 2, count: 32), countryData: [])
        let start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
        let key = TraceKey(
            identity: venue.keys.identity(start: VisitHours.start(start)), secretKey: [UInt8](repeating: 0, count: 48),
            day: UTCDay(containing: start).start,
            encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 1_800).sealed(
                notificationKey: venue.keys.notificationKey, nonce: [UInt8](repeating: 4, count: 24)),
            nonce: [UInt8](repeating: 4, count: 24))
        let body = TraceKeyList.encoded([key])
        let tag = (now - 60) * 1_000
        func put(_ query: Int64, _ body: [UInt8], by signer: P256.SigningKey, tag: Int64) throws {
            try servers.putTraceKeys(query, body, since: query, tag: tag, signed: now, by: signer)
        }
        // By a stranger: nothing is told, and the tag is not kept.
        try put(0, body, by: try P256.SigningKey.generate(), tag: tag)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[.swissCovid] != nil)
        try put(0, body, by: servers.key, tag: tag)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.map(\.content) == [.message("Stay at home")])
        #expect(store.records.downloads.tag == tag && store.records.downloads.problems == [:])
        // The next time from a day before; the same key again is no news.
        try put(tag - 86_400_000, body, by: servers.key, tag: .max)
        try run(store, [.swissCovid])
        #expect(store.records.diary.notices.count == 1 && store.records.downloads.tag == tag)
        #expect(try open().records == store.records)
        // A clock that was set back by days: the list is compared as ever.
        try run(store, [.swissCovid], at: now - 10 * 86_400)
        #expect(store.records.downloads.tag == tag && store.records.diary.notices.count == 1)
        // A tag that the server does not know any more.
        try store.change { $0.downloads.noteTag(tag + 86_400_000) }
        try run(store, [.swissCovid])
        #expect(store.records.downloads.tag == nil && store.records.downloads.problems[.swissCovid] != nil)
    }

    /// The authority warns of times that are still to come: whoever arrives after the list was compared is told, too.
    @Test func aTraceKeyIsForThoseWhoComeLater() throws {
        let store = try open()
        func venue(_ seed: UInt8) throws -> CrowdNotifierVenue {
            try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: seed, count: 32), countryData: [])
        }
        let arrival = now + 20 * 3_600
        let (hall, nonce) = (try venue(2), [UInt8](repeating: 4, count: 24))
        let body = TraceKeyList.encoded([
            TraceKey(
                identity: hall.keys.identity(start: VisitHours.start(arrival)),
                secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: arrival).start,
                encryptedData: try AssociatedData(message: "Stay at home", start: arrival, end: arrival + 1_800).sealed(
                    notificationKey: hall.keys.notificationKey, nonce: nonce), nonce: nonce)
        ])
        let hour: Int64 = 3_600_000, first = now / 3_600 * hour
        for (since, tag) in [(0, first), (first - 24 * hour, first + 22 * hour)] {
            try servers.putTraceKeys(since, body, since: since, tag: tag, signed: now)
        }
        let (other, moment) = (VenueTicket.swissCovid(try venue(3)), now)
        try store.change { _ = try $0.diary.checkIn(other, at: moment) }
        try run(store, [.swissCovid])
        #expect(store.records.downloads.tag == first && store.records.diary.notices.isEmpty)
        try store.change { _ = try $0.diary.checkIn(.swissCovid(hall), at: arrival) }
        try run(store, [.swissCovid], at: now + 22 * 3_600)
        #expect(store.records.diary.notices.map(\.visit) == [2])
        #expect(store.records.downloads.tag == first + 22 * hour && store.records.downloads.problems == [:])
    }

    // MARK: NHS

    private func poster() throws -> VenueTicket {
        let parts = [#"{"alg":"ES256","kid":"262"}"#, #"{"id":"ABC","opn":"Canary"}"#].map {
            Base64URL.string(Array($0.utf8))
        }
        let text = parts.joined(separator: ".")
        let signature = try #require(P256.RawSignature.raw(try servers.key.sign(SHA256.digest(of: Array(text.utf8)))))
        return .nhs(
            try VenuePoster(
                "UKC19TRACING:1:\(text).\(Base64URL.string(signature))",
                keys: [.init(id: "262", key: servers.key.verificationKey)]))
    }

    private func putVenues(
        _ list: [UInt8], by signer: P256.SigningKey, date: String = "Thu, 04 Mar 2021 09:00:00 UTC"
    ) throws {
        let signed = try signer.sign(SHA256.digest(of: NHSSignature.content(date: date, body: list)))
        try servers.put(
            "distribution/risky-venues", list,
            headers: [
                "\(NHSSignature.signatureHeader): \(NHSSignature.header(keyID: "262", signature: signed))",
                "\(NHSSignature.dateHeader): \(date)",
            ])
    }

    /// Whoever runs the web server and has no key can keep newer lists back, and give an old one that was genuinely signed: what is in it counts, and
    /// nothing is called complete.
    @Test(
        arguments: [VenueSystem.swissCovid, .nhs],
        [
            (0, "Thu, 04 Mar 2021 09:26:40 UTC"), (47, "Tue, 02 Mar 2021 10:26:40 UTC"),
            (49, "Tue, 02 Mar 2021 08:26:40 UTC"), (13 * 24, "Fri, 19 Feb 2021 09:26:40 UTC"),
        ] as [(Int64, String)])
    func anOldListIsNotComplete(system: VenueSystem, signed: (hours: Int64, date: String)) throws {
        let store = try open()
        let start = now - 3 * 3_600
        if system == .nhs {
            let ticket = try poster()
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let list =
                #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
            try putVenues(Array(list.utf8), by: servers.key, date: signed.date)
            try servers.put(
                "circuit-breaker/venue/request",
                Array(#"{"approvalToken":"\#(String(repeating: "T", count: 50))","approval":"yes"}"#.utf8))
        } else {
            let venue = try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 32), countryData: [])
            try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
            let nonce = [UInt8](repeating: 4, count: 24)
            let body = TraceKeyList.encoded([
                TraceKey(
                    identity: venue.keys.identity(start: VisitHours.start(start)),
                    secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: start).start,
                    encryptedData: try AssociatedData(message: "Stay at home", start: start, end: start + 1_800).sealed(
                        notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
            ])
            try servers.putTraceKeys(0, body, since: 0, tag: 3_600_000, signed: now - signed.hours * 3_600)
        }
        try run(store, [system])
        #expect(store.records.diary.notices.count == 1)
        let isRecent = signed.hours <= 48
        #expect((store.records.downloads.checked[system] == now) == isRecent)
        let problem = store.records.downloads.problems[system]
        #expect(
            problem == nil && isRecent || problem?.contains("was signed \(signed.hours / 24) days ago") == true,
            "\(problem ?? "")")
    }

    @Test(arguments: ["yes", "no", "pending"]) func theOperatorsAreAskedBeforeTheWearerIsTold(answer: String) throws {
        let store = try open()
        let ticket = try poster()
        let start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        let list = Array(
            #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
                .utf8)
        try putVenues(list, by: try P256.SigningKey.generate())
        try run(store, [.nhs])
        #expect(store.records.downloads.problems[.nhs] != nil && store.records.downloads.held.isEmpty)
        try putVenues(list, by: servers.key)
        // Silence: nobody is told, and nothing is lost.
        try run(store, [.nhs])
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.count == 1)
        #expect(store.records.downloads.problems[.nhs]?.contains("does not say") == true)
        #expect(store.records.downloads.checked == [:])
        #expect(try open().records == store.records)
        let question = String(repeating: "T", count: 50)
        try servers.put(
            "circuit-breaker/venue/request", Array(#"{"approvalToken":"\#(question)","approval":"\#(answer)"}"#.utf8))
        try run(store, [.nhs])
        switch answer {
        case "yes": #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
        case "no": #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.isEmpty)
        default:
            #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.map(\.token) == [question])
            #expect(store.records.downloads.problems[.nhs]?.contains("has not decided yet") == true)
            #expect(store.records.downloads.checked == [:])
            try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"yes"}"#.utf8))
            try run(store, [.nhs])
            #expect(store.records.diary.notices.count == 1)
        }
        #expect(store.records.downloads.problems == [:] && store.records.downloads.checked == [.nhs: now])
        // Once.
        let before = store.records.diary
        try run(store, [.nhs])
        #expect(store.records.diary == before && store.records.downloads.held.isEmpty)
    }

    /// A key that was withdrawn signs nothing any more, although the settings have it; the one in its place does. Without the
    /// core's word nothing is believed.
    @Test func theCoresWordAboutSignersGoesBeforeTheSettings() throws {
        let store = try visited()
        let other = try P256.SigningKey.generate()
        func told(_ key: P256.SigningKey, inForce: Bool = true) -> [Trust1.Signer] {
            [Trust1.Role.export].map {
                Trust1.Signer(
                    role: $0, name: "262-v1", publicHalf: Base64.string(key.verificationKey.subjectPublicKeyInfo),
                    validUntil: nil, spare: false, inForce: inForce)
            }
        }
        func compare(_ told: [Trust1.Signer]?) throws -> String? {
            try servers.publish((hour - 2)...(hour - 1))
            try servers.publish(hour - 1, try cafe().id, [(now - 3 * 3_600, 30, 8)], with: other)
            var fetcher = try servers.fetcher(store, [.coronaWarnApp])
            fetcher.told = [.coronaWarnApp: told.map { .signers($0) } ?? .silent]
            try fetcher.run(at: now)
            return store.records.downloads.problems[.coronaWarnApp]
        }
        #expect(try compare(nil)?.contains("org.vigil.trust1") == true)
        for signers in [[], told(servers.key), told(other, inForce: false)] {
            #expect(try compare(signers) != nil)
            #expect(store.records.diary.notices.isEmpty)
        }
        #expect(try compare(told(other)) == nil)
        #expect(store.records.diary.notices.count == 1)
    }

    @Test func signersThatAreFollowedAreNamedOnce() throws {
        var settings = VenueSettings()
        #expect(try settings.toldSystems().isEmpty)
        settings.signersOf = [.init(system: "nhs", source: "uk"), .init(system: "coronaWarnApp", source: nil)]
        let systems = try settings.toldSystems()
        #expect(systems.map(\.system) == [.nhs, .coronaWarnApp] && systems.map(\.source) == ["uk", nil])
        settings.signersOf?.append(.init(system: "nhs", source: nil))
        #expect(throws: VenueSettings.Fault.self) { try settings.toldSystems() }
        settings.signersOf = [.init(system: "luca", source: nil)]
        #expect(throws: VenueSettings.Fault.self) { try settings.toldSystems() }
    }

    /// Which requests a run makes may not depend on whether the wearer was at a place of the list.
    @Test func theQuestionToTheOperatorsComesWithOrWithoutANotice() throws {
        let token = String(repeating: "T", count: 50)
        func asked(isWarned: Bool) throws -> [[String]] {
            let part = isWarned ? "/warned" : "/not"
            let store = try open(part)
            let ticket = try poster()
            let start = now - 3 * 3_600
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let id = isWarned ? "ABC" : "XYZ"
            try putVenues(
                Array(
                    #"{"venues":[{"id":"\#(id)","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
                        .utf8), by: servers.key)
            var runs: [[String]] = []
            for (path, answer) in [
                ("request", #"{"approvalToken":"\#(token)","approval":"pending"}"#), ("resolution/\(token)", "{}"),
                ("resolution/\(token)", #"{"approval":"pending"}"#), ("resolution/\(token)", #"{"approval":"yes"}"#),
                ("request", #"{"approvalToken":"\#(token)","approval":"no"}"#),
            ] {
                try servers.put("circuit-breaker/venue/\(path)", Array(answer.utf8))
                let before = servers.requests.count
                try run(store, [.nhs])
                runs.append(Array(servers.requests.dropFirst(before)))
                // What is on the disk goes on as what is in memory.
                #expect(try open(part).records == store.records)
            }
            #expect(store.records.diary.notices.count == (isWarned ? 1 : 0) && store.records.downloads.held.isEmpty)
            return runs
        }
        let runs = try asked(isWarned: true)
        #expect(runs.allSatisfy { $0.count == 2 })
        #expect(try asked(isWarned: false) == runs)
    }

    /// A list that was genuinely signed, before the one that was compared: whoever runs the server has gone back.
    @Test func anOlderListTakesNoPlace() throws {
        let store = try open()
        let ticket = try poster(), start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        try servers.put("circuit-breaker/venue/request", Array(#"{"approval":"yes"}"#.utf8))
        let empty = Array(#"{"venues":[]}"#.utf8)
        let list =
            #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
        try putVenues(empty, by: servers.key, date: "Thu, 04 Mar 2021 09:00:00 UTC")
        try run(store, [.nhs])
        #expect(store.records.downloads.checked[.nhs] == now && store.records.downloads.newestList == 1_614_848_400)
        try putVenues(Array(list.utf8), by: servers.key, date: "Thu, 04 Mar 2021 08:59:59 UTC")
        try run(store, [.nhs], at: now + 7_200)
        #expect(store.records.downloads.checked[.nhs] == now && store.records.downloads.held.isEmpty)
        #expect(store.records.downloads.problems[.nhs]?.contains("an older list") == true)
        #expect(store.records.diary.notices.isEmpty)
        #expect(try open().records == store.records)
        // The same moment again, and a later one, are fine. One of the far future keeps none away.
        try putVenues(empty, by: servers.key, date: "Sun, 04 Mar 2040 09:00:00 UTC")
        try run(store, [.nhs], at: now + 7_200)
        try putVenues(Array(list.utf8), by: servers.key, date: "Thu, 04 Mar 2021 09:00:00 UTC")
        try run(store, [.nhs], at: now + 7_200)
        #expect(store.records.diary.notices.count == 1 && store.records.downloads.problems == [:])
    }

    /// Without an answer of use nobody knows whether there is a warning, whether one waits or not. An answer that leaves nothing to wait for makes the run complete.
    @Test(arguments: [nil, "nonsense", #"{"approval":"pending"}"#, #"{"approval":"no"}"#])
    func withoutAWordOfTheOperatorsNothingIsComplete(answer: String?) throws {
        let store = try open()
        let ticket = try poster()
        let start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        try putVenues(Array(#"{"venues":[]}"#.utf8), by: servers.key)
        if let answer { try servers.put("circuit-breaker/venue/request", Array(answer.utf8)) }
        try run(store, [.nhs])
        let isUsable = answer?.hasPrefix("{") == true
        #expect(store.records.downloads.checked == (isUsable ? [.nhs: now] : [:]))
        #expect((store.records.downloads.problems[.nhs] == nil) == isUsable)
        #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.isEmpty)
    }

    /// The operators' word counts if a key of theirs has signed it for this request. What is sent is what the NHS's servers want.
    @Test func theOperatorsWordIsSigned() throws {
        let store = try open()
        let ticket = try poster(), start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        let list =
            #"{"venues":[{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}]}"#
        try putVenues(Array(list.utf8), by: servers.key)
        let path = "/circuit-breaker/venue/request", body = Array(#"{"approval":"yes"}"#.utf8)
        let (name, date) = ("6a9e3f4e-6f5c-4f29-9f0a-9a6f7a3f5a11", "Thu, 04 Mar 2021 09:00:00 UTC")
        func put(_ signer: P256.SigningKey?, name: String, path signed: String, method: String = "POST") throws {
            let content = NHSSignature.content(date: date, body: body, requestID: name, method: method, path: signed)
            let signature = try signer?.sign(SHA256.digest(of: content))
            try servers.put(
                String(path.dropFirst()), body,
                headers: signature.map {
                    [
                        "\(NHSSignature.signatureHeader): \(NHSSignature.header(keyID: "262", signature: $0))",
                        "\(NHSSignature.dateHeader): \(date)",
                    ]
                } ?? [])
        }
        var fetcher = try servers.fetcher(store, [.nhs])
        fetcher.settings.nhsUnsignedAnswers = nil
        (fetcher.settings.nhsApiKey, fetcher.settings.nhsUserAgent) = ("mobile:value", "p=Android,o=29,v=4.36,b=300")
        fetcher.requestName = { name }
        for attempt in 0..<5 {
            switch attempt {
            case 0: try put(nil, name: name, path: path)
            case 1: try put(try P256.SigningKey.generate(), name: name, path: path)
            case 2: try put(servers.key, name: "not-set", path: path)
            case 3: try put(servers.key, name: name, path: path, method: "GET")
            default: try put(servers.key, name: name, path: "/circuit-breaker/exposure-notification/request")
            }
            try fetcher.run(at: now)
            #expect(store.records.diary.notices.isEmpty && store.records.downloads.held.count == 1)
            #expect(store.records.downloads.problems[.nhs]?.contains("does not sign") == true)
        }
        try put(servers.key, name: name, path: path)
        try fetcher.run(at: now)
        #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
        #expect(store.records.downloads.problems == [:])
        let sent = try servers.lastHeaders()
        #expect(sent["authorization"] == "Bearer " + Base64.string(Array("mobile:value".utf8)))
        #expect(sent["request-id"] == name && sent["user-agent"] == "p=Android,o=29,v=4.36,b=300")
        // Without settings for them neither is sent, and each request has a name of its own.
        try run(store, [.nhs])
        let first = try servers.lastHeaders()
        try run(store, [.nhs])
        let second = try servers.lastHeaders()
        #expect(first["authorization"] == nil && first["user-agent"] == "vigil")
        #expect(first["request-id"]?.utf8.count == 36 && first["request-id"] != second["request-id"])
    }

    /// The same for systems that have one list.
    @Test(arguments: [VenueSystem.swissCovid, .nhs])
    func aVisitThatIsChangedWhileAListComesIsComparedAnew(system: VenueSystem) throws {
        let store = try open()
        let (path, body): (String, [UInt8])
        let ticket: VenueTicket
        if system == .swissCovid {
            ticket = .swissCovid(
                try CrowdNotifierVenue(
                    name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                    seed: [UInt8](repeating: 2, count: 32), countryData: []))
            (path, body) = ("v3/traceKeys?lastKeyBundleTag=0", TraceKeyList.encoded([]))
            try servers.putTraceKeys(0, body, since: 0, tag: (now - 60) * 1_000, signed: now)
        } else {
            ticket = try poster()
            (path, body) = ("distribution/risky-venues", Array(#"{"venues":[]}"#.utf8))
            try putVenues(body, by: servers.key)
            try servers.put("circuit-breaker/venue/request", Array(#"{"approval":"no"}"#.utf8))
        }
        let start = now - 3 * 3_600
        try store.change { records in
            _ = try records.diary.checkIn(ticket, at: start)
            try records.diary.checkOut(1, at: start + 3_600)
        }
        let moment = now
        try servers.interrupt(path) {
            do {
                _ = try VisitDesk(store: store, reader: .init(), followed: []).edit(
                    .init(number: 1, arrival: start - 3_600, departure: start), at: moment)
            } catch { Issue.record(error) }
        } during: {
            try run(store, [system])
        }
        #expect(store.records.downloads.checked == [:] && store.records.downloads.tag == nil)
        #expect(store.records.downloads.problems[system]?.contains("a visit was changed") == true)
        #expect(try servers.fetcher(store, [system]).isDue(at: now))
        try run(store, [system])
        #expect(store.records.downloads.checked == [system: now] && store.records.downloads.problems == [:])
    }

    /// A visit that was told gets other times: what is said then is about those, once.
    @Test(arguments: [VenueSystem.swissCovid, .nhs], [true, false])
    func aVisitIsToldOfItsOwnTimes(system: VenueSystem, isWarned: Bool) throws {
        let store = try open()
        let start = now - 3 * 3_600, other = start - 86_400
        if system == .swissCovid {
            let venue = try CrowdNotifierVenue(
                name: "Canary", address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 32), countryData: [])
            try store.change { _ = try $0.diary.checkIn(.swissCovid(venue), at: start) }
            let keys = try ([start] + (isWarned ? [other] : [])).map { time in
                TraceKey(
                    identity: venue.keys.identity(start: VisitHours.start(time)),
                    secretKey: [UInt8](repeating: 0, count: 48), day: UTCDay(containing: time).start,
                    encryptedData: try AssociatedData(
                        message: String(repeating: "ü", count: 5_000), start: time, end: time + 1_800
                    ).sealed(notificationKey: venue.keys.notificationKey, nonce: [UInt8](repeating: 4, count: 24)),
                    nonce: [UInt8](repeating: 4, count: 24))
            }
            let tag = (now - 60) * 1_000
            for (query, body) in [(0, TraceKeyList.encoded(keys)), (tag - 86_400_000, TraceKeyList.encoded([]))] {
                try servers.putTraceKeys(query, body, since: query, tag: tag, signed: now)
            }
        } else {
            let ticket = try poster()
            try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
            let first =
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"M2"}"#
            let second =
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-03T00:00:00Z","until":"2021-03-03T23:59:00Z"},"messageType":"M1"}"#
            try putVenues(Array(#"{"venues":[\#(first)\#(isWarned ? ",\(second)" : "")]}"#.utf8), by: servers.key)
            try servers.put(
                "circuit-breaker/venue/request",
                Array(#"{"approvalToken":"\#(String(repeating: "T", count: 50))","approval":"yes"}"#.utf8))
        }
        try store.change { try $0.diary.checkOut(1, at: start + 3_600) }
        try run(store, [system])
        let told = store.records.diary.notices
        #expect(told.map(\.day) == [Int(UTCDay(containing: start).number)] && store.records.diary.visit(1)?.wasTold == true)
        if case .message(let text) = told.first?.content { #expect(text.unicodeScalars.count == VisitDesk.messageLimit) }
        try store.change { $0.diary.acknowledge(upTo: 9) }
        // The same times are no change.
        let desk = VisitDesk(store: store, reader: .init(), followed: [])
        _ = try desk.edit(.init(number: 1, arrival: start, departure: start + 3_600), at: now)
        #expect(store.records.diary.notices.map(\.number) == told.map(\.number) && !store.records.diary.hasNews)
        #expect(store.records.diary.visit(1)?.wasTold == true)
        _ = try desk.edit(.init(number: 1, arrival: other, departure: other + 3_600), at: now)
        #expect(store.records.diary.notices.count == 1)
        for _ in 0..<2 {
            try run(store, [system], at: now + 7_200)
            #expect(store.records.downloads.problems == [:])
            let days = store.records.diary.notices.map(\.day)
            #expect(days == (isWarned ? [Int(UTCDay(containing: other).number)] : []))
            #expect(store.records.diary.hasNews == isWarned)
        }
    }

    /// What came later and weighs more is told, although the operators were asked before it.
    @Test func adviceToHaveATestGoesFirst() throws {
        let store = try open()
        let ticket = try poster(), start = now - 3 * 3_600
        try store.change { _ = try $0.diary.checkIn(ticket, at: start) }
        func list(_ types: [String]) throws {
            let venues = types.map {
                #"{"id":"ABC","riskyWindow":{"from":"2021-03-04T00:00:00Z","until":"2021-03-05T00:00:00Z"},"messageType":"\#($0)"}"#
            }
            try putVenues(Array(#"{"venues":[\#(venues.joined(separator: ","))]}"#.utf8), by: servers.key)
        }
        let question = String(repeating: "T", count: 50)
        try servers.put(
            "circuit-breaker/venue/request", Array(#"{"approvalToken":"\#(question)","approval":"pending"}"#.utf8))
        try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"pending"}"#.utf8))
        for types in [["M1"], ["M1", "M2"], ["M1"]] {
            try list(types)
            try run(store, [.nhs])
        }
        #expect(store.records.downloads.held == [HeldNotice(visit: 1, advice: .bookATest, token: question)])
        try servers.put("circuit-breaker/venue/resolution/\(question)", Array(#"{"approval":"yes"}"#.utf8))
        try run(store, [.nhs])
        #expect(store.records.diary.notices.map(\.content) == [.advice(.bookATest)])
    }
}
