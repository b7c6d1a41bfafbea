// SPDX-License-Identifier: Apache-2.0

package import Cryptography
import GAEN
import Interfaces
import KeyExport
import KeyIntake
import Ledger
import Logging
import Matching
import Radio
public import TimeTrust

extension ExposureService {
    /// What `caller` may still provide.
    func limit(for caller: Caller, at now: BootInstant) throws(Refusal) -> Exposure1.Limit {
        try provideAccount.limit(for: caller, at: beacon.present(at: now).time?.seconds)
    }

    /// Accepts files from the caller's folder to be matched. When it returns, the attempt is on record; the job reports the
    /// outcome.
    ///
    /// - Throws: ``Refusal`` if the device is in a place or not enabled, the time is not known, the caller has no folder or
    ///   has provided files as often as it may, too many jobs are waiting, or the source has ended its service.
    public func provide(
        _ files: [String], _ terms: ProvideTerms = .none, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> ProvideJob {
        let time = try requireReadiness(at: now)
        guard caller.spool != nil else {
            throw .fileRefused(
                files.first ?? "", rule: "noSpool",
                "This caller has no folder for files. Give it one where its socket is configured.")
        }
        try intake.requireRoom()
        if let source = source(named: terms.source), source.isSwitchedOff {
            throw .fileRefused(
                files.first ?? "", rule: "switchedOff",
                "The profile of \(source.name) says that it has ended its service: nothing of it is compared.")
        }
        try provideAccount.recordAttempt(by: caller, at: time)
        let job = ProvideJob(files, by: caller, terms)
        step("provide.accepted")
        intake.add(job)
        return job
    }

    /// Checks whether this device can match files now, and returns the time in Unix seconds.
    /// - Throws: ``Refusal`` if it cannot, with the reason.
    package func requireReadiness(at now: BootInstant) throws(Refusal) -> Int64 {
        try roles.requirePerson()
        guard beacon.isEnabled else { throw .notEnabled }
        return try beacon.requireTime(at: now)
    }

    /// Records an attempt of `caller` to provide files at `time`, in Unix seconds; when it returns, the attempt is on
    /// record.
    /// - Throws: ``Refusal`` if the caller has provided files as often as it may.
    package func recordAttempt(by caller: Caller, time: Int64) throws(Refusal) {
        try provideAccount.recordAttempt(by: caller, at: time)
    }

    /// The source that is called so in profiles. Whoever brings files may call theirs anything else: then it is whoever has signed.
    func source(named name: String?) -> AuthoritySource? {
        name.flatMap { warnings.state.index(named: $0) }.map { warnings.state.sources[$0].source }
    }

    // MARK: The job under way

    /// The descriptor to poll for reading while the current job waits; `nil` without a job, and while it waits for nothing.
    /// The job owns it.
    public var jobDescriptor: Int32? { intake.descriptor }

    /// Returns the time at which ``advanceJob(at:)`` has to be called at the latest, on the boot clock; it may be past.
    /// `nil` without a job, and while only ``jobDescriptor`` is awaited.
    public func jobDeadline(at now: BootInstant) -> BootInstant? { intake.deadline(at: now, in: beacon.workWindow) }

    /// Does one slice of the current job, if there is one and no identifier is about to change: it loads a day, or matches
    /// 64 KiB of a file. Never throws: the job's end reports a failure.
    public func advanceJob(at now: BootInstant) {
        switch intake.advance(at: now, in: beacon.workWindow) {
        case nil: break
        case .load(let job):
            guard let time = beacon.present(at: now).time else {
                return intake.end(job, .failure(.timeUnknown(beacon.present(at: now).sentence)))
            }
            job.load(loader(now: time))
        case .start(let job, let loader): start(job, loader, at: now)
        case .finish(let job, let result): finish(job, result, at: now)
        case .giveUp(let job):
            log.notice("nobody waits for the files any more: given up")
            intake.end(job, .failure(.busy("The call was given up.")))
        }
    }

    /// Ends all jobs, because nothing is matched any more.
    func cancelJobs() { intake.cancelAll() }

    /// Returns the loader of the sightings that a run compares with.
    package func loader(now: UnixTime) -> SightingLoader {
        let profile = beacon.profile
        let corrections = beacon.calibration.corrections
        return SightingLoader(vault, now: UInt32(clamping: now.seconds)) { corrections.correction(of: $0, profile) }
    }

    /// Returns the test whether a published key must not be matched, because it is one of the device's own or of a paired
    /// device.
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
            let earliest = loader.earliest
            let loaded = loader.finish()
            if loaded.leftOutCount > 0 {
                log.notice("more was heard than is compared", metadata: ["leftOut": "\(loaded.leftOutCount)"])
            }
            let wanted = source(named: job.terms.source)?.export.name
            job.run(
                IntakeRun(
                    files: job.files, spool: spool, index: loaded.index, time: time.seconds,
                    earliest: min(time.seconds, Int64(earliest)),
                    authorities: warnings.state.sources.filter { !$0.source.isSwitchedOff }.map(\.source.export),
                    wanted: wanted,
                    isExcluded: try exclusion(at: now), isKnown: known(wanted: wanted), program: try program.get()))
            step("provide.loaded")
        } catch {
            let refusal = error as? Refusal ?? (error as? IntakeFailure).map(Self.refusal) ?? .storage(error)
            intake.end(job, .failure(refusal))
        }
    }

    /// Whether a file was matched before, so that it need not be read again. `wanted` is the authority whose files are expected, if one is.
    ///
    /// A ledger that cannot be read now costs a second look at the file, and refuses the result if it still cannot then.
    private func known(wanted: String?) -> (FileMark) -> Bool {
        { [ledger] mark in
            switch mark {
            // One of which only that is known is read again: its signed period counts, and whose it is.
            case .signatureList(let digest):
                ((try? ledger.noteOfFile(signatureListDigest: digest)) ?? nil).flatMap(FileNote.init(bytes:))
                    .map { note in wanted.map(note.authorities.contains) ?? true } ?? false
            case .content(let digest): (try? ledger.isMatched(contentDigest: digest)) ?? false
            }
        }
    }

    private static func refusal(_ failure: IntakeFailure) -> Refusal {
        .fileRefused(failure.file ?? "", rule: failure.ruleName, offset: failure.offset, "\(failure)")
    }

    private func finish(_ job: ProvideJob, _ result: Result<IntakeResult, IntakeFailure>, at now: BootInstant) {
        switch result {
        case .success(let result):
            do throws(Refusal) {
                intake.end(job, .success(try commit(result, job.terms, by: job.caller, at: now)))
            } catch {
                intake.end(job, .failure(error))
            }
        case .failure(let failure):
            log.warning("\(failure)", metadata: ["caller": "\(job.caller.name)"])
            // What the board itself could not do is not the caller's noise.
            if failure.file != nil, !failure.isWorthRepeating { countRefused(job.caller, at: now) }
            intake.end(job, .failure(Self.refusal(failure)))
        }
    }

    private func countRefused(_ caller: Caller, at now: BootInstant) {
        guard let time = beacon.present(at: now).time else { return }
        do { try provideAccount.recordRefused(by: caller, at: time.seconds) } catch {
            complain(error, doing: "counting a refused file")
        }
    }
}
