// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.sync1`; the interface's text says what each part means.
public enum Sync1 {
    public static let name = "org.vigil.sync1"

    public enum Kind: String, Codable, Sendable { case cwa, index, nhs, folder }

    public struct Source: Codable, Sendable, Equatable {
        public var name: String
        public var kind: Kind
        public var lastAttempt: Int64?
        public var lastSuccess: Int64?
        public var newestEnd: Int64?
        public var nextAttempt: Int64?
        public var problem: String?
        public var problemCount: Int
        public var faults: [String: Int]
        public var missingCount: Int
        public var packageCount: Int
        public var byteCount: Int

        public init(
            name: String, kind: Kind, lastAttempt: Int64?, lastSuccess: Int64?, newestEnd: Int64?, nextAttempt: Int64?,
            problem: String?, problemCount: Int, faults: [String: Int], missingCount: Int, packageCount: Int, byteCount: Int
        ) {
            self.name = name
            self.kind = kind
            self.lastAttempt = lastAttempt
            self.lastSuccess = lastSuccess
            self.newestEnd = newestEnd
            self.nextAttempt = nextAttempt
            self.problem = problem
            self.problemCount = problemCount
            self.faults = faults
            self.missingCount = missingCount
            self.packageCount = packageCount
            self.byteCount = byteCount
        }
    }

    public struct FreshnessReply: Codable, Sendable, Equatable {
        public var sources: [Source]
        public var wakeWindow: Int64?
        public var clockOffset: Int64?
        public var running: Bool

        public init(sources: [Source], wakeWindow: Int64?, clockOffset: Int64?, running: Bool) {
            self.sources = sources
            self.wakeWindow = wakeWindow
            self.clockOffset = clockOffset
            self.running = running
        }
    }
}
