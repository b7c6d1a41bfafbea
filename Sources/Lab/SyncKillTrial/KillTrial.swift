// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import GAEN
import Glibc
import Interfaces
import SyncPlan
import Trust
import Varlink

/// Kills the sync plugin or the core of a device at a step while the device catches up with fourteen days, lets the device
/// go on, and compares its final state with that of a device without a kill. Use it on one thread at a time.
public final class KillTrial {
    /// The process that is killed: the `sync` plugin or the core.
    public enum Victim: String, Sendable, CaseIterable { case sync, core }

    /// A step at which a process is killed, by its name and its number among the steps of that name.
    public struct Death: Sendable, CustomStringConvertible {
        /// The name of the step, such as `write state/sync.journal: accepted`.
        public var step: String
        /// The number of the step among those of this name in one life, counted from 1.
        public var occurrence: Int
        /// Whether the process is killed after the step instead of before it.
        public var isAfter: Bool

        /// Creates a step of these parts, usually from the steps of a life without a kill. Nothing is checked: a step that
        /// never comes kills no process.
        public init(step: String, occurrence: Int, isAfter: Bool) {
            self.step = step
            self.occurrence = occurrence
            self.isAfter = isAfter
        }

        /// The step as the program prints it: `before NAME (N)` or `after NAME (N)`.
        public var description: String { "\(isAfter ? "after" : "before") \(step) (\(occurrence))" }
    }

    /// A fault that is made on purpose after the kills, to see that the trial notices it.
    public enum Sabotage: String, Sendable, CaseIterable {
        /// The journal claims that the core has a file that it was never given.
        case notedBeforeTaken
        /// Content is published again in a form that the core does not recognise.
        case publishedAgain
        /// The core forgets the files that it has matched.
        case coreForgets
        /// A file is left in the spool.
        case fileLeft
    }

    /// The result of one trial: the steps at which processes were killed, and what is wrong.
    public struct Verdict: Sendable {
        /// The steps at which lives ended, one entry for each life, such as `before write state/sync.journal: accepted`, or
        /// `not reached`.
        public var steps: [String] = []
        /// The first fault, in words; `nil` if there is none.
        public var problem: String?
        /// The number of calls of the core beyond those of a life without a kill, which are files that were provided again;
        /// negative if there were fewer.
        public var extraCalls = 0
        /// The number of requests beyond those of a life without a kill; negative if there were fewer.
        public var extraRequests = 0
    }

    private let places: KillPlaces
    private let signer: P256.SigningKey
    private let server: PackageServer
    private let laboratory: String
    private let air: Child
    private var stage: KillStage
    private var whole = KillFindings()
    private var wholeRequests = 0
    private var wholeState: [String] = []
    private var wholeEnds: [Int64?] = []
    /// The names of all steps of a life without a kill, in order, by the process that makes them; empty before
    /// ``survey(_:)``.
    public private(set) var steps: [Victim: [String]] = [:]
    private var boot = 0

    /// Prepares everything in the folder of `places`, which must exist and be empty: starts an air, creates keys and a
    /// store, and plays one life without a kill; blocks. Throws ``TrialFailure`` when something does not start or that life
    /// goes wrong, and the error of the file system when a file cannot be written.
    ///
    /// - Parameter laboratory: The path of the program with the commands `air` and `traced-life`.
    public init(_ places: KillPlaces, laboratory: String) throws {
        self.places = places
        self.laboratory = laboratory
        signer = try P256.SigningKey.generate()
        server = try PackageServer()
        stage = try KillStage(signer: signer, today: Self.today)
        air = try Child(laboratory, ["air", places.air], environment: [:], log: "\(places.folder)/air.log")
        guard Child.waits(seconds: 10, until: { access(places.air, F_OK) == 0 }) else {
            throw TrialFailure("there is no air")
        }
        for folder in [places.run, places.plugin, places.state, places.spool, places.data, places.keys] {
            try KillPlaces.makeFolder(folder)
        }
        try KillPlaces.write(Array(try signer.verificationKey.pem().utf8), places.publicKey)
        let callers = """
            {"callers": [{"name": "sync", "spool": "\(places.spool)", "users": [\(geteuid())],
              "grants": ["\(Exposure1.Method.getStatus.path)", "\(Exposure1.Method.provideDiagnosisKeys.path)",
                         "\(Content1.Method.takeContent.path)"]}]}
            """
        try KillPlaces.write(Array(callers.utf8), places.callers)
        for interface in ["exposure1", "content1"] {
            symlink("\(places.run)/sync.sock", "\(places.plugin)/org.vigil.\(interface)")
        }
        let clock = try Child(
            "\(places.programs)/vigil", ["time", "set", "now", "--run", places.run], environment: [:],
            log: "\(places.folder)/core.log")
        guard clock.waits(seconds: 10), clock.ended == 0 else { throw TrialFailure("the time cannot be set") }
        try settle()
    }

    private static var today: Int64 { UTCDay(containing: Int64(time(nil))).number }

    /// Publishes, plants what was heard, and lives once without a kill.
    private func settle() throws {
        stage = try KillStage(signer: signer, today: Self.today)
        server.content = stage.content
        try KillPlaces.write(Array(try stage.settings(port: server.port).utf8), "\(places.plugin)/settings.json")
        for folder in [places.data, places.keys, places.state, places.spool] { KillPlaces.empty(folder) }
        try stage.plant(data: places.data, keys: places.keys)
        // Somebody agreed, once.
        try CoreLife(places).child.kill()
        try KillPlaces.makeFolder(places.before)
        for part in ["data", "keys"] { try KillPlaces.copy("\(places.folder)/\(part)", to: "\(places.before)/\(part)") }

        try clean()
        _ = server.takeRequests()
        let core = try CoreLife(places)
        let freshness = try SyncLife(places, boot: nextBoot()).finish()
        whole = try core.findings()
        wholeRequests = server.takeRequests().count
        wholeState = KillPlaces.names(places.state)
        wholeEnds = freshness.sources.filter { $0.kind == .cwa }.map(\.newestEnd)
        let count = stage.packagePaths.count
        guard whole.files == count, whole.committedFiles == count, whole.committedKeys == stage.keyCount,
            whole.matches == count, whole.contentVersion == 5,
            freshness.sources.allSatisfy({ $0.problem == nil && $0.missingCount == 0 })
        else { throw TrialFailure("without a kill: \(whole), of \(count) packages and people; \(freshness)") }
    }

    private func nextBoot() -> String {
        boot += 1
        return "boot-\(boot)"
    }

    /// Back to the beginning.
    private func clean() throws {
        for part in ["data", "keys"] { try KillPlaces.copy("\(places.before)/\(part)", to: "\(places.folder)/\(part)") }
        KillPlaces.empty(places.state)
        KillPlaces.empty(places.spool)
    }

    // MARK: Steps

    private func tracer(_ victim: Victim, _ death: Death?) -> [String] {
        var words = [laboratory, "traced-life", places.folder, "--victim", victim.rawValue]
        if let death {
            words += ["--step", death.step, "--occurrence", "\(death.occurrence)"] + (death.isAfter ? ["--after"] : [])
        }
        return words + ["--"]
    }

    /// Returns the folders whose steps count for a victim, each with the word that stands for it in the names of steps.
    public static func watched(_ victim: Victim, in places: KillPlaces) -> [(word: String, folder: String)] {
        switch victim {
        case .sync: [("state", places.state), ("spool", places.spool)]
        case .core: [("data", places.data), ("keys", places.keys)]
        }
    }

    /// Plays a whole life under a tracer, and stores its steps in ``steps``. Blocks for up to some minutes. Throws
    /// ``TrialFailure`` when that life does not end as it should, or the core found something else than without a tracer.
    public func survey(_ victim: Victim) throws {
        try clean()
        unlink(places.testimony)
        let core = try CoreLife(places, tracer: victim == .core ? tracer(.core, nil) : [])
        let life = try SyncLife(places, boot: nextBoot(), tracer: victim == .sync ? tracer(.sync, nil) : [])
        if victim == .core {
            _ = try life.finish()
        } else {
            guard Child.waits(seconds: 60, until: { self.areRunsDone }) else { throw TrialFailure("a run does not end") }
            try life.stop()
        }
        let problem = try core.findings().problem(against: whole)
        guard problem == nil else { throw TrialFailure("a life that is followed: \(problem ?? "")") }
        if victim == .core, !core.stops() { throw TrialFailure("a core that is followed does not stop") }
        steps[victim] = testimony.filter { $0.hasPrefix("did ") }.map { String($0.dropFirst(4)) }
    }

    private var areRunsDone: Bool {
        let sources = JournalCodec.read(KillPlaces.read("\(places.state)/sync.journal")).state.sources
        return sources.count == 2
            && sources.values.allSatisfy { $0.schedule?.isRunning == false && $0.facts.lastSuccess != nil }
    }

    private var testimony: [String] {
        String(decoding: KillPlaces.read(places.testimony), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // MARK: One trial

    /// Kills sync at each of `deaths`, in one life after the other, lets a further life finish the work, and returns the
    /// verdict. Blocks. `sabotage` is a fault that is made on purpose; `nil` for none. Throws ``TrialFailure`` when a
    /// process cannot be started, or a life does not end within a minute.
    public func kill(_ deaths: [Death], sabotage: Sabotage? = nil) throws -> Verdict {
        if Self.today != stage.today { try settle() }
        try clean()
        _ = server.takeRequests()
        var verdict = Verdict()
        var core = try CoreLife(places)
        var accepted: Set<String> = []
        var requests = 0
        func note(_ problem: String?) { verdict.problem = verdict.problem ?? problem }
        for death in deaths {
            unlink(places.testimony)
            let life = try SyncLife(places, boot: nextBoot(), tracer: tracer(.sync, death))
            guard life.waits(seconds: 60) else { throw TrialFailure("a life that is followed does not end") }
            note(refetched(accepted, &requests))
            let lines = testimony
            guard let step = lines.first(where: { $0.hasPrefix("step ") }) else {
                // A chain's later life may be shorter than that.
                verdict.steps.append("not reached")
                continue
            }
            verdict.steps.append(String(step.dropFirst(5)))
            if lines.contains("alive") { note("a process of the dead one lives on") }
            accepted = try acceptedPaths(note)
            let files = try core.status().matchedFileCount
            if files < accepted.count {
                note("lost: the journal has \(accepted.count) packages accepted, the core \(files)")
            }
        }
        if let sabotage { core = try tamper(with: core, by: sabotage) }
        try conclude(core, accepted, requests, sabotage, &verdict)
        return verdict
    }

    /// Requests a run that must wait for the pause between two runs, kills the process, and starts another, which must make
    /// the run without another request. Returns the verdict. Blocks. Throws ``TrialFailure`` when a run does not end.
    public func wish() throws -> Verdict {
        try clean()
        let core = try CoreLife(places)
        _ = try SyncLife(places, boot: nextBoot()).finish()
        let first = runBegins
        let dying = try SyncLife(places, boot: nextBoot())
        try dying.wish()
        guard Child.waits(seconds: 20, until: { self.haveRun(since: first) }) else {
            throw TrialFailure("a run does not end")
        }
        let before = runBegins
        try dying.wish()
        dying.crash()
        var verdict = Verdict(steps: ["after a wish"])
        let next = try SyncLife(places, boot: nextBoot())
        if !Child.waits(seconds: 10, until: { self.haveRun(since: before) }) { verdict.problem = "a wish was lost" }
        try next.stop()
        let found = try core.findings().problem(against: whole)
        verdict.problem = verdict.problem ?? found
        return verdict
    }

    private func haveRun(since begins: [String]) -> Bool { areRunsDone && runBegins.allSatisfy { !begins.contains($0) } }

    /// The times when the last runs began, by the journal: the boot and the second of it, for each source.
    private var runBegins: [String] {
        JournalCodec.read(KillPlaces.read("\(places.state)/sync.journal")).state.sources.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.schedule?.moment.boot ?? 0) \($0.value.schedule?.lastBegin ?? 0)" }
    }

    /// Kills the core at one of its steps while sync works, lets both go on, and returns the verdict with the step (or `not
    /// reached`) and the first fault. Blocks. Throws ``TrialFailure`` when a process cannot be started or does not end.
    public func killCore(_ death: Death) throws -> Verdict {
        if Self.today != stage.today { try settle() }
        try clean()
        _ = server.takeRequests()
        unlink(places.testimony)
        var verdict = Verdict()
        do {
            // It may not live to be asked anything.
            let core = try CoreLife(places, tracer: tracer(.core, death))
            _ = try SyncLife(places, boot: nextBoot()).finish()
            if core.child.ended == nil { verdict.steps = ["not reached"] }
        } catch let failure as TrialFailure {
            guard access(places.testimony, F_OK) == 0 else { throw failure }
        }
        if let step = testimony.first(where: { $0.hasPrefix("step ") }) { verdict.steps = [String(step.dropFirst(5))] }
        if testimony.contains("alive") { verdict.problem = "a process of the dead one lives on" }
        let core = try CoreLife(places)
        let accepted = try acceptedPaths { verdict.problem = verdict.problem ?? $0 }
        let files = try core.status().matchedFileCount
        if files < accepted.count {
            verdict.problem =
                verdict.problem ?? "lost: the journal has \(accepted.count) packages accepted, the core \(files)"
        }
        let requests = server.takeRequests().count
        try conclude(core, accepted, requests, nil, &verdict)
        return verdict
    }

    /// The last life, which nobody disturbs, and what is there after it.
    private func conclude(
        _ core: CoreLife, _ accepted: Set<String>, _ requestCount: Int, _ sabotage: Sabotage?, _ verdict: inout Verdict
    ) throws {
        var requests = requestCount
        var problems: [String?] = []
        func note(_ problem: String?) { problems.append(problem) }
        let freshness = try SyncLife(places, boot: nextBoot()).finish()
        if sabotage == .fileLeft { try KillPlaces.write([1], "\(places.spool)/k-left.zip") }
        note(refetched(accepted, &requests))
        for source in freshness.sources {
            if let problem = source.problem { note("a problem remains: \(problem)") }
            if source.missingCount > 0 { note("\(source.missingCount) packages are said to be missing") }
        }
        // What is lost shows in what is known, too; the loss itself says more.
        let findings = try core.findings()
        note(findings.problem(against: whole))
        if freshness.sources.filter({ $0.kind == .cwa }).map(\.newestEnd) != wholeEnds {
            note("keys are known up to another time")
        }
        let left = KillPlaces.names(places.spool)
        if !left.isEmpty { note("\(left.count) files were left in the spool") }
        let state = KillPlaces.names(places.state)
        if state != wholeState { note("the state folder has \(state.joined(separator: ", "))") }
        verdict.extraCalls = findings.calls - whole.calls
        verdict.extraRequests = requests - wholeRequests
        if sabotage == .publishedAgain { server.content = stage.content }
        verdict.problem = verdict.problem ?? problems.compactMap { $0 }.first
    }

    /// What was asked for since, and whether that was here already.
    private func refetched(_ accepted: Set<String>, _ count: inout Int) -> String? {
        let requests = server.takeRequests()
        count += requests.count
        return requests.contains { accepted.contains($0) } ? "an accepted package was fetched again" : nil
    }

    /// Paths of what the journal says the core has.
    private func acceptedPaths(_ note: (String?) -> Void) throws -> Set<String> {
        let bytes = KillPlaces.read("\(places.state)/sync.journal")
        let journal = JournalCodec.read(bytes)
        // Not yet made, or not yet in its place.
        if !bytes.isEmpty, journal.soundByteCount != bytes.count { note("the journal has a broken line") }
        var paths: Set<String> = []
        for (name, source) in journal.state.sources {
            for (id, package) in source.packages where package.state == .accepted {
                let day = id.split(separator: "/")
                paths.insert(
                    name == "list"
                        ? "/\(id)"
                        : "\(CWAPath.days("EUR"))/\(day[0])" + (day.count > 1 ? "/hour/\(day[1])" : ""))
            }
        }
        return paths
    }

    // MARK: What must be noticed

    private func tamper(with core: CoreLife, by sabotage: Sabotage) throws -> CoreLife {
        switch sabotage {
        case .notedBeforeTaken:
            let path = "\(places.state)/sync.journal"
            var state = JournalCodec.read(KillPlaces.read(path)).state
            for (name, source) in state.sources {
                for (id, package) in source.packages where package.state != .accepted {
                    state.apply(
                        .package(source: name, id: id, PackageRecord(state: .accepted, tag: package.tag, end: package.end)))
                }
            }
            try KillPlaces.write(JournalCodec.journal(state), path)
        case .publishedAgain:
            var other = stage
            try other.publishAgain()
            server.content = other.content
        case .coreForgets:
            core.child.kill()
            for part in ["data", "keys"] { try KillPlaces.copy("\(places.before)/\(part)", to: "\(places.folder)/\(part)") }
            return try CoreLife(places)
        case .fileLeft: break
        }
        return core
    }
}
