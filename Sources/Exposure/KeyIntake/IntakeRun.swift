// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import KeyExport
import KeyStream
public import Matching
public import Trust

/// Takes in the key files of one call: unpacks, hashes, decodes, matches and verifies them, in slices that never
/// wait for the unzip program, except for its end on kernels without pidfd (before Linux 5.3). The result has all
/// files or none.
///
/// The owner polls ``descriptor`` for reading until ``deadline``, calls ``advance(at:)``, and looks at ``result``.
/// Nothing is written; the owner commits the result in one transaction. The use of memory does not depend on the
/// number of keys. Not thread-safe; the thread that advances it must live as long as it does, because the unzip
/// program is killed when its thread ends.
public final class IntakeRun {
    private enum State {
        case next
        case reading(Current)
        case verifying(Current)
        case finishing(Current, VerifiedExport)
        /// The program of a file that need not be read is being ended; then the next file.
        case discarding(UnzipReader)
        /// The program is being ended; then this is the result.
        case failing(UnzipReader, IntakeFailure)
        case over
    }

    /// The file at hand.
    private final class Current {
        let file: Spool.File
        let reader: UnzipReader
        let started: Duration
        var lastProgress: Duration
        var content: ContentReader?
        var signatureDigest: [UInt8] = []
        var isSkipped = false

        init(_ file: Spool.File, _ reader: UnzipReader, at now: Duration) {
            self.file = file
            self.reader = reader
            started = now
            lastProgress = now
        }
    }

    private let names: [String]
    private let spool: Spool
    private let time: Int64
    private let authorities: [ExportAuthority]
    private let wanted: String?
    private let isKnown: (FileMark) -> Bool
    private let limits: IntakeLimits
    private let program: UnzipProgram
    private let matcher: Matcher
    private let feed: MatcherFeed
    private var state = State.next
    private var now: Duration = .zero
    private var started: Duration?
    private var totalBytes: UInt64 = 0
    private var batches = ExportBatches()
    private var seen = MatchedFiles()
    private var files: [IntakeFile] = []

    /// The result of the call; `nil` while there is work left.
    public private(set) var result: Result<IntakeResult, IntakeFailure>?
    /// The progress of the call; it stays available after the end.
    public private(set) var progress = IntakeProgress()

    /// Creates a run over files of one authority; nothing is opened before ``advance(at:)``.
    ///
    /// - Parameters:
    ///   - files: The names of the files in the spool (``Spool/isLegal(_:)``), 1 to ``IntakeLimits/maximumFiles``,
    ///     in the order in which their keys count. They are checked by the first ``advance(at:)``.
    ///   - time: The time in Unix seconds, which decides which verification keys are valid.
    ///   - earliest: The time in Unix seconds by which keys are too old; `nil` stands for `time`.
    ///   - isExcluded: Whether a key is an own key or one of a paired device; called only for keys that were heard.
    ///   - isKnown: Whether the result of a file with this mark was committed before.
    public convenience init(
        files: [String], spool: Spool, index: SightingIndex, time: Int64, earliest: Int64? = nil, trust: TrustStore,
        policy: SignaturePolicy,
        isExcluded: @escaping (Block) -> Bool = { _ in false }, isKnown: @escaping (FileMark) -> Bool = { _ in false },
        limits: IntakeLimits = .standard, program: UnzipProgram, kernel: MatchKernel = .best
    ) {
        self.init(
            files: files, spool: spool, index: index, time: time, earliest: earliest,
            authorities: [ExportAuthority(trust: trust, policy: policy)], isExcluded: isExcluded, isKnown: isKnown,
            limits: limits, program: program, kernel: kernel)
    }

    /// Creates a run over files of several authorities, at least one of which must have signed each file; otherwise
    /// the same as ``init(files:spool:index:time:trust:policy:isExcluded:isKnown:limits:program:kernel:)``.
    ///
    /// - Parameter wanted: The name of the authority that must have signed, because the files were fetched for it,
    ///   empty for the one without a name; `nil` when any will do.
    public init(
        files: [String], spool: Spool, index: SightingIndex, time: Int64, earliest: Int64? = nil,
        authorities: [ExportAuthority],
        wanted: String? = nil, isExcluded: @escaping (Block) -> Bool = { _ in false },
        isKnown: @escaping (FileMark) -> Bool = { _ in false },
        limits: IntakeLimits = .standard, program: UnzipProgram, kernel: MatchKernel = .best
    ) {
        names = files
        self.spool = spool
        self.time = time
        self.authorities = authorities
        self.wanted = wanted
        self.isKnown = isKnown
        self.limits = limits
        self.program = program
        matcher = Matcher(
            index: index, now: ENIN(unixSeconds: earliest ?? time) ?? ENIN(0), kernel: kernel, isExcluded: isExcluded)
        feed = MatcherFeed(matcher)
        progress.files = files.count
    }

    /// The descriptor to be polled for reading, which the run owns; `nil` when there is nothing to wait for, because
    /// the run is over or ``deadline`` has come.
    public var descriptor: Int32? {
        switch state {
        case .reading(let current): current.reader.descriptor
        case .discarding(let reader), .failing(let reader, _): reader.descriptor
        case .next, .verifying, .finishing, .over: nil
        }
    }

    /// The time at which ``advance(at:)`` must be called even if nothing can be read, on the clock passed to it;
    /// `nil` when the run is over.
    public var deadline: Duration? {
        switch state {
        case .reading(let current):
            // Kernels without a descriptor for the end of a process are asked at once.
            current.reader.descriptor == nil
                ? now
                : min(
                    current.lastProgress + limits.stallTime, current.started + limits.fileTime,
                    (started ?? now) + limits.totalTime)
        case .discarding(let reader), .failing(let reader, _): reader.descriptor == nil ? now : now + .seconds(1)
        case .next, .verifying, .finishing: now
        case .over: nil
        }
    }

    /// Does one slice of the work: opens a file, reads a piece of one, verifies one, or finishes one. `now` is on a
    /// clock that goes on while the board sleeps and never steps back. Never throws: a failure ends the run and
    /// becomes its result.
    public func advance(at now: Duration) {
        self.now = now
        if started == nil { started = now }
        switch state {
        case .next: openNext()
        case .reading(let current): read(current)
        case .verifying(let current): verify(current)
        case .finishing(let current, let export): finish(current, export)
        case .discarding(let reader): if reader.isGone() { state = .next }
        case .failing(let reader, let failure): if reader.isGone() { end(.failure(failure)) }
        case .over: break
        }
    }

    /// Cancels the run, unless it is over or has failed already. The result `cancelled` comes at once, or with the
    /// ``advance(at:)`` that finds the unzip program ended. Nothing of the call is kept.
    public func cancel() { fail(IntakeFailure(.cancelled)) }

    // MARK: Steps

    private func openNext() {
        do throws(IntakeFailure) {
            if files.isEmpty { try checkCall() }
            guard files.count < names.count else { return complete() }
            let name = names[files.count]
            let file = try spool.open(name, maximumByteCount: limits.maximumFileBytes)
            totalBytes += file.byteCount
            guard totalBytes <= limits.maximumTotalBytes else {
                throw IntakeFailure(.tooManyBytes, file: name, "\(limits.maximumTotalBytes) are allowed")
            }
            let reader = try UnzipReader(input: file.descriptor, name: name, program, limits: limits)
            progress.fileBytes = 0
            progress.fileAnnounced = 0
            state = .reading(Current(file, reader, at: now))
        } catch {
            fail(error)
        }
    }

    private func checkCall() throws(IntakeFailure) {
        guard !names.isEmpty else { throw IntakeFailure(.noFiles) }
        guard names.count <= limits.maximumFiles else {
            throw IntakeFailure(.tooManyFiles, "\(names.count), and \(limits.maximumFiles) are allowed")
        }
        // All of them before the first is read: minutes of work should not end at a typing error.
        if let name = names.first(where: { !Spool.isLegal($0) }) { throw IntakeFailure(.illegalName, file: name) }
    }

    private func read(_ current: Current) {
        attempt(current) {
            switch try current.reader.step({ try self.take($0, current) }) {
            case .moved:
                current.lastProgress = self.now
                if self.matcher.isOverfull { throw IntakeFailure(.tooManyMatches, file: current.file.name) }
            case .waiting: break
            case .finished: self.state = .verifying(current)
            }
            if current.isSkipped { return try self.skip(current) }
            if case .reading = self.state { try self.checkTime(current) }
        }
    }

    private func take(_ event: KeyStreamEvent, _ current: Current) throws {
        switch event {
        case .hello, .end: break
        case .opening(let announced, let companion): try open(current, announced, companion)
        case .content(let bytes):
            guard !current.isSkipped else { return }
            progress.bytes += UInt64(bytes.count)
            progress.fileBytes += UInt64(bytes.count)
            let feed = feed
            try current.content?.take(bytes) { feed.add($0) }
        case .failure(let error): throw error
        }
    }

    private func open(_ current: Current, _ announced: UInt64, _ companion: [UInt8]) throws {
        guard announced <= limits.export.maximumExportBytes else {
            throw KeyExportError(.entryTooLarge, "export.bin says \(announced) bytes")
        }
        guard UInt64(companion.count) <= limits.export.maximumSignatureBytes else {
            throw KeyExportError(.entryTooLarge, "export.sig says \(companion.count) bytes")
        }
        progress.fileAnnounced = announced
        current.signatureDigest = SHA256.digest(of: companion)
        let signatures = try ExportSignatureList.read(companion, limits: limits.export)
        // A batch can be judged only with all of its files, so those of larger ones are read again.
        let isAlone = signatures.allSatisfy { ($0.batchSize ?? 1) <= 1 }
        if isAlone,
            isKnown(.signatureList(current.signatureDigest))
                || seen.contains(signatureListDigest: current.signatureDigest)
        {
            current.isSkipped = true
            return
        }
        current.content = ContentReader(
            signatures: signatures, authorities: authorities, wanted: wanted, time: time, limits: limits.export)
    }

    private func skip(_ current: Current) throws {
        current.reader.abandon()
        finish(
            IntakeFile(
                name: current.file.name, outcome: .repeated, export: nil,
                signatureListDigest: current.signatureDigest, matches: []))
        if !current.reader.isGone() { state = .discarding(current.reader) }
    }

    private func checkTime(_ current: Current) throws(IntakeFailure) {
        let name = current.file.name
        if now >= (started ?? now) + limits.totalTime { throw IntakeFailure(.callTookTooLong, file: name) }
        if now >= current.started + limits.fileTime { throw IntakeFailure(.fileTookTooLong, file: name) }
        if now >= current.lastProgress + limits.stallTime { throw IntakeFailure(.stalled, file: name) }
    }

    private func verify(_ current: Current) {
        attempt(current) {
            let feed = self.feed
            guard let content = current.content.take() else {
                throw IntakeFailure(.programMisbehaved, file: current.file.name)
            }
            let export = try content.finish { feed.add($0) }
            try self.batches.add(export)
            self.state = .finishing(current, export)
        }
    }

    private func finish(_ current: Current, _ export: VerifiedExport) {
        let matches = matcher.finish()
        // The last keys went in after the last look.
        guard !matcher.wasOverfull else { return fail(IntakeFailure(.tooManyMatches, file: current.file.name)) }
        let isRepeated = isKnown(.content(export.contentMark)) || seen.contains(contentDigest: export.contentMark)
        seen.insert(signatureListDigest: current.signatureDigest, contentDigest: export.contentMark)
        finish(
            IntakeFile(
                name: current.file.name, outcome: isRepeated ? .repeated : .matched, export: export,
                signatureListDigest: current.signatureDigest, matches: isRepeated ? [] : matches))
    }

    private func finish(_ file: IntakeFile) {
        files.append(file)
        progress.filesDone += 1
        state = .next
    }

    private func complete() {
        do throws(KeyExportError) {
            try batches.checkComplete()
            end(.success(IntakeResult(files: files, statistics: matcher.statistics, flaws: feed.flaws)))
        } catch {
            fail(IntakeFailure(error, file: nil))
        }
    }

    // MARK: Ends

    private func attempt(_ current: Current, _ body: () throws -> Void) {
        do {
            try body()
        } catch let error as IntakeFailure {
            fail(error)
        } catch let error as KeyExportError {
            fail(IntakeFailure(error, file: current.file.name))
        } catch {
            fail(IntakeFailure(.programMisbehaved, file: current.file.name))
        }
    }

    private func fail(_ failure: IntakeFailure) {
        switch state {
        case .reading(let current):
            current.reader.abandon()
            // The slot of the process is given back before anybody hears of the failure, without waiting for it here.
            if current.reader.isGone() { end(.failure(failure)) } else { state = .failing(current.reader, failure) }
        case .discarding(let reader): state = .failing(reader, failure)
        case .failing, .over: break
        case .next, .verifying, .finishing: end(.failure(failure))
        }
    }

    private func end(_ result: Result<IntakeResult, IntakeFailure>) {
        state = .over
        files = []
        self.result = result
    }
}
