// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.sync1`; the interface's text says what each part means.
public enum Sync1 {
    public static let name = "org.vigil.sync1"

    public enum Kind: String, Codable, Sendable, CaseIterable { case cwa, index, nhs, folder }

    public struct Source: Codable, Sendable, Equatable {
        public var name: String
        public var kind: Kind
        public var lastAttempt: Int64?
        public var lastSuccess: Int64?
        public var newestEnd: Int64?
        public var missingCount: Int
        public var problem: String?
        public var faults: [String: Int]
        public var packageCount: Int
        public var byteCount: Int
        public var knownDays: [Int]?

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

    public struct Freshness: Codable, Sendable, Equatable {
        public var sources: [Source]
        public var running: Bool
        public var secondsToNext: Int64?
        public var wakeWindow: Int64?
        public var clockOffset: Int64?

        public init(sources: [Source], running: Bool, secondsToNext: Int64?, wakeWindow: Int64?, clockOffset: Int64?) {
            self.sources = sources
            self.running = running
            self.secondsToNext = secondsToNext
            self.wakeWindow = wakeWindow
            self.clockOffset = clockOffset
        }
    }

    public struct FreshnessReply: Codable, Sendable {
        public var freshness: Freshness

        public init(freshness: Freshness) { self.freshness = freshness }
    }
}
