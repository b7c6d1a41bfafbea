// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
public import Trust

/// What a succession's document says. Nothing of it is believed before ``Trust/TrustStore/applying(_:at:)`` has judged the signatures.
public struct SuccessionContent: Sendable {
    /// 1 or more in a document that can be applied.
    public let sequence: UInt64
    /// All keys that each changed role has from then on.
    public let roles: [KeyRole: [TrustedKey]]

    /// The keys of `roles` must have the role they are listed under; the document does not repeat it.
    public init(sequence: UInt64, roles: [KeyRole: [TrustedKey]]) {
        self.sequence = sequence
        self.roles = roles
    }

    /// The document: the same bytes for the same content.
    public func document() throws(TrustError) -> [UInt8] {
        var named: [String: [WrittenDocument.Key]] = [:]
        for (role, keys) in roles { named[role.rawValue] = keys.map(WrittenDocument.Key.init) }
        let written = WrittenDocument(format: WrittenDocument.format, sequence: sequence, roles: named)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(written), data.count <= Succession.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Succession.maximumByteCount) bytes")
        }
        return Array(data)
    }
}

extension Succession {
    /// Reads the document; throws `malformedDocument`. Says nothing about its signatures.
    public func content() throws(TrustError) -> SuccessionContent {
        guard document.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Self.maximumByteCount) bytes")
        }
        guard let written = try? JSONDecoder().decode(WrittenDocument.self, from: Data(document)) else {
            throw TrustError(.malformedDocument, "not JSON of the published schema")
        }
        guard written.format == WrittenDocument.format else {
            throw TrustError(.malformedDocument, "format must be \(WrittenDocument.format)")
        }
        guard !written.roles.isEmpty else { throw TrustError(.malformedDocument, "roles is empty") }
        guard written.roles.values.reduce(0, { $0 + $1.count }) <= Self.maximumKeys else {
            throw TrustError(.malformedDocument, "more than \(Self.maximumKeys) keys")
        }
        var roles: [KeyRole: [TrustedKey]] = [:]
        for (name, keys) in written.roles {
            guard let role = KeyRole(rawValue: name) else {
                throw TrustError(.malformedDocument, "roles.\(name) is not a role")
            }
            var read: [TrustedKey] = []
            for (index, key) in keys.enumerated() {
                read.append(try key.trusted(role: role, path: "roles.\(name)[\(index)]"))
            }
            roles[role] = read
        }
        return SuccessionContent(sequence: written.sequence, roles: roles)
    }
}

/// The document as JSON has it.
private struct WrittenDocument: Codable {
    static let format = "vigil-trust-1"

    struct Key: Codable {
        let id: String
        let version: String
        let publicKey: String
        let validFrom: Int64?
        let validUntil: Int64?
        let spare: Bool?

        init(_ key: TrustedKey) {
            id = key.name.id
            version = key.name.version
            publicKey = Base64.string(key.key.subjectPublicKeyInfo)
            validFrom = key.validFrom
            validUntil = key.validUntil
            spare = key.isSpare ? true : nil
        }

        func trusted(role: KeyRole, path: String) throws(TrustError) -> TrustedKey {
            guard let der = Base64.bytes(publicKey), let key = try? P256.VerificationKey(pemOrDER: der) else {
                throw TrustError(.malformedDocument, "\(path).publicKey is not a P-256 key in Base64")
            }
            if let validFrom, let validUntil, validFrom >= validUntil {
                throw TrustError(.malformedDocument, "\(path).validUntil is not after validFrom")
            }
            return TrustedKey(
                name: KeyName(id: id, version: version), role: role, key: key, validFrom: validFrom,
                validUntil: validUntil, isSpare: spare ?? false)
        }
    }

    let format: String
    let sequence: UInt64
    let roles: [String: [Key]]
}
