// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The part of a batch that a file is, by its own account: files of one batch are matched together or not at all.
public struct BatchPart: Sendable, Hashable {
    /// A text that is the same for all parts of a batch: its region, its times and ``size``, as the file gives them.
    /// Foreign text, not checked.
    public let identity: String
    /// The part's number, 1 to ``size`` in a sound file; not checked.
    public let number: Int
    /// The number of parts that the batch has, as the file says, at least 2.
    public let size: Int

    /// A part by a file's own account, as it is; nothing is checked here.
    public init(identity: String, number: Int, size: Int) {
        self.identity = identity
        self.number = number
        self.size = size
    }
}

/// The record of one package of a source: its progress and its faults.
public struct PackageRecord: Sendable, Hashable {
    /// The stages of a package. Raw values are in the journal, so they stay.
    public enum State: String, Sendable {
        /// The core has the package, now or from before.
        case accepted
        /// It lies in the spool, to be offered to the core; perhaps once more, for its batch was not whole or the core did not look at it.
        case waiting
        /// It lies in the spool, and the core was asked to take it; nobody knows what became of that.
        case attempted
        /// The core refused it, or it cannot be had. It is tried again later.
        case refused
    }

    /// The stage that the package has reached.
    public var state: State
    /// The tag (ETag) that it was published with, without quotation marks; `nil` if the server gave none.
    public var tag: String?
    /// The end of the period in which its keys were published, Unix seconds, exclusive; 0 if the name does not tell.
    public var end: Int64
    /// The size of the package in bytes; 0 while it is unknown, and, as a rule, once the package was refused.
    public var byteCount: Int
    /// The number of attempts or refusals in a row that it has had, from 0.
    public var count: Int
    /// The stable name of the rule or fault for which it is refused; `nil` in every other state.
    public var rule: String?
    /// The moment to try a refused package again, Unix seconds; `nil` is at once. Of one that waits for its batch (``part``) the moment until which
    /// it waits; otherwise `nil`.
    public var retryAt: Int64?
    /// The package's name in the spool; `nil` while it lies in no file.
    public var file: String?
    /// The part of its batch that the file is, known once the core found that other files of that batch are missing; it
    /// waits for them, until ``retryAt``. Otherwise `nil`.
    public var part: BatchPart?

    /// A record with these values, as they are. Defaults are what does not apply to most packages; see the properties for
    /// units and for `nil`.
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

    /// The number of seconds after which a refused package is tried again: those of 1, 2, 4, 8, 16, then 24 hours. The server may have replaced it,
    /// or this board may trust another key by then.
    /// - Parameter count: Refusals in a row; less than 1 counts as 1.
    public static func retryDelay(count: Int) -> Int64 { min(3_600 << Int64(min(max(count, 1) - 1, 10)), UTCDay.seconds) }

    /// Whether a refused package is to be fetched at `now`, Unix seconds; `false` for one that is not refused. A time further away than we ever
    /// wait was written under another clock, and counts as come.
    public func isDue(at now: Int64) -> Bool {
        guard state == .refused else { return false }
        guard let retryAt else { return true }
        return retryAt <= now || retryAt > now + UTCDay.seconds
    }
}

/// The record of one source: its packages, its numbers, its schedule.
public struct SourceRecord: Sendable, Hashable {
    /// The record of each package, by the package's id.
    public var packages: [String: PackageRecord] = [:]
    /// The schedule as it was stored last; `nil` before the first run was planned.
    public var schedule: StoredSchedule?
    /// The numbers and moments of the source, for people and for the next run.
    public var facts = SourceFacts()
    /// Whether somebody asked for a run that has not begun yet.
    public var isWished = false

    /// A record of a source that nothing is known of.
    public init() {}

    /// Whether the core has the package of that id.
    public func isAccepted(_ id: String) -> Bool { packages[id]?.state == .accepted }

    /// Whether a package that is on offer is to be fetched at `now`, Unix seconds: one that is not known yet, or was refused and may be tried
    /// again.
    public func wants(_ id: String, at now: Int64) -> Bool { packages[id]?.isDue(at: now) ?? true }
}

/// Plain numbers about a source, as told to whoever asks.
public struct SourceFacts: Sendable, Hashable {
    /// The moment when a run began last, Unix seconds by the system clock; `nil` if none ever did.
    public var lastAttempt: Int64?
    /// The moment when a run ended well last, Unix seconds by the system clock; `nil` if none ever did.
    public var lastSuccess: Int64?
    /// The moment before which all published keys are matched, Unix seconds: by signed periods, and not beyond the first
    /// package that is missing. `nil` while none is.
    public var newestEnd: Int64?
    /// The moment up to which everything is known by what was signed alone, Unix seconds, as the core said last; where it keeps no account of the
    /// source, the latest end of a period that it took. `nil` while there is neither.
    public var knownUntil: Int64?
    /// The days among the last 14 whole ones whose keys are known, as days since 1970, as the core said last; empty if it named none, or has said
    /// nothing.
    public var knownDays: [Int64] = []
    /// The number of packages that the source has and the core has not, as of the last run that learned the source's list;
    /// 0 or more.
    public var missingCount = 0
    /// The present trouble with the source, an English sentence of at most 400 characters; `nil` while there is none.
    public var problem: String?
    /// The number of times that each fault was met since the journal began, by its stable name; at most 64 names.
    public var faults: [String: Int] = [:]
    /// The number of packages that the core has accepted, repeated ones included, since the journal began, 0 or more.
    public var packageCount = 0
    /// The number of bytes received from the source, of packages, indexes and documents, tries that broke included, since
    /// the journal began, 0 or more.
    public var byteCount = 0
    /// The digest of the answer that the kept configuration came in (``FetchAnswer/digest``), SHA-256 in hexadecimal; `nil` if none is kept.
    public var configDigest: String?
    /// The digest of the answer that the region's own document came in (``FetchAnswer/digest``), SHA-256 in hexadecimal; `nil` if none is kept.
    public var vigilConfigDigest: String?
    /// For each document that the core took last, or had a newer one of: the digest of its answer (``FetchAnswer/digest``), a blank, and the day of
    /// that in days since 1970. Absent if it never did.
    public var carriedDigests: [CarriedDocument: String] = [:]
    /// The version of the region's document that is kept, 0 or more; `nil` without one.
    public var vigilConfigVersion: Int64?
    /// The number of seconds over which boards spread their fetch after a wake, by the region's document; `nil` if it does not say, or none is
    /// kept.
    public var wakeWindow: Int64?

    /// Facts of a source that nothing is known of: all counts zero, all else empty or `nil`.
    public init() {}

    /// The number of faults that were met so far, of all names together, 0 or more.
    public var problemCount: Int { faults.values.reduce(0, +) }
}
