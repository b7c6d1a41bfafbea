// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.release1.varlink. Change the text, and generate again.

extension Release1 {
    /// The text of `org.vigil.release1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# The one door through which own keys leave the core: to warn others, after the wearer has agreed, once. The same consent covers the rest of
# the day on which it was used, for 24 hours; every other day needs its own. It can be granted to one caller only, and every use is in the
# audit log.
# @server core
interface org.vigil.release1

# A key that is no longer in use, to be published.
type TemporaryExposureKey (
  # The 16 bytes, in base64.
  keyData: string,
  # First interval, in units of ten minutes since 1970.
  rollingStartIntervalNumber: int,
  # How many intervals it was in use, 1 to 144.
  rollingPeriod: int
)

# What is left of a consent: the keys of the rest of the day on which the first ones were taken.
type Remainder (
  # From when on they are in use, Unix seconds.
  from: int,
  # When that day is over (UTC): they may be taken from here on, Unix seconds.
  after: int,
  # Until when, Unix seconds: 24 hours after the first ones.
  until: int
)

# Takes the own keys of the last 14 days. The ticket is spent before they are read: if the answer is lost, the wearer has to agree
# again. Today's key is cut off at the present interval and never used again, so that nobody can pass for this device with what is
# published.
# @roles none
# @results nothing
# @consents
# @exclusive
method TakeDiagnosisKeys(
  # A consent to release keys.
  ticket: string,
  # True for the keys of the rest of the day on which this ticket was spent: once, when that day is over. If the answer is lost, they stay here.
  remainder: ?bool
) -> (
  # Oldest first. At most 151.
  keys: []TemporaryExposureKey,
  # What is left of this consent; absent if nothing is.
  remainder: ?Remainder,
  # That the wearer has agreed: 32 hexadecimal digits, good for org.vigil.checkin1.TakeReports, once, within a minute. It belongs to no session.
  # Absent with the keys of the rest of a day.
  proof: ?string
)

# The day whose rest is asked for is not over.
error TooEarly (
  # When it is, Unix seconds.
  nextPermitted: int,
  # In an English sentence, with what to do.
  reason: string
)

# The ticket does not permit this.
error ConsentRefused (
  # unknown, spent, expired or otherPurpose.
  cause: (unknown, spent, expired, otherPurpose),
  # In an English sentence, with what to do.
  reason: string
)

# The time is not known well enough: today's key could not be cut off.
error TimeUnknown (
  # What is known about the time, with what to do.
  reason: string
)

# A device in a place warns nobody.
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

    /// The methods of `org.vigil.release1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Takes the own keys of the last 14 days. The ticket is spent before they are read: if the answer is lost, the wearer has to agree
        /// again. Today's key is cut off at the present interval and never used again, so that nobody can pass for this device with what is
        /// published.
        case takeDiagnosisKeys = "TakeDiagnosisKeys"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.release1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .takeDiagnosisKeys: Law([], .nothing, isAboutConsents: true, isExclusive: true)
            }
        }
    }
}
