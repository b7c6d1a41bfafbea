// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import Glibc
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import PresenceTracing
import Testing
import Varlink
import VarlinkSocket
import VenuePlan

@testable import VenuePlugin

/// What a warning of the wearer's gets of visits, and when the plugin asks servers.
@Suite struct VenueRunTests {
    private let scene: VenueScene
    private var world: VenueScene.World { scene.world }
    private var bench: PluginBench<VenuePlugin> { scene.bench }

    init() throws { scene = try VenueScene() }

    private func ask(_ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console) throws -> JSON {
        try scene.ask(method, parameters, as: caller)
    }

    private func refusal(
        _ method: String, _ parameters: JSON = .empty, as caller: String = ProofGate.console
    ) throws -> (name: String, parameters: JSON) { try scene.refusal(method, parameters, as: caller) }

    private func code(_ name: String, minutes: UInt32 = 90) throws -> JSON { try scene.code(name, minutes: minutes) }

    // MARK: Reports for a warning

    private static let levels: JSON = [5, 6, 7, 7, 7, 6, 4, 3, 2, 1, 1, 1, 1, 1, 1]

    /// A visit of an hour that is over, and one of a minute.
    private func twoVisits() throws -> LocationID {
        // The clock below must not overtake the first look, which sets the grid of runs.
        try bench.turn { world.hasAnswer }
        for name in ["Canary Café", "Canary Bar"] { _ = try ask("CheckIn", ["code": code(name)]) }
        world.now = 1_614_850_060_000
        _ = try ask("CheckOut", ["number": 2])
        world.now = 1_614_850_000_000 + 3_600_000
        _ = try ask("CheckOut", ["number": 1])
        world.now = 1_614_850_000_000 + 2 * 3_600_000
        guard case .coronaWarnApp(let payload)? = bench.plugin.store.records.diary.visit(1)?.place else {
            throw DiaryError(.unknownVisit)
        }
        return LocationID(payload: payload)
    }

    private func takeReports(most: Int64 = 32) throws -> JSON {
        try ask("TakeReports", ["levels": Self.levels, "most": .int(most)])
    }

    @Test func reportsAreSealedAndOnlyTheCodeOpensThem() throws {
        let location = try twoVisits()
        let reply = try takeReports()
        #expect(reply["visits"] == 1 && reply["batch"]?.int.map(ReportBatch.names.contains) == true)
        let texts = try #require(reply["reports"]?.array).compactMap(\.string)
        let bytes = try #require(texts.first.flatMap { Base64.bytes($0) })
        #expect(texts.count == 1 && bytes.count == 104)
        let record = try ProtectedReport(decoding: bytes).open(location)
        // An hour, and half an hour for the air, in whole tens of minutes.
        #expect(record.period == 9 && record.level == 5 && record.seconds.contains(1_614_850_600))
        // Another vector, and another name, each time.
        let again = try takeReports()
        #expect(again["reports"] != reply["reports"] && again["batch"] != reply["batch"] && again["visits"] == 1)
        #expect(try takeReports(most: 0) == ["reports": [], "visits": 0])
        _ = try ask("SetWarning", ["number": 1, "warns": false])
        #expect(try takeReports() == ["reports": [], "visits": 0])
        for wrong: JSON in [
            ["levels": [0], "most": 1], ["levels": [9], "most": 1], ["levels": [8], "most": 33],
            ["levels": [8], "most": -1],
            ["levels": .array(Array(repeating: 8, count: 16)), "most": 1], ["levels": [.int(.max)], "most": 1],
        ] { #expect(try refusal("TakeReports", wrong).parameters["rule"] == "impossibleReports", "\(wrong)") }
        world.state = "untrusted"
        world.now = nil
        #expect(try refusal("TakeReports", ["levels": [8], "most": 1]).name == "NotPossible")
    }

    /// The board with so many visits, each of which is over and counts.
    private func board(visits count: Int) throws -> VenueRecords {
        var records = VenueRecords()
        let now = try #require(world.now) / 1_000
        for number in 1...count {
            let ticket = VenueTicket.coronaWarnApp(
                try TraceLocation(
                    name: "Canary", address: "Street", kind: .permanentFoodService, defaultMinutes: 90, publicKey: [],
                    seed: [UInt8](repeating: UInt8(number), count: 16)))
            let visit = try records.diary.checkIn(ticket, at: now - Int64(number) * 7_200)
            try records.diary.checkOut(visit, at: now - Int64(number) * 7_200 + 3_600)
        }
        return records
    }

    /// A batch that was forgotten would let its visits meet their own reports: after sixteen there are no more reports, and that is said.
    @Test func noBatchIsForgottenForAnother() throws {
        var records = try board(visits: 17)
        for number in 1...16 { records.diary.handOut([number], as: Int64(number)) }
        let names = (1...16).map { JSON.int($0) }
        let world = VenueScene.World()
        world.waiting = names
        let (bench, _) = try VenueScene.bench(world: world, keeping: records)
        func take(_ most: Int64) throws -> JSON {
            try bench.call(
                "\(Checkin1.name).TakeReports", ["levels": Self.levels, "most": .int(most)], as: ProofGate.console)
        }
        do {
            _ = try take(32)
            Issue.record("reports were given")
        } catch let error as VarlinkSocketError {
            #expect(error.reply?.error == "\(Checkin1.name).Refused")
            #expect(error.reply?.parameters["rule"] == "tooManyWarnings")
            #expect(error.reply?.parameters["reason"]?.string?.hasPrefix("16 warnings") == true)
        }
        #expect(bench.plugin.store.records.diary.batches.map { JSON.int($0.name) } == names)
        // Without a report nothing is to be noted.
        #expect(try take(0) == ["reports": [], "visits": 0])
        // When no warning has them, all visits can go along again.
        world.waiting = []
        #expect(try take(32)["visits"] == 17)
        #expect(bench.plugin.store.records.diary.batches.count == 1)
        withExtendedLifetime(world) {}
    }

    /// Which warnings are out is asked first, each time: a visit that went out, or waits to, goes along with no other; one that never will does.
    @Test func whatIsOutIsKnownBeforeReportsAreGiven() throws {
        _ = try twoVisits()
        let first = try #require(try takeReports()["batch"])
        world.waiting = [first]
        #expect(try takeReports() == ["reports": [], "visits": 0])
        world.waiting = []
        let second = try takeReports()
        #expect(second["visits"] == 1 && bench.plugin.store.records.diary.batches.count == 1)
        world.published = [second["batch"] ?? .null]
        #expect(try takeReports() == ["reports": [], "visits": 0])
        #expect(bench.plugin.store.records.diary.visits.map(\.isSubmitted) == [true, false])
        #expect(bench.plugin.store.records.diary.batches.isEmpty)
    }

    /// A Diagnosis that says nothing, or that this plugin may not ask, may know of a visit that is out: none goes along, and whoever asked hears that
    /// before it gives up.
    @Test func withoutAnAnswerNoReportLeaves() throws {
        _ = try twoVisits()
        world.published = nil
        let refused = try refusal("TakeReports", ["levels": Self.levels, "most": 32])
        #expect(refused.name == "NotPossible")
        #expect(refused.parameters["reason"]?.string?.contains("which earlier warnings were sent") == true)
        world.published = []
        world.isDiagnosisSilent = true
        let caller = VarlinkCaller(path: try bench.supervisor.allow("diagnosis", ["\(Checkin1.name).*"]))
        let real = SystemLoopClock()
        let before = world.asked.count
        var outcome: VarlinkCaller.Outcome?
        func serve() {
            var list = caller.descriptors()
            real.wait(for: &list, until: .zero)
            caller.serve(list, at: real.now)
        }
        caller.call(
            "\(Checkin1.name).TakeReports",
            ["levels": Self.levels, "most": 32, "proof": .string("good:\(Checkin1.name).TakeReports")],
            timeout: TestKitError.patience, at: real.now
        ) { outcome = $0 }
        try bench.turn {
            serve()
            return world.asked.count > before
        }
        #expect(outcome == nil)
        bench.advance(by: .seconds(6))
        try bench.turn {
            serve()
            return outcome != nil
        }
        #expect(throws: VarlinkSocketError.self) { try outcome?.get() }
        #expect(bench.plugin.store.records.diary.batches.isEmpty)
    }

    /// Whoever asks may say what the visits are called, so that it knows the name before the visits have it.
    @Test func visitsAreCalledAsWhoeverAsksSays() throws {
        _ = try twoVisits()
        func call(_ name: Int64) -> JSON { ["levels": Self.levels, "most": 32, "batch": .int(name)] }
        for name: Int64 in [0, -1, 1 << 53] {
            #expect(try refusal("TakeReports", call(name)).parameters["rule"] == "impossibleName", "\(name)")
        }
        #expect(try ask("TakeReports", call(77))["batch"] == 77)
        world.waiting = [77]
        _ = try ask("CheckIn", ["code": code("Canary Hall")])
        world.now = world.now.map { $0 + 3_600_000 }
        #expect(try refusal("TakeReports", call(77)).parameters["rule"] == "impossibleName")
        #expect(try ask("TakeReports", call(78))["batch"] == 78)
        #expect(bench.plugin.store.records.diary.batches.map(\.visits) == [[1], [3]])
    }

    /// A plugin that was taken over: reports come with the proof that comes with keys, once, and with nothing else.
    @Test func withoutTheProofOfTheKeysNoReportLeaves() throws {
        _ = try twoVisits()
        let good = "good:\(Checkin1.name).TakeReports"
        func take(_ proof: JSON?, as caller: String = "diagnosis") throws -> String? {
            var call: JSON.Object = ["levels": Self.levels, "most": 32]
            call["proof"] = proof
            do {
                return try bench.call("\(Checkin1.name).TakeReports", .object(call), as: caller)["reports"]?.array?.count
                    == 1
                    ? nil : "no report"
            } catch let error as VarlinkSocketError { return error.reply?.error }
        }
        let records = bench.plugin.store.records
        for proof in [nil, "", "bad", .string("good:\(Checkin1.name).GetVisits")] as [JSON?] {
            #expect(try take(proof) == "\(Checkin1.name).NotSignedIn", "\(String(describing: proof))")
        }
        #expect(bench.plugin.store.records == records)
        #expect(try take(.string(good)) == nil)
        #expect(try take(.string(good)) == "\(Checkin1.name).NotSignedIn")
    }

    /// The power fails after each step: what was handed out is known at the next start, and becomes published when Diagnosis says so, and no sooner.
    @Test func whatIsPublishedOutlastsEveryPowerCut() throws {
        _ = try twoVisits()
        let batch = try #require(try takeReports()["batch"])
        func started(_ published: [JSON]?, isWaiting: Bool = true) throws -> VenueRecords {
            let world = VenueScene.World()
            world.now = self.world.now
            world.published = published
            world.waiting = isWaiting ? [batch] : []
            let (later, _) = try VenueScene.bench(world: world, keeping: bench.plugin.store.records)
            try later.turn { !world.asked.isEmpty }
            #expect(world.asked == [[batch]])
            try later.turn { world.hasAnswer }
            // The answer is read with this at the latest.
            _ = try later.call("\(Checkin1.name).GetVisits", as: ProofGate.console)
            if published?.contains(batch) == true {
                try later.turn { later.plugin.store.records.diary.visits.contains(where: \.isSubmitted) }
            }
            if !isWaiting { try later.turn { later.plugin.store.records.diary.batches.isEmpty } }
            return withExtendedLifetime(world) { later.plugin.store.records }
        }
        // Not sent yet; another batch; Diagnosis is not there.
        for published in [[], [5], nil] as [[JSON]?] {
            let records = try started(published)
            #expect(records.diary.visits.allSatisfy { !$0.isSubmitted } && records.diary.batches.count == 1)
        }
        // Its warning was taken back.
        let freed = try started([], isWaiting: false)
        #expect(freed.diary.visits.allSatisfy { !$0.isSubmitted } && freed.diary.batches.isEmpty)
        let records = try started([batch])
        #expect(records.diary.visits.map(\.isSubmitted) == [true, false] && records.diary.batches.isEmpty)
        let (last, world) = try VenueScene.bench(keeping: records)
        let visits = try last.call("\(Checkin1.name).GetVisits", as: ProofGate.console)["visits"]?.array
        withExtendedLifetime(world) { #expect(visits?.map { $0["published"] } == [true, false]) }
    }

    /// It is asked at every start, whether any reports were given or not.
    @Test func everyStartAsksWhatIsOut() throws {
        try bench.turn { world.asked == [[]] }
    }

    /// By the rules that were verified last; and a visit that was published, or may have been, does not meet its own report.
    @Test func theAuthoritysRulesDecideAndAPublishedVisitDoesNotMeetItself() throws {
        let servers = try WarningServers()
        try servers.publishConfiguration(shortest: 100)
        let location = try twoVisits()
        #expect(try takeReports()["visits"] == 1)
        let hour = Int64(1_614_850_000 / 3_600)
        try servers.publish(hour...(hour + 1))
        try servers.publish(hour + 1, location, [(1_614_850_000, 30, 8)])
        let settings = try VenueScene.settings(servers)
        for (isPublished, isUncertain) in [(false, false), (true, false), (false, true)] {
            let batch = try #require(try takeReports()["batch"])
            let world = VenueScene.World()
            world.now = 1_614_850_000_000 + 3 * 3_600_000
            world.published = isPublished ? [batch] : []
            world.uncertain = isUncertain ? [batch] : []
            let (later, _) = try VenueScene.bench(settings, world: world, keeping: bench.plugin.store.records)
            try later.turn { later.plugin.store.records.downloads.checked[.coronaWarnApp] != nil }
            #expect(later.plugin.store.records.diary.notices.count == (isPublished || isUncertain ? 0 : 1))
            // A visit of an hour is too short by these rules.
            #expect(later.plugin.store.records.rules?.derivation.durationFilters.first?.max == 100)
            let reply = try later.call(
                "\(Checkin1.name).TakeReports", ["levels": Self.levels, "most": 32], as: ProofGate.console)
            withExtendedLifetime(world) { #expect(reply == ["reports": [], "visits": 0]) }
        }
    }

    /// What starts the plugin in between makes no request and does not move the next run: its time would tell when the wearer
    /// looked at a test, or held the button.
    @Test func callsBetweenTwoRunsDoNotMoveTheNext() throws {
        let servers = try WarningServers()
        try servers.publishConfiguration()
        _ = try twoVisits()
        let hour = Int64(1_614_850_000 / 3_600)
        try servers.publish(hour...(hour + 1))
        let settings = try VenueScene.settings(servers)
        var records = bench.plugin.store.records
        let planned = try #require(records.downloads.nextRun)
        for seconds: Int64 in [1, 3_000, 7_199] {
            let world = VenueScene.World()
            world.now = (planned - 7_200 + seconds) * 1_000
            let (start, _) = try VenueScene.bench(settings, world: world, keeping: records)
            try start.turn { !world.asked.isEmpty }
            for _ in 0..<5 { _ = try start.call("\(Checkin1.name).GetVisits", as: ProofGate.console) }
            records = start.plugin.store.records
            withExtendedLifetime(world) { #expect(servers.requests.isEmpty && records.downloads.nextRun == planned) }
        }
        let world = VenueScene.World()
        world.now = (planned + 20) * 1_000
        let (run, _) = try VenueScene.bench(settings, world: world, keeping: records)
        try run.turn { run.plugin.store.records.downloads.checked[.coronaWarnApp] != nil }
        withExtendedLifetime(world) { #expect(run.plugin.store.records.downloads.nextRun == planned + 7_200) }
    }

    /// Somebody has heard that there is something new: it is looked for at once, and the next run stays where it was. Soon after a run the look waits, and
    /// the answer is the same. A wish that nobody could follow before a power cut is followed after it.
    @Test(arguments: [(600, false), (3_000, false), (3_000, true)] as [(Int64, Bool)])
    func aLookThatIsAskedForIsNotInTheRhythm(seconds: Int64, isCut: Bool) throws {
        let servers = try WarningServers()
        try servers.publishConfiguration()
        let location = try twoVisits()
        let hour = Int64(1_614_850_000 / 3_600)
        try servers.publish(hour...(hour + 1))
        let settings = try VenueScene.settings(servers)
        let planned = try #require(bench.plugin.store.records.downloads.nextRun)
        let first = VenueScene.World()
        first.now = planned * 1_000
        let (run, _) = try VenueScene.bench(settings, world: first, keeping: bench.plugin.store.records)
        try run.turn { run.plugin.store.records.downloads.checked[.coronaWarnApp] == planned }
        #expect(run.plugin.store.records.diary.notices.isEmpty)

        try servers.publish(hour...(hour + 2))
        try servers.publish(hour + 2, location, [(1_614_850_000, 30, 8)])
        let world = VenueScene.World()
        world.now = (planned + seconds) * 1_000
        let (second, _) = try VenueScene.bench(settings, world: world, keeping: run.plugin.store.records)
        try second.turn { !world.asked.isEmpty }
        let before = servers.requests.count
        #expect(try second.call("\(Checkin1.name).LookForWarnings", as: "wake") == .empty)
        #expect(second.plugin.store.records.downloads.nextRun == planned + 7_200)
        if seconds == 3_000, !isCut {
            try second.turn { second.plugin.store.records.downloads.checked[.coronaWarnApp] == planned + seconds }
            #expect(second.plugin.store.records.diary.notices.count == 1)
            #expect(second.plugin.store.records.downloads.nextStart == planned + 7_200)
        } else {
            let moment = max(planned + 900, planned + seconds)
            // As it was on the disk when the call was answered; the look itself may be under way by now.
            var records = run.plugin.store.records
            records.downloads.wishRun(at: planned + seconds)
            if seconds == 600 {
                #expect(second.plugin.store.records.downloads.wished == moment && servers.requests.count == before)
            }
            let later = VenueScene.World()
            later.now = moment * 1_000
            let (third, _) = try VenueScene.bench(settings, world: later, keeping: records)
            try third.turn { third.plugin.store.records.downloads.checked[.coronaWarnApp] == moment }
            withExtendedLifetime(later) {
                #expect(third.plugin.store.records.diary.notices.count == 1)
                #expect(third.plugin.store.records.downloads.nextStart == planned + 7_200)
            }
        }
        withExtendedLifetime((first, world)) {}
    }

    /// With visits and without, the answer is the same, and no server is asked without.
    @Test func aLookThatIsAskedForTellsNothing() throws {
        let servers = try WarningServers()
        try servers.publishConfiguration()
        let settings = try VenueScene.settings(servers)
        let world = VenueScene.World()
        let (empty, _) = try VenueScene.bench(settings, world: world, keeping: VenueRecords())
        try empty.turn { !world.asked.isEmpty }
        world.now = world.now.map { $0 + 3_000_000 }
        #expect(try empty.call("\(Checkin1.name).LookForWarnings", as: "wake") == .empty)
        // Time enough for a server that nobody should have asked.
        for _ in 0..<20 { _ = try empty.call("\(Checkin1.name).GetVisits", as: ProofGate.console) }
        withExtendedLifetime(world) { #expect(servers.requests.isEmpty) }
        world.now = nil
        #expect(try empty.call("\(Checkin1.name).LookForWarnings", as: "wake") == .empty)
    }

    /// First what is out, then what others warn of. A Diagnosis that says nothing may know of a visit that is out: nothing is
    /// compared in that run.
    @Test func whatIsOutIsKnownBeforeWarningsAreCompared() throws {
        let servers = try WarningServers()
        try servers.publishConfiguration()
        _ = try twoVisits()
        let hour = Int64(1_614_850_000 / 3_600)
        try servers.publish(hour...(hour + 1))
        let world = VenueScene.World()
        world.now = self.world.now.map { $0 + 7_200_000 }
        world.isDiagnosisSilent = true
        let settings = try VenueScene.settings(servers)
        let (later, _) = try VenueScene.bench(settings, world: world, keeping: bench.plugin.store.records)
        try later.turn { !world.asked.isEmpty }
        // Time enough for a server that nobody should have asked.
        for _ in 0..<20 { _ = try later.call("\(Checkin1.name).GetVisits", as: ProofGate.console) }
        #expect(servers.requests.isEmpty)
        later.advance(by: .seconds(31))
        for _ in 0..<20 { _ = try later.call("\(Checkin1.name).GetVisits", as: ProofGate.console) }
        #expect(servers.requests.isEmpty)
        // Tried again in ten minutes, less the time that has passed, and not in two hours.
        let rest = try #require(later.host.startsAgainAfter)
        #expect((.seconds(540)...(.seconds(600))).contains(rest))
        #expect(later.plugin.store.records.downloads.problems == [:])
        // The last try: nobody looks for two hours, and the wearer is told so.
        var records = later.plugin.store.records
        let moment = try #require(world.now)
        for _ in 0..<2 { records.downloads.putOffRun(at: moment / 1_000) }
        let third = VenueScene.World()
        third.now = moment + 600_000
        third.isDiagnosisSilent = true
        let (last, _) = try VenueScene.bench(settings, world: third, keeping: records)
        try last.turn { !third.asked.isEmpty }
        last.advance(by: .seconds(31))
        try last.turn { last.plugin.store.records.downloads.problems[.coronaWarnApp] != nil }
        withExtendedLifetime(third) { #expect(servers.requests.isEmpty) }
        let second = VenueScene.World()
        second.now = world.now.map { $0 + 600_000 }
        let (next, _) = try VenueScene.bench(settings, world: second, keeping: later.plugin.store.records)
        try next.turn { next.plugin.store.records.downloads.checked[.coronaWarnApp] != nil }
        withExtendedLifetime((world, second)) { #expect(!servers.requests.isEmpty) }
    }
}
