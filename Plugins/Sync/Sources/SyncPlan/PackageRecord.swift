// SPDX-License-Identifier: Apache-2.0

public import AppConfig
import CivilTime

/// The position of a file in its batch, as the file states it: files of one batch are matched together or not at all.
public struct BatchPart: Sendable, Hashable {
    /// A text that is the same for all parts of a batch: its region, its times and ``size``, as the file gives them.
    /// Foreign text, not checked.
    public let identity: String
    /// The part's number, 1 to ``size`` in a sound file; not checked.
    public let number: Int
    /// The number of parts of the batch, as the file states it, at least 2.
    public let size: Int

    /// Creates a part as a file states it; nothing is checked.
    public init(identity: String, number: Int, size: Int) {
        self.identity = identity
        self.number = number
        self.size = size
    }
}

/// The record of one package of a source: its stage, its attempts and its fault.
public struct PackageRecord: Sendable, Hashable {
    /// The stages of a package. Raw values are stored in the journal, so they must not change.
    public enum State: String, Sendable {
        /// The core has accepted the package, now or earlier.
        case accepted
        /// The package is in the spool, and will be offered to the core; perhaps again, because its batch was not complete
        /// or the core did not read it.
        case waiting
        /// The package is in the spool, and was offered to the core; the outcome is unknown.
        case attempted
        /// The core refused the package or read another period or region in it than was asked for, its batch did
        /// not become whole, it is revoked, or it could not be fetched. It is tried again later.
        case refused
    }

    /// The stage of the package.
    public var state: State
    /// The package's tag (ETag) without quotation marks; `nil` if the server gave none.
    public var tag: String?
    /// The end of the period in which its keys were published, in Unix seconds, exclusive; 0 if the name does not tell it.
    public var end: Int64
    /// The size of the package in bytes; 0 while it is unknown, and usually after a refusal.
    public var byteCount: Int
    /// The number of attempts or refusals in a row, 0 or more.
    public var count: Int
    /// The stable name of the rule or fault that led to the refusal; `nil` in every other state.
    public var rule: String?
    /// The time from which a refused package is tried again, in Unix seconds; `nil` means at once. For a package that waits
    /// for its batch (``part``), the time until which it waits. `nil` in all other cases.
    public var retryAt: Int64?
    /// The name of the package's file in the spool; `nil` if it has none.
    public var file: String?
    /// The file's position in its batch, known after the core has found that other files of the batch are missing; the
    /// package waits for them until ``retryAt``. `nil` otherwise.
    public var part: BatchPart?

    /// Creates a record of these values, unchecked. The defaults are for what most packages do not have; see the properties
    /// for units and `nil`.
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

    /// Returns the number of seconds after which a refused package is tried again: 1, 2, 4, 8 or 16 hours, then 24,
    /// our choice. By then the server may have replaced it, or this board may trust another key.
    /// - Parameter count: The number of refusals in a row; less than 1 counts as 1.
    public static func retryDelay(count: Int) -> Int64 { min(3_600 << Int64(min(max(count, 1) - 1, 10)), UTCDay.seconds) }

    /// Returns whether a refused package is to be fetched at `now`, in Unix seconds; `false` for one that is not refused. A
    /// time more than a day ahead was stored under a wrong clock, and counts as reached.
    public func isDue(at now: Int64) -> Bool {
        guard state == .refused else { return false }
        guard let retryAt else { return true }
        return retryAt <= now || retryAt > now + UTCDay.seconds
    }
}

/// The record of one source: its packages, its facts and its schedule.
public struct SourceRecord: Sendable, Hashable {
    /// The record of each package, by the package's ``PackageOffer/id``.
    public var packages: [String: PackageRecord] = [:]
    /// The schedule as it was last stored; `nil` before the first run was planned.
    public var schedule: StoredSchedule?
    /// The counts and times of the source, for people and for the next run.
    public var facts = SourceFacts()
    /// Whether a person asked for a run that has not begun yet.
    public var isWished = false

    /// Creates the record of a source of which nothing is known.
    public init() {}

    /// Returns whether the core has accepted the package with this id.
    public func isAccepted(_ id: String) -> Bool { packages[id]?.state == .accepted }

    /// Returns whether an offered package is to be fetched at `now`, in Unix seconds: it is not known yet, or was refused
    /// and may be tried again.
    public func wants(_ id: String, at now: Int64) -> Bool { packages[id]?.isDue(at: now) ?? true }
}

/// Counts and times of a source, as the plugin reports them.
public struct SourceFacts: Sendable, Hashable {
    /// The time at which the last run began, in Unix seconds by the system clock; `nil` if there was none.
    public var lastAttempt: Int64?
    /// The time at which the last successful run ended, in Unix seconds by the system clock; `nil` if there was none.
    public var lastSuccess: Int64?
    /// The time before which all published keys are matched, in Unix seconds: by signed periods, and not beyond the first
    /// missing package. `nil` if no package is there yet.
    public var newestEnd: Int64?
    /// The time until which all keys are known by signed periods alone, in Unix seconds, as the core last reported it. If
    /// the core keeps no account of the source, the latest end of a period that it accepted; `nil` if there is neither.
    public var knownUntil: Int64?
    /// The days among the last 14 whole ones whose keys are known, in days since 1970, as the core last reported them;
    /// empty if it reported none.
    public var knownDays: [Int64] = []
    /// The number of packages that the source has and the core does not, after the last run that read the source's
    /// list, without those that may not be published yet (``PackageOffer/mayBeAbsent``); 0 or more.
    public var missingCount = 0
    /// The source's latest problem, an English sentence of at most 400 characters; `nil` if there was none, and
    /// again after a successful run that found no lasting fault and leaves nothing missing.
    public var problem: String?
    /// The number of times that each fault occurred since the journal began, by the fault's stable name; at most 64 names.
    public var faults: [String: Int] = [:]
    /// The number of packages that the core has accepted for the period that was asked for since the journal began,
    /// including those that it had already; 0 or more.
    public var packageCount = 0
    /// The number of bytes received from the source since the journal began, of packages, indexes and documents, including
    /// broken transfers; 0 or more.
    public var byteCount = 0
    /// The digest of the answer that contained the stored configuration (``FetchAnswer/digest``), SHA-256 in hexadecimal, with a blank and what is
    /// equal for equal addresses behind it; `nil` if none is stored.
    public var configDigest: String?
    /// What is remembered of the newest configuration with a number; `nil` before the first.
    public var configMemory: ConfigurationMemory?
    /// The digest of the answer that contained the region's own document (``FetchAnswer/digest``), SHA-256 in hexadecimal;
    /// `nil` if none is stored.
    public var vigilConfigDigest: String?
    /// The mark of each document that the core last accepted, or had in a newer version: the digest of the answer
    /// (``FetchAnswer/digest``), a blank, and the day of the run's beginning by the system clock, in days since
    /// 1970, because each document is given to the core again once a day. Absent for a document that the core never
    /// accepted.
    public var carriedDigests: [CarriedDocument: String] = [:]
    /// The version of the stored region's document, 0 or more; `nil` if none is stored.
    public var vigilConfigVersion: Int64?
    /// The number of seconds over which boards spread their fetches after a wake, as the region's document says; `nil` if
    /// it does not say it, or none is stored.
    public var wakeWindow: Int64?

    /// Creates the facts of a source of which nothing is known: all counts are zero, all else is empty or `nil`.
    public init() {}

    /// The number of faults that have occurred so far, of all names together; 0 or more.
    public var problemCount: Int { faults.values.reduce(0, +) }
}
