// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.checkin1.varlink. Change the text, and generate again.

extension Checkin1 {
    /// The text of `org.vigil.checkin1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What others need to know about check-ins, and no more: never where or when.
# @server plugin
interface org.vigil.checkin1

# What decides whether pushes are of use (docs/wake.md).
# @roles none
# @results nothing
method GetRegistrationFacts() -> (
  # Whether there is any check-in that is still kept.
  hasCheckIns: bool,
  # Whether the wearer is in isolation and has warned others.
  inIsolation: bool
)

"""#

    /// The methods of `org.vigil.checkin1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// What decides whether pushes are of use (docs/wake.md).
        case getRegistrationFacts = "GetRegistrationFacts"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.checkin1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getRegistrationFacts: Law([], .nothing)
            }
        }
    }
}
