// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.trust1`. The interface's text explains each of them.
public enum Trust1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.trust1"

    /// The kind of document that a signer may sign.
    public enum Role: String, Codable, Sendable {
        /// `export`: files of diagnosis keys; `config`: configurations and texts of the health authority; `time`:
        /// statements of the time; `plugin`: plugins; `firmware`: firmware images.
        case export, config, time, plugin, firmware
        /// `operator`: grants, and successions of every role.
        case `operator`
    }

    /// A signer whose signatures count or have counted: a public key, and the limits of its validity.
    public struct Signer: Codable, Sendable, Hashable {
        /// The only kind of document that the key may sign.
        public var role: Role
        /// The signer's name in the form `ID-VERSION`, such as `262-v1`.
        public var name: String
        /// The public key that verifies the signatures: a SubjectPublicKeyInfo of P-256, in Base64.
        public var publicHalf: String
        /// The end of the period in which the signatures count, in Unix seconds; `nil` if they count until the key is
        /// replaced.
        public var validUntil: Int64?
        /// Whether the key is a spare, for the case that the regular one is lost.
        public var spare: Bool
        /// Whether signatures of the key count now: it has not been withdrawn, and its period has not ended at the earliest
        /// possible present time. While the time is not known, the period is ignored.
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

    /// Parameters of `TakeSuccession`: a signed document that replaces keys of an authority. Refused with
    /// `SuccessionRefused` and the broken rule, also for a source that is not followed, or with `StorageUnavailable`; then
    /// nothing has changed.
    public struct TakeSuccessionCall: Codable, Sendable {
        /// The source whose keys are replaced, as the name of an authority's profile; `nil` for the device's own authority.
        public var source: String?
        /// The published file (docs/file-formats.md); at most 8 KiB.
        public var document: String

        /// Creates the parameters of a call of `TakeSuccession`. Nothing is checked here: the core checks the values when
        /// the call arrives. See the properties for `nil`.
        public init(source: String?, document: String) {
            self.source = source
            self.document = document
        }
    }

    /// Reply of `TakeSuccession`: the document was accepted.
    public struct TakeSuccessionReply: Codable, Sendable {
        /// Whether the succession changed anything; `false` if it was accepted before, or if its signers are already in
        /// force.
        public var changed: Bool

        /// Creates the reply of the core to `TakeSuccession`. No value is checked.
        public init(changed: Bool) { self.changed = changed }
    }

    /// Parameters of `TakeConfiguration`: a signed configuration of the board's fleet. Refused with `ConfigurationRefused`;
    /// then nothing has changed.
    public struct TakeConfigurationCall: Codable, Sendable {
        /// The published file (docs/fleet.md); at most 40 KiB.
        public var document: String

        /// Creates the parameters of a call of `TakeConfiguration`. Nothing is checked here: the core checks the values when
        /// the call arrives.
        public init(document: String) { self.document = document }
    }

    /// Reply of `TakeConfiguration`: the configuration holds, or is on trial.
    public struct TakeConfigurationReply: Codable, Sendable {
        /// Whether it is on trial, and is taken back unless it is brought again.
        public var onTrial: Bool

        /// Creates the reply of the core to `TakeConfiguration`. No value is checked.
        public init(onTrial: Bool) { self.onTrial = onTrial }
    }

    /// Parameters of `KeepConfiguration`: the version on trial, which a person keeps. Refused with `ConfigurationRefused`; then
    /// nothing has changed.
    public struct KeepConfigurationCall: Codable, Sendable {
        /// The version on trial, 1 or more.
        public var version: Int64

        /// Creates the parameters of a call of `KeepConfiguration`. Nothing is checked here: the supervisor compares the
        /// version when the call arrives.
        public init(version: Int64) { self.version = version }
    }

    /// Reply of `GetConfiguration`: which configurations the board holds, tries, and took back.
    public struct ConfigurationReply: Codable, Sendable {
        /// The version that holds; `nil` without one.
        public var version: Int64?
        /// The version on trial; `nil` if none is.
        public var trial: Int64?
        /// The seconds until the one on trial is taken back, 0 or more; `nil` if none is.
        public var secondsLeft: Int64?
        /// The version that was taken back last; `nil` if none was.
        public var takenBack: Int64?
        /// The reason why it was taken back, in English; `nil` if none was.
        public var reason: String?
        /// The version of the last one that was refused since the core's start, if its operator signed it; `nil` if none was,
        /// or another one was taken since.
        public var refused: Int64?
        /// The reason why that one was refused, in English; `nil` if none was.
        public var refusedReason: String?

        /// Creates the reply of the core to `GetConfiguration`. No value is checked. See the properties for units and `nil`.
        public init(
            version: Int64?, trial: Int64?, secondsLeft: Int64?, takenBack: Int64?, reason: String?,
            refused: Int64? = nil, refusedReason: String? = nil
        ) {
            self.version = version
            self.trial = trial
            self.secondsLeft = secondsLeft
            self.takenBack = takenBack
            self.reason = reason
            self.refused = refused
            self.refusedReason = refusedReason
        }
    }

    /// Parameters of `GetSigners`: the source whose signers are wanted. Refused with `InvalidParameter` for a source that
    /// is not followed.
    public struct GetSignersCall: Codable, Sendable {
        /// The name of an authority's profile; `nil` for the device's own authority.
        public var source: String?

        /// Creates the parameters of a call of `GetSigners`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(source: String?) { self.source = source }
    }

    /// Reply of `GetSigners`: the keys that may sign, and what they may sign.
    public struct SignersReply: Codable, Sendable {
        /// The number of successions accepted for this source, 0 or more; 0 as provisioned.
        public var successions: Int
        /// The signers: up to 96 keys that have not been withdrawn, in force or not, followed by the last 64 that have
        /// been; at most 160.
        public var signers: [Signer]

        /// Creates the reply of the core to `GetSigners`. No value is checked. See the properties for units.
        public init(successions: Int, signers: [Signer]) {
            self.successions = successions
            self.signers = signers
        }
    }
}
