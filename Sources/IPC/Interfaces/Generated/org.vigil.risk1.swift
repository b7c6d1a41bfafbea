// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.risk1.varlink. Change the text, and generate again.

extension Risk1 {
    /// The text of `org.vigil.risk1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What was heard of published people amounts to, by the health authority's rules, and why: about the person who wears this device. On a
# device that stands in a place everything but the configuration refuses with WrongRole.
#
# Days are UTC days since 1970. Nothing here tells who was met, where, or at what minute.
# @server core
interface org.vigil.risk1

# A number, what it is held against, and what follows.
# @results windows
type Verdict (
  # The number, in the unit of the assessment.
  score: float,
  # The number from which on the level is increased; absent when nothing can reach it.
  increasedFrom: ?float,
  # The level; absent when the rules give the number none.
  level: ?(low, increased)
)

# How many people at least, by the level of the encounter.
type Encounters (
  # How many were met with a low risk, at least.
  low: int,
  # How many were met with an increased risk, at least.
  increased: int
)

# What one UTC day amounts to.
type Day (
  # The UTC day.
  day: int,
  # Its number and level.
  verdict: Verdict,
  # How many people were met; absent where the model does not count them.
  encounters: ?Encounters
)

# The rules that hold.
type Rules (
  # The name of the model.
  model: (dailySummaries, cwaFirst, cwaSecond, nhsFirst, nhsSecond, swissCovid),
  # The unit of the numbers.
  unit: (weightedMinutes, weightedSeconds, points),
  # Why not the authority's first choice alone, and what could not be judged, in English sentences; absent if there is nothing to say.
  fallback: ?string,
  # The version of the authority's signed configuration.
  version: int
)

# A warning that was given to the person and taken back since by whoever had published it.
type TakenBack (
  # The UTC day it was about.
  day: int,
  # When this device learned of it, Unix seconds.
  learned: int
)

# What follows from one source: a health authority that this device follows, judged by its own rules over its own keys. No number of one
# is added to another's.
type SourceWord (
  # The name by which everything calls it; `authority` is the one whose keys are on the command line.
  name: string,
  # What people call it, by language (en, de, fr, de-simple); empty where nobody has said.
  title: [string]string,
  # What it says of the person. off: it has ended or switched off its service; nothing is missing that it could say.
  state: (low, increased, unknown, outdated, paused, ended, off),
  # The state in an English sentence, with what to do about it.
  sentence: string,
  # The day that its advice counts from; absent without one.
  mostRelevantDay: ?int,
  # Its rules; absent while there is no assessment.
  rules: ?Rules,
  # All its days together, where its model judges them so.
  combined: ?Verdict,
  # Days with encounters that were judged by it, oldest first. At most 16.
  days: []Day,
  # How many people who were heard and of whom it warns nobody could judge; absent if there are none.
  unjudged: ?int,
  # When its days were judged last, Unix seconds; absent if never.
  assessed: ?int,
  # When its published keys were compared last, Unix seconds; absent if never.
  lastMatched: ?int,
  # Its warnings that were taken back in the last 14 days, oldest day first; absent if there are none. At most 16.
  takenBack: ?[]TakenBack
)

# The state, and the days it follows from.
# @results windows
type Risk (
  # What to tell the person.
  state: (low, increased, unknown, outdated, inactive, paused, ended),
  # The state in an English sentence, with what to do about it.
  sentence: string,
  # Whether something has changed that nobody has acknowledged.
  news: bool,
  # The day that advice counts from; absent without one.
  mostRelevantDay: ?int,
  # The rules that were used; absent while there is no assessment.
  rules: ?Rules,
  # All days together, for models that judge them so.
  combined: ?Verdict,
  # Days with encounters that were judged, oldest first. At most 16.
  days: []Day,
  # How many of the published keys that were heard the rules cannot judge; absent when they can judge all. With any, the state is never low.
  unjudged: ?int,
  # When the days were judged last, Unix seconds; absent if never.
  assessed: ?int,
  # When published keys were compared last, Unix seconds; absent if never.
  lastMatched: ?int,
  # End of service: from when on everything on this device is erased, Unix seconds.
  eraseFrom: ?int,
  # Warnings taken back in the last 14 days, oldest day first; absent if there are none. A day that is increased again is not among them.
  # At most 16.
  takenBack: ?[]TakenBack,
  # The latest UTC day of which the person was told that the risk is increased, days since 1970, while the state does not say so because nothing
  # is judged: its advice still applies. Absent without one, and while the state is increased.
  told: ?int,
  # Where several sources are followed: what follows from each. The state is increased if one says so; never low while somebody whom it
  # warns of is judged by nobody; otherwise low if one was judged, with a sentence for each that was not. The numbers beside the state are
  # those of one source. Absent with one source. At most 24.
  sources: ?[]SourceWord
)

# Tells what there is to tell the person now.
# @roles wearer
# @results windows
method GetRisk() -> (
  # The state, and the days it follows from.
  risk: Risk
)

# There is news, or there is none: now, and again after every change. What the news is, GetRisk says.
# [Requires 'more' flag]
# @roles wearer
# @results windows
method Watch() -> (
  # Whether something has changed that nobody has acknowledged.
  news: bool
)

# The person has seen the news.
# @roles wearer
# @results nothing
method Acknowledge() -> ()

# Time at some attenuation.
type Band (
  # The lowest attenuation in dB, inclusive; absent for no limit.
  from: ?float,
  # The attenuation in dB below which it is; absent for no limit.
  below: ?float,
  # The time at that attenuation, as seconds in whole minutes.
  seconds: int,
  # The weight with which that time counts.
  weight: float
)

# One encounter of up to half an hour, or one exposure of the first generation.
# @results windows
type Contribution (
  # UTC day.
  day: int,
  # The time by nearness, as the model looks at it. At most 16.
  bands: []Band,
  # How the infection was established; absent where the model does not ask.
  reportType: ?(unknown, confirmedTest, confirmedClinicalDiagnosis, selfReport),
  # How infectious the person was on that day; absent where the model does not ask.
  infectiousness: ?(none, standard, high),
  # The transmission risk level, 0 to 8; absent where the model does not ask.
  transmissionRiskLevel: ?int,
  # What the weighted time is multiplied with.
  factor: float,
  # Estimated distance in metres; absent where the model does not estimate one.
  estimatedDistance: ?float,
  # The number, in the unit of the assessment.
  score: float,
  # The level of this part by itself; absent where the model has none.
  level: ?(low, increased),
  # The reason why it counts, or does not.
  outcome: (counted, tooShort, levelFiltered, notCounted, tooOld, belowMinimum, empty),
  # How well the other device's signal strength is known; absent in the first generation.
  calibrationConfidence: ?(lowest, low, medium, high)
)

# What each day's verdict is made of, the weightiest first, day by day.
# [Supports 'more' flag]
# @roles wearer
# @results windows
method Explain(
  # The only day to be explained; absent for all.
  day: ?int,
  # The source whose days are explained; absent for the one whose numbers GetRisk shows.
  source: ?string
) -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  contributions: []Contribution
)

# Takes rules that an authority published, in the form that its profile says, whoever brings them. What is not newer than the present
# ones, not signed by a configuration key of that authority, or wrong in any part changes nothing.
# @roles technician
# @results nothing
# @fleet
method TakeConfiguration(
  # The authority whose rules they are: the name of an authority's profile; absent for the device's own authority.
  source: ?string,
  # The document as it was published (docs/risk-configuration.md) in Base64. At most 24 KiB.
  document: string,
  # What proves whose it is, as its form has it: export.sig, the lines of two headers, or a token; in Base64. At most 4 KiB.
  approvals: string
) -> (
  # The version of the newest configuration taken.
  version: int,
  # Whether this one was new.
  changed: bool
)

# The configuration of a source that holds.
# @roles wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetConfiguration(
  # The source whose configuration is meant; absent for `authority`.
  source: ?string
) -> (
  # The version of the newest configuration taken, which may not hold yet; 0 without one. Where no source was named and none is `authority`, the
  # lowest of them.
  version: int,
  # JSON text (docs/schemas/risk-configuration.schema.json); absent when no authority has told this device its rules.
  configuration: ?string,
  # Where no source was named: those that are followed and have none yet. Absent when all have. At most 16.
  missing: ?[]string
)

# The device stands in a place and has no personal risk.
error WrongRole (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The device does not know what day it is.
error TimeUnknown (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The configuration is refused; what held before holds.
error ConfigurationRefused (
  # The rule that it breaks, in one stable word.
  rule: string,
  # Why, in an English sentence, with every place that is wrong.
  reason: string
)

# The disk does not answer as it should.
error StorageUnavailable (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.risk1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Tells what there is to tell the person now.
        case getRisk = "GetRisk"
        /// There is news, or there is none: now, and again after every change. What the news is, GetRisk says.
        case watch = "Watch"
        /// The person has seen the news.
        case acknowledge = "Acknowledge"
        /// What each day's verdict is made of, the weightiest first, day by day.
        case explain = "Explain"
        /// Takes rules that an authority published, in the form that its profile says, whoever brings them. What is not newer than the present
        /// ones, not signed by a configuration key of that authority, or wrong in any part changes nothing.
        case takeConfiguration = "TakeConfiguration"
        /// The configuration of a source that holds.
        case getConfiguration = "GetConfiguration"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.risk1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getRisk: Law([.wearer], .windows)
            case .watch: Law([.wearer], .windows)
            case .acknowledge: Law([.wearer], .nothing)
            case .explain: Law([.wearer], .windows)
            case .takeConfiguration: Law([.technician], .nothing, isForFleets: true)
            case .getConfiguration: Law([.wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            }
        }
    }
}
