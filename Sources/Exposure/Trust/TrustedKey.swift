// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The kind of document that a key may sign. A signature by a key of another role is no signature.
public enum KeyRole: String, Sendable, CaseIterable, Hashable {
    /// Signs files of diagnosis keys.
    case export
    /// Configurations of the health authority: risk parameters, mappings, content.
    case config
    /// Statements of the time.
    case time
    /// Signs plugins.
    case plugin
    /// Signs firmware images.
    case firmware
    /// The fleet's operator: grants, and successions of every role.
    case `operator`
}

/// The name of a key in the documents it signs: in key files, `verification_key_id` (often the mobile country code) and
/// `verification_key_version`.
public struct KeyName: Hashable, Sendable, CustomStringConvertible {
    /// The key's id, any text, in key files `verification_key_id`; often the mobile country code.
    public let id: String
    /// The key's version, in key files `verification_key_version`, as "v1"; empty when there is none.
    public let version: String

    /// A name of these two parts, unchecked; any texts are allowed.
    public init(id: String, version: String) {
        self.id = id
        self.version = version
    }

    /// "id-version", the way key files are usually discussed; the id alone when the version is empty. Shown as it came: not made printable.
    public var description: String { version.isEmpty ? id : "\(id)-\(version)" }
}

/// A verification key with everything that limits its use.
public struct TrustedKey: Hashable, Sendable {
    /// The name of the key, unique among the keys of its role in a ``TrustStore``.
    public let name: KeyName
    /// The one kind of thing that the key may sign.
    public let role: KeyRole
    /// The public key; nothing in this type is secret.
    public let key: P256.VerificationKey
    /// The time from which on signatures count: Unix seconds, inclusive; `nil` is "always was".
    public let validFrom: Int64?
    /// The time until which signatures count: Unix seconds, exclusive; `nil` is "until replaced".
    public let validUntil: Int64?
    /// Whether it was provisioned for the day the first key is lost. Verifies like any other; its use is worth telling
    /// somebody.
    public let isSpare: Bool

    /// A key of these parts, unchecked; times are in Unix seconds, `nil` for no limit.
    public init(
        name: KeyName, role: KeyRole, key: P256.VerificationKey, validFrom: Int64? = nil, validUntil: Int64? = nil,
        isSpare: Bool = false
    ) {
        self.name = name
        self.role = role
        self.key = key
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.isSpare = isSpare
    }

    /// Whether the key may be used at `time` (Unix seconds). Without a known time the validity cannot be judged and does not
    /// limit: a board must be able to verify the very statement that gives it the time.
    public func isValid(at time: Int64?) -> Bool {
        guard let time else { return true }
        return (validFrom.map { $0 <= time } ?? true) && (validUntil.map { time < $0 } ?? true)
    }
}
