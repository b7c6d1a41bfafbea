// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import VenueNotices
import VenuePlan

/// When runs are due, and what the operators are asked about.
@Suite struct DownloadsTests {
    private let now: Int64 = 1_614_850_000

    /// An answer is about the notices that waited when it was asked for, and not about one of later.
    @Test func aNoticeThatComesWhileTheOperatorsThinkIsAskedAboutNext() throws {
        let token = String(repeating: "T", count: 50)
        var downloads = VenueDownloads()
        downloads.hold(HeldNotice(visit: 1, advice: .inform))
        var question = downloads.question
        #expect(question.take(Array(#"{"approvalToken":"\#(token)","approval":"pending"}"#.utf8)) == .wait)
        downloads.noteQuestion(question, at: now)
        downloads.hold(HeldNotice(visit: 2, advice: .bookATest))
        #expect(VenueDownloads(downloads.json) == downloads)
        #expect(downloads.asked.map(\.visit) == [1] && downloads.question.call.method == "GET")
        question = downloads.question
        #expect(question.take(Array(#"{"approval":"pending"}"#.utf8)) == .wait)
        downloads.noteQuestion(question, at: now + 7_200)
        #expect(downloads.asked.map(\.visit) == [1] && downloads.question.token == token)
        // Not for ever: after a day, or without an answer of use, it is put anew, for all that wait.
        for (isUsable, time) in [(true, now + 86_400), (false, now + 60), (true, now - 1)] {
            var other = downloads
            other.noteQuestion(question, isUsable: isUsable, at: time)
            #expect(other.question.token == nil && other.asked.map(\.visit) == [1, 2])
        }
        downloads.release(1)
        downloads.endQuestion()
        #expect(downloads.asked.map(\.visit) == [2] && downloads.question.call.method == "POST")
        // A release before this one kept a token with each notice and no question.
        let old: JSON = [
            "held": [["visit": 3, "advice": .string(RiskyVenue.Advice.inform.rawValue), "question": .string(token)]]
        ]
        #expect(VenueDownloads(old).held == [HeldNotice(visit: 3, advice: .inform)])
    }

    /// A report reaches 40 minutes past the end of its package's hour at most.
    @Test func anHourIsComparedForGoodWhenAllItIsAboutIsOver() {
        let hour: Int64 = 448_569, end = (hour + 1) * 3_600
        #expect(!VenueDownloads.settles(hour, at: end - 1) && !VenueDownloads.settles(hour, at: end + 3_599))
        #expect(VenueDownloads.settles(hour, at: end + 3_600))
        // Whoever comes when it is, comes too late for it; whoever comes before has it compared.
        #expect(VenueDownloads.firstHour(of: end + 3_600) == hour + 1 && VenueDownloads.firstHour(of: end + 3_599) == hour)
        var downloads = VenueDownloads()
        #expect(downloads.firstTag == 0)
        downloads.noteTag(now * 1_000)
        #expect(downloads.firstTag == (now - 86_400) * 1_000)
    }

    /// Of another server nothing is known yet.
    @Test func anotherServerInheritsNothing() throws {
        var downloads = VenueDownloads()
        for system in VenueSystem.allCases {
            var isOther = downloads.noteOrigin(system, "a")
            #expect(isOther)
            downloads.noteComplete(system, at: now)
            isOther = downloads.noteOrigin(system, "a")
            #expect(!isOther)
        }
        downloads.noteHours([1, 2], unproven: [3], on: 4, listed: 1...3)
        downloads.noteTag(5)
        downloads.hold(HeldNotice(visit: 1, advice: .inform))
        downloads.noteQuestion(HeldNotice(visit: 0, advice: .inform, token: String(repeating: "T", count: 50)), at: now)
        let withdrawn = downloads.notePackages(version: "v2", withdrawn: "w", isNumbered: false, at: now)
        downloads.noteHours([1, 2], unproven: [3], on: 4, listed: 1...3)
        #expect(withdrawn && downloads.questionToken != nil && downloads.asked.count == 1)
        #expect(VenueDownloads(downloads.json) == downloads)
        for system in VenueSystem.allCases {
            let isOther = downloads.noteOrigin(system, "b")
            #expect(isOther && downloads.checked[system] == nil)
            #expect(VenueDownloads(downloads.json) == downloads)
        }
        #expect(downloads.hours == [] && downloads.unproven == [] && downloads.tag == nil && downloads.questionToken == nil)
        #expect(downloads.withdrawnPackages == "" && downloads.asked == [HeldNotice(visit: 1, advice: .inform)])
        for system in VenueSystem.allCases { downloads.noteNothingToAsk(system) }
        #expect(downloads.origins == [:])
    }

    /// Two configurations without a number, by turns: all is compared anew once a day, and what counted before goes on meanwhile. One with a number counts at
    /// once, since an older one is refused.
    @Test func configurationsByTurnsHaveAllComparedAnewOnceADay() {
        var downloads = VenueDownloads()
        func turn(_ withdrawn: String, _ version: String = "v2", isNumbered: Bool = false, at time: Int64) -> Bool {
            defer { downloads.noteHours([1, 2], on: 4, listed: 1...3) }
            return downloads.notePackages(version: version, withdrawn: withdrawn, isNumbered: isNumbered, at: time)
        }
        // Nothing was compared yet.
        #expect(turn("", at: now) && downloads.begunAnew == nil && downloads.packageVersion == "v2")
        var count = 0
        for round in Int64(0)..<60 {
            // Every two hours.
            if turn(round % 2 == 0 ? "w" : "", round % 3 == 0 ? "v1" : "v2", at: now + round * 7_200) { count += 1 }
            downloads = VenueDownloads(downloads.json)
        }
        #expect(count == 5)
        let last = now + 60 * 7_200
        let before = downloads
        let isRefused = !turn("other", at: last)
        #expect(isRefused && downloads == before)
        #expect(turn("other", isNumbered: true, at: last) && downloads.withdrawnPackages == "other")
        #expect(turn("another", isNumbered: true, at: last + 60))
        // Hours that are said to be empty are asked for anew as seldom.
        var empty = VenueDownloads()
        var asked = 0
        for round in Int64(0)..<24 {
            let (withdrawn, time) = (round % 2 == 0 ? "w" : "", now + round * 7_200)
            if empty.notePackages(version: "v2", withdrawn: withdrawn, isNumbered: false, at: time) { asked += 1 }
            empty.noteHours([], unproven: [1, 2], on: 4, listed: 1...3)
        }
        #expect(asked == 3)
        // A clock that was ahead keeps nothing away for longer.
        #expect(turn("w", at: now - 7_200))
    }

    /// Until now a tag was what the web server said.
    @Test func aTagThatNobodySignedIsNotTakenOver() {
        let old = VenueDownloads(["tag": 7_200_000, "hiddenDone": 3, "hiddenTag": 3_600_000, "newestList": 5])
        #expect(old.tag == nil && old.hiddenDone == 0 && old.hiddenTag == nil && old.newestList == 5)
        var downloads = VenueDownloads()
        downloads.noteTag(7_200_000)
        #expect(VenueDownloads(downloads.json) == downloads && downloads.json["tag"] == nil)
    }

    /// Of lists that come in another order, the earliest tag is the one up to which all parts are known.
    @Test(arguments: [([9, 7, 8], 7), ([7, 8], 7), ([9, nil, 8], nil), ([nil, 9], nil)] as [([Int64?], Int64?)])
    func partsCountFromTheEarliestTag(tags: [Int64?], kept: Int64?) {
        var downloads = VenueDownloads()
        for part in 0..<VenueDownloads.hiddenParts {
            downloads.noteHiddenPart(part < tags.count ? tags[part] : 9)
            #expect(VenueDownloads(downloads.json) == downloads)
        }
        #expect(downloads.tag == kept && downloads.hiddenDone == 0 && downloads.hiddenTag == nil)
    }

    @Test func traceKeysAreCountedByTheDay() {
        let day: Int64 = 86_400, today = now / day * day
        var known = TraceKeyCounts()
        for back: Int64 in [-1, 0, 0, 0, 12, 13, 400] { known.add(day: today - back * day) }
        #expect(TraceKeyCounts().missing(of: known, at: now) == 5)
        #expect(known.missing(of: known, at: now) == 0 && known.missing(of: TraceKeyCounts(), at: now) == 0)
        var fewer = TraceKeyCounts()
        // Many of one day are none of another.
        for back: Int64 in [-1, 0, 0, 12, 12, 12] { fewer.add(day: today - back * day) }
        #expect(fewer.missing(of: known, at: now) == 1)
        #expect(fewer.missing(of: known, at: now + 13 * day) == 0)
        let kept = known.recent(at: now)
        #expect(kept.missing(of: known, at: now) == 0 && TraceKeyCounts(kept.json) == kept && kept.json.array?.count == 3)
        var downloads = VenueDownloads()
        downloads.noteTraceKeys(known, at: now)
        #expect(downloads.traceKeys == kept && VenueDownloads(downloads.json) == downloads)
        downloads.startOver(.swissCovid)
        #expect(downloads.traceKeys == kept)
        downloads.noteNothingToAsk(.swissCovid)
        #expect(downloads.traceKeys == TraceKeyCounts())
        for text in ["5", "[5]", "[[1]]", "[[1, -1]]", "[[1, 0]]", #"[["1", 2]]"#, "[[1, 99999999999]]"] {
            #expect((try? JSON(parsing: Array(text.utf8), maximumDepth: 4)).map(TraceKeyCounts.init) == TraceKeyCounts())
        }
    }

    @Test func runsAreOnAGrid() {
        var downloads = VenueDownloads()
        #expect(downloads.takesRun(at: now) && downloads.nextRun == now + 7_200)
        #expect(!downloads.takesRun(at: now) && !downloads.takesRun(at: now + 7_199))
        #expect(VenueDownloads(downloads.json) == downloads)
        #expect(downloads.takesRun(at: now + 7_230) && downloads.nextRun == now + 14_400)
        #expect(downloads.takesRun(at: now + 30_000) && downloads.nextRun == now + 36_000)
        // A clock that was set back.
        #expect(downloads.takesRun(at: now) && downloads.nextRun == now + 7_200)
    }

    /// A run that came to nothing is tried again, a few times, and the grid stays.
    @Test func aRunThatIsPutOffMovesNoOther() {
        var downloads = VenueDownloads()
        func runs(_ moment: Int64) -> Bool { downloads.takesRun(at: moment) }
        #expect(runs(now))
        for number: Int64 in 1...3 {
            let isRetried = downloads.putOffRun(at: now + (number - 1) * 600)
            #expect(isRetried)
            #expect(downloads.nextStart == now + number * 600 && downloads.nextRun == now + 7_200)
            #expect(VenueDownloads(downloads.json) == downloads)
            #expect(!runs(now + number * 600 - 1))
            #expect(runs(now + number * 600) && !runs(now + number * 600))
        }
        let isRetried = downloads.putOffRun(at: now + 1_800)
        #expect(!isRetried)
        #expect(downloads.nextStart == now + 7_200 && !runs(now + 7_199))
        #expect(runs(now + 7_200) && downloads.nextRun == now + 14_400 && downloads.retries == 0)
        // Said by a clock that was ahead.
        downloads.putOffRun(at: now + 8_000)
        #expect(runs(now + 7_300) && downloads.retry == nil)
    }

    /// A run that is asked for comes a quarter of an hour after the last one began, moves no other, and outlasts a cut.
    @Test func aRunThatIsAskedForMovesNoOther() {
        var downloads = VenueDownloads()
        func runs(_ moment: Int64) -> Bool {
            defer { #expect(VenueDownloads(downloads.json) == downloads) }
            return downloads.takesRun(at: moment)
        }
        #expect(runs(now))
        // Several are one.
        for seconds: Int64 in [1, 500, 899] {
            downloads.wishRun(at: now + seconds)
            #expect(downloads.nextStart == now + 900 && !runs(now + seconds))
        }
        #expect(runs(now + 900) && !runs(now + 901) && downloads.nextStart == now + 7_200)
        // Long after the last one: at once.
        downloads.wishRun(at: now + 5_000)
        #expect(downloads.nextStart == now + 5_000 && runs(now + 5_000))
        // A run of the grid does not serve a wish for later.
        #expect(!runs(now + 6_500))
        downloads.wishRun(at: now + 6_500)
        #expect(runs(now + 6_500))
        downloads.wishRun(at: now + 7_190)
        #expect(downloads.nextStart == now + 7_200 && runs(now + 7_200) && downloads.nextRun == now + 14_400)
        #expect(downloads.nextStart == now + 7_400 && runs(now + 7_400) && downloads.nextStart == now + 14_400)
        // A run that was put off and a wish are one run, if both are due.
        downloads.putOffRun(at: now + 7_400)
        downloads.wishRun(at: now + 7_401)
        #expect(runs(now + 8_300) && downloads.nextStart == now + 14_400)
        // Said by a clock that was ahead.
        downloads.wishRun(at: now + 14_000)
        #expect(runs(now + 9_000) && downloads.wished == nil)
    }
}
