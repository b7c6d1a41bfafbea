// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.sync1.varlink. Change the text, and generate again.

extension Sync1 {
    /// The text of `org.vigil.sync1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Diagnosis keys on their way in: from where, how far, how fresh. Nothing here tells what was matched.
# @server plugin
interface org.vigil.sync1

# One source of diagnosis keys.
type Source (
  # As the operator named it.
  name: string,
  # How it publishes.
  kind: (cwa, index, nhs, folder),
  # When it was asked last, Unix seconds; absent if never.
  lastAttempt: ?int,
  # When it was asked last and all went well; absent if never.
  lastSuccess: ?int,
  # Everything published up to then was compared with what this device heard, Unix seconds; absent if nothing was. By the periods that the
  # authority signed, never by what the server's lists and names say.
  newestEnd: ?int,
  # Packages that are known to be there and were not compared yet.
  missingCount: int,
  # The last trouble in an English sentence, with what to do; absent if there is none.
  problem: ?string,
  # Troubles so far, by kind: one stable word each. At most 64.
  faults: [string]int,
  # Packages that the core took.
  packageCount: int,
  # Bytes received, headers included.
  byteCount: int,
  # Which of the last 14 whole days (UTC, since 1970) were compared as a whole, by the same periods; those of a folder are not told. At most 14.
  knownDays: ?[]int
)

# How fresh what this device knows is.
type Freshness (
  # At most 16.
  sources: []Source,
  # Whether sources are being asked now.
  running: bool,
  # Seconds until the next time; absent without sources.
  secondsToNext: ?int,
  # Over how many seconds boards spread their question after a wake-up, as the region's signed document says; absent if none does.
  wakeWindow: ?int,
  # By how many seconds the servers' clocks are ahead of this device's; absent while unknown.
  clockOffset: ?int
)

# Asks all sources: at once, or after the run under way. The reply comes when the wish is noted.
# @roles wearer technician
# @results nothing
# @fleet
method SyncNow() -> ()

# How fresh what this device knows is.
# @roles wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetFreshness() -> (
  # Now.
  freshness: Freshness
)

# The same now, then again after every change.
# [Requires 'more' flag]
# @roles wearer technicianReadOnly technician
# @results nothing
# @fleet
method Watch() -> (
  # After the change.
  freshness: Freshness
)

"""#

    /// The methods of `org.vigil.sync1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Asks all sources: at once, or after the run under way. The reply comes when the wish is noted.
        case syncNow = "SyncNow"
        /// How fresh what this device knows is.
        case getFreshness = "GetFreshness"
        /// The same now, then again after every change.
        case watch = "Watch"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.sync1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .syncNow: Law([.wearer, .technician], .nothing, isForFleets: true)
            case .getFreshness: Law([.wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .watch: Law([.wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            }
        }
    }
}
