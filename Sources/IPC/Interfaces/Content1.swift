// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.content1`; the interface's text says what each part means.
public enum Content1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.content1"

    /// Parameters of `TakeContent`: a bundle of a health authority's texts, with its signatures. One that is too large, malformed, older than the
    /// present one, or not signed by a configuration key in force is refused with `ContentRefused`; what holds stays.
    public struct TakeContentCall: Codable, Sendable {
        /// The bundle (docs/content.md) in Base64; at most 40 KiB before it is encoded.
        public var document: String
        /// The list of signatures that lies beside it (`export.sig`), in Base64; at most 4 KiB.
        public var approvals: String

        /// Creates the parameters of a call of `TakeContent`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(document: String, approvals: String) {
            self.document = document
            self.approvals = approvals
        }
    }

    /// Reply of `TakeContent`: which bundle the core has now.
    public struct TakeContentReply: Codable, Sendable {
        /// The version of the newest bundle taken, 1 or more; it rises with every new one.
        public var version: Int64
        /// Whether this bundle was new; false if it is the one that holds already.
        public var changed: Bool

        /// Creates the reply of the core to `TakeContent`. No value is checked. See the properties for units.
        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    /// Reply of `GetContent`: the authority's texts that hold now.
    public struct ContentReply: Codable, Sendable {
        /// The version of the newest bundle; 0 without one: then the pages' own texts hold.
        public var version: Int64
        /// The bundle as JSON text (docs/schemas/content.schema.json); `nil` without one.
        public var content: String?

        /// Creates the reply of the core to `GetContent`. No value is checked. See the properties for units and `nil`.
        public init(version: Int64, content: String?) {
            self.version = version
            self.content = content
        }
    }
}
