// SPDX-License-Identifier: Apache-2.0

package import Cryptography
import GAEN
public import Interfaces
import KeyExport
public import KeyIntake
import Ledger
import Logging
import Matching
import Radio
public import TimeTrust

extension ExposureService {
    /// Calls that may wait behind the one being served.
    static let mostJobs = 4
    private static let attempt = "provide"
    private static let refused = "refused"
    /// Making the index is one piece: it is not begun when an identifier is due within this time.
    private static let indexMargin: Duration = .seconds(1)

    /// What `caller` may still provide.
    func limit(for caller: Caller, at now: BootInstant) throws(Refusal) -> Exposure1.Limit {
        let rule = ProvideLimit(caller.reading)
        guard let time = beacon.present(at: now).time else {
            return Exposure1.Limit(perDay: rule.perDay, used: 0, nextPermitted: nil)
        }
        let day = UInt32(clamping: time.day)
        let (used, refused) = try attempts(of: caller, day: day)
        return Exposure1.Limit(
            perDay: rule.perDay, used: used, nextPermitted: rule.nextPermitted(used: used, refused: refused, day: day))
    }

    private func attempts(of caller: Caller, day: UInt32) throws(Refusal) -> (used: Int, refused: Int) {
        try reading {
            (
                try ledger.attempts(by: caller.name, kind: Self.attempt, day: day),
                try ledger.attempts(by: caller.name, kind: Self.refused, day: day)
            )
        }
    }

    /// Accepts files to be matched. The attempt is on record when this returns; what becomes of it, the job tells.
    public func provide(
        _ files: [String], _ terms: ProvideTerms = .none, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> ProvideJob {
        let time = try requireReadiness(at: now)
        guard caller.spool != nil else {
            throw .fileRefused(
                files.first ?? "", rule: "noSpool",
                "This caller has no folder for files. Give it one where its socket is configured.")
        }
        guard jobs.count < Self.mostJobs else {
            throw .busy("Other files are being matched and \(Self.mostJobs - 1) calls wait already. Try again in a minute.")
        }
        if let source = source(named: terms.source), source.isSwitchedOff {
            throw .fileRefused(
                files.first ?? "", rule: "switchedOff",
                "The profile of \(source.name) says that it has ended its service: nothing of it is compared.")
        }
        try recordAttempt(by: caller, time: time, at: now)
        let job = ProvideJob(files, by: caller, terms)
        step("provide.accepted")
        jobs.append(job)
        return job
    }

    /// Whether this device matches at all now; gives Unix seconds.
    package func requireReadiness(at now: BootInstant) throws(Refusal) -> Int64 {
        try requirePerson()
        guard beacon.isEnabled else { throw .notEnabled }
        return try requireTime(at: now)
    }

    /// Refuses when `caller` has provided as often as it may; otherwise the attempt is on record when this returns.
    package func recordAttempt(by caller: Caller, time: Int64, at now: BootInstant) throws(Refusal) {
        let limit = try limit(for: caller, at: now)
        if let next = limit.nextPermitted {
            throw .limitReached(
                nextPermitted: next,
                "Files were provided \(limit.used) times this UTC day, which is all there is. The next time is \(UnixTime(seconds: next).inWords)."
            )
        }
        // Before the run: a run that fails, or a program that ends, counts all the same.
        try ledger.record {
            try $0.recordAttempt(by: caller.name, kind: Self.attempt, day: UInt32(clamping: time / 86_400))
        }
    }

    // MARK: The job under way

    /// What the job waits for, to be polled for reading.
    public var jobDescriptor: Int32? {
        if case .running(let run)? = jobs.first?.phase { return run.descriptor }
        return nil
    }

    /// When the job has to be called again at the latest; `nil` without one.
    public func jobDeadline(at now: BootInstant) -> BootInstant? {
        guard let job = jobs.first else { return nil }
        if case .running(let run) = job.phase, run.descriptor != nil { return run.deadline.map { BootInstant($0) } }
        // Something can be done at once, unless an identifier is due.
        return beacon.workWindow.next(for: Self.indexMargin, at: now)
    }

    /// Does one slice of the job under way: a day loaded, or 64 KiB of a file matched.
    public func advanceJob(at now: BootInstant) {
        guard let job = jobs.first, beacon.workWindow.isOpen(for: RadioPriority.lead, at: now) else { return }
        guard job.isWanted() else {
            log.notice("nobody waits for the files any more: given up")
            return end(job, .failure(.busy("The call was given up.")), at: now)
        }
        switch job.phase {
        case .waiting:
            guard let time = beacon.present(at: now).time else {
                return end(job, .failure(.timeUnknown(beacon.present(at: now).sentence)), at: now)
            }
            job.phase = .loading(loader(now: time))
        case .loading(var loader):
            // The job lets go of it meanwhile: what two have is copied when one of them adds to it.
            job.phase = .waiting
            if loader.loadNextDay() {
                job.phase = .loading(loader)
                return
            }
            guard beacon.workWindow.isOpen(for: Self.indexMargin, at: now) else {
                job.phase = .loading(loader)
                return
            }
            start(job, loader, at: now)
        case .running(let run):
            run.advance(at: now.duration)
            let progress = run.progress
            job.tellProgress(progress.filesDone, progress.fileBytes)
            if let result = run.result { finish(job, result, at: now) }
        }
    }

    /// The source that is called so in profiles. Whoever brings files may call theirs anything else: then it is whoever has signed.
    private func source(named name: String?) -> AuthoritySource? {
        name.flatMap { riskState.index(named: $0) }.map { riskState.sources[$0].source }
    }

    /// What a run compares with.
    package func loader(now: UnixTime) -> SightingLoader {
        let profile = beacon.profile
        let corrections = beacon.corrections
        return SightingLoader(vault, now: UInt32(clamping: now.seconds)) { corrections.correction(of: $0, profile) }
    }

    /// Whether a published key is one that no match may be of: an own one, or a paired device's.
    package func exclusion(at now: BootInstant) throws(Refusal) -> (Block) -> Bool {
        let own = Set(beacon.ownKeys(at: now).map(\.block))
        let paired = try reading { try ledger.pairedDigests() }
        return { own.contains($0) || !paired.isEmpty && paired.contains(PairingFile.mark($0)) }
    }

    private func start(_ job: ProvideJob, _ loader: consuming SightingLoader, at now: BootInstant) {
        do {
            guard let time = beacon.present(at: now).time, let spool = job.caller.spool else {
                throw Refusal.timeUnknown(beacon.present(at: now).sentence)
            }
            let loaded = loader.finish()
            if loaded.leftOutCount > 0 {
                log.notice("more was heard than is compared", metadata: ["leftOut": "\(loaded.leftOutCount)"])
            }
            let ledger = ledger
            let wanted = source(named: job.terms.source)?.export.name
            let run = IntakeRun(
                files: job.files, spool: spool, index: loaded.index, time: time.seconds,
                authorities: riskState.sources.filter { !$0.source.isSwitchedOff }.map(\.source.export), wanted: wanted,
                isExcluded: try exclusion(at: now),
                isKnown: { mark in
                    // A ledger that cannot be read now costs a second look at the file, and refuses the result if it still cannot then.
                    switch mark {
                    // One of which only that is known is read again: its signed period counts, and whose it is.
                    case .signatureList(let digest):
                        ((try? ledger.noteOfFile(signatureListDigest: digest)) ?? nil).flatMap(FileNote.init(bytes:))
                            .map { note in wanted.map(note.authorities.contains) ?? true } ?? false
                    case .content(let digest): (try? ledger.isMatched(contentDigest: digest)) ?? false
                    }
                }, program: try program.get())
            job.phase = .running(run)
            step("provide.loaded")
        } catch {
            let refusal = error as? Refusal ?? (error as? IntakeFailure).map(Self.refusal) ?? .storage(error)
            end(job, .failure(refusal), at: now)
        }
    }

    private static func refusal(_ failure: IntakeFailure) -> Refusal {
        .fileRefused(failure.file ?? "", rule: failure.ruleName, offset: failure.offset, "\(failure)")
    }

    private func finish(_ job: ProvideJob, _ result: Result<IntakeResult, IntakeFailure>, at now: BootInstant) {
        switch result {
        case .success(let result):
            do throws(Refusal) { end(job, .success(try commit(result, job.terms, by: job.caller, at: now)), at: now) } catch
            {
                end(job, .failure(error), at: now)
            }
        case .failure(let failure):
            log.warning("\(failure)", metadata: ["caller": "\(job.caller.name)"])
            // What the board itself could not do is not the caller's noise.
            if failure.file != nil, !failure.isWorthRepeating { countRefused(job.caller, at: now) }
            end(job, .failure(Self.refusal(failure)), at: now)
        }
    }

    /// Keeps what a run brought, all of it in one transaction or nothing.
    public func commit(
        _ result: IntakeResult, _ terms: ProvideTerms = .none, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Exposure1.ProvideResult {
        let time = try requireTime(at: now)
        let notes = try reading { try freshness.notes(of: result) }
        let fresh = try reading {
            try freshness.next(with: notes, terms, by: caller.name, at: time) { name in
                source(named: name).flatMap { $0.isStandard ? nil : $0.name }
            }
        }
        step("provide.verified")
        var new = 0
        var changed = 0
        let end = provenEnd(result, now: time)
        try ledger.record { transaction in
            for file in result.files where file.outcome == .repeated {
                // Again, with the signature list it has now, so that it need not be read a third time.
                guard let content = file.contentDigest else { continue }
                try transaction.rememberFile(
                    signatureListDigest: file.signatureListDigest, contentDigest: content,
                    day: UInt32(clamping: time / 86_400), note: FileNote(file.export)?.bytes ?? [])
            }
            try freshness.store(fresh, transaction)
            for file in result.files where file.outcome == .matched {
                let sources = file.sources
                let outcome = try transaction.merge(file.matches.map { $0.attributed(to: sources) })
                new += outcome.new
                changed += outcome.changed
                if let content = file.contentDigest {
                    try transaction.rememberFile(
                        signatureListDigest: file.signatureListDigest, contentDigest: content,
                        day: UInt32(clamping: time / 86_400), note: FileNote(file.export)?.bytes ?? [])
                }
            }
            if result.files.contains(where: { $0.outcome == .matched }) {
                let authorities = Set(
                    result.files.filter { $0.outcome == .matched }.flatMap { $0.export?.authorities ?? [""] })
                for riskSource in self.riskState.sources where authorities.contains(riskSource.source.export.name) {
                    try transaction.set(RiskSource.lastMatchedSetting(riskSource.source), time.bytes)
                }
                if let end { try transaction.set(Self.fileEndSetting, end.bytes) }
                try transaction.audit(
                    auditWriter.entry(
                        .filesMatched, caller, at: now,
                        ["files": "\(result.files.count)", "keys": "\(result.statistics.keys)"]))
            }
        }
        freshness.adopt(fresh)
        if let end { beacon.newestFileEnd = UnixTime(seconds: end) }
        step("provide.committed")
        announce(.filesProvided)
        if new + changed > 0 { announce(.matchesChanged) }
        return Exposure1.ProvideResult(
            files: zip(result.files, notes).map { Self.told($0, $1?.period) },
            newMatchCount: caller.reading == .nothing ? nil : new,
            changedMatchCount: caller.reading == .nothing ? nil : changed,
            refusedKeyCount: result.flaws.values.reduce(0, +),
            knownUntilSeconds: terms.source.flatMap { fresh.until($0, by: caller.name, at: time) },
            knownDays: terms.source.map { fresh.days($0, by: caller.name, at: time).map { Int($0) } })
    }

    private static func told(_ file: IntakeFile, _ period: ExportPeriod?) -> Exposure1.ProvidedFile {
        let region = period?.region ?? file.summary?.region ?? ""
        return Exposure1.ProvidedFile(
            name: file.name, outcome: file.outcome == .matched ? .matched : .repeated,
            keyCount: Int(clamping: (file.summary?.keyCount ?? 0) + (file.summary?.revisedKeyCount ?? 0)),
            startSeconds: period?.start, endSeconds: period?.end, regionName: region.isEmpty ? nil : region)
    }

    private func end(_ job: ProvideJob, _ result: Result<Exposure1.ProvideResult, Refusal>, at now: BootInstant) {
        if case .running(let run) = job.phase { run.cancel() }
        jobs.removeAll { $0 === job }
        job.onEnd?(result)
    }

    private func countRefused(_ caller: Caller, at now: BootInstant) {
        guard let time = beacon.present(at: now).time else { return }
        do {
            _ = try ledger.write {
                try $0.recordAttempt(by: caller.name, kind: Self.refused, day: UInt32(clamping: time.day))
            }
        } catch { complain(error, doing: "counting a refused file") }
    }

    func cancelJobs() {
        for job in jobs {
            if case .running(let run) = job.phase { run.cancel() }
            job.onEnd?(.failure(.busy("This device is being reset or stopped. Try again later.")))
        }
        jobs = []
    }
}
