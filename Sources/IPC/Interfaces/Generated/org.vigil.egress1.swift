// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.egress1.varlink. Change the text, and generate again.

extension Egress1 {
    /// The text of `org.vigil.egress1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What goes out of this device, by whom and where to, and what was not let out. Counts since the program started; never contents.
# @server egress
interface org.vigil.egress1

# What one caller did.
type Caller (
  # The plugin's name.
  name: string,
  # Whether it may go out while traffic costs money.
  mayUseMetered: bool,
  # Connections that are open now.
  openConnectionCount: int,
  # Connections that came about.
  connectionCount: int,
  # Bytes it sent.
  sentByteCount: int,
  # Bytes it received.
  receivedByteCount: int,
  # How often it did not get a connection, by rule; docs/egress.md has them all. At most 32.
  refusals: [string]int,
  # The last of them in an English sentence, with what to do; absent if there was none.
  lastRefusal: ?string
)

# Tells what every caller did.
# @roles technicianReadOnly technician
# @results nothing
method GetTraffic() -> (
  # Whether traffic costs money now.
  metered: bool,
  # Whether everything goes through a proxy.
  proxied: bool,
  # The callers, sorted by name. At most 32.
  callers: []Caller
)

# What one caller did with one destination it may reach.
type Endpoint (
  # The host and port, as they were granted.
  destination: string,
  # Whether it may be in a private network.
  mayBePrivate: bool,
  # Connections that came about.
  connectionCount: int,
  # Connections that did not, for whatever reason.
  failedConnectionCount: int,
  # Bytes sent there.
  sentByteCount: int,
  # Bytes received from there.
  receivedByteCount: int
)

# The destinations a caller may reach, and what it did there.
# @roles none
# @results nothing
method GetEndpoints(
  # The plugin's name.
  caller: string
) -> (
  # The destinations, as they were granted. At most 64.
  endpoints: []Endpoint
)

# There is no such caller.
error UnknownCaller (
  # The name that was asked for.
  caller: string
)

"""#

    /// The methods of `org.vigil.egress1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Tells what every caller did.
        case getTraffic = "GetTraffic"
        /// The destinations a caller may reach, and what it did there.
        case getEndpoints = "GetEndpoints"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.egress1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getTraffic: Law([.technicianReadOnly, .technician], .nothing)
            case .getEndpoints: Law([], .nothing)
            }
        }
    }
}
