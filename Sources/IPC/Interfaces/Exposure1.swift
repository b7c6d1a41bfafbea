// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.exposure1`; the interface's text says what each part means.
public enum Exposure1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.exposure1"

    /// The state of the device. `active`: it sends and listens, or in a place listens; `disabled`: nobody has agreed to
    /// take part; `timeUnknown`: the time is not known well enough to send anything; `radioTrouble`: the radio does not
    /// work; `stopping`: the core is being stopped.
    public enum State: String, Codable, Sendable { case active, disabled, timeUnknown, radioTrouble, stopping }
    /// The subject of the risk that the device judges: the `person` who wears it, or nobody, because it stands in a
    /// `place`.
    public enum Role: String, Codable, Sendable { case person, place }
    /// The trust in the time. `untrusted`: nothing is sent; `plausible`: a clock, the network or the operator says so;
    /// `authenticated`: signed by the authority.
    public enum TimeState: String, Codable, Sendable { case untrusted, plausible, authenticated }

    /// The event that a watcher is told of.
    public enum Event: String, Codable, Sendable {
        /// `current`: the first reply, nothing has happened; `enabled`, `disabled`: somebody agreed to take part, or
        /// withdrew it; `stateChanged`, `roleChanged`, `timeChanged`, `mappingChanged`: ``Status``, role, time or mapping
        /// is another; `filesProvided`: a call's files were matched; `matchesChanged`: people were newly found to have been
        /// met, or something else was published of them.
        case current, enabled, disabled, stateChanged, roleChanged, timeChanged, filesProvided, matchesChanged,
            mappingChanged
        /// The wearer's own acts (`keysReleased`, `consentGiven`, `pairingChanged`), told to few watchers only; and the
        /// radio: it has got into trouble (`troubled`), or out of it (`recovered`).
        case keysReleased, consentGiven, pairingChanged, troubled, recovered
    }

    /// The state of the device, and what the caller may still ask of it.
    public struct Status: Codable, Sendable, Equatable {
        /// Whether somebody has agreed that this device beacons and listens, and not withdrawn it.
        public var enabled: Bool
        /// The state that follows from the consent and from what the device can do at the moment.
        public var state: State
        /// The state in an English sentence, with what to do about it.
        public var sentence: String
        /// The subject of the risk that the device judges; see ``Role``.
        public var role: Role
        /// The trust in the time, from `untrusted` to `authenticated`.
        public var timeState: TimeState
        /// The number of published people who were met in the last 14 days, whatever their report type; 0 or more. `nil` for callers that cannot read
        /// results.
        public var matchCount: Int?
        /// The number of files of diagnosis keys that were matched and are remembered: for 14 days, longer where the time is not certain enough to
        /// forget anything; 0 or more.
        public var matchedFileCount: Int
        /// The time when new files of a source that is followed were matched last, Unix seconds; `nil` if never.
        public var lastMatched: Int64?
        /// Whether files are being matched now, or wait for it.
        public var matching: Bool
        /// The caller's limit for providing files, and its use of it today.
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

    /// The number of times that a caller may provide files in a day, and the number of times that it did today.
    public struct Limit: Codable, Sendable, Equatable {
        /// The number of calls that are permitted per UTC day: 6 for callers that can read windows, 20 for those that can read summaries alone. `nil`
        /// for callers that cannot read results: they are bound by distinct signed content instead, and by 200 calls a day whose files were refused.
        public var perDay: Int?
        /// The number of the caller's calls on this UTC day that were taken up, those whose files were refused then included; 0 or more, and 0 while
        /// the time is not known.
        public var used: Int
        /// The time when the next call is permitted, Unix seconds: the next midnight (UTC). `nil` if it is now, and while the time is not known.
        public var nextPermitted: Int64?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(perDay: Int?, used: Int, nextPermitted: Int64?) {
            self.perDay = perDay
            self.used = used
            self.nextPermitted = nextPermitted
        }
    }

    /// Reply of `GetStatus`: what the device is doing now.
    public struct StatusReply: Codable, Sendable {
        /// The device's state at the time of the call.
        public var status: Status

        /// Creates the reply of the core to `GetStatus`. No value is checked.
        public init(status: Status) { self.status = status }
    }

    /// Reply of `Watch`: the state now, then again after every change.
    public struct WatchReply: Codable, Sendable {
        /// The event; `current` in the first reply, where nothing has happened.
        public var event: Event
        /// The device's state after the event.
        public var status: Status

        /// Creates the reply of the core to `Watch`. No value is checked.
        public init(event: Event, status: Status) {
            self.event = event
            self.status = status
        }
    }

    /// Parameters of `ProvideDiagnosisKeys`. All files take effect or none: what breaks a rule of docs/key-intake.md is refused with `FileRefused`,
    /// one call too many with `LimitReached`, a fifth at a time with `Busy`; every call with `WrongRole` in a place, `NotEnabled` before anybody has
    /// agreed, `TimeUnknown` without a time.
    public struct Files: Codable, Sendable {
        /// Plain names of files in the caller's spool folder; at most 128.
        public var files: [String]
        /// The name of that one of ``sources`` which the files are from; at most 32 bytes. `nil` if the caller does not say.
        public var source: String?
        /// All sources that the caller asks, at most 16: the risk is outdated as soon as one of them is. Those named before and not now
        /// are forgotten; `nil` changes nothing.
        public var sources: [Source]?

        /// Creates the parameters of a call of `ProvideDiagnosisKeys`. Nothing is checked here: the core checks the values
        /// when the call arrives. See the properties for `nil`.
        public init(files: [String], source: String? = nil, sources: [Source]? = nil) {
            self.files = files
            self.source = source
            self.sources = sources
        }
    }

    /// A source of key files, as far as it matters to how fresh the risk is.
    public struct Source: Codable, Sendable, Equatable {
        /// The source's name, as the operator gave it; at most 32 bytes of UTF-8.
        public var name: String
        /// The region for which its files are signed; `nil` if that is not known. At most 32 bytes.
        public var region: String?
        /// Whether the source publishes a file for every period, also when there are no keys.
        public var continuous: Bool

        /// Creates the parameters of a call of `ProvideDiagnosisKeys`. Nothing is checked here: the core refuses names and
        /// regions that are too long with `FileRefused`. See the properties for `nil`.
        public init(name: String, region: String?, continuous: Bool) {
            self.name = name
            self.region = region
            self.continuous = continuous
        }
    }

    /// The outcome of one file of a call.
    public struct ProvidedFile: Codable, Sendable, Equatable {
        /// The outcome of a file. `matched`: its keys were compared; `repeated`: the same content was matched before, and
        /// is never matched twice.
        public enum Outcome: String, Codable, Sendable { case matched, repeated }

        /// The file's name, as the caller gave it.
        public var name: String
        /// The outcome of the file: its keys were compared now, or had been before.
        public var outcome: Outcome
        /// The number of keys of published people in it, revisions included; 0 or more, and 0 where a repeated file was not read again.
        public var keyCount: Int
        /// The start of the period for which its keys were published, as its signature covers it, Unix seconds; `nil` if the file names none. Also of
        /// a repeated file.
        public var startSeconds: Int64?
        /// The moment after the last of that period, Unix seconds; `nil` if the file names none. Also of a repeated file.
        public var endSeconds: Int64?
        /// The region for which its keys were published, as its signature covers it; `nil` if the file names none.
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
        /// The outcome of each file, in the order given; at most 128.
        public var files: [ProvidedFile]
        /// The number of people who were newly found to have been met, 0 or more; `nil` for callers that cannot read results.
        public var newMatchCount: Int?
        /// The number of people found before of whom something else was published now, such as a revocation or another report type; 0 or more. `nil`
        /// for callers that cannot read results.
        public var changedMatchCount: Int?
        /// The number of entries of all files that were left out because they break the format's rules; 0 or more.
        public var refusedKeyCount: Int
        /// The moment up to which everything of the call's source is known here, by the signed periods of files, Unix
        /// seconds; `nil` if nothing is, or no source was named.
        public var knownUntilSeconds: Int64?
        /// The days of the last 14 whole UTC days, as numbers of days since 1970, that are known here as a whole, by the
        /// signed periods of files; at most 14. `nil` if no source was named.
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

    /// Reply of `ProvideDiagnosisKeys`: progress, or in the last reply the result.
    public struct ProvideReply: Codable, Sendable {
        /// The number of bytes of the present file that were read so far, after decompression; 0 or more. `nil` in the last reply.
        public var progressByteCount: Int64?
        /// The number of files that are done so far, 0 or more; `nil` in the last reply.
        public var progressFileCount: Int?
        /// The outcome of the call; `nil` in all replies but the last.
        public var result: ProvideResult?

        /// Creates the reply of the core to `ProvideDiagnosisKeys`. No value is checked. See the properties for units and
        /// `nil`.
        public init(progressByteCount: Int64? = nil, progressFileCount: Int? = nil, result: ProvideResult? = nil) {
            self.progressByteCount = progressByteCount
            self.progressFileCount = progressFileCount
            self.result = result
        }
    }

    /// The evidence of an infection: a test, a clinician's finding, or a person's own report. Other types of the key file
    /// give no exposure.
    public enum ReportType: String, Codable, Sendable { case confirmedTest, confirmedClinicalDiagnosis, selfReport }
    /// The infectiousness of a person on a day, by the mapping. With `none` the day gives no exposure.
    public enum Infectiousness: String, Codable, Sendable { case none, standard, high }
    /// The confidence in the signal strength of the other device's model, from `lowest` (not at all) to `high`.
    public enum CalibrationConfidence: String, Codable, Sendable { case lowest, low, medium, high }

    /// The signal of one person in one scan.
    public struct ScanInstance: Codable, Sendable, Equatable {
        /// Mean attenuation over the scan, in dB, 0 or more.
        public var typicalAttenuation: Int
        /// Smallest attenuation of the scan, in dB, 0 or more.
        public var minAttenuation: Int
        /// Seconds since the scan before: whole minutes, 0 to 300.
        public var secondsSinceLastScan: Int

        /// Creates a part of replies of the core. No value is checked. See the properties for units.
        public init(typicalAttenuation: Int, minAttenuation: Int, secondsSinceLastScan: Int) {
            self.typicalAttenuation = typicalAttenuation
            self.minAttenuation = minAttenuation
            self.secondsSinceLastScan = secondsSinceLastScan
        }
    }

    /// A stretch of up to half an hour near one person who published. It tells the day, not the minute and not the person.
    public struct ExposureWindow: Codable, Sendable, Equatable {
        /// The UTC day of its first scan, in days since 1970.
        public var day: Int
        /// The evidence of the infection, by the key's report type.
        public var reportType: ReportType
        /// The infectiousness of the person on that day, by the mapping: `standard` or `high`, never `none`.
        public var infectiousness: Infectiousness
        /// The confidence in the other device's signal strength, as of the window's first scan.
        public var calibrationConfidence: CalibrationConfidence
        /// The scans in time order; at most 72.
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

    /// Reply of `GetExposureWindows`: windows of the last 14 days under the present mapping, in an order that says nothing.
    public struct WindowsReply: Codable, Sendable {
        /// One page of windows: as many as fit into 48 KiB of JSON.
        public var windows: [ExposureWindow]

        /// Creates the reply of the core to `GetExposureWindows`. No value is checked.
        public init(windows: [ExposureWindow]) { self.windows = windows }
    }
}
