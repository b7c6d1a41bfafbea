// SPDX-License-Identifier: Apache-2.0

import Interfaces
import KeyIntake
import Logging
import TimeTrust

/// Files that callers have provided, on their way through the matcher: one call after the other, in slices that fit between identifiers.
///
/// Decides what comes next and keeps the order; what a slice needs of the rest of the core its owner does, as ``Step`` asks for it. Belongs to the
/// core's thread.
final class IntakeQueue {
    /// What the owner is asked to do for a job.
    enum Step {
        /// Give it a loader (``ProvideJob/load(_:)``), or end it.
        case load(ProvideJob)
        /// Everything to compare with is loaded: give it a run (``ProvideJob/run(_:)``), or end it.
        case start(ProvideJob, SightingLoader)
        /// Its run is over: keep what it brought, and end it.
        case finish(ProvideJob, Result<IntakeResult, IntakeFailure>)
        /// Nobody waits for it any more: end it.
        case giveUp(ProvideJob)
    }

    /// Calls that may be there at a time, the one being served among them.
    static let mostJobs = 4
    /// Making the index is one piece: it is not begun when an identifier is due within this time.
    private static let indexMargin: Duration = .seconds(1)

    /// The first one is under way.
    private var jobs: [ProvideJob] = []

    var isEmpty: Bool { jobs.isEmpty }

    /// Refuses while as many calls wait as may.
    func requireRoom() throws(Refusal) {
        guard jobs.count < Self.mostJobs else {
            throw .busy("Other files are being matched and \(Self.mostJobs - 1) calls wait already. Try again in a minute.")
        }
    }

    func add(_ job: ProvideJob) { jobs.append(job) }

    /// What the job under way waits for, to be polled for reading; `nil` while it waits for nothing.
    var descriptor: Int32? {
        if case .running(let run)? = jobs.first?.phase { return run.descriptor }
        return nil
    }

    /// When ``advance(at:in:)`` is to be called at the latest; `nil` without a job.
    func deadline(at now: BootInstant, in window: WorkWindow) -> BootInstant? {
        guard let job = jobs.first else { return nil }
        if case .running(let run) = job.phase, run.descriptor != nil { return run.deadline.map { BootInstant($0) } }
        // Something can be done at once, unless an identifier is due.
        return window.next(for: Self.indexMargin, at: now)
    }

    /// Does one slice of the job under way: a day loaded, or 64 KiB of a file matched. Gives what the owner has to do for it, if anything.
    func advance(at now: BootInstant, in window: WorkWindow) -> Step? {
        guard let job = jobs.first, window.isOpen(for: RadioPriority.lead, at: now) else { return nil }
        guard job.isWanted() else { return .giveUp(job) }
        switch job.phase {
        case .waiting: return .load(job)
        case .loading(var loader):
            // The job lets go of it meanwhile: what two have is copied when one of them adds to it.
            job.phase = .waiting
            if !loader.loadNextDay(), window.isOpen(for: Self.indexMargin, at: now) { return .start(job, loader) }
            job.phase = .loading(loader)
            return nil
        case .running(let run):
            run.advance(at: now.duration)
            job.tellProgress(run.progress.filesDone, run.progress.fileBytes)
            return run.result.map { .finish(job, $0) }
        }
    }

    /// Ends a job and says so to whoever waits for it. The next one is under way then.
    func end(_ job: ProvideJob, _ result: Result<Exposure1.ProvideResult, Refusal>) {
        job.cancelRun()
        jobs.removeAll { $0 === job }
        job.onEnd?(result)
    }

    /// Ends all of them, because nothing is matched any more.
    func cancelAll() {
        for job in jobs {
            job.cancelRun()
            job.onEnd?(.failure(.busy("This device is being reset or stopped. Try again later.")))
        }
        jobs = []
    }
}
