// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography
public import JSON
public import Trust

/// A change of one role's keys, to be signed by ``HealthAuthority/rotate(_:isTrial:now:)``.
public struct KeyRotation: Sendable {
    /// The days for which the present key stays in force beside the new one unless an operator sets another number: 14, the
    /// longest time for which packages that it signed may be offered (``PublishingRules/daysToPublish``). Our own choice.
    public static let standardOverlapDays: Int64 = 14
    /// The days for which a key may stay in force beside its successor: 0 to 400. Our own bound.
    public static let overlapDays: ClosedRange<Int64> = 0...400
    /// The largest sequence number, 2⁵³ - 1, which is the largest whole number that every JSON reader represents exactly.
    public static let maximumSequence: UInt64 = 1 << 53 - 1

    /// The role whose key changes, one of ``StateFolder/roles``.
    public let role: KeyRole
    /// The name of the new key, written "ID-VERSION" in documents. No key of the role that boards have may have the
    /// same name.
    public let name: KeyName
    /// The new public key if it was created elsewhere, which needs ``proof``. With `nil` a key is created, or the one of an
    /// interrupted run is used.
    public var newKey: P256.VerificationKey?
    /// The public keys, with their names, that may replace the new key if it is lost; none unless set. Each must
    /// differ from the others and from the new key. Spare keys of earlier changes are not carried over.
    public var spares: [(name: KeyName, key: P256.VerificationKey)] = []
    /// The days for which the present key stays in force, ``standardOverlapDays`` unless set.
    /// ``HealthAuthority/rotate(_:isTrial:now:)`` refuses numbers outside the static range ``overlapDays``.
    public var overlapDays = Self.standardOverlapDays
    /// The sequence number of the change, at most ``maximumSequence``; `nil` for the next number of the signer. A board
    /// refuses a number that is not above the last one.
    public var sequence: UInt64?
    /// The name by which boards that follow several authorities know this one. Needed when the operator signs for such
    /// boards; `nil` otherwise.
    public var source: String?
    /// The proof that the holder of a key created elsewhere wants it in this role and name: a signature by that key
    /// (``KeyProof``), in DER. `nil` if ``newKey`` is.
    public var proof: [UInt8]?
    /// The time from which the authority signs with the new key, in Unix seconds; `nil` for ``standardSwitch(now:)``. It
    /// must not be later than the end of the present key, even where ``newKey`` is given and the authority will not sign
    /// with it.
    public var switchTime: Int64?
    /// The operator's name and key, if the operator signs the change instead of the role's present key; `nil` otherwise.
    public var fleet: (name: KeyName, key: any P256Signer)?

    /// Returns the time from which the authority signs with the new key unless an operator sets another, in Unix seconds:
    /// seven days after `now`, or half of ``overlapDays`` (in whole days) if that is less. Stops the program if the sum
    /// exceeds 64 bits.
    public func standardSwitch(now: Int64) -> Int64 { now + min(7, overlapDays / 2) * UTCDay.seconds }

    /// Creates a change from the present key of `role` to a new key named `name`. Nothing is checked before
    /// ``HealthAuthority/rotate(_:isTrial:now:)``.
    public init(role: KeyRole, name: KeyName) {
        self.role = role
        self.name = name
    }
}

/// The outcome of a change of keys: its content, and where its files are.
public struct KeyRotationReport: Sendable {
    /// The role whose keys change.
    public let role: KeyRole
    /// The role of the key that signed: ``role``, or the operator.
    public let signer: KeyRole
    /// The name of the key that signed.
    public let signerName: KeyName
    /// The sequence number of the change, counted by the signer from 1.
    public let sequence: UInt64
    /// The path of the signed document; in a trial, the path that it would have.
    public let path: String
    /// The path of the file with the new private key; in a trial, the path that it would have. `nil` if the key was created
    /// elsewhere.
    public let newKeyFile: String?
    /// The time from which the authority signs with the new key, in Unix seconds; `nil` if the key was created elsewhere
    /// and the authority has only its public part.
    public let switchTime: Int64?
    /// All keys of the role after the change, the new one first. In a trial that creates a key, the new one's bytes are
    /// those of a key that is thrown away.
    public let keys: [TrustedKey]
    /// The names of keys that an earlier change of this authority listed and that are no longer in force; empty when there
    /// are none.
    public let dropped: [KeyName]
    /// Whether the run was a trial that wrote nothing.
    public let isTrial: Bool

    /// Returns the SHA-256 of the key's SubjectPublicKeyInfo in hexadecimal digits; `nil` for a new key that a trial did
    /// not keep.
    public func fingerprint(_ key: TrustedKey) -> String? {
        isTrial && newKeyFile != nil && key.name == keys.first?.name
            ? nil : Hex.string(SHA256.digest(of: key.key.subjectPublicKeyInfo))
    }

    /// The report as a JSON object for a script. Public keys are given as SHA-256 in hexadecimal digits; a property that is
    /// `nil` is `null`.
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
