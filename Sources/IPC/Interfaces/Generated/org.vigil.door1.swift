// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.door1.varlink. Change the text, and generate again.

extension Door1 {
    /// The text of `org.vigil.door1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Check-in without a connection (docs/check-in.md): a place broadcasts the code at its door, and a person's device collects it while its button is
# held. For the one plugin that knows codes. What goes on air, from which address and how loud is the core's; who was heard, how loud and when the button was
# pressed is not told. On a device of the other role each half does nothing, or is refused.
# @server core
interface org.vigil.door1

# A code to be broadcast between two moments.
type Showing (
  # What is broadcast, in Base64: 1 to 662 bytes. The core does not look into it.
  content: string,
  # When it begins, Unix seconds; may be past.
  from: int,
  # When it is over, Unix seconds; at most four hours from now.
  until: int
)

# Broadcasts these, each in its time, and what was said before no more. Held until it is said anew, or the core is started again. Of several at the same
# time the first counts. Refused with WrongRole on a person's device.
# @roles none
# @results nothing
method Broadcast(
  # At most 8; empty for nothing.
  showings: []Showing
) -> ()

# Takes the code that was collected while the button was held, once. Who takes it says with NoteVisit what became of it.
# @roles none
# @results nothing
method TakeCode() -> (
  # The number of the hold, for NoteVisit; absent if nothing waits.
  number: ?int,
  # What the place broadcast, in Base64; absent if nothing waits. Anybody may have made it.
  content: ?string
)

# Says what became of a code that was taken, so that light and sound tell the wearer. Too late after half a minute: then they have told that it failed.
# @roles none
# @results nothing
method NoteVisit(
  # The number of the hold.
  number: int,
  # Whether the visit is in the diary.
  kept: bool
) -> ()

# The device is a person's, and broadcasts no code.
error WrongRole (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The time is not known, so nobody can say when a code is to be broadcast.
error TimeUnknown (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.door1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Broadcasts these, each in its time, and what was said before no more. Held until it is said anew, or the core is started again. Of several at the same
        /// time the first counts. Refused with WrongRole on a person's device.
        case broadcast = "Broadcast"
        /// Takes the code that was collected while the button was held, once. Who takes it says with NoteVisit what became of it.
        case takeCode = "TakeCode"
        /// Says what became of a code that was taken, so that light and sound tell the wearer. Too late after half a minute: then they have told that it failed.
        case noteVisit = "NoteVisit"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.door1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .broadcast: Law([], .nothing)
            case .takeCode: Law([], .nothing)
            case .noteVisit: Law([], .nothing)
            }
        }
    }
}
