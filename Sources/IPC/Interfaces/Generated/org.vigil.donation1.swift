// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.donation1.varlink. Change the text, and generate again.

extension Donation1 {
    /// The text of `org.vigil.donation1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Data donation (docs/donation.md): the wearer's consent, and what is done with it. The core keeps the consent, makes what is asked for and sent, and
# decides when; the one plugin that is granted GetStep carries it to the servers. It could read what it carries, but has no part in what that is.
# @server core
interface org.vigil.donation1

# What was agreed to.
type Consent (
  # When, Unix seconds.
  since: int,
  # The version of the text that the wearer read.
  text: int
)

# Who is responsible for what is sent for a purpose, in the words of the signed document: what the wearer is told before they agree.
type Responsible (
  # Who runs the server that gives tokens.
  issuer: string,
  # Who runs the server that takes what is sent.
  server: string,
  # Who gets what was sent.
  recipients: string,
  # For how many days it is kept at most, 2 to 3,650.
  keptDays: int
)

# A donation that is over.
type Past (
  # The day (UTC), in days since 1970.
  day: int,
  # taken: the server has it; refused: the server did not want it; lapsed: it was not sent in time, or the server that it was for is not in the document any more.
  outcome: (taken, refused, lapsed)
)

# What holds of a purpose of its own, for which something is sent once a month at most.
type Monthly (
  # Whether the health authority asks for it.
  isOffered: bool,
  # What the wearer agreed to; absent without a consent.
  consent: ?Consent,
  # From when on something is collected and sent, Unix seconds; absent without a consent.
  begins: ?int,
  # Whether there is a permission for this month that is not used yet.
  isPrepared: bool,
  # Why there is no permission this month; absent if that is not so. The words are those of GetDonation.
  stopped: ?(otherKey, deviceRefused, otherServers),
  # What was sent last, oldest first. At most 14.
  history: []Past,
  # Who is responsible for it; absent if the document does not say.
  responsible: ?Responsible
)

# A trouble of the board, by the words of the self-check. Others are never in an error log.
type Trouble (noController, transportProblem, radioSilent, radioDeaf, lateRotation, lostScans, ladderClimbed, storageProblem, storageFindings, auditBroken, diskNearlyFull)

# A line of an error log.
type LogLine (
  # What it was. Of a line this alone is sent.
  trouble: Trouble,
  # The day (UTC) on which it was seen last, in days since 1970; for the wearer only, and never sent.
  day: int
)

# A survey of the health authority on the web. Who gets the answers is the recipient of its Monthly, and a password is good for the days there.
type Survey (
  # Where it is, without a password.
  link: string,
  # What it is about, in the words of the signed document, by language such as en or de-simple. At most 16, and at least one.
  about: [string]string,
  # Whom it invites: everybody, or who is told of an increased risk. Who has agreed stays invited.
  invited: (everybody, increasedRisk)
)

# One scan of an encounter, as it is donated: rounded.
type Scan (
  # The attenuation of the signal, in decibels: a multiple of ten from 30 to 90.
  typical: int,
  # The least one, in the same steps.
  least: int,
  # Minutes since the scan before, 0 to 5.
  minutes: int
)

# An encounter with a person who was tested positive, as it is donated.
type Window (
  # The day (UTC), in days since 1970.
  day: int,
  # How the infection is known.
  reportType: (confirmedTest, confirmedClinicalDiagnosis, selfReport),
  # How infectious the person was that day.
  infectiousness: (standard, high),
  # How well the signal strengths are known, 0 to 3.
  confidence: int,
  # At most 15.
  scans: []Scan
)

# One thing to be done for the plugin that carries. Without a consent it is the same, as often, and tells the servers nothing: cover, which a
# plugin that looks knows by its first bytes, as the servers do.
type Step (
  # request: ask the issuer for a token; donate: send a donation.
  kind: (request, donate),
  # The day that it is for, in days since 1970.
  day: int,
  # Where to, like https://issuer.example/token-request.
  target: string,
  # What to send, in Base64: 259 bytes or 16 KiB.
  body: string,
  # The value of the header field Authorization; absent for a request, which needs the issuer's nonce first (SignEvidence).
  authorization: ?string
)

# What holds.
# @roles wearer
# @results nothing
method GetDonation() -> (
  # Whether the health authority asks for donations: a signed document about them is there.
  isOffered: bool,
  # The name of the server that gives tokens, in that document; absent without one.
  issuer: ?string,
  # The name of the server that takes donations, in that document; absent without one.
  server: ?string,
  # The last day (UTC) for which that document has a key, in days since 1970; absent without a document, or if it has none. Permissions are asked for from the
  # day after tomorrow on: if it is before that, there are none until the authority has a new document.
  lastKeyDay: ?int,
  # What the wearer agreed to; absent without a consent.
  consent: ?Consent,
  # From when on something is collected and sent, Unix seconds; absent without a consent.
  begins: ?int,
  # When the next donation is sent, Unix seconds; absent if that is not known yet.
  next: ?int,
  # For how many days to come there is a permission to donate.
  preparedDays: int,
  # Why no permissions are asked for any more, those that are there being used; absent if that is not so. otherKey: the issuer has twice used a key that is
  # not in the signed document; deviceRefused: the issuer gives this device none, and is asked again in about a week; otherServers: the document names other servers than the wearer has agreed
  # to, or says otherwise who is responsible for it or for how long it is kept, and no donation is sent either until they agree to that.
  stopped: ?(otherKey, deviceRefused, otherServers),
  # The last donations, oldest first. At most 14.
  history: []Past,
  # The error logs, which the wearer agrees to by themselves; absent if the health authority does not ask for them and there is no consent.
  log: ?Monthly,
  # Who is responsible for donations; absent if the document does not say.
  responsible: ?Responsible,
  # The version of the document; absent without one.
  documentVersion: ?int,
  # The first 128 bits of the SHA-256 of the document, in eight groups of four hexadecimal digits; absent without one. All devices that have this version have to have the same: a document for one
  # device alone could give it keys by which its donations are known.
  documentMark: ?string
)

# What a donation of now would tell of the wearer, without sending it. Before a consent it is an example: no encounter of before that is ever sent, but the
# risk of today comes from those of the last 14 days.
# @roles wearer
# @results windows
method GetPreview() -> (
  # Whether the wearer is told of an increased risk now.
  isIncreased: bool,
  # The probability with which a donation says so truly, 0.5 to 1; otherwise it says the opposite.
  truth: float,
  # Encounters. At most 100.
  windows: []Window,
  # How many encounters there are in all.
  count: int
)

# Agrees to donations by the servers of the document, or takes that back. Refused with TermsRefused without a document, and for a survey to which the wearer is not invited. Taking it back erases what was collected, tokens and what is under way. What was sent cannot be found again by
# anybody, so it cannot be erased.
# @roles wearer
# @results windows
method SetConsent(
  # Whether the wearer agrees; false takes it back.
  isAgreed: bool,
  # The version of the text that the wearer has read; needed to agree, 1 or more.
  text: ?int,
  # What it is about; donation if absent. A consent to one says nothing of the others, and taking one back leaves the others as they are.
  purpose: ?(donation, log, survey)
) -> ()

# The error log that would be sent, line by line; nothing is sent. Nothing is collected without a consent to logs, nor in its first 24 hours.
# @roles wearer
# @results nothing
method GetErrorLog() -> (
  # The lines, one for each trouble of the last 14 days. At most 11.
  lines: []LogLine,
  # What the wearer has let go and is not sent yet; empty if there is nothing. At most 11.
  released: []Trouble
)

# Lets the error log go that has exactly these troubles, which the wearer has had before them line by line: nothing else is sent, and nothing without this. It is sent in
# the place of a donation or of cover of a day to come, again if nobody answered, and not again if the server refused it: its lines are there once more then. Refused with LogChanged if the device has other troubles to tell of by now, none, or a log that is not sent yet, and while the consent is for other servers (stopped).
# @roles wearer
# @results nothing
method ReleaseErrorLog(
  # The troubles. At most 11.
  troubles: []Trouble
) -> ()

# The survey to which the wearer is invited, and the password that opens it once the donation server has its digest. The password is the wearer's secret: it is nowhere else, not in a log, not in what is exported, and
# not with the plugin that carries. That a wearer is invited can tell their risk.
# @roles wearer
# @results windows
# @exclusive
method GetSurvey() -> (
  # What holds of surveys; absent if the wearer is not invited and has agreed to none.
  held: ?Monthly,
  # The survey; absent without held, and if the document has none any more.
  survey: ?Survey,
  # How far it is. waits: nothing was sent yet; sent: the digest was sent, and nobody has answered; accepted: the password opens the survey; refused: the server
  # did not take it; expired: its days are over. Absent without a consent.
  state: ?(waits, sent, accepted, refused, expired),
  # The last day (UTC) on which the password is good, in days since 1970; absent in other states than accepted.
  lastDay: ?int,
  # The password: 28 digits and capital letters in groups of four. Secret; absent in other states than accepted, and while the consent is for another survey.
  password: ?string,
  # The link with the password in it. As secret as the password, and absent with it.
  passwordLink: ?string
)

# The device's name and the public half of its key, for the issuer's list of devices. Made with the first call, so not for who may
# only read.
# @roles technician
# @results nothing
method GetDonor() -> (
  # 17 bytes in Base64, the first of them 1.
  name: string,
  # SubjectPublicKeyInfo (P-256), in Base64.
  publicHalf: string
)

# A request (PKCS#10 in DER) to enter the device's key for evidence with its fleet's registration authority, for the plugin that enrols the board. The core
# makes it of that key alone, with an empty subject: nothing that a caller says is signed. It is there on every person's device that takes part (Enable)
# once there is a document about donations, whether its wearer agrees to donate or not: whoever keeps the list must not learn that.
# @roles none
# @results nothing
# @exclusive
method GetEnrolmentRequest() -> (
  # In Base64, about 200 bytes before; absent on any other device.
  request: ?string
)

# Takes the authority's signed document about donations, whoever brings it. One that is older, not signed by a configuration key in force, or wrong changes
# nothing.
# @roles technician
# @results nothing
# @fleet
method TakeTerms(
  # export.bin in Base64. At most 64 KiB before, but a message has 64 KiB in all.
  document: string,
  # Who signed it (export.sig), in Base64. At most 4 KiB before.
  approvals: string
) -> (
  # Of the newest document taken.
  version: int,
  # Whether this one was new.
  changed: bool
)

# What is to be done now, on the disk before it is answered; or when to ask again. For the plugin that carries. Who asks again without having said what
# came of a step gets it again after an hour at the earliest.
# @roles none
# @results windows
# @exclusive
method GetStep() -> (
  # Absent if there is nothing to be done now.
  step: ?Step,
  # In how many seconds to ask again if there is nothing to be done, 1 to 86,400.
  seconds: int
)

# Signs evidence for the request of a day, with the issuer's nonce (challenge). For cover by a key that is forgotten at once.
# @roles none
# @results nothing
method SignEvidence(
  # Days since 1970.
  day: int,
  # The issuer's nonce: 32 bytes in Base64.
  challenge: string
) -> (
  # The value of the header field Authorization.
  authorization: string
)

# Gives the issuer's answer to the request of a day.
# @roles none
# @results nothing
method TakeToken(
  # Days since 1970.
  day: int,
  # 256 bytes in Base64; absent if it refused or was not reached.
  answer: ?string,
  # Why there is no answer. notThisDay: this day's token is not to be had; notYet: no device gets one now; deviceRefused: this device gets none, or the issuer refused its evidence with its own nonce;
  # unreachable: anything else.
  refusal: ?(notThisDay, notYet, deviceRefused, unreachable)
) -> (
  # Whether the answer gave a token.
  isToken: bool
)

# Says what became of the donation of a day.
# @roles none
# @results nothing
method EndDonation(
  # Days since 1970.
  day: int,
  # absent if the server was not reached, or had a fault: it is tried again.
  outcome: ?(taken, refused)
) -> ()

# The document is refused; what held before holds.
error TermsRefused (
  # Which rule: one stable word.
  rule: string,
  # In an English sentence.
  reason: string
)

# There is no such step now: it was done, or the consent was taken back meanwhile.
error NoSuchStep ()

# The error log is not the one that the wearer has read, or may not be sent before they have agreed again: look at it again.
error LogChanged (
  # With what to do.
  reason: string
)

# The time is not known.
error TimeUnknown (
  # What is known about the time, with what to do.
  reason: string
)

# A device in a place donates nothing.
error WrongRole (
  # With what to do.
  reason: string
)

# What is kept cannot be read or written now.
error StorageUnavailable (
  # With what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.donation1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// What holds.
        case getDonation = "GetDonation"
        /// What a donation of now would tell of the wearer, without sending it. Before a consent it is an example: no encounter of before that is ever sent, but the
        /// risk of today comes from those of the last 14 days.
        case getPreview = "GetPreview"
        /// Agrees to donations by the servers of the document, or takes that back. Refused with TermsRefused without a document, and for a survey to which the wearer is not invited. Taking it back erases what was collected, tokens and what is under way. What was sent cannot be found again by
        /// anybody, so it cannot be erased.
        case setConsent = "SetConsent"
        /// The error log that would be sent, line by line; nothing is sent. Nothing is collected without a consent to logs, nor in its first 24 hours.
        case getErrorLog = "GetErrorLog"
        /// Lets the error log go that has exactly these troubles, which the wearer has had before them line by line: nothing else is sent, and nothing without this. It is sent in
        /// the place of a donation or of cover of a day to come, again if nobody answered, and not again if the server refused it: its lines are there once more then. Refused with LogChanged if the device has other troubles to tell of by now, none, or a log that is not sent yet, and while the consent is for other servers (stopped).
        case releaseErrorLog = "ReleaseErrorLog"
        /// The survey to which the wearer is invited, and the password that opens it once the donation server has its digest. The password is the wearer's secret: it is nowhere else, not in a log, not in what is exported, and
        /// not with the plugin that carries. That a wearer is invited can tell their risk.
        case getSurvey = "GetSurvey"
        /// The device's name and the public half of its key, for the issuer's list of devices. Made with the first call, so not for who may
        /// only read.
        case getDonor = "GetDonor"
        /// A request (PKCS#10 in DER) to enter the device's key for evidence with its fleet's registration authority, for the plugin that enrols the board. The core
        /// makes it of that key alone, with an empty subject: nothing that a caller says is signed. It is there on every person's device that takes part (Enable)
        /// once there is a document about donations, whether its wearer agrees to donate or not: whoever keeps the list must not learn that.
        case getEnrolmentRequest = "GetEnrolmentRequest"
        /// Takes the authority's signed document about donations, whoever brings it. One that is older, not signed by a configuration key in force, or wrong changes
        /// nothing.
        case takeTerms = "TakeTerms"
        /// What is to be done now, on the disk before it is answered; or when to ask again. For the plugin that carries. Who asks again without having said what
        /// came of a step gets it again after an hour at the earliest.
        case getStep = "GetStep"
        /// Signs evidence for the request of a day, with the issuer's nonce (challenge). For cover by a key that is forgotten at once.
        case signEvidence = "SignEvidence"
        /// Gives the issuer's answer to the request of a day.
        case takeToken = "TakeToken"
        /// Says what became of the donation of a day.
        case endDonation = "EndDonation"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.donation1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getDonation: Law([.wearer], .nothing)
            case .getPreview: Law([.wearer], .windows)
            case .setConsent: Law([.wearer], .windows)
            case .getErrorLog: Law([.wearer], .nothing)
            case .releaseErrorLog: Law([.wearer], .nothing)
            case .getSurvey: Law([.wearer], .windows, isExclusive: true)
            case .getDonor: Law([.technician], .nothing)
            case .getEnrolmentRequest: Law([], .nothing, isExclusive: true)
            case .takeTerms: Law([.technician], .nothing, isForFleets: true)
            case .getStep: Law([], .windows, isExclusive: true)
            case .signEvidence: Law([], .nothing)
            case .takeToken: Law([], .nothing)
            case .endDonation: Law([], .nothing)
            }
        }
    }
}
