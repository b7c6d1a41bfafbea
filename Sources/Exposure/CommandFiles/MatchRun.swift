// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import KeyExport
public import KeyIntake
public import Matching
public import Trust

/// Matches key files against an index, file by file: the whole path from zip to matches, unpacked by the confined program.
///
/// What a file brings is kept only when its signature verified, and only when every batch turns out whole. Blocks; one owner.
public struct MatchRun {
    /// The fate of one file that was not refused.
    public enum Outcome: Sendable {
        /// The file was verified and its keys were matched.
        case matched(VerifiedExport)
        /// The same content was matched before; nothing of this file is kept, and nothing of it counts.
        case repeated
    }

    /// Number of keys of verified files that were left out, by flaw; each 1 or more. Content that is repeated under
    /// another signature counts once.
    public private(set) var flaws: [ExportedKey.Flaw: Int] = [:]
    /// Numbers of keys that were tried and that hit, over all files that verified; content that is repeated under
    /// another signature counts once.
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

    /// Whether every file so far was unpacked by a program that was confined; true before the first file. Refused files
    /// count, if the program had unpacked them.
    public private(set) var isConfined = true

    /// A run over `index`. `time` is in Unix seconds: which keys are too old, and which verification keys are valid;
    /// before 1970, or beyond the range of ``ENIN``, no key is too old. Keys in `excluded` never match.
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

    /// Reads, verifies and matches one file; blocks. `progress` gets the bytes of export.bin read so far and those
    /// announced, after each slice, and stops the file by returning `false`.
    ///
    /// Throws ``KeyExportError`` for a file that is refused, unreadable or stopped, or contradicts its batch, and
    /// `IntakeFailure` when the program is to blame, or with `tooManyMatches`. Such a file adds nothing to matches and
    /// counts.
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

    /// Ends the run and gives all matches, one per key; none without files. Throws `incompleteBatch` when a batch is
    /// not whole.
    public consuming func finish() throws(KeyExportError) -> MatchSet {
        try batches.checkComplete()
        var set = MatchSet()
        for matches in found { set.merge(matches) }
        return set
    }
}
