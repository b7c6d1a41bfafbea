// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The kind of document that a key may sign. A signature by a key of another role does not count.
public enum KeyRole: String, Sendable, CaseIterable, Hashable {
    /// Signs files of diagnosis keys.
    case export
    /// Signs configurations of the health authority: risk parameters, mappings, content.
    case config
    /// Signs statements of the time.
    case time
    /// Signs plugins.
    case plugin
    /// Signs firmware images.
    case firmware
    /// Signs as the fleet's operator: grants, and successions of every role.
    case `operator`
}

/// The name of a key in the documents that it signs; in key files, `verification_key_id` (often the mobile country
/// code) and `verification_key_version`.
public struct KeyName: Hashable, Sendable, CustomStringConvertible {
    /// The key's id, any text, at most 64 bytes in a succession; in key files, `verification_key_id`, often the
    /// mobile country code.
    public let id: String
    /// The key's version, such as "v1", any text, at most 64 bytes in a succession; in key files
    /// `verification_key_version`. Empty when there is none.
    public let version: String

    /// Creates a name from an id and a version; any texts are allowed, and nothing is checked.
    public init(id: String, version: String) {
        self.id = id
        self.version = version
    }

    /// The text "id-version", or the id alone when the version is empty. It is not made printable.
    public var description: String { version.isEmpty ? id : "\(id)-\(version)" }
}

/// A verification key with its role and its period of validity.
public struct TrustedKey: Hashable, Sendable {
    /// The name of the key, unique among the keys of its role in a ``TrustStore``.
    public let name: KeyName
    /// The only kind of document that the key may sign.
    public let role: KeyRole
    /// The public key; nothing in this type is secret.
    public let key: P256.VerificationKey
    /// The time from which signatures count, inclusive, in Unix seconds; `nil` for no limit.
    public let validFrom: Int64?
    /// The time until which signatures count, exclusive, in Unix seconds; `nil` for no limit.
    public let validUntil: Int64?
    /// Whether the key was provisioned in case the first key is lost. It verifies like any other key, but is tried
    /// last (``TrustStore/keys(for:at:)``), and needs no ``KeyProof``.
    public let isSpare: Bool

    /// Creates a key from these parts, which are not checked; times are in Unix seconds, `nil` for no limit.
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

    /// Whether the key may be used at `time` (Unix seconds). When the time is not known (`nil`), the period of
    /// validity does not limit the key, because a board must be able to verify the statement that tells it the time.
    public func isValid(at time: Int64?) -> Bool {
        guard let time else { return true }
        return (validFrom.map { $0 <= time } ?? true) && (validUntil.map { time < $0 } ?? true)
    }
}
