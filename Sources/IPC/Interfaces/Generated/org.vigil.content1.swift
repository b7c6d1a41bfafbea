// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.content1.varlink. Change the text, and generate again.

extension Content1 {
    /// The text of `org.vigil.content1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What the health authority wants people to read: recommendations, hotlines, links, publication information, in several languages. Signed
# like its rules, kept by the core, shown by whoever has a page or a screen.
# @server core
interface org.vigil.content1

# Takes a bundle that an authority signed, whoever brings it. One that is not newer than the present one, not signed by a configuration
# key in force, or wrong in any part changes nothing.
# @roles technician
# @results nothing
# @fleet
method TakeContent(
  # The document (docs/content.md) in Base64. At most 40 KiB before.
  document: string,
  # Who signed it: the list that lies beside it (export.sig), in Base64. At most 4 KiB.
  approvals: string
) -> (
  # Of the newest bundle taken.
  version: int,
  # Whether this one was new.
  changed: bool
)

# What holds.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetContent() -> (
  # Of the newest bundle; 0 without one: then the pages' own texts hold.
  version: int,
  # JSON text (docs/schemas/content.schema.json); absent without one.
  content: ?string
)

# The bundle is refused; what held before holds.
error ContentRefused (
  # Which rule: one stable word.
  rule: string,
  # In an English sentence, with every place that is wrong.
  reason: string
)

# What is kept cannot be read or written now.
error StorageUnavailable (
  # With what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.content1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Takes a bundle that an authority signed, whoever brings it. One that is not newer than the present one, not signed by a configuration
        /// key in force, or wrong in any part changes nothing.
        case takeContent = "TakeContent"
        /// What holds.
        case getContent = "GetContent"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.content1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .takeContent: Law([.technician], .nothing, isForFleets: true)
            case .getContent: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            }
        }
    }
}
