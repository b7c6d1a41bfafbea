// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Which part of which batch a file is, by its own account: files of one batch are matched together or not at all.
public struct BatchPart: Sendable, Hashable {
    /// The same for all parts of a batch.
    public let identity: String
    /// 1 to ``size``.
    public let number: Int
    public let size: Int

    public init(identity: String, number: Int, size: Int) {
        self.identity = identity
        self.number = number
        self.size = size
    }
}

/// What became of one package of a source.
public struct PackageRecord: Sendable, Hashable {
    public enum State: String, Sendable {
        /// The core has it, now or from before.
        case accepted
        /// It lies in the spool and was not offered to the core yet.
        case waiting
        /// It lies in the spool, and the core was asked to take it; nobody knows what became of that.
        case attempted
        /// The core refused it, or it cannot be had. It is tried again later.
        case refused
    }

    public var state: State
    /// The tag it was published with, without quotation marks.
    public var tag: String?
    /// Keys published up to then are in it, Unix seconds.
    public var end: Int64
    public var byteCount: Int
    /// Attempts or refusals in a row.
    public var count: Int
    /// Which rule refused it.
    public var rule: String?
    /// When to try again, Unix seconds.
    public var retryAt: Int64?
    /// Its name in the spool.
    public var file: String?
    /// Known once the core found that other files of its batch are missing; it waits for them, until ``retryAt``.
    public var part: BatchPart?

    public init(
        state: State, tag: String? = nil, end: Int64, byteCount: Int = 0, count: Int = 0, rule: String? = nil,
        retryAt: Int64? = nil, file: String? = nil, part: BatchPart? = nil
    ) {
        self.state = state
        self.tag = tag
        self.end = end
        self.byteCount = byteCount
        self.count = count
        self.rule = rule
        self.retryAt = retryAt
        self.file = file
        self.part = part
    }

    /// After how long a refused package is tried again: 1, 2, 4, … at most 24 hours. The server may have replaced it, or this board may trust
    /// another key by then.
    public static func retryDelay(count: Int) -> Int64 { min(3_600 << Int64(min(max(count, 1) - 1, 10)), UTCDay.seconds) }

    /// Whether it is to be fetched at `now`. A time further away than we ever wait was written under another clock.
    public func isDue(at now: Int64) -> Bool {
        guard state == .refused else { return false }
        guard let retryAt else { return true }
        return retryAt <= now || retryAt > now + UTCDay.seconds
    }
}

/// What is known and was done about one source.
public struct SourceRecord: Sendable, Hashable {
    /// By the package's id.
    public var packages: [String: PackageRecord] = [:]
    public var schedule: StoredSchedule?
    public var facts = SourceFacts()
    /// Whether somebody asked for a run that has not begun yet.
    public var isWished = false

    public init() {}

    public func isAccepted(_ id: String) -> Bool { packages[id]?.state == .accepted }

    /// Whether a package that is on offer is to be fetched at `now`.
    public func wants(_ id: String, at now: Int64) -> Bool { packages[id]?.isDue(at: now) ?? true }
}

/// Plain numbers about a source, as told to whoever asks.
public struct SourceFacts: Sendable, Hashable {
    /// Unix seconds, all of them.
    public var lastAttempt: Int64?
    public var lastSuccess: Int64?
    /// Keys that were published up to then are matched: by what was signed, and not beyond the first package that is missing.
    public var newestEnd: Int64?
    /// By what was signed alone, as the core said last.
    public var knownUntil: Int64?
    /// Which of the last 14 whole days are known, as the core said last.
    public var knownDays: [Int64] = []
    /// Packages that the source has and the core has not, as of the last run.
    public var missingCount = 0
    /// What is wrong at the moment, in an English sentence.
    public var problem: String?
    /// Faults met so far, by their stable names.
    public var faults: [String: Int] = [:]
    /// Packages the core has accepted, repeated ones included.
    public var packageCount = 0
    /// Bytes of packages and indexes received.
    public var byteCount = 0
    /// Digests of the signed documents kept, as they came.
    public var configDigest: String?
    public var vigilConfigDigest: String?
    /// Of those that the core took on a day, or needed no more, and the day.
    public var carriedDigests: [CarriedDocument: String] = [:]
    /// Version of the region's document.
    public var vigilConfigVersion: Int64?
    public var wakeWindow: Int64?

    public init() {}

    public var problemCount: Int { faults.values.reduce(0, +) }
}
