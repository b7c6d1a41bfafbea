// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Interfaces
import JSON
import PresenceTracing
public import SyncKillTrial
import VenuePlan
import VenuePlugin
import VirtualAir

/// Cuts the power of a wearer's device while its plugin for check-ins works: visits, their changes, warnings of three systems, and a warning of the
/// wearer's. The real process is killed at a step, its disk forgets what was not synced, and the device goes on; in the end every visit is there
/// once, every warning was told once, and every visit was published once. Use it on one thread at a time.
public final class VenueTrial {
    /// A fault that is made on purpose, to see that the trial notices it.
    public enum Sabotage: String, Sendable, CaseIterable {
        /// The disk keeps nothing of what it was told to keep.
        case diskForgets
        /// A list counts as compared, and the notice that follows from it is not on the disk.
        case notedBeforeTold
        /// What was found is on the disk, and not that it was looked for.
        case toldBeforeNoted
        /// A visit is entered once more.
        case visitAgain
        /// That reports are out is not noted.
        case publishedAgain
        /// A check-in at a hidden place whose answer was lost comes again as another one.
        case attemptForgotten

        /// A word of the problem that must be found.
        public var word: String {
            switch self {
            case .diskForgets, .notedBeforeTold: "lost"
            case .toldBeforeNoted: "counted twice"
            case .visitAgain, .attemptForgotten: "twice"
            case .publishedAgain: "published twice"
            }
        }
    }

    /// The result of one story.
    public struct Verdict: Sendable {
        /// The steps at which the power failed, each with its act, such as `warned: before write state/store`.
        public var cuts: [String] = []
        /// The number of planned cuts whose step did not come.
        public var missed = 0
        /// The first fault, in words; `nil` if there is none.
        public var problem: String?
    }

    /// The steps of an act that is not disturbed.
    public struct Survey: Sendable {
        /// The names of the steps, in order.
        public var steps: [String] = []
        /// How many calls of the system there are, of any kind.
        public var calls = 0
    }

    private let places: KillPlaces
    private let laboratory: String
    private let board: VenueBoard
    /// Where reports come from, by the hash of the place in them.
    private var locations: [[UInt8]: LocationID] = [:]

    /// The number of acts in a story.
    public static var actCount: Int { VenueStage.Act.allCases.count }

    /// Prepares everything in the folder of `places`, which must exist and be empty. Throws ``TrialFailure``, or what the
    /// file system, a socket or the cryptographic library refuses.
    ///
    /// - Parameter laboratory: The path of the program with the command `traced-visits`.
    public init(_ places: KillPlaces, laboratory: String) throws {
        self.places = places
        self.laboratory = laboratory
        board = try VenueBoard(places)
        for place in VenuePlace.allCases {
            let location = try place.location().id
            locations[location.hash] = location
        }
    }

    /// Where one story stands.
    private struct Story {
        var random: SplitMix64
        var verdict = Verdict()
        /// What was begun in a life that ended.
        var begun: Set<VenueDeed> = []
        var hold: Int64 = 0
        /// The last notice that was acknowledged.
        var seen = 0
        /// Reports that Diagnosis has.
        var reports: [[UInt8]] = []
        var batches: Set<Int64> = []
        /// Whether the wearer hides places, and by which text a check-in is known again.
        let hides: Bool
        var attempt = ""
        let sabotage: Sabotage?

        mutating func note(_ problem: String?) { verdict.problem = verdict.problem ?? problem }
    }

    /// Plays a story that nobody disturbs, and returns the steps of each act. Blocks for some seconds. Throws ``TrialFailure``
    /// if it does not end as it should.
    ///
    /// - Parameter hides: Whether the wearer hides places in it.
    public func survey(hides: Bool) throws -> [Survey] {
        var surveys: [Survey] = []
        let verdict = try play(seed: 0, hides: hides, sabotage: nil) { _, life in
            if life > 0 { return nil }
            return ["--list"]
        } then: { lines in
            var survey = Survey()
            for line in lines {
                if line.hasPrefix("did ") { survey.steps.append(String(line.dropFirst(4))) }
                if line.hasPrefix("calls ") { survey.calls = Int(line.dropFirst(6)) ?? 0 }
            }
            surveys.append(survey)
        }
        if let problem = verdict.problem { throw TrialFailure("without a cut: \(problem)") }
        return surveys
    }

    /// Plays the story of a seed, and cuts the power in each act at the steps of `deaths`, one life after the other. Blocks for some seconds. Throws
    /// ``TrialFailure`` if a process cannot be started, or hangs.
    ///
    /// - Parameters:
    ///   - hides: Whether the wearer hides places in it.
    ///   - deaths: By act, at most five for each.
    public func play(
        seed: UInt64, hides: Bool, deaths: [[KillTrial.Death]], sabotage: Sabotage? = nil
    ) throws -> Verdict {
        try play(seed: seed, hides: hides, sabotage: sabotage) { act, life in
            let chain = deaths.count >= act.rawValue ? deaths[act.rawValue - 1] : []
            guard life < chain.count else { return nil }
            let death = chain[life]
            return ["--step", death.step, "--occurrence", "\(death.occurrence)"] + (death.isAfter ? ["--after"] : [])
                + (sabotage == .diskForgets ? ["--deaf"] : [])
        } then: { _ in
        }
    }

    private func play(
        seed: UInt64, hides: Bool, sabotage: Sabotage?, tracing: (VenueStage.Act, _ life: Int) -> [String]?,
        then: ([String]) -> Void
    ) throws -> Verdict {
        board.empty()
        var story = Story(random: SplitMix64(seed: seed), hides: hides, sabotage: sabotage)
        for act in VenueStage.Act.allCases {
            board.publish(act)
            try tamper(act, &story)
            try play(act, &story, tracing, then)
            // Where a visit is lost, warnings of its system would be waited for in vain.
            if story.verdict.problem != nil { break }
        }
        for fault in board.world.faults { story.note("the plugin does not keep to an interface: \(fault)") }
        return story.verdict
    }

    // MARK: An act

    private func play(
        _ act: VenueStage.Act, _ story: inout Story, _ tracing: (VenueStage.Act, Int) -> [String]?,
        _ then: ([String]) -> Void
    ) throws {
        var deeds = VenueDeed.all(of: act, hides: story.hides, using: &story.random)
        if story.sabotage == .attemptForgotten, act == .arriving {
            let first: [VenueDeed] = [.hide, .checkIn(.clinic)]
            deeds = first + deeds.filter { !first.contains($0) }
        }
        story.begun = []
        story.attempt = Self.attempt(&story.random)
        let world = board.world
        var number = 0
        while !deeds.isEmpty {
            guard number < 8 else { throw TrialFailure("\(act): the wearer does not come to an end") }
            // A run is due in each life of these acts; in the others times count.
            world.now = act.begin + (act.rawValue >= VenueStage.Act.warned.rawValue ? VenueStage.pause * Int64(number) : 0)
            if deeds.contains(.hold(.door)) {
                story.hold = world.hold(try VenuePlace.door.code(signer: board.stage.signer))
            }
            unlink(places.testimony)
            let words = tracing(act, number)
            let cutSeed = story.random.next()
            let tracer = words.map { [laboratory, "traced-visits", places.folder, "--seed", "\(cutSeed)"] + $0 + ["--"] }
            let life = try VenueLife(places, tracer: tracer ?? [])
            while let deed = deeds.first, try perform(deed, act, life, &story) { deeds.removeFirst() }
            if let deed = deeds.first { story.begun.insert(deed) }
            try life.stop()
            // The power takes what is not on a disk, too.
            KillPlaces.empty(places.spool)
            number += 1
            guard words != nil else { continue }
            let lines = String(decoding: KillPlaces.read(places.testimony), as: UTF8.self).split(separator: "\n").map(
                String.init)
            then(lines)
            if lines.contains("alive") { story.note("\(act): a process of the dead one lives on") }
            if let step = lines.first(where: { $0.hasPrefix("step ") }) {
                story.verdict.cuts.append("\(act): \(step.dropFirst(5))")
            } else {
                story.verdict.missed += 1
            }
        }
    }

    /// Whether it is done; if not, the process has died of it.
    private func perform(
        _ deed: VenueDeed, _ act: VenueStage.Act, _ life: VenueLife, _ story: inout Story
    ) throws -> Bool {
        let isAgain = story.begun.contains(deed)
        do {
            switch deed {
            case .checkIn(let place):
                let code = try place.code(signer: board.stage.signer)
                if isAgain, story.sabotage == .attemptForgotten { story.attempt = Self.attempt(&story.random) }
                let call: JSON = ["code": .string(code), "attempt": .string(story.attempt)]
                guard let reply = try life.call(.checkIn, call) else { return false }
                if !isAgain, reply["began"]?.bool != true { story.note("twice: the \(place) was there before") }
                return true
            case .hide: return try life.call(.setHiding, ["on": true, "secret": .string(Self.secret)]) != nil
            case .show: return try life.call(.setHiding, ["on": false]) != nil
            case .hold:
                let hold = story.hold
                guard try life.waits(until: { board.world.outcome(of: hold) != nil }) else { return false }
                if board.world.outcome(of: hold) == false { story.note("lost: what a held button collected") }
                return true
            case .checkOut(let place): return try change(place, .checkOut, [:], life, story)
            case .changeTimes(let place):
                let times: JSON.Object = [
                    "arrival": .int(VenueStage.changed.arrival), "departure": .int(VenueStage.changed.departure),
                ]
                return try change(place, .editVisit, times, life, story)
            case .exclude(let place): return try change(place, .setWarning, ["warns": false], life, story)
            case .delete(let place): return try change(place, .deleteVisit, [:], life, story)
            case .waitForRun:
                var followed: [JSON] = []
                do {
                    return try life.waits {
                        guard let reply = try life.call(.getNotices) else { return false }
                        followed = reply["followed"]?.array ?? []
                        return followed.count == 3
                            && followed.allSatisfy { system in
                                // The operators think until the next run: until then nothing of theirs is complete.
                                system["checked"]?.int ?? 0 >= act.begin
                                    || act == .warned && system["problem"]?.string?.hasPrefix(Self.pending) == true
                            }
                    }
                } catch let failure as TrialFailure {
                    throw TrialFailure("\(act): \(failure): \(followed)")
                }
            case .acknowledge:
                guard let notices = try notices(life) else { return false }
                guard let number = notices.map(\.number).max() else {
                    story.note("lost: all notices")
                    return true
                }
                guard try life.call(.acknowledge, ["number": .int(Int64(number))]) != nil else { return false }
                story.seen = max(story.seen, number)
                return true
            case .warn: return try warn(act, life, &story)
            case .look: return try look(act, life, &story)
            }
        } catch let error as VenueLife.Refusal {
            // What was done before the power failed cannot be done again.
            if !isAgain { story.note("\(act), \(deed): \(error)") }
            return true
        }
    }

    private func change(
        _ place: VenuePlace, _ method: Checkin1.Method, _ more: JSON.Object, _ life: VenueLife, _ story: Story
    ) throws -> Bool {
        guard let visits = try visits(life, story)?.visits else { return false }
        guard let visit = visits.first(where: { $0.name == place.name }) else {
            throw VenueLife.Refusal(description: "lost: the visit to the \(place)")
        }
        var parameters = more
        parameters["number"] = .int(Int64(visit.number))
        return try life.call(method, .object(parameters)) != nil
    }

    /// Hidden ones opened by the wearer's secret, as soon as there is one.
    private func visits(_ life: VenueLife, _ story: Story) throws -> Checkin1.VisitsReply? {
        if story.hides {
            do {
                return try life.call(.getVisits, ["secret": .string(Self.secret)])?.decode(Checkin1.VisitsReply.self)
            } catch is VenueLife.Refusal {}
        }
        return try life.call(.getVisits)?.decode(Checkin1.VisitsReply.self)
    }

    private static let secret = "a secret of the wearer"

    private static func attempt(_ random: inout SplitMix64) -> String { RandomUUID.text(using: &random) }

    private func notices(_ life: VenueLife) throws -> [Checkin1.Notice]? {
        try life.call(.getNotices)?.decode(Checkin1.NoticesReply.self).notices
    }

    /// The reports of one warning. They come once, whenever the power fails; those that nobody got were never published.
    private func warn(_ act: VenueStage.Act, _ life: VenueLife, _ story: inout Story) throws -> Bool {
        let levels = JSON.array([JSON](repeating: 5, count: 15))
        // As Diagnosis does: the name is known before the call, since the plugin may ask about the batch before its answer was read.
        let name = Int64.random(in: ReportBatch.names, using: &story.random)
        board.world.waiting = story.batches.union([name])
        let call: JSON = ["levels": levels, "most": 32, "batch": .int(name)]
        guard let reply = try life.call(.takeReports, call) else { return false }
        let reports = (reply["reports"]?.array ?? []).compactMap { $0.string.flatMap(Base64.bytes) }
        guard act == .warning else {
            if !reports.isEmpty { story.note("published twice: \(reports.count) reports are given once more") }
            return true
        }
        story.reports += reports
        story.batches.formUnion(reply["batch"]?.int.map { [$0] } ?? [])
        let expected: Set<LocationID> = Set(try [VenuePlace.hall, .cafe, .door].map { try $0.location().id })
        let found = try reports.map { bytes in
            let report = try ProtectedReport(decoding: bytes)
            guard let location = locations[report.locationIDHash] else { throw TrialFailure("a report of nowhere") }
            _ = try report.open(location)
            return location
        }
        if Set(found) != expected || found.count != expected.count {
            story.note("lost or published twice: \(found.count) reports of \(Set(found).count) places")
        }
        return true
    }

    private func look(_ act: VenueStage.Act, _ life: VenueLife, _ story: inout Story) throws -> Bool {
        // What was in the clear when the wearer chose is hidden part by part.
        guard try life.waits(until: { try visits(life, story).map { $0.unhidden == nil } ?? false }),
            let reply = try visits(life, story), var notices = try notices(life)
        else { return false }
        for index in notices.indices where notices[index].name.isEmpty {
            notices[index].name = reply.visits.first { $0.number == notices[index].visit }?.name ?? ""
        }
        let problem = VenueExpectation(after: act, hides: story.hides).problem(reply.visits, notices, seen: story.seen)
        story.note(problem.map { "\(act): \($0)" })
        if story.hides, reply.hides != (act != .published) { story.note("\(act): lost: the wearer's choice") }
        return true
    }

    /// How the plugin says that the NHS's operators have not answered yet.
    private static let pending = "the health authority has not decided yet"

    // MARK: What must be noticed

    private func tamper(_ act: VenueStage.Act, _ story: inout Story) throws {
        if act == .published {
            board.world.waiting = []
            if story.sabotage != .publishedAgain { board.world.published = story.batches }
        }
        switch (story.sabotage, act) {
        case (.notedBeforeTold, .warned):
            try board.store().change { records in
                let visits = records.diary.visits.filter { $0.place.system == .swissCovid }
                records.diary.noteTold(Set(visits.map(\.number)))
            }
        case (.toldBeforeNoted, .warning):
            // Another hour stays: a store without any forgets what was found, and would be right again.
            try board.store().change {
                $0.downloads.startOver(.coronaWarnApp)
                $0.downloads.noteHours([1], on: 0, listed: 1...1)
            }
        case (.visitAgain, .leaving):
            let ticket = VenueTicket.coronaWarnApp(try VenuePlace.door.location())
            try board.store().change { records in
                guard let first = records.diary.visits.first(where: { $0.place == .coronaWarnApp(payload: ticket.payload) })
                else { return }
                try records.diary.checkOut(first.number, at: VenueStage.arrival)
                _ = try records.diary.checkIn(ticket, at: VenueStage.arrival)
            }
        default: break
        }
    }
}

extension VenueTicket {
    fileprivate var payload: [UInt8] { if case .coronaWarnApp(let location) = self { location.payload } else { [] } }
}
