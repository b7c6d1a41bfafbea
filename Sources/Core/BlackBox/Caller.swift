// SPDX-License-Identifier: Apache-2.0

public import KeyIntake

/// Who calls: known by the socket the call came by, never by what the caller says.
public struct Caller {
    /// What the caller learns from the core decides how often it may try: with results in hand, providing made-up files would be a way
    /// to ask who was met.
    public enum Reading: Sendable, Equatable {
        /// No results: bound by distinct signed content.
        case nothing
        /// First-generation results: 20 calls a day (gaen-core section 10).
        case summaries
        /// Exposure windows or daily summaries: 6 calls per UTC day (gaen-core section 10).
        case windows
    }

    /// The socket's name.
    public let name: String
    public let reading: Reading
    /// Where the caller's files lie; `nil` for callers without files.
    public let spool: Spool?
    /// How somebody who uses this socket showed to be present, for the record of a consent: `console`, `page`, `button`.
    public let presence: String

    public init(name: String, reading: Reading, spool: Spool?, presence: String) {
        self.name = name
        self.reading = reading
        self.spool = spool
        self.presence = presence
    }

    /// What `isGranted` (asked with `interface.Method`) makes of a caller.
    public static func reading(isGranted: (String) -> Bool) -> Reading {
        let windows = ["GetExposureWindows", "GetDailySummaries"]
        let summaries = ["GetExposureSummary", "GetExposureInformation"]
        if windows.contains(where: { isGranted("org.vigil.exposure1.\($0)") }) { return .windows }
        if summaries.contains(where: { isGranted("org.vigil.exposure1.\($0)") }) { return .summaries }
        return .nothing
    }
}
