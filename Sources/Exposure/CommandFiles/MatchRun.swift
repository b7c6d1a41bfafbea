// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import KeyExport
public import KeyIntake
public import Matching
public import Trust

/// Matches key files with an index, file by file, from the zip archive to the matches; the confined program unpacks
/// them.
///
/// The matches of a file are kept only if its signature is valid and every batch is complete. Blocks; it has one
/// owner.
public struct MatchRun {
    /// The outcome of a file that was not refused.
    public enum Outcome: Sendable {
        /// The file was verified and its keys were matched.
        case matched(VerifiedExport)
        /// The same content was matched before in this run. The file adds nothing to matches and counts; if it has
        /// the same export.sig as a matched one, its export.bin was not read.
        case repeated
    }

    /// The number of keys of matched files that were left out, by flaw; each is 1 or more. Repeated files are not
    /// counted.
    public private(set) var flaws: [ExportedKey.Flaw: Int] = [:]
    /// The counts of keys and of their matches over all matched files; repeated files are not counted.
    public private(set) var statistics = MatchStatistics()

    private let trust: TrustStore
    private let policy: SignaturePolicy
    private let time: Int64
    private let limits: IntakeLimits
    private let program: UnzipProgram
    private let matcher: () -> Matcher
    private var batches = ExportBatches()
    private var files = MatchedFiles()
    private var found: [[Match]] = []

    /// Whether every file so far was unpacked by a confined program, including refused files that were unpacked;
    /// `true` before the first file.
    public private(set) var isConfined = true

    /// Creates a run over `index`. `time`, in Unix seconds, decides which keys are too old and which verification
    /// keys are valid; before 1970, or beyond the range of ``ENIN``, no key is too old. Keys in `excluded` never
    /// match.
    public init(
        index: SightingIndex, trust: TrustStore, policy: SignaturePolicy, time: Int64, excluded: Set<Block> = [],
        limits: IntakeLimits = .standard, program: UnzipProgram, kernel: MatchKernel = .best
    ) {
        self.trust = trust
        self.policy = policy
        self.time = time
        self.limits = limits
        self.program = program
        let now = ENIN(unixSeconds: time) ?? ENIN(0)
        // A file that is refused half-way leaves keys behind; each file gets a matcher of its own.
        matcher = { Matcher(index: index, now: now, excluded: excluded, kernel: kernel) }
    }

    /// Reads, verifies and matches one file; blocks. `progress` is called after each slice with the bytes of
    /// export.bin read so far and those announced, and returns `false` to stop.
    ///
    /// Throws ``KeyExportError`` when the file is refused, unreadable or stopped, or contradicts its batch;
    /// `IntakeFailure` when the unzip program is at fault, or `tooManyMatches`. Such a file adds nothing to matches
    /// and counts.
    public mutating func add(path: String, progress: (UInt64, UInt64) -> Bool = { _, _ in true }) throws -> Outcome {
        let reader = try ConfinedKeyFile(path: path, program: program, limits: limits)
        isConfined = isConfined && reader.isConfined
        let signatureDigest = SHA256.digest(of: reader.signatureBytes)
        if files.contains(signatureListDigest: signatureDigest) { return .repeated }
        let matcher = matcher()
        let feed = MatcherFeed(matcher)
        let total = reader.announcedByteCount
        let file = try reader.read(
            trust: trust, policy: policy, time: time, progress: { progress($0, total) },
            keys: { feed.add($0) })
        let matches = matcher.finish()
        guard !matcher.wasOverfull else { throw IntakeFailure(.tooManyMatches) }
        try batches.add(file)
        let isKnown = files.contains(contentDigest: file.contentDigest)
        files.insert(signatureListDigest: signatureDigest, contentDigest: file.contentDigest)
        if isKnown { return .repeated }
        statistics.add(matcher.statistics)
        flaws.merge(feed.flaws, uniquingKeysWith: +)
        found.append(matches)
        return .matched(file)
    }

    /// Ends the run and returns all matches, one per key; empty without files. Throws `incompleteBatch` when a batch
    /// is not complete.
    public consuming func finish() throws(KeyExportError) -> MatchSet {
        try batches.checkComplete()
        var set = MatchSet()
        for matches in found { set.merge(matches) }
        return set
    }
}
