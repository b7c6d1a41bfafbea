// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.trust1`; the interface's text says what each part means.
public enum Trust1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.trust1"

    /// The kind of document that a signer may sign.
    public enum Role: String, Codable, Sendable {
        /// `export`: files of diagnosis keys; `config`: configurations and texts of the health authority; `time`:
        /// statements of the time; `plugin`: plugins; `firmware`: firmware images.
        case export, config, time, plugin, firmware
        /// Grants, and successions of every role.
        case `operator`
    }

    /// A signer whose signatures count or counted: the public half of a key, and the limits of its validity.
    public struct Signer: Codable, Sendable, Hashable {
        /// The one kind of thing that the key may sign.
        public var role: Role
        /// The signer's name in the form `ID-VERSION`, such as `262-v1`.
        public var name: String
        /// The public key by which its signatures are verified: a SubjectPublicKeyInfo of P-256, in Base64.
        public var publicHalf: String
        /// The end of the time in which its signatures count, Unix seconds; `nil` if only a replacement ends it.
        public var validUntil: Int64?
        /// Whether the key is kept for the day on which the regular one is lost.
        public var spare: Bool
        /// Whether the key's signatures count now: not withdrawn, and not over at the earliest time that it can be. While the time is not known,
        /// dates do not count.
        public var inForce: Bool

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(role: Role, name: String, publicHalf: String, validUntil: Int64?, spare: Bool, inForce: Bool) {
            self.role = role
            self.name = name
            self.publicHalf = publicHalf
            self.validUntil = validUntil
            self.spare = spare
            self.inForce = inForce
        }
    }

    /// Parameters of `TakeSuccession`: a signed document that replaces keys of an authority by others. Refused with `SuccessionRefused` and a rule,
    /// for a source that is not followed, too, or with `StorageUnavailable`; then nothing has changed.
    public struct TakeSuccessionCall: Codable, Sendable {
        /// The source whose keys they are: the name of an authority's profile; `nil` for the device's own authority.
        public var source: String?
        /// The file as it was published (docs/file-formats.md); at most 8 KiB.
        public var document: String

        /// Creates the parameters of a call of `TakeSuccession`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for `nil`.
        public init(source: String?, document: String) {
            self.source = source
            self.document = document
        }
    }

    /// Reply of `TakeSuccession`: the document was in order.
    public struct TakeSuccessionReply: Codable, Sendable {
        /// Whether anything is different now; false for a succession that was taken before or whose signers are in force already.
        public var changed: Bool

        /// Creates the reply of the core to `TakeSuccession`. No value is checked.
        public init(changed: Bool) { self.changed = changed }
    }

    /// Parameters of `GetSigners`: whose signers are wanted. A source that is not followed is refused with `InvalidParameter`.
    public struct GetSignersCall: Codable, Sendable {
        /// The name of an authority's profile; `nil` for the device's own authority.
        public var source: String?

        /// Creates the parameters of a call of `GetSigners`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(source: String?) { self.source = source }
    }

    /// Reply of `GetSigners`: who may sign what.
    public struct SignersReply: Codable, Sendable {
        /// The number of successions that were taken for this source, 0 or more; 0 as provisioned.
        public var successions: Int
        /// The keys as signers: at most 96 whose signatures were not withdrawn, in force or not, and then the last 64 that
        /// were; at most 160.
        public var signers: [Signer]

        /// Creates the reply of the core to `GetSigners`. No value is checked. See the properties for units.
        public init(successions: Int, signers: [Signer]) {
            self.successions = successions
            self.signers = signers
        }
    }
}
