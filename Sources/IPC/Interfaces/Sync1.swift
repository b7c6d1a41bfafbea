// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.sync1`. The interface's text explains each of them.
public enum Sync1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.sync1"

    /// The way in which a source publishes. `cwa`: hourly and daily packages, as the Corona-Warn-App does; `index`: a list
    /// of files; `nhs`: archives of two hours and of days, as NHS COVID-19 does; `folder`: zip files in a folder of the
    /// board.
    public enum Kind: String, Codable, Sendable, CaseIterable { case cwa, index, nhs, folder }

    /// A source of diagnosis keys, and this device's progress with it. It does not reveal any matches.
    public struct Source: Codable, Sendable, Equatable {
        /// The name of the source in the operator's settings.
        public var name: String
        /// The way in which the source publishes its files.
        public var kind: Kind
        /// The time when a run last began to ask the source, in Unix seconds by the system's clock; `nil` if none did.
        public var lastAttempt: Int64?
        /// The time when a run was last successful, in Unix seconds by the system's clock; `nil` if none was.
        public var lastSuccess: Int64?
        /// The time up to which all published keys have been compared with the received identifiers, in Unix seconds, at
        /// most up to the first missing package; `nil` if none were. It is based on the periods that the authority signed,
        /// never on the server's lists and names.
        public var newestEnd: Int64?
        /// The number of packages that the source has but the core does not, as of the last run; 0 or more.
        public var missingCount: Int
        /// The present problem with the source, in an English sentence with advice, at most 400 characters; `nil` if there
        /// is none.
        public var problem: String?
        /// The number of problems since the plugin's journal began, by kind (a stable word), each above 0; at most 64
        /// kinds.
        public var faults: [String: Int]
        /// The number of packages that the core accepted since the plugin's journal began, including repeated ones; 0 or
        /// more.
        public var packageCount: Int
        /// The number of bytes received since the plugin's journal began, including headers; 0 or more.
        public var byteCount: Int
        /// The days among the last 14 complete UTC days, in days since 1970, whose keys were compared completely, by the
        /// signed periods and the core's last answer; at most 14. Empty while the core has given none. `nil` if the plugin
        /// does not provide them.
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
        /// The sources in the order of the operator's settings, at most 16.
        public var sources: [Source]
        /// Whether sources are being asked now.
        public var running: Bool
        /// The number of seconds until sources are next asked, 0 or more, and 0 while they are being asked; `nil` without
        /// sources.
        public var secondsToNext: Int64?
        /// The number of seconds over which boards spread their requests after a wake-up, by the region's signed document;
        /// `nil` if there is none. With several sources, the longest.
        public var wakeWindow: Int64?
        /// The number of seconds by which the servers' clocks are ahead of this device's system clock, negative if they are
        /// behind; `nil` while unknown. A change of less than a minute may not be reported.
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

    /// Reply of `GetFreshness` and `Watch`; for `Watch` the first one immediately, and another after every change.
    public struct FreshnessReply: Codable, Sendable {
        /// The freshness of the keys now.
        public var freshness: Freshness

        /// Creates the reply of the plugin to `GetFreshness` and `Watch`. No value is checked.
        public init(freshness: Freshness) { self.freshness = freshness }
    }
}
