// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import KeyIntake

/// The files that one call provided, while they are being matched. Belongs to the core's thread.
public final class ProvideJob {
    /// How far it has come.
    enum Phase {
        /// Nothing has been done for it.
        case waiting
        /// What is to be compared is being loaded.
        case loading(SightingLoader)
        /// Its files are being read and compared.
        case running(IntakeRun)
    }

    let caller: Caller
    let files: [String]
    let terms: ProvideTerms
    var phase = Phase.waiting
    private var told: (files: Int, bytes: UInt64)?

    /// The closure that is told of progress, at the first bytes of a file and after each MiB of it: the number of
    /// finished files, 0 or more, and the bytes read of the current one; `nil` if none is needed.
    public var onProgress: ((Int, Int64) -> Void)?
    /// The closure that says whether a caller still waits for the job; called from time to time, and `false` cancels the
    /// job. By default always `true`.
    public var isWanted: () -> Bool = { true }
    /// The closure that is told the end once, with the result or the refusal; `nil` if none is needed.
    public var onEnd: ((Result<Exposure1.ProvideResult, Refusal>) -> Void)?

    init(_ files: [String], by caller: Caller, _ terms: ProvideTerms) {
        self.files = files
        self.terms = terms
        self.caller = caller
    }

    /// Begins to load what is compared.
    func load(_ loader: consuming SightingLoader) { phase = .loading(loader) }

    /// Everything is loaded: `run` reads and compares.
    func run(_ run: IntakeRun) { phase = .running(run) }

    /// Whatever reads for it stops.
    func cancelRun() { if case .running(let run) = phase { run.cancel() } }

    /// Says how far it has come: files that are done, and bytes of the present one.
    func tellProgress(_ files: Int, _ bytes: UInt64) {
        guard let onProgress else { return }
        if let told, told.files == files, bytes < told.bytes + 1 << 20 { return }
        told = (files, bytes)
        onProgress(files, Int64(clamping: bytes))
    }
}
