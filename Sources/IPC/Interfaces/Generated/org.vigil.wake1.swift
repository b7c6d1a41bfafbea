// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.wake1.varlink. Change the text, and generate again.

extension Wake1 {
    /// The text of `org.vigil.wake1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What the wake plugin does: whether it hears the broker, and what became of the wakes. Counts since the program started.
# @server plugin
interface org.vigil.wake1

# What happened so far.
type Counters (
  # Times the broker let this device in.
  connectionCount: int,
  # Messages on the wake topic.
  messageCount: int,
  # Messages among these with something in them, which is not looked at.
  nonEmptyCount: int,
  # Messages among these that the broker kept from before.
  retainedCount: int,
  # Reasons for a sync that had been decided on already.
  mergedCount: int,
  # Wakes above what a day may have.
  overLimitCount: int,
  # Times that nothing was done because all was fresh.
  freshCount: int,
  # Syncs asked for.
  syncCount: int,
  # Times that the sync could not be asked.
  failureCount: int,
  # Registrations and deregistrations a server agreed to.
  registrationCount: int
)

# Tells what the plugin does now.
# @roles technicianReadOnly technician
# @results nothing
method GetState() -> (
  # Whether a wake is of any use to this device now.
  wanted: bool,
  # Whether the broker has let this device in.
  connected: bool,
  # Why the broker has not, in an English sentence with what to do; absent if there is no trouble.
  problem: ?string,
  # Seconds until the sync that has been decided on; absent if none has.
  secondsToSync: ?int,
  # Whether a server has this device registered.
  registered: bool,
  # What happened so far.
  counters: Counters
)

"""#

    /// The methods of `org.vigil.wake1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Tells what the plugin does now.
        case getState = "GetState"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.wake1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getState: Law([.technicianReadOnly, .technician], .nothing)
            }
        }
    }
}
