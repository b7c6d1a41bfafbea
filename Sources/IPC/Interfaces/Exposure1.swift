// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.exposure1`; the interface's text says what each part means.
public enum Exposure1 {
    public static let name = "org.vigil.exposure1"

    public enum State: String, Codable, Sendable { case active, disabled, timeUnknown, radioTrouble, stopping }
    public enum Role: String, Codable, Sendable { case person, place }
    public enum TimeState: String, Codable, Sendable { case untrusted, plausible, authenticated }

    public enum Event: String, Codable, Sendable {
        case current, enabled, disabled, stateChanged, roleChanged, timeChanged, filesProvided, matchesChanged,
            mappingChanged
        case keysReleased, consentGiven, pairingChanged, troubled, recovered
    }

    public struct Status: Codable, Sendable, Equatable {
        public var enabled: Bool
        public var state: State
        public var sentence: String
        public var role: Role
        public var timeState: TimeState
        public var matchCount: Int?
        public var matchedFileCount: Int
        public var lastMatched: Int64?
        public var matching: Bool
        public var limit: Limit

        public init(
            enabled: Bool, state: State, sentence: String, role: Role, timeState: TimeState, matchCount: Int?,
            matchedFileCount: Int, lastMatched: Int64?, matching: Bool, limit: Limit
        ) {
            self.enabled = enabled
            self.state = state
            self.sentence = sentence
            self.role = role
            self.timeState = timeState
            self.matchCount = matchCount
            self.matchedFileCount = matchedFileCount
            self.lastMatched = lastMatched
            self.matching = matching
            self.limit = limit
        }
    }

    public struct Limit: Codable, Sendable, Equatable {
        public var perDay: Int?
        public var used: Int
        public var nextPermitted: Int64?

        public init(perDay: Int?, used: Int, nextPermitted: Int64?) {
            self.perDay = perDay
            self.used = used
            self.nextPermitted = nextPermitted
        }
    }

    public struct StatusReply: Codable, Sendable {
        public var status: Status

        public init(status: Status) { self.status = status }
    }

    public struct WatchReply: Codable, Sendable {
        public var event: Event
        public var status: Status

        public init(event: Event, status: Status) {
            self.event = event
            self.status = status
        }
    }

    public struct Files: Codable, Sendable {
        public var files: [String]
        public var source: String?
        public var sources: [Source]?

        public init(files: [String], source: String? = nil, sources: [Source]? = nil) {
            self.files = files
            self.source = source
            self.sources = sources
        }
    }

    public struct Source: Codable, Sendable, Equatable {
        public var name: String
        public var region: String?
        public var continuous: Bool

        public init(name: String, region: String?, continuous: Bool) {
            self.name = name
            self.region = region
            self.continuous = continuous
        }
    }

    public struct ProvidedFile: Codable, Sendable, Equatable {
        public enum Outcome: String, Codable, Sendable { case matched, repeated }

        public var name: String
        public var outcome: Outcome
        public var keyCount: Int
        public var startSeconds: Int64?
        public var endSeconds: Int64?
        public var regionName: String?

        public init(
            name: String, outcome: Outcome, keyCount: Int, startSeconds: Int64? = nil, endSeconds: Int64? = nil,
            regionName: String? = nil
        ) {
            self.name = name
            self.outcome = outcome
            self.keyCount = keyCount
            self.startSeconds = startSeconds
            self.endSeconds = endSeconds
            self.regionName = regionName
        }
    }

    public struct ProvideResult: Codable, Sendable, Equatable {
        public var files: [ProvidedFile]
        public var newMatchCount: Int?
        public var changedMatchCount: Int?
        public var refusedKeyCount: Int
        public var knownUntilSeconds: Int64?
        public var knownDays: [Int]?

        public init(
            files: [ProvidedFile], newMatchCount: Int?, changedMatchCount: Int?, refusedKeyCount: Int,
            knownUntilSeconds: Int64? = nil, knownDays: [Int]? = nil
        ) {
            self.knownUntilSeconds = knownUntilSeconds
            self.knownDays = knownDays
            self.files = files
            self.newMatchCount = newMatchCount
            self.changedMatchCount = changedMatchCount
            self.refusedKeyCount = refusedKeyCount
        }
    }

    public struct ProvideReply: Codable, Sendable {
        public var progressByteCount: Int64?
        public var progressFileCount: Int?
        public var result: ProvideResult?

        public init(progressByteCount: Int64? = nil, progressFileCount: Int? = nil, result: ProvideResult? = nil) {
            self.progressByteCount = progressByteCount
            self.progressFileCount = progressFileCount
            self.result = result
        }
    }

    public enum ReportType: String, Codable, Sendable { case confirmedTest, confirmedClinicalDiagnosis, selfReport }
    public enum Infectiousness: String, Codable, Sendable { case none, standard, high }
    public enum CalibrationConfidence: String, Codable, Sendable { case lowest, low, medium, high }

    public struct ScanInstance: Codable, Sendable, Equatable {
        public var typicalAttenuation: Int
        public var minAttenuation: Int
        public var secondsSinceLastScan: Int

        public init(typicalAttenuation: Int, minAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minAttenuation = minAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    public struct ExposureWindow: Codable, Sendable, Equatable {
        public var day: Int
        public var reportType: ReportType
        public var infectiousness: Infectiousness
        public var calibrationConfidence: CalibrationConfidence
        public var scanInstances: [ScanInstance]

        public init(
            day: Int, reportType: ReportType, infectiousness: Infectiousness,
            calibrationConfidence: CalibrationConfidence, scanInstances: [ScanInstance]
        ) {
            self.day = day
            self.reportType = reportType
            self.infectiousness = infectiousness
            self.calibrationConfidence = calibrationConfidence
            self.scanInstances = scanInstances
        }
    }

    public struct WindowsReply: Codable, Sendable {
        public var windows: [ExposureWindow]

        public init(windows: [ExposureWindow]) { self.windows = windows }
    }
}
