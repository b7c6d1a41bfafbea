// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.diagnosis1.varlink. Change the text, and generate again.

extension Diagnosis1 {
    /// The text of `org.vigil.diagnosis1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Tests of the wearer and warnings that follow from them. What is said here is for whoever stands before the device: a result only to those
# who ask for it, codes only in.
# @server plugin
interface org.vigil.diagnosis1

# One test. Its result is not in it.
type Test (
  # From 1 on; never used again.
  number: int,
  # What was taken.
  kind: (pcr, rapidAntigen, rapidPCR),
  # Whether it was entered as a number of a hotline.
  byTelephone: bool,
  # When it was entered, Unix seconds.
  entered: int,
  # registering: the server does not know of it yet. waiting: the result is not there. ready: it can be asked for. refused: there will be none.
  state: (registering, waiting, ready, refused),
  # How far a warning has come; absent without one.
  warning: ?(agreed, prepared, sending, sent, ended),
  # What became of the registration or the warning, in an English sentence, with what to do; absent while there is nothing to say.
  sentence: ?string,
  # Whether there is something that nobody has looked at.
  news: bool,
  # Why there will be no result, while `state` is refused. expired: a hotline's number whose time was over. otherBirth: the laboratory has another
  # date of birth. answerLost: registered, and the answer got lost. forgotten: the server keeps it no longer.
  # spent: the server took the code and failed then. unsupported: a kind of result that this software does not know. misconfigured: the server does
  # not let this device in.
  refusal: ?(unknownOrUsed, expired, otherBirth, answerLost, forgotten, spent, unsupported, misconfigured),
  # How far the rest of the day is on which the warning's keys were taken; absent without a warning. It follows after midnight (UTC), by the same
  # consent. dropped: it was not sent in time, or was refused. nothing: the device sent nothing then. notOffered: the server takes keys once, so
  # that nobody met in those hours is warned.
  remainder: ?(waiting, prepared, sending, sent, withdrawn, dropped, nothing, notOffered),
  # From when that rest is, Unix seconds; absent without one.
  remainderFrom: ?int,
  # Until when it is, Unix seconds; absent without one.
  remainderTo: ?int,
  # How many visits go, or went, along with the warning (org.vigil.checkin1); absent before its keys are there, on a device without check-in, and
  # where the authority takes none.
  visits: ?int,
  # Why no visit goes along, while `visits` is 0; absent otherwise, and where an earlier version did not note it. noneCounts: the diary has none left
  # that the wearer lets be published and that counts by the authority's rules. underWay: it has none left, and visits wait to go out with another test's
  # warning. tooMany: so many earlier warnings with visits are not over that one more could not be noted. unanswered: the
  # diary did not answer, or could not hand any out. noRoom: the keys leave no room for them.
  noVisits: ?(noneCounts, underWay, tooMany, unanswered, noRoom)
)

# What a wearer says about symptoms.
type Symptoms (
  # since: the days are known (daysAgo).
  statement: (since, lastSevenDays, oneToTwoWeeksAgo, moreThanTwoWeeksAgo, unknownSince, noSymptoms, noStatement),
  # Days before today, 0 to 21; for `since` only.
  daysAgo: ?int
)

# Everything that is known but results.
# @roles wearer
# @results nothing
method GetTests(
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # At most 8. Oldest first.
  tests: []Test,
  # Whether there is news of any.
  news: bool,
  # When something can be sent next, Unix seconds; absent while the time is not known.
  nextExchange: ?int,
  # How long a hotline's number is good from when it was given, seconds; absent while not known.
  teleTANSeconds: ?int
)

# Whether there is news: now, and after every change. Ends with NotSignedIn when its proof is good no more, after ten minutes: with another one it
# goes on.
# [Requires 'more' flag]
# @roles wearer
# @results nothing
method Watch(
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # After the change.
  news: bool
)

# Enters a test by the text of its code, scanned or pasted. It is registered at the next exchange.
# @roles wearer
# @results nothing
method EnterCode(
  # As scanned. At most 4,096 bytes.
  code: string,
  # Of whoever was tested, as YYYY-MM-DD, where the laboratory asked for it. A hash of it and the code goes to the server; it is kept nowhere.
  dateOfBirth: ?string,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The test.
  number: int
)

# Enters a number that a hotline gave.
# @roles wearer
# @results nothing
method EnterTeleTAN(
  # Thirteen characters, or ten of a Corona-Warn-App hotline; spaces, dashes and small letters do no harm.
  typed: string,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The test.
  number: int
)

# What is wrong with what was typed so far, for whoever types.
# @roles wearer
# @results nothing
method CheckTeleTAN(
  # So far.
  typed: string
) -> (
  # English sentences; none while it can still become one. At most 16.
  problems: []string,
  # Whether it is a whole one.
  isWhole: bool
)

# Shows a result to the person who asks, and notes that it was seen.
# @roles wearer
# @results nothing
method GetResult(
  # The test.
  number: int,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # pending: not there yet. redeemed: the server keeps it no longer.
  result: (pending, negative, positive, invalid, redeemed)
)

# Of which days the people met would be warned. The health authority publishes no keys of days on which, by what is said about symptoms,
# somebody was hardly infectious. To be asked before a consent; nothing of it is kept.
# @roles wearer
# @results nothing
method GetWarnedDays(
  # As far as the wearer says.
  symptoms: Symptoms
) -> (
  # Days before today; 0 is today. At most 14, rising.
  days: []int
)

# Warns others, after a positive result, once. The keys are taken as soon as the reply is out, and sent at the next exchange.
# @roles wearer
# @results nothing
method Warn(
  # The test.
  number: int,
  # A consent to release keys (org.vigil.device1.GiveConsent).
  ticket: string,
  # As far as the wearer says.
  symptoms: Symptoms,
  # Whether health authorities of other countries may publish the keys, too.
  federation: bool,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # When they are sent, Unix seconds; absent while the time is not known.
  nextExchange: ?int
)

# Withdraws the consent: what was prepared is erased. Where the warning is out, this withdraws the rest of its day.
# @roles wearer
# @results nothing
method Withdraw(
  # The test.
  number: int,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # Whether what had not left will not leave: the whole warning, or the rest of its day.
  isWithdrawn: bool
)

# Forgets a test and all that belongs to it.
# @roles wearer
# @results nothing
method Forget(
  # The test.
  number: int,
  # That the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # Not while its warning is being sent.
  isForgotten: bool
)

# Which batches of reports of visits (org.vigil.checkin1.TakeReports) went out with a warning that was taken, and which no warning has any more. Of those
# that may still go out nothing is said.
# @roles none
# @results nothing
method GetPublished(
  # As they came with the reports. At most 16.
  batches: []int
) -> (
  # Those of them that went out. At most 16.
  published: []int,
  # Those of them that no warning has any more: it was taken back, or has ended without being taken, or nobody here knows the batch. At most 16.
  over: []int,
  # Those of them that no warning has any more, and of which nobody knows whether they went out: each answer was lost. At most 16; absent if none.
  uncertain: ?[]int
)

# What was entered is not a test's code or a hotline's number, or is here already.
error Refused (
  # A stable word for programs.
  rule: string,
  # In an English sentence, with what to do; nothing of what was entered is in it.
  reason: string
)

# There is no test of that number.
error NoSuchTest ()

# What is asked for is not possible now.
error NotPossible (
  # In an English sentence, with what to do.
  reason: string
)

# No proof that the wearer is signed in came with the call, or none that is good for it.
error NotSignedIn ()

"""#

    /// The methods of `org.vigil.diagnosis1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Everything that is known but results.
        case getTests = "GetTests"
        /// Whether there is news: now, and after every change. Ends with NotSignedIn when its proof is good no more, after ten minutes: with another one it
        /// goes on.
        case watch = "Watch"
        /// Enters a test by the text of its code, scanned or pasted. It is registered at the next exchange.
        case enterCode = "EnterCode"
        /// Enters a number that a hotline gave.
        case enterTeleTAN = "EnterTeleTAN"
        /// What is wrong with what was typed so far, for whoever types.
        case checkTeleTAN = "CheckTeleTAN"
        /// Shows a result to the person who asks, and notes that it was seen.
        case getResult = "GetResult"
        /// Of which days the people met would be warned. The health authority publishes no keys of days on which, by what is said about symptoms,
        /// somebody was hardly infectious. To be asked before a consent; nothing of it is kept.
        case getWarnedDays = "GetWarnedDays"
        /// Warns others, after a positive result, once. The keys are taken as soon as the reply is out, and sent at the next exchange.
        case warn = "Warn"
        /// Withdraws the consent: what was prepared is erased. Where the warning is out, this withdraws the rest of its day.
        case withdraw = "Withdraw"
        /// Forgets a test and all that belongs to it.
        case forget = "Forget"
        /// Which batches of reports of visits (org.vigil.checkin1.TakeReports) went out with a warning that was taken, and which no warning has any more. Of those
        /// that may still go out nothing is said.
        case getPublished = "GetPublished"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.diagnosis1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getTests: Law([.wearer], .nothing)
            case .watch: Law([.wearer], .nothing)
            case .enterCode: Law([.wearer], .nothing)
            case .enterTeleTAN: Law([.wearer], .nothing)
            case .checkTeleTAN: Law([.wearer], .nothing)
            case .getResult: Law([.wearer], .nothing)
            case .getWarnedDays: Law([.wearer], .nothing)
            case .warn: Law([.wearer], .nothing)
            case .withdraw: Law([.wearer], .nothing)
            case .forget: Law([.wearer], .nothing)
            case .getPublished: Law([], .nothing)
            }
        }
    }
}
