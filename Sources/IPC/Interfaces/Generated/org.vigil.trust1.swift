// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.trust1.varlink. Change the text, and generate again.

extension Trust1 {
    /// The text of `org.vigil.trust1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Whose signatures count on this device. It was provisioned with the first ones; the health authority and the operator change them by signed
# documents (successions), which the core verifies by those that count until then, keeps, and verifies again after every start.
# @server core
interface org.vigil.trust1

# Somebody whose signatures count, or did.
type Signer (
  # What it may sign.
  role: (export, config, time, plugin, firmware, operator),
  # The name of the key: ID-VERSION.
  name: string,
  # What its signatures are verified with: SubjectPublicKeyInfo, P-256, in Base64.
  publicHalf: string,
  # Until when its signatures count, Unix seconds; absent for until it is replaced.
  validUntil: ?int,
  # Whether it is there for the day on which the regular one is lost.
  spare: bool,
  # Whether its signatures count now.
  inForce: bool
)

# Takes a succession, whoever brings it. What the operator signed counts whatever numbers other signers have used. One that was taken before, and
# one whose new signers are in force already, changes nothing and is no error.
# @roles technician
# @results nothing
# @fleet
method TakeSuccession(
  # The authority that is meant: the name of an authority's profile; absent for the device's own authority.
  source: ?string,
  # The file as it was published (docs/file-formats.md). At most 8 KiB.
  document: string
) -> (
  # Whether anything is different now.
  changed: bool
)

# Takes a configuration of the board's fleet, whoever brings it: signed by the operator, newer than the one that holds, of this board. The supervisor tries it,
# and keeps it once a program brings it again, which shows that the network carries; otherwise it is taken back by itself. A person's bringing it again keeps nothing:
# KeepConfiguration does. The one that holds, brought again, changes nothing and is no error.
# @roles technician
# @results nothing
# @fleet
method TakeConfiguration(
  # The file as it was published (docs/fleet.md). At most 40 KiB.
  document: string
) -> (
  # Whether it is on trial now, and has to be brought again.
  onTrial: bool
)

# Keeps the configuration on trial because a person says so, also on a board that cannot fetch: whoever does has seen that the board can still be reached as it has
# to be. Refused while the board lacks what it had before, and to programs that act for nobody.
# @roles technician
# @results nothing
method KeepConfiguration(
  # The version on trial.
  version: int
) -> ()

# Tells which configuration of its fleet the board has.
# @roles technicianReadOnly technician
# @results nothing
# @fleet
method GetConfiguration() -> (
  # The version that holds; absent without one.
  version: ?int,
  # The version on trial; absent if none is.
  trial: ?int,
  # Seconds until the one on trial is taken back; absent if none is.
  secondsLeft: ?int,
  # The version that was taken back last; absent if none was.
  takenBack: ?int,
  # Why it was taken back, in English; absent if none was.
  reason: ?string,
  # The version of the last one that was brought and refused since the core's start, if the operator has signed it; absent once another one was taken.
  refused: ?int,
  # Why that one was refused, in English; absent if none was.
  refusedReason: ?string
)

# Tells who may sign what.
# @roles technicianReadOnly technician
# @results nothing
# @fleet
method GetSigners(
  # The authority that is meant: the name of an authority's profile; absent for the device's own authority.
  source: ?string
) -> (
  # How many successions made it so; 0 as provisioned.
  successions: int,
  # Those whose signatures count, and the last 64 that were withdrawn. At most 160.
  signers: []Signer
)

# The succession is refused; nothing has changed.
error SuccessionRefused (
  # The rule that it breaks, in one stable word: tooLarge, malformedDocument, duplicateName; unknownSource, wrongSource; notSigned, notNewer,
  # stepTooLarge, notProven, leavesRoleEmpty; tooMany.
  rule: string,
  # Why, in an English sentence.
  reason: string
)

# The configuration is refused; nothing has changed.
error ConfigurationRefused (
  # The rule that it breaks, in one stable word: tooLarge, malformedDocument, notSigned, expired; versionTooHigh, timeUnknown;
  # stillOnTrial, for one that is on trial and cannot be kept yet: bring it again; notPossible, for what the supervisor refuses.
  rule: string,
  # Why, in an English sentence, with what to do.
  reason: string
)

# What is kept cannot be read or written now.
error StorageUnavailable (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.trust1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Takes a succession, whoever brings it. What the operator signed counts whatever numbers other signers have used. One that was taken before, and
        /// one whose new signers are in force already, changes nothing and is no error.
        case takeSuccession = "TakeSuccession"
        /// Takes a configuration of the board's fleet, whoever brings it: signed by the operator, newer than the one that holds, of this board. The supervisor tries it,
        /// and keeps it once a program brings it again, which shows that the network carries; otherwise it is taken back by itself. A person's bringing it again keeps nothing:
        /// KeepConfiguration does. The one that holds, brought again, changes nothing and is no error.
        case takeConfiguration = "TakeConfiguration"
        /// Keeps the configuration on trial because a person says so, also on a board that cannot fetch: whoever does has seen that the board can still be reached as it has
        /// to be. Refused while the board lacks what it had before, and to programs that act for nobody.
        case keepConfiguration = "KeepConfiguration"
        /// Tells which configuration of its fleet the board has.
        case getConfiguration = "GetConfiguration"
        /// Tells who may sign what.
        case getSigners = "GetSigners"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.trust1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .takeSuccession: Law([.technician], .nothing, isForFleets: true)
            case .takeConfiguration: Law([.technician], .nothing, isForFleets: true)
            case .keepConfiguration: Law([.technician], .nothing)
            case .getConfiguration: Law([.technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .getSigners: Law([.technicianReadOnly, .technician], .nothing, isForFleets: true)
            }
        }
    }
}
