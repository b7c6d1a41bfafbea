// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.content1`. The interface's text explains each of them.
public enum Content1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.content1"

    /// Parameters of `TakeContent`: a bundle of a health authority's texts, with its signatures. Refused with
    /// `ContentRefused` if it is too large, malformed, older than the present bundle, of the same version with
    /// another content, or not signed by a configuration key in force; and with `StorageUnavailable` if the disk
    /// refuses. The present bundle then stays.
    public struct TakeContentCall: Codable, Sendable {
        /// The bundle (docs/content.md) in Base64; at most 40 KiB before encoding.
        public var document: String
        /// The list of signatures that accompanies the bundle (`export.sig`), in Base64; at most 4 KiB before encoding.
        public var approvals: String

        /// Creates the parameters of a call of `TakeContent`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(document: String, approvals: String) {
            self.document = document
            self.approvals = approvals
        }
    }

    /// Reply of `TakeContent`: the bundle that the core has now.
    public struct TakeContentReply: Codable, Sendable {
        /// The version of the newest bundle, 1 or more; it increases with each new bundle.
        public var version: Int64
        /// Whether this bundle was new; `false` if the core already had it.
        public var changed: Bool

        /// Creates the reply of the core to `TakeContent`. No value is checked. See the properties for units.
        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    /// Reply of `GetContent`: the authority's texts that are in use now.
    public struct ContentReply: Codable, Sendable {
        /// The version of the newest bundle; 0 if there is none, so that the pages use their own texts.
        public var version: Int64
        /// The bundle as JSON text (docs/schemas/content.schema.json); `nil` if there is none.
        public var content: String?

        /// Creates the reply of the core to `GetContent`. No value is checked. See the properties for units and `nil`.
        public init(version: Int64, content: String?) {
            self.version = version
            self.content = content
        }
    }
}
