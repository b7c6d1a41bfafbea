// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.exposure1.varlink. Change the text, and generate again.

extension Exposure1 {
    /// The text of `org.vigil.exposure1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Exposure Notification as apps on phones know it: Google's ExposureNotificationClient and Apple's ENManager, with the same
# words for the same things. Answers are about the person who wears this device; on a device that stands in a place most methods
# refuse with WrongRole.
#
# Days are UTC days since 1970. Attenuations are decibels. Nothing here tells who was met, where, or at what minute.
# @server core
interface org.vigil.exposure1

# What the device is doing.
type Status (
  # Whether somebody has agreed that this device beacons and listens, and not withdrawn it.
  enabled: bool,
  # What follows from it and from what the device can do at the moment.
  state: (active, disabled, timeUnknown, radioTrouble, stopping),
  # The state in an English sentence, with what to do about it.
  sentence: string,
  # Whose risk this device stands for.
  role: (person, place),
  # How far the time is trusted.
  timeState: (untrusted, plausible, authenticated),
  # Published people met in the last 14 days, whatever their report type; absent for callers that cannot read results.
  matchCount: ?int,
  # Files of diagnosis keys matched and remembered: for 14 days, longer where the time is not certain enough to forget anything.
  matchedFileCount: int,
  # When files were matched last, Unix seconds; absent if never.
  lastMatched: ?int,
  # Whether files are being matched now.
  matching: bool,
  # What the caller may still provide.
  limit: Limit
)

# How often a caller may provide files.
type Limit (
  # Calls per UTC day; absent for callers that cannot read results: for them only refused calls are limited, to 200 a UTC day.
  perDay: ?int,
  # Calls of this UTC day, refused ones included.
  used: int,
  # When the next call is permitted, Unix seconds; absent if it is now.
  nextPermitted: ?int
)

# Tells what the device is doing now.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetStatus() -> (
  # What the device is doing.
  status: Status
)

# The state now, then again after every change, with what changed. Callers that cannot read results are not told of matches,
# and who has no part in the wearer's consents hears nothing of those, of released keys and of pairing.
# [Requires 'more' flag]
# @roles wearer technicianReadOnly technician
# @results nothing
# @fleet
method Watch() -> (
  # What happened; `current` in the first reply.
  event: (current, enabled, disabled, stateChanged, roleChanged, timeChanged, filesProvided, matchesChanged, mappingChanged, keysReleased, consentGiven, pairingChanged, troubled, recovered),
  # The state after it.
  status: Status
)

# One file of a call.
type ProvidedFile (
  # As the caller named it.
  name: string,
  # `repeated` when the same content was matched before: it is never matched twice.
  outcome: (matched, repeated),
  # Published people in it, revisions included.
  keyCount: int,
  # The period its keys were published for, as its signature covers it, Unix seconds; absent if the file names none. Also of what is `repeated`:
  # whoever asked a server for another period knows by this that it was not given what it asked for.
  startSeconds: ?int,
  # The moment after the last of that period.
  endSeconds: ?int,
  # The region its keys were published for, as its signature covers it; absent if the file names none.
  regionName: ?string
)

# A source of key files, as far as it matters to how fresh the risk is. At most 16.
type Source (
  # The name that the operator gave it; at most 32 bytes.
  name: string,
  # The region its files are signed for; absent if that is not known. At most 32 bytes.
  region: ?string,
  # Whether it publishes a file for every period, also when there are no keys.
  continuous: bool
)

# What a call came to.
type ProvideResult (
  # In the order given. At most 128.
  files: []ProvidedFile,
  # People newly found to have been met; absent for callers that cannot read results.
  newMatchCount: ?int,
  # People found before of whom something else was published now: a revocation, another report type; absent for callers that
  # cannot read results.
  changedMatchCount: ?int,
  # Entries left out because they break the format's rules.
  refusedKeyCount: int,
  # Up to when everything of the call's source is known here, by the signed periods of files, Unix seconds; absent if nothing is, or no source was
  # named.
  knownUntilSeconds: ?int,
  # Which of the last 14 whole days (UTC, since 1970) are known here as a whole, by the signed periods of files; absent if no source was named. At
  # most 14.
  knownDays: ?[]int
)

# Matches signed files of diagnosis keys with what was heard. The files lie in the caller's spool folder. All of them take effect
# or none: a file whose signature does not verify, or a batch that is not whole, leaves everything as it was. An attempt counts
# towards the limit before it begins. With 'more', progress comes first.
# [Supports 'more' flag]
# @roles none
# @results nothing
method ProvideDiagnosisKeys(
  # Plain names of files in the caller's spool folder. At most 128.
  files: []string,
  # The one of `sources` that they are from.
  source: ?string,
  # All sources that the caller asks: the risk is outdated as soon as one of them is. Those named before and not now are forgotten; absent
  # changes nothing. At most 16.
  sources: ?[]Source
) -> (
  # Bytes of the present file read so far, after decompression; only in replies that another one follows.
  progressByteCount: ?int,
  # Files done so far; only in replies that another one follows.
  progressFileCount: ?int,
  # What the call came to; only in the last reply.
  result: ?ProvideResult
)

# Numbers of report types are those of the export format.
type ReportTypeWeights (
  # What a test confirmed, 0 to 2.5.
  confirmedTest: float,
  # What a clinician diagnosed, 0 to 2.5.
  confirmedClinicalDiagnosis: float,
  # What people reported of themselves, 0 to 2.5.
  selfReport: float
)

# What one scan heard of one person.
type ScanInstance (
  # The mean attenuation over the scan.
  typicalAttenuation: int,
  # The smallest attenuation of the scan.
  minAttenuation: int,
  # The time since the scan before, as seconds in whole minutes, 0 to 300.
  secondsSinceLastScan: int
)

# Up to half an hour near one person who published.
# @results windows
type ExposureWindow (
  # UTC day.
  day: int,
  # How the infection was established.
  reportType: (confirmedTest, confirmedClinicalDiagnosis, selfReport),
  # How infectious the person was on that day, under the mapping.
  infectiousness: (standard, high),
  # How well the other device's signal strength is known.
  calibrationConfidence: (lowest, low, medium, high),
  # In time order. At most 72.
  scanInstances: []ScanInstance
)

# All windows of the last 14 days under the present mapping, in an order that says nothing.
# [Supports 'more' flag]
# @roles none
# @results windows
method GetExposureWindows() -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  windows: []ExposureWindow
)

# How windows become scores: Google's DailySummariesConfig.
type DailySummariesConfiguration (
  # Three rising limits, 0 to 255: immediate, near, medium. At most 3.
  attenuationThresholds: []int,
  # Four weights, 0 to 2.5, for immediate, near, medium and other. At most 4.
  attenuationWeights: []float,
  # By how the infection was established.
  reportTypeWeights: ReportTypeWeights,
  # For standard infectiousness, 0 to 2.5.
  standardInfectiousnessWeight: float,
  # For high infectiousness, 0 to 2.5.
  highInfectiousnessWeight: float,
  # Windows that score less are left out; seconds.
  minimumWindowScore: ?float,
  # Windows of more days ago are left out; 0 leaves none out.
  daysSinceExposureThreshold: ?int
)

# Scores in weighted seconds.
type DailyScores (
  # The highest score of a window.
  maximumScore: float,
  # Sum over the windows.
  scoreSum: float,
  # Sum of their seconds, weighted by attenuation only.
  weightedDurationSum: float
)

# What one day amounts to.
# @results windows
type DailySummary (
  # UTC day.
  day: int,
  # All report types together.
  total: DailyScores,
  # Of what a test confirmed.
  confirmedTest: ?DailyScores,
  # Of what a clinician diagnosed.
  confirmedClinicalDiagnosis: ?DailyScores,
  # Of what people reported of themselves.
  selfReport: ?DailyScores
)

# The days that have windows, oldest first.
# @roles none
# @results windows
method GetDailySummaries(
  # Weights and limits.
  configuration: DailySummariesConfiguration
) -> (
  # At most 16.
  dailySummaries: []DailySummary
)

# First-generation parameters: Google's ExposureConfiguration.
type ExposureConfiguration (
  # Scores below it become 0; 1 to 4096.
  minimumRiskScore: int,
  # By attenuation: above 73, 63, 51, 33, 27, 15, 10 dB, and the rest; each 0 to 8. At most 8.
  attenuationScores: []int,
  # By days since the exposure: 14, 12, 10, 8, 6, 4, 2 or more, and the rest; each 0 to 8. At most 8.
  daysSinceLastExposureScores: []int,
  # By minutes: 0, up to 5, 10, 15, 20, 25, 30, and more; each 0 to 8. At most 8.
  durationScores: []int,
  # By transmission risk level 1 to 8; each 0 to 8. At most 8.
  transmissionRiskScores: []int,
  # Limits between the three attenuation durations, 0 to 255; 50 and 74 if absent. At most 2.
  durationAtAttenuationThresholds: ?[]int
)

# What everything amounts to by the rules of the first generation.
# @results summaries
type ExposureSummary (
  # Days since the last exposure; absent without one.
  daysSinceLastExposure: ?int,
  # Published people met.
  matchedKeyCount: int,
  # The highest score of an exposure.
  maximumRiskScore: int,
  # Sum of the scores.
  summationRiskScore: int,
  # Minutes below, between and above the attenuation limits, each at most 30. At most 3.
  attenuationDurationsInMinutes: []int
)

# Tells what everything amounts to by the rules of the first generation.
# @roles none
# @results summaries
method GetExposureSummary(
  # Weights and limits.
  configuration: ExposureConfiguration
) -> (
  # What everything amounts to.
  summary: ExposureSummary
)

# One encounter by the rules of the first generation.
# @results summaries
type ExposureInformation (
  # UTC day of the encounter.
  day: int,
  # The duration in minutes, a multiple of 5, at most 30.
  durationMinutes: int,
  # The attenuation, weighted by time.
  attenuationValue: int,
  # The transmission risk level that was published with the key.
  transmissionRiskLevel: int,
  # The score, 0 to 4096.
  totalRiskScore: int,
  # Minutes below, between and above the attenuation limits, each at most 30. At most 3.
  attenuationDurationsInMinutes: []int
)

# The encounters by the rules of the first generation, in an order that says nothing.
# [Supports 'more' flag]
# @roles none
# @results summaries
method GetExposureInformation(
  # Weights and limits.
  configuration: ExposureConfiguration
) -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  information: []ExposureInformation
)

# The health authority's reading of what was published: Google's DiagnosisKeysDataMapping.
type DiagnosisKeysDataMapping (
  # How infectious somebody is on each of the days -14 to 14 since the onset of symptoms. At most 29.
  daysSinceOnsetToInfectiousness: []Infectiousness,
  # Where no onset was published, or one outside of these days.
  infectiousnessWhenDaysSinceOnsetMissing: Infectiousness,
  # What counts where no report type was published.
  reportTypeWhenMissing: (confirmedTest, confirmedClinicalDiagnosis, selfReport)
)

# How infectious somebody was.
type Infectiousness (none, standard, high)

# The mapping that holds now.
# @roles none
# @results nothing
method GetDiagnosisKeysDataMapping() -> (
  # What holds.
  mapping: DiagnosisKeysDataMapping,
  # From when it may be changed, Unix seconds; absent if it may be now.
  changeableFrom: ?int
)

# Changes the mapping, at most once in seven days; setting what holds already costs nothing. Windows and summaries of the last 14
# days follow it at once.
# @roles none
# @results nothing
method SetDiagnosisKeysDataMapping(
  # What is to hold.
  mapping: DiagnosisKeysDataMapping
) -> ()

# The limit of the day is used up.
error LimitReached (
  # When the next call is permitted, Unix seconds.
  nextPermitted: int,
  # Why, in an English sentence.
  reason: string
)

# The time is not known well enough: identifiers could not be compared.
error TimeUnknown (
  # What is known about the time, with what to do.
  reason: string
)

# Nobody has agreed that this device takes part.
error NotEnabled (
  # Why, in an English sentence, with what to do.
  reason: string
)

# A device in a place has no personal risk; a person's device is no place.
error WrongRole (
  # Why, in an English sentence, with what to do.
  reason: string
)

# A file was refused; nothing was taken from any file of the call.
error FileRefused (
  # As the caller named it.
  file: string,
  # The rule that it breaks, in one stable word; docs/key-intake.md has them all.
  rule: string,
  # The place in the file, in bytes from its beginning; absent if there is none.
  offset: ?int,
  # Why, in an English sentence, with what to do.
  reason: string
)

# Other files are being matched and others wait already.
error Busy (
  # Why, in an English sentence, with what to do.
  reason: string
)

# What is kept cannot be read or written now. The beacon does not depend on it.
error StorageUnavailable (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.exposure1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Tells what the device is doing now.
        case getStatus = "GetStatus"
        /// The state now, then again after every change, with what changed. Callers that cannot read results are not told of matches,
        /// and who has no part in the wearer's consents hears nothing of those, of released keys and of pairing.
        case watch = "Watch"
        /// Matches signed files of diagnosis keys with what was heard. The files lie in the caller's spool folder. All of them take effect
        /// or none: a file whose signature does not verify, or a batch that is not whole, leaves everything as it was. An attempt counts
        /// towards the limit before it begins. With 'more', progress comes first.
        case provideDiagnosisKeys = "ProvideDiagnosisKeys"
        /// All windows of the last 14 days under the present mapping, in an order that says nothing.
        case getExposureWindows = "GetExposureWindows"
        /// The days that have windows, oldest first.
        case getDailySummaries = "GetDailySummaries"
        /// Tells what everything amounts to by the rules of the first generation.
        case getExposureSummary = "GetExposureSummary"
        /// The encounters by the rules of the first generation, in an order that says nothing.
        case getExposureInformation = "GetExposureInformation"
        /// The mapping that holds now.
        case getDiagnosisKeysDataMapping = "GetDiagnosisKeysDataMapping"
        /// Changes the mapping, at most once in seven days; setting what holds already costs nothing. Windows and summaries of the last 14
        /// days follow it at once.
        case setDiagnosisKeysDataMapping = "SetDiagnosisKeysDataMapping"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.exposure1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getStatus: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .watch: Law([.wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .provideDiagnosisKeys: Law([], .nothing)
            case .getExposureWindows: Law([], .windows)
            case .getDailySummaries: Law([], .windows)
            case .getExposureSummary: Law([], .summaries)
            case .getExposureInformation: Law([], .summaries)
            case .getDiagnosisKeysDataMapping: Law([], .nothing)
            case .setDiagnosisKeysDataMapping: Law([], .nothing)
            }
        }
    }
}
