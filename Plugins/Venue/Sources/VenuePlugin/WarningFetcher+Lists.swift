// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import CrowdNotifier
import Cryptography
import HTTPClient
import Trust
import VenueNotices
import VenuePlan

/// SwissCovid's list of trace keys (spec checkin-and-nhs A.6), and the NHS's list of venues (B.5).
extension WarningFetcher {
    /// Only what was published since the last list that was compared, and in the day before it. Whoever runs a web server or a cache can answer another
    /// question, with a list that was rightly signed: so the signature says from when on a list has everything, and the tag for the next question (``gap(_:asked:_:_:_:)``).
    func fetchTraceKeys(
        _ records: VenueRecords, _ server: String, _ trust: TrustStore, _ http: HTTPClient, _ now: Int64
    ) throws {
        let matcher = IdentityMatcher(records.diary.crowdNotifierVisits(at: now))
        let asked = records.downloads.firstTag
        let last = records.downloads.tag ?? 0
        let limits = TraceKeyList.Limits.standard
        guard
            let answer = try get(
                "\(server)/v3/traceKeys?lastKeyBundleTag=\(asked)", http,
                headers: [("Accept", "application/x-protobuf")], wanted: [ContentToken.header],
                bytes: limits.maximumBytes)
        else {
            // A tag that the server does not know, such as one of its future.
            try store.change { $0.downloads.startOver(.swissCovid) }
            throw Trouble(sentence: "the server does not know the list that was compared last; all are fetched again")
        }
        let hidden = HiddenMatcher(records.diary.hiddenStays(at: now))
        var trials = 0
        var counts = TraceKeyCounts()
        let list: TraceKeyList
        do throws(CrowdNotifierError) {
            list = try TraceKeyList(
                body: answer.body, token: Array((answer.headers[ContentToken.header] ?? "").utf8), trust: trust, time: now,
                limits: limits
            ) { key in
                counts.add(day: key.day)
                trials += hidden.trialCount(day: key.day)
                return matcher.wanted.contains(key.identity)
            }
        } catch {
            throw Trouble(sentence: "\(error)")
        }
        let matches = matcher.matches(list.keys)
        let isLong = trials > trialsAtOnce || records.downloads.hiddenDone > 0
        if let gap = Self.gap(list, asked: asked, counts, records.downloads, now) {
            // What is in it counts all the same. Nothing is noted as compared.
            let end = isLong ? ContinuousClock.now + hiddenTime : nil
            let (found, _) = opened(answer.body, limits, hidden, until: end) { _ in true }
            try add(to: records) { Self.tell(matches + found, &$0) }
            // Another server than before, which does not sign it: the next run asks for all.
            if list.since == nil, asked > 0 { try store.change { $0.downloads.startOver(.swissCovid) } }
            throw gap
        }
        // A tag that cannot be is not kept: then the same list is compared again.
        let latest = (now + UTCDay.seconds) * 1_000
        let next = list.since.flatMap { _ in list.nextTag }.flatMap { $0 >= last && $0 <= latest ? $0 : nil }
        if list.since != nil { counts = TraceKeyCounts() }
        let (found, trouble) = isLong ? ([], nil) : opened(answer.body, limits, hidden, until: nil) { _ in true }
        if let trouble {
            // What is known is told now; the list is looked through again.
            try add(to: records) { Self.tell(matches + found, &$0) }
            throw trouble
        }
        try add(to: records) { records in
            Self.tell(matches + found, &records)
            records.downloads.noteTraceKeys(counts, at: now)
            guard !isLong else { return }
            records.diary.forgetFormerNotices(.swissCovid)
            if let next { records.downloads.noteTag(next) }
        }
        if isLong { try compareParts(records, answer.body, limits, hidden, next) }
        try requireRecent(list.signed, now)
    }

    /// Why a list may lack some of what was asked for; `nil` if it has everything that its server may have. Of a server that does not sign since when a list has everything, as
    /// SwissCovid's, all is asked for each time, and a list with fewer keys than before is not a list of all.
    private static func gap(
        _ list: TraceKeyList, asked: Int64, _ counts: TraceKeyCounts, _ downloads: VenueDownloads, _ now: Int64
    ) -> Trouble? {
        if let since = list.since {
            guard since > asked else { return nil }
            return Trouble(
                sentence:
                    "the list of warnings begins later than what was asked for, so some may be missing; tell the health authority that its server or a cache mixes up answers"
            )
        }
        guard asked == 0 else {
            return Trouble(
                sentence: "the list of warnings does not say any more since when it has all of them; all are fetched again")
        }
        let missing = counts.missing(of: downloads.traceKeys, at: now)
        guard missing > 0 else { return nil }
        return Trouble(
            sentence:
                "the list of warnings lacks \(missing) that were there before, so others may be missing; tell the health authority if it stays so"
        )
    }

    private static func tell(_ matches: [CrowdNotifierMatch], _ records: inout VenueRecords) {
        for match in matches {
            // No more than is shown: what an authority writes must not fill the store.
            let message = String(match.data.message.unicodeScalars.prefix(VisitDesk.messageLimit))
            records.diary.tell(match.visit, day: UTCDay(containing: match.hour), .message(message))
        }
    }

    /// Nobody can look a hidden visit up: each key is tried with each hour of its day. A long list is compared in parts by what its identities begin with, each of which is on the
    /// disk before the next one, so that what was done is not done again after a cut, and a run ends in time.
    private func compareParts(
        _ records: VenueRecords, _ body: [UInt8], _ limits: TraceKeyList.Limits, _ hidden: HiddenMatcher, _ next: Int64?
    ) throws {
        let end = moment() + hiddenTime
        for part in records.downloads.hiddenDone..<VenueDownloads.hiddenParts {
            let (found, trouble) = opened(body, limits, hidden, until: end) {
                Int($0.identity.first ?? 0) * VenueDownloads.hiddenParts / 256 == part
            }
            if let trouble {
                if !found.isEmpty { try add(to: records) { Self.tell(found, &$0) } }
                throw trouble
            }
            try add(to: records) { records in
                Self.tell(found, &records)
                records.downloads.noteHiddenPart(next)
                if records.downloads.hiddenDone == 0 { records.diary.forgetFormerNotices(.swissCovid) }
            }
        }
    }

    /// What those keys of a list that was verified open of hidden visits, and why it is not all: the time is over, the run was cancelled, or the library failed.
    private func opened(
        _ body: [UInt8], _ limits: TraceKeyList.Limits, _ hidden: HiddenMatcher, until end: ContinuousClock.Instant?,
        _ isWanted: (TraceKey) -> Bool
    ) -> (found: [CrowdNotifierMatch], trouble: (any Error)?) {
        guard !hidden.days.isEmpty else { return ([], nil) }
        var found: [CrowdNotifierMatch] = []
        var trouble: (any Error)?
        _ = try? TraceKeyList(decoding: body, limits: limits) { key in
            guard trouble == nil, isWanted(key), hidden.trialCount(day: key.day) > 0 else { return false }
            guard !cancellation.isCancelled, end.map({ moment() < $0 }) ?? true else {
                trouble = Trouble(
                    sentence:
                        "there are too many warnings to try them all on hidden visits at once; the next look goes on with them"
                )
                return false
            }
            do throws(CryptographyError) { found += try hidden.matches(key) } catch {
                trouble = Trouble(sentence: "a warning could not be tried on hidden visits: \(error)")
            }
            return false
        }
        return (found, trouble)
    }

    /// The age beyond which a list does not count as complete: two days, as for keys (docs/sync.md). Servers sign lists
    /// anew each day.
    static let oldest: Int64 = 2 * UTCDay.seconds

    /// Throws if a list was signed too long ago, or at a time that is not known: whoever holds newer ones back could otherwise
    /// have the wearer told that there are no warnings. What is in it counts all the same.
    private func requireRecent(_ signed: Int64?, _ now: Int64) throws(Trouble) {
        guard let signed else {
            throw Trouble(
                sentence: "the newest list of warnings does not say when it was signed; newer ones may be missing")
        }
        guard now - signed <= Self.oldest else {
            let days = (now - signed) / UTCDay.seconds
            throw Trouble(
                sentence:
                    "the newest list of warnings was signed \(days) days ago, so later ones are missing; tell the health authority if it stays so"
            )
        }
    }

    /// The whole list, each time; then the operators are asked before anybody is told.
    func fetchVenues(_ server: String, _ trust: TrustStore, _ http: HTTPClient, _ now: Int64) throws {
        guard
            let answer = try get(
                "\(server)/distribution/risky-venues", http,
                wanted: [NHSSignature.signatureHeader, NHSSignature.dateHeader], bytes: RiskyVenueList.maximumBytes)
        else { throw Trouble(sentence: "the server has no list of venues; check nhsServer in the settings") }
        guard
            let signature = NHSSignature(
                header: answer.headers[NHSSignature.signatureHeader] ?? "",
                date: answer.headers[NHSSignature.dateHeader] ?? "")
        else { throw Trouble(sentence: "\(VenueNoticesError(.listNotSigned))") }
        let list: RiskyVenueList
        do throws(VenueNoticesError) {
            list = try RiskyVenueList(body: answer.body, signature: signature, trust: trust, time: now)
        } catch {
            throw Trouble(sentence: "\(error)")
        }
        let isNewest = try store.change { records in
            guard records.downloads.takesList(signed: signature.date, at: now) else { return false }
            for match in list.matches(records.diary.posterVisits(at: now)) {
                let held = records.downloads.held.first { $0.visit == match.visit.number }
                // Advice to have a test goes before other advice, also while the operators think.
                guard held == nil || match.venue.advice == .bookATest else { continue }
                records.downloads.hold(
                    HeldNotice(visit: match.visit.number, advice: match.venue.advice, token: held?.token))
            }
            records.diary.forgetFormerNotices(.nhs, except: Set(records.downloads.held.map(\.visit)))
            return true
        }
        guard isNewest else {
            throw Trouble(
                sentence:
                    "the server gives an older list of warnings than before, so later ones may be missing; tell the health authority if it stays so"
            )
        }
        guard !cancellation.isCancelled else { throw Trouble(sentence: "the operators were not asked yet") }
        try ask(server, trust, http, at: now)
        try requireRecent(signature.date, now)
    }

    /// One question in every run, whether a notice waits or not: a request that came only with a notice would tell the
    /// server and the network that the wearer was at a place of the list. What follows is on the disk before the next
    /// step. Silence loses no notice: it is asked again with the next run.
    ///
    /// Throws ``Trouble`` while it is not known whether the wearer is to be told: after every answer of no use, with a notice or without, and while
    /// one waits. Until then nobody can say that there is no warning.
    private func ask(_ server: String, _ trust: TrustStore, _ http: HTTPClient, at now: Int64) throws {
        var question = store.records.downloads.question
        let call = question.call
        let body = answer(server, call, trust, http, at: now)
        let outcome = question.take(body)
        let next = question
        // Silence, a refusal and nonsense alike: the question is put anew, or a server that has forgotten it would hold all notices for ever.
        let isUsable = body.map { NHSCircuitBreaker.read($0).answer != .failure } ?? false
        try store.change { records in
            guard outcome != .wait else { return records.downloads.noteQuestion(next, isUsable: isUsable, at: now) }
            for notice in records.downloads.asked {
                records.downloads.release(notice.visit)
                guard let visit = records.diary.visit(notice.visit) else { continue }
                switch outcome {
                case .tell:
                    records.diary.tell(visit.number, day: UTCDay(containing: visit.arrival), .advice(notice.advice))
                case .drop, .wait:
                    // Nobody is told, and nobody is asked about it again.
                    records.diary.forgetFormerNotices(.nhs, except: Set(records.downloads.held.map(\.visit)))
                    records.diary.noteTold([visit.number])
                }
            }
            records.downloads.endQuestion()
        }
        guard isUsable else {
            throw Trouble(
                sentence:
                    "the health authority's server does not say, or does not sign, whether people are to be told, so a warning may be missing; it is asked again"
            )
        }
        guard store.records.downloads.held.isEmpty else {
            throw Trouble(
                sentence: "the health authority has not decided yet whether people are to be told; it is asked again")
        }
    }

    /// The body of the answer to a call; `nil` for a call that failed, and for an answer that nobody who may has signed: whoever runs the web server could say "no" for
    /// ever. Unsigned answers count where the settings say so; ours are (docs/authority.md).
    private func answer(
        _ server: String, _ call: (method: String, path: String), _ trust: TrustStore, _ http: HTTPClient, at now: Int64
    ) -> [UInt8]? {
        let name = requestName()
        var headers = [("Content-Type", "application/json"), ("Request-Id", name)]
        if let key = settings.nhsApiKey { headers.append(("Authorization", "Bearer " + Base64.string(Array(key.utf8)))) }
        if let agent = settings.nhsUserAgent { headers.append(("User-Agent", agent)) }
        let isPost = call.method == "POST"
        let request = HTTPRequest(
            server + call.path, method: isPost ? .post : .get, headers: headers,
            body: isPost ? NHSCircuitBreaker.venueBody : [],
            answerHeaders: [NHSSignature.signatureHeader, NHSSignature.dateHeader])
        guard let answer = try? http.send(request, cancellation: cancellation) else { return nil }
        if settings.nhsUnsignedAnswers == true { return answer.body }
        let signature = NHSSignature(
            header: answer.headers[NHSSignature.signatureHeader] ?? "", date: answer.headers[NHSSignature.dateHeader] ?? "")
        let content = signature.map {
            NHSSignature.content(
                date: $0.dateText, body: answer.body, requestID: name, method: call.method, path: call.path)
        }
        guard let content, signature?.signer(of: content, trust: trust, time: now) != nil else { return nil }
        return answer.body
    }
}
