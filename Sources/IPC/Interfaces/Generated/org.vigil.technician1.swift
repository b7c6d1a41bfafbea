// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.technician1.varlink. Change the text, and generate again.

extension Technician1 {
    /// The text of `org.vigil.technician1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# The board as its technician sees it: processes, plugins, log, network. The core answers, for the supervisor talks to nobody else: what
# it knows the core reads, and what is to be done the core asks it for. Every change is in the audit log.
# @server core
interface org.vigil.technician1

# A part of a process's confinement.
type Confinement (
  # The name of the part: a primitive of docs/sandbox.md.
  primitive: string,
  # How far it holds, in one word.
  state: string,
  # What is so, in an English sentence.
  detail: string
)

# A certificate that a process uses, as far as its time goes.
type Certificate (
  # The certificate's use, in one word: page, client, authorities.
  name: string,
  # The moment from which it is good, Unix seconds.
  notBefore: int,
  # The moment until which it is good, Unix seconds.
  notAfter: int
)

# A process of the board.
type Process (
  # core, egress, or the plugin's name.
  name: string,
  # The title for people; absent for the board's own, and for a plugin without a manifest that can be read.
  title: ?string,
  # The version in its manifest; absent for the board's own, and for a plugin without a manifest that can be read.
  version: ?string,
  # waiting: nobody needs it now. On a person's device that is also said of a process that runs because somebody needs it: when its wearer tests,
  # checks in or donates can be seen by it. The console is told, and what a caller asks through is running. backingOff: it ended, and is started again after a while. quarantined: it ended too often. disabled: the
  # operator or a technician switched it off. refused: it may not run as it is, see reason. safeMode: the board starts without it.
  state: (waiting, starting, running, stopping, backingOff, quarantined, disabled, refused, safeMode),
  # Why, in an English sentence, with what to do; absent while there is nothing to say.
  reason: ?string,
  # Since when it is in that state, seconds; of a process of which that is not told, since when the board runs.
  sinceSeconds: int,
  # How often it was started again.
  restarts: int,
  # The memory that it takes, in bytes; absent while it does not run, and where that is not told.
  memory: ?int,
  # How its last life ended, in words; absent if it has had none, and where that is not told.
  lastExit: ?string,
  # The parts of its confinement. At most 24.
  confinement: []Confinement,
  # What it said of its certificates when it was started last; absent if nothing. At most 8.
  certificates: ?[]Certificate
)

# The battery, as its gauge says.
type Battery (
  # The charge, 0 to 100; absent where the gauge knows the voltage alone.
  percent: ?int,
  # The voltage, in millivolts; absent where the gauge does not say.
  voltage: ?int,
  # Whether a charger feeds it; absent when nobody says.
  powered: ?bool,
  # What flows out of it, or into it at a charger, mW.
  power: ?int,
  # Until it is empty at what is drawn now; absent at a charger, and where the gauge does not say enough.
  secondsLeft: ?int,
  # Whether it is below the level at which the board says so.
  low: bool,
  # Below so many percent the board stops and switches itself off; absent if it does not.
  stopPercent: ?int,
  # How often in a row the board stopped for that before this start.
  stopCount: int
)

# What runs and what does not.
# [Supports 'more' flag]
# @roles technicianReadOnly technician
# @results nothing
method GetProcesses() -> (
  # The version of Vigil.
  version: string,
  # Whether the board started too often and only core and web page run.
  safeMode: bool,
  # The operator's files are wrong in so many places. At most 64.
  problems: []string,
  # How Vigil ended before this start, in one stable word: inOrder, killed (the board ran on), powerLost (it did not); absent when nobody knows.
  lastEnd: ?string,
  # What became of the board's partitions when it started, in words by their names; absent where the system does not say. At most 8.
  partitions: ?[string]string,
  # Absent on a board without a battery.
  battery: ?Battery,
  # After a reset: what is not rid yet of what it kept before, by name: plugins, installed or not. Empty when all is gone; absent where nobody looks.
  formerLife: ?[]string,
  # At most 40.
  processes: []Process
)

# One thing that a plugin asks for.
type Item (
  # In words: `call org.vigil.exposure1.GetStatus`.
  asks: string,
  # Whether it has it.
  granted: bool,
  # Who answers or where it leads, if it is granted; otherwise why it is not.
  gets: string,
  # Its author's reason.
  why: string
)

# What a plugin asks for and has, and what can be set.
# @roles technicianReadOnly technician
# @results nothing
method GetPlugin(
  # Its name.
  name: string
) -> (
  # The title for people.
  title: string,
  # What it does, for people.
  description: string,
  # The version in its manifest.
  version: string,
  # Whether the operator has enabled it.
  enabled: bool,
  # Everything that it asks for. At most 256.
  items: []Item,
  # Its settings' schema (docs/manifest.md), JSON text; absent if it has none.
  schema: ?string,
  # What the operator has set, JSON text, without what may only be written.
  settings: string,
  # Which of those that may only be written are set. At most 64.
  secretsSet: []string
)

# Starts a plugin again, whatever state it is in: out of quarantine, too. The core and egress cannot be.
# @roles technician
# @results nothing
method RestartPlugin(
  # Its name.
  name: string
) -> ()

# Enables or disables a plugin. Nobody disables the plugin through which they ask: there would be no way back.
# @roles technician
# @results nothing
method SetEnabled(
  # Its name.
  name: string,
  # What is to hold.
  enabled: bool
) -> ()

# Sets a plugin's settings: what is given changes, null takes a value away, the rest stays.
# @roles technician
# @results nothing
method SetSettings(
  # Its name.
  name: string,
  # JSON text of an object.
  settings: string
) -> ()

# One line of the board's log. What may not be known is not in it: it was never written.
type LogLine (
  # Rising by one.
  number: int,
  # Unix milliseconds by the board's clock.
  time: int,
  # core, egress, supervisor or a plugin's name.
  process: string,
  # debug, info, notice, warning, error, critical.
  level: string,
  # What it says.
  text: string
)

# The log of this start of the board, the newest kept in memory, oldest first.
# [Supports 'more' flag]
# @roles technicianReadOnly technician
# @results nothing
method GetLog(
  # Only lines with a higher number.
  after: ?int,
  # Only of this process.
  process: ?string,
  # Only of this level or worse.
  level: ?string
) -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  lines: []LogLine,
  # Lines that are no longer kept.
  droppedCount: int
)

# How an interface of the board gets its addresses.
type Network (
  # As the system calls it; `wired` is every wired network of the board.
  interface: string,
  # From the network, or as written here.
  method: (automatic, manual),
  # The addresses with the length of their prefix, like 192.0.2.7/24. At most 4.
  addresses: []string,
  # The address of the gateway; absent without one.
  gateway: ?string,
  # The addresses of name servers. At most 3.
  nameServers: []string
)

# What holds, and what waits for its confirmation.
# @roles technicianReadOnly technician
# @results nothing
method GetNetwork() -> (
  # Whether this board lets the page change it; if not, why, in an English sentence.
  problem: ?string,
  # The interfaces and their addresses. At most 8.
  networks: []Network,
  # Seconds until an unconfirmed change is taken back; absent if none waits.
  secondsToRollBack: ?int
)

# Tries a change: it holds at once, and is taken back by itself unless it is confirmed, over a connection that it permits, in time.
# @roles technician
# @results nothing
method ApplyNetwork(
  # What is to hold.
  network: Network,
  # Seconds after which it is taken back unless it was confirmed, 30 to 600.
  seconds: int
) -> ()

# The change stays.
# @roles technician
# @results nothing
method ConfirmNetwork() -> ()

# Stops everything in order and starts the board anew.
# @roles technician
# @results nothing
method Reboot() -> ()

# There is no such plugin.
error NoSuchPlugin (
  # As it was given.
  name: string
)

# What was given does not fit; nothing changed.
error Unfit (
  # What does not fit, an English sentence for each place, with its path. At most 64.
  problems: []string
)

# It cannot be done now or here.
error NotPossible (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.technician1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// What runs and what does not.
        case getProcesses = "GetProcesses"
        /// What a plugin asks for and has, and what can be set.
        case getPlugin = "GetPlugin"
        /// Starts a plugin again, whatever state it is in: out of quarantine, too. The core and egress cannot be.
        case restartPlugin = "RestartPlugin"
        /// Enables or disables a plugin. Nobody disables the plugin through which they ask: there would be no way back.
        case setEnabled = "SetEnabled"
        /// Sets a plugin's settings: what is given changes, null takes a value away, the rest stays.
        case setSettings = "SetSettings"
        /// The log of this start of the board, the newest kept in memory, oldest first.
        case getLog = "GetLog"
        /// What holds, and what waits for its confirmation.
        case getNetwork = "GetNetwork"
        /// Tries a change: it holds at once, and is taken back by itself unless it is confirmed, over a connection that it permits, in time.
        case applyNetwork = "ApplyNetwork"
        /// The change stays.
        case confirmNetwork = "ConfirmNetwork"
        /// Stops everything in order and starts the board anew.
        case reboot = "Reboot"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.technician1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getProcesses: Law([.technicianReadOnly, .technician], .nothing)
            case .getPlugin: Law([.technicianReadOnly, .technician], .nothing)
            case .restartPlugin: Law([.technician], .nothing)
            case .setEnabled: Law([.technician], .nothing)
            case .setSettings: Law([.technician], .nothing)
            case .getLog: Law([.technicianReadOnly, .technician], .nothing)
            case .getNetwork: Law([.technicianReadOnly, .technician], .nothing)
            case .applyNetwork: Law([.technician], .nothing)
            case .confirmNetwork: Law([.technician], .nothing)
            case .reboot: Law([.technician], .nothing)
            }
        }
    }
}
