// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography
public import JSON
public import Trust

/// The wanted content of a signed change of one role's keys.
public struct KeyRotation: Sendable {
    /// Days that the present key stays in force beside the new one, unless an operator says otherwise; our own choice: the longest time for which
    /// packages that it signed may be offered (``PublishingRules/daysToPublish``).
    public static let standardOverlapDays: Int64 = 14
    /// Days that a key may stay in force beside the one that follows it; our own bound.
    public static let overlapDays: ClosedRange<Int64> = 0...400
    /// The largest sequence, 2⁵³ - 1: the largest whole number that every reader of JSON has exactly.
    public static let maximumSequence: UInt64 = 1 << 53 - 1

    /// The role whose key changes, one of ``StateFolder/roles``.
    public let role: KeyRole
    /// The name of the new key, "ID-VERSION" in documents; no key in force has this name.
    public let name: KeyName
    /// The new key, where it was made elsewhere, which needs ``proof``; `nil` makes one, or uses what an interrupted run
    /// made.
    public var newKey: P256.VerificationKey?
    /// The public halves of keys for the day the new one is lost, with their names; none unless set. Those of earlier changes are not taken over.
    public var spares: [(name: KeyName, key: P256.VerificationKey)] = []
    /// Days that the present key stays in force, ``standardOverlapDays`` unless set; ``HealthAuthority/rotate(_:isTrial:now:)`` refuses what is not
    /// in the range of the same name.
    public var overlapDays = Self.standardOverlapDays
    /// Number of the change, at most ``maximumSequence``; `nil` for the next one of the signer. A board refuses one that is not above the last.
    public var sequence: UInt64?
    /// The name by which boards call the authority if they follow several; needed where the operator signs for them, `nil`
    /// otherwise.
    public var source: String?
    /// The new key's own signature that its holder means it (``KeyProof``), in DER, where the key was made elsewhere; `nil`
    /// otherwise.
    public var proof: [UInt8]?
    /// The time from which on the authority signs with the new key, Unix seconds; ``standardSwitch(now:)`` if `nil`. No later than the present
    /// key's end, which is checked also where ``newKey`` is given and nothing else follows from it.
    public var switchTime: Int64?
    /// The operator's key, if it signs in place of the role's present key; `nil` if it does not.
    public var fleet: (name: KeyName, key: P256.SigningKey)?

    /// The moment from which the authority signs with the new key unless an operator sets another, in Unix seconds: a week
    /// after `now`, or half of ``overlapDays`` in whole days if that is less. Sums are not checked for overflow.
    public func standardSwitch(now: Int64) -> Int64 { now + min(7, overlapDays / 2) * UTCDay.seconds }

    /// A change from the present key of `role` to a new one of the name `name`. Nothing is checked before
    /// ``HealthAuthority/rotate(_:isTrial:now:)``.
    public init(role: KeyRole, name: KeyName) {
        self.role = role
        self.name = name
    }
}

/// The content of a change of keys, and the place of its files.
public struct KeyRotationReport: Sendable {
    /// The role whose keys change.
    public let role: KeyRole
    /// The role of the key that signed: ``role``, or the operator.
    public let signer: KeyRole
    /// Name of the key that signed.
    public let signerName: KeyName
    /// Number of the change, as the signer counts, from 1 on.
    public let sequence: UInt64
    /// Path of the signed document, or where it would lie in a trial.
    public let path: String
    /// Path of the file in which the new private key lies, or would; `nil` where it was made elsewhere.
    public let newKeyFile: String?
    /// The moment from which the authority signs with the new key, Unix seconds; `nil` if it has only the public half.
    public let switchTime: Int64?
    /// All keys of the role from then on, the new one first. With a trial, a key that would be made has a throwaway's bytes.
    public let keys: [TrustedKey]
    /// Names of keys that an earlier change of this authority listed and that count no more; empty without any.
    public let dropped: [KeyName]
    /// Whether the run was a trial that wrote nothing.
    public let isTrial: Bool

    /// SHA-256 of a key's SubjectPublicKeyInfo in hexadecimal digits; `nil` for the key that a trial did not make.
    public func fingerprint(_ key: TrustedKey) -> String? {
        isTrial && newKeyFile != nil && key.name == keys.first?.name
            ? nil : Hex.string(SHA256.digest(of: key.key.subjectPublicKeyInfo))
    }

    /// The report as a JSON object for a script, with public halves of keys as SHA-256 in hexadecimal only; what is `nil` is `null`.
    public var json: JSON {
        [
            "role": .string(role.rawValue), "signer": .string(signer.rawValue), "signerName": .string("\(signerName)"),
            "sequence": .int(Int64(sequence)), "path": .string(path), "newKeyFile": newKeyFile.map { .string($0) } ?? .null,
            "keys": .array(
                keys.map { key in
                    [
                        "name": .string("\(key.name)"), "sha256": fingerprint(key).map { .string($0) } ?? .null,
                        "validUntil": key.validUntil.map { .int($0) } ?? .null, "spare": .bool(key.isSpare),
                    ]
                }),
            "signsFrom": switchTime.map { .int($0) } ?? .null,
            "dropped": .array(dropped.map { .string("\($0)") }), "dryRun": .bool(isTrial),
        ]
    }
}
