// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.exposure1`. The interface's text explains each of them.
public enum Exposure1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.exposure1"

    /// The state of the device. `active`: it broadcasts and scans or, in a place, scans; `disabled`: nobody has agreed to
    /// take part; `timeUnknown`: the time is not known well enough to broadcast; `radioTrouble`: the radio does not work;
    /// `stopping`: the core is being stopped.
    public enum State: String, Codable, Sendable { case active, disabled, timeUnknown, radioTrouble, stopping }
    /// Whose risk the device judges: that of the `person` who wears it, or nobody's, because it stands in a `place`.
    public enum Role: String, Codable, Sendable { case person, place }
    /// The trust in the time. `untrusted`: nothing is broadcast; `plausible`: it comes from a clock, the network or the
    /// operator; `authenticated`: the authority has signed it.
    public enum TimeState: String, Codable, Sendable { case untrusted, plausible, authenticated }

    /// An event that is reported to watchers.
    public enum Event: String, Codable, Sendable {
        /// `current`: the first reply, without an event; `enabled`, `disabled`: a person agreed to take part, or withdrew;
        /// `stateChanged`, `roleChanged`, `timeChanged`, `mappingChanged`: ``Status``, role, time or mapping has changed;
        /// `filesProvided`: the files of a call were matched; `matchesChanged`: new people were found to have been met, or
        /// what was published about them has changed.
        case current, enabled, disabled, stateChanged, roleChanged, timeChanged, filesProvided, matchesChanged,
            mappingChanged
        /// `keysReleased`, `consentGiven`, `pairingChanged`: acts of the wearer, which are reported to few watchers only;
        /// `troubled`, `recovered`: the radio has failed, or works again.
        case keysReleased, consentGiven, pairingChanged, troubled, recovered
    }

    /// The state of the device, and the caller's limits.
    public struct Status: Codable, Sendable, Equatable {
        /// Whether a person has agreed that this device broadcasts and scans, and has not withdrawn that.
        public var enabled: Bool
        /// The state that results from the consent and from what the device can do now.
        public var state: State
        /// A sentence in English about the state, with advice.
        public var sentence: String
        /// Whose risk the device judges; see ``Role``.
        public var role: Role
        /// The trust in the time, from `untrusted` to `authenticated`.
        public var timeState: TimeState
        /// The number of published people who were met in the last 14 days, of any report type; 0 or more. `nil` for
        /// callers that may not read results.
        public var matchCount: Int?
        /// The number of matched files of diagnosis keys that are remembered, 0 or more: for 14 days, or longer if the time
        /// is not certain enough to delete anything.
        public var matchedFileCount: Int
        /// The time when new files of a followed source were last matched, in Unix seconds; `nil` if none were.
        public var lastMatched: Int64?
        /// Whether files are being matched or are waiting to be matched.
        public var matching: Bool
        /// The caller's limit for providing files, and how much of it has been used today.
        public var limit: Limit

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// The limit of a caller's calls that provide files in a day, and the number of such calls today.
    public struct Limit: Codable, Sendable, Equatable {
        /// The number of permitted calls per UTC day: 6 for callers that may read windows, 20 for those that may
        /// read summaries only (gaen-core, section 10). `nil` for callers that may not read results: for these only
        /// calls with refused files are limited, to 200 a day, our choice; each signed content counts once, and
        /// only authorities can make more.
        public var perDay: Int?
        /// The number of the caller's calls that were accepted on this UTC day, including those whose files were then
        /// refused; 0 or more, and 0 while the time is not known.
        public var used: Int
        /// The time when the next call is permitted, in Unix seconds: the next midnight (UTC). `nil` if a call is permitted
        /// now, and while the time is not known.
        public var nextPermitted: Int64?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(perDay: Int?, used: Int, nextPermitted: Int64?) {
            self.perDay = perDay
            self.used = used
            self.nextPermitted = nextPermitted
        }
    }

    /// Reply of `GetStatus`: the present state of the device.
    public struct StatusReply: Codable, Sendable {
        /// The state of the device at the time of the call.
        public var status: Status

        /// Creates the reply of the core to `GetStatus`. No value is checked.
        public init(status: Status) { self.status = status }
    }

    /// Reply of `Watch`: the first one immediately, and another after every change.
    public struct WatchReply: Codable, Sendable {
        /// The event; `current` in the first reply.
        public var event: Event
        /// The state of the device after the event.
        public var status: Status

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(event: Event, status: Status) {
            self.event = event
            self.status = status
        }
    }

    /// Parameters of `ProvideDiagnosisKeys`. Either all files take effect or none. Refused with `FileRefused` if a
    /// file breaks a rule of docs/key-intake.md, if the caller has no spool folder, if a source is not valid, and
    /// if the source has ended its service; with `LimitReached` if there were too many calls, with `Busy` if four
    /// calls are in progress, with `WrongRole` in a place, with `NotEnabled` if nobody has agreed to take part,
    /// with `TimeUnknown` while the time is not known, and with `StorageUnavailable` if the disk refuses.
    public struct Files: Codable, Sendable {
        /// The names of files, without folders, in the caller's spool folder; at most 128.
        public var files: [String]
        /// The name of the one of ``sources`` from which the files come, at most 32 bytes; `nil` if the caller does not
        /// say.
        public var source: String?
        /// The sources that the caller asks for keys, at most 16: the risk is outdated as soon as one of them is. Sources
        /// that were named before but not here are removed; `nil` changes nothing.
        public var sources: [Source]?

        /// Creates the parameters of a call of `ProvideDiagnosisKeys`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(files: [String], source: String? = nil, sources: [Source]? = nil) {
            self.files = files
            self.source = source
            self.sources = sources
        }
    }

    /// A source of key files, with what matters for the freshness of the risk.
    public struct Source: Codable, Sendable, Equatable {
        /// The name that the operator gave to the source; at most 32 bytes of UTF-8.
        public var name: String
        /// The region for which the source's files are signed, at most 32 bytes; `nil` if it is not known.
        public var region: String?
        /// Whether the source publishes a file for every period, even if there are no keys.
        public var continuous: Bool

        /// Creates the parameters of a call of `ProvideDiagnosisKeys`. Nothing is checked here: the core refuses names and
        /// regions that are too long with `FileRefused`. See the properties for `nil`.
        public init(name: String, region: String?, continuous: Bool) {
            self.name = name
            self.region = region
            self.continuous = continuous
        }
    }

    /// The outcome of a file in a call.
    public struct ProvidedFile: Codable, Sendable, Equatable {
        /// The outcome of a file. `matched`: its keys were compared; `repeated`: its content was matched before, and is
        /// never matched again.
        public enum Outcome: String, Codable, Sendable { case matched, repeated }

        /// The name of the file, as the caller gave it.
        public var name: String
        /// Whether the keys of the file were compared now, or had been before.
        public var outcome: Outcome
        /// The number of keys of published people in the file, including revisions; 0 or more, and 0 for a repeated file
        /// that was not read again.
        public var keyCount: Int
        /// The start of the period for which the keys were published, in Unix seconds, as signed; `nil` if the file gives
        /// none. Set for repeated files as well.
        public var startSeconds: Int64?
        /// The end of that period, exclusive, in Unix seconds; `nil` if the file gives none. Set for repeated files as
        /// well.
        public var endSeconds: Int64?
        /// The region for which the keys were published, as signed; `nil` if the file gives none.
        public var regionName: String?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// The outcome of a call of `ProvideDiagnosisKeys`.
    public struct ProvideResult: Codable, Sendable, Equatable {
        /// The outcome of each file, in the order of the call; at most 128.
        public var files: [ProvidedFile]
        /// The number of people who were newly found to have been met, 0 or more; `nil` for callers that may not read
        /// results.
        public var newMatchCount: Int?
        /// The number of people found before about whom something else has been published, such as a revocation or another
        /// report type; 0 or more. `nil` for callers that may not read results.
        public var changedMatchCount: Int?
        /// The number of keys in all files that were left out because they break the rules of the format; 0 or more.
        public var refusedKeyCount: Int
        /// The time up to which all keys of the call's source are known here, by the signed periods of the files, in Unix
        /// seconds; `nil` if none are, or if the call named no source.
        public var knownUntilSeconds: Int64?
        /// The days among the last 14 complete UTC days, in days since 1970, whose keys are known here completely, by the
        /// signed periods of the files; at most 14. `nil` if the call named no source.
        public var knownDays: [Int]?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
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

    /// Reply of `ProvideDiagnosisKeys`: the progress or, in the last reply, the result.
    public struct ProvideReply: Codable, Sendable {
        /// The number of bytes of the present file that have been read, after decompression; 0 or more. `nil` in the last
        /// reply.
        public var progressByteCount: Int64?
        /// The number of files that have been completed, 0 or more; `nil` in the last reply.
        public var progressFileCount: Int?
        /// The outcome of the call; `nil` in all replies except the last.
        public var result: ProvideResult?

        /// Creates the reply of the core to `ProvideDiagnosisKeys`. No value is checked. See the properties for units and
        /// `nil`.
        public init(progressByteCount: Int64? = nil, progressFileCount: Int? = nil, result: ProvideResult? = nil) {
            self.progressByteCount = progressByteCount
            self.progressFileCount = progressFileCount
            self.result = result
        }
    }

    /// The evidence of an infection: a test, a clinician's diagnosis, or the person's own report. Keys with any other
    /// report type give no exposure.
    public enum ReportType: String, Codable, Sendable { case confirmedTest, confirmedClinicalDiagnosis, selfReport }
    /// The infectiousness of a person on a day, by the mapping. A day with `none` gives no exposure.
    public enum Infectiousness: String, Codable, Sendable { case none, standard, high }
    /// The confidence in the signal strength of the other device's model, from `lowest` (no confidence) to `high`.
    public enum CalibrationConfidence: String, Codable, Sendable { case lowest, low, medium, high }

    /// The signal of a person's device in one scan.
    public struct ScanInstance: Codable, Sendable, Equatable {
        /// The mean attenuation in the scan, in dB, 0 or more.
        public var typicalAttenuation: Int
        /// The lowest attenuation in the scan, in dB, 0 or more.
        public var minAttenuation: Int
        /// The time since the previous scan in seconds: complete minutes, 0 to 300.
        public var secondsSinceLastScan: Int

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(typicalAttenuation: Int, minAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minAttenuation = minAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    /// A period of up to half an hour near a person whose keys were published. It reveals the day, but neither a time nor
    /// the person.
    public struct ExposureWindow: Codable, Sendable, Equatable {
        /// The UTC day of the first scan, in days since 1970.
        public var day: Int
        /// The evidence of the infection, from the report type of the key.
        public var reportType: ReportType
        /// The infectiousness of the person on that day, by the mapping: `standard` or `high`, never `none`.
        public var infectiousness: Infectiousness
        /// The confidence in the signal strength of the other device, at the first scan of the window.
        public var calibrationConfidence: CalibrationConfidence
        /// The scans in order of time, at most 72.
        public var scanInstances: [ScanInstance]

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
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

    /// Reply of `GetExposureWindows`: the windows of the last 14 days under the mapping in force, in an order without
    /// meaning.
    public struct WindowsReply: Codable, Sendable {
        /// One page of windows. A page has at most 48 KiB of JSON.
        public var windows: [ExposureWindow]

        /// Creates the reply of the core to `GetExposureWindows`. No value is checked.
        public init(windows: [ExposureWindow]) { self.windows = windows }
    }
}
