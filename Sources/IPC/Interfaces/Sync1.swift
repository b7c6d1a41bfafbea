// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.sync1`; the interface's text says what each part means.
public enum Sync1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.sync1"

    /// The way in which a source publishes. `cwa`: packages of hours and days, as Corona-Warn-App; `index`: a list of
    /// files; `nhs`: archives of two hours and of days, as NHS COVID-19; `folder`: zip files in a folder of the board.
    public enum Kind: String, Codable, Sendable, CaseIterable { case cwa, index, nhs, folder }

    /// One source of diagnosis keys, and this device's progress with it. Nothing tells what was matched.
    public struct Source: Codable, Sendable, Equatable {
        /// The source's name, as the operator's settings have it.
        public var name: String
        /// The way in which the source publishes its files.
        public var kind: Kind
        /// The time when a run began to ask it last, Unix seconds by the system's clock; `nil` if never.
        public var lastAttempt: Int64?
        /// The time when a run ended well last, Unix seconds by the system's clock; `nil` if none ever did.
        public var lastSuccess: Int64?
        /// The moment up to which all published keys were compared with the identifiers heard here, Unix seconds, and not
        /// beyond the first package that is missing; `nil` if nothing was. By the periods that the authority signed, never
        /// by what the server's lists and names say.
        public var newestEnd: Int64?
        /// The number of packages that the source has and the core has not, as of the last run; 0 or more.
        public var missingCount: Int
        /// The present trouble with it in an English sentence, with what to do, at most 400 characters; `nil` if there is none.
        public var problem: String?
        /// The number of troubles by kind since the plugin's journal began, each above 0: one stable word each, at most 64.
        public var faults: [String: Int]
        /// The number of packages that the core took since the plugin's journal began, repeated ones included; 0 or more.
        public var packageCount: Int
        /// The number of bytes that were received since the plugin's journal began, headers included; 0 or more.
        public var byteCount: Int
        /// The days of the last 14 whole UTC days, as numbers of days since 1970, that were compared as a whole, by the
        /// same periods, as the core said last; at most 14. Empty while it has said none. `nil` from a plugin that does not
        /// tell them.
        public var knownDays: [Int]?

        /// Creates a part of replies of the plugin. No value is checked. See the properties for units and `nil`.
        public init(
            name: String, kind: Kind, lastAttempt: Int64?, lastSuccess: Int64?, newestEnd: Int64?, missingCount: Int,
            problem: String?, faults: [String: Int], packageCount: Int, byteCount: Int, knownDays: [Int]? = nil
        ) {
            self.knownDays = knownDays
            self.name = name
            self.kind = kind
            self.lastAttempt = lastAttempt
            self.lastSuccess = lastSuccess
            self.newestEnd = newestEnd
            self.missingCount = missingCount
            self.problem = problem
            self.faults = faults
            self.packageCount = packageCount
            self.byteCount = byteCount
        }
    }

    /// The freshness of the keys that this device has compared, for each source.
    public struct Freshness: Codable, Sendable, Equatable {
        /// The sources in the order of the settings; at most 16.
        public var sources: [Source]
        /// Whether sources are being asked now.
        public var running: Bool
        /// Seconds until sources are asked next, 0 or more, and 0 while they are being asked; `nil` without sources.
        public var secondsToNext: Int64?
        /// The number of seconds over which boards spread their question after a wake-up, as the region's signed document says; `nil` if none does.
        /// Of several sources, the longest.
        public var wakeWindow: Int64?
        /// The number of seconds by which the servers' clocks are ahead of the system's clock of this device, negative where they are behind; `nil`
        /// while unknown. A change of less than a minute may not be told.
        public var clockOffset: Int64?

        /// Creates a part of replies of the plugin. No value is checked. See the properties for units and `nil`.
        public init(sources: [Source], running: Bool, secondsToNext: Int64?, wakeWindow: Int64?, clockOffset: Int64?) {
            self.sources = sources
            self.running = running
            self.secondsToNext = secondsToNext
            self.wakeWindow = wakeWindow
            self.clockOffset = clockOffset
        }
    }

    /// Reply of `GetFreshness`, and of `Watch` now and after every change.
    public struct FreshnessReply: Codable, Sendable {
        /// The freshness of the keys now.
        public var freshness: Freshness

        /// Creates the reply of the plugin to `GetFreshness` and `Watch`. No value is checked.
        public init(freshness: Freshness) { self.freshness = freshness }
    }
}
