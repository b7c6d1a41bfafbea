// SPDX-License-Identifier: Apache-2.0

public import CodedError
package import SQLiteFile

/// The reason why the portal did not do something. Equal by code; the detail never holds a password, a teleTAN or a cookie.
public struct PortalError: CodedError {
    /// The kind of error. Raw values are stable: they appear in the audit, in metrics and in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The name breaks the rules for users' names: 1 to 64 of a-z, 0-9, dot, hyphen and underscore.
        case invalidName
        /// The password has fewer than 12 or more than 256 bytes.
        case invalidPassword
        /// A user of this name exists already.
        case userExists
        /// No user has this name.
        case unknownUser
        /// The verification server issues no more teleTANs in this hour, or this user has reached the limit of teleTANs.
        case limitReached
        /// The verification server cannot be reached, or refuses this portal.
        case sourceFailed
        /// The database or the secret cannot be used.
        case storageUnusable
        /// A newer release wrote the database.
        case storageTooNew
        /// The database is not what this program writes.
        case storageDamaged
        /// Another process kept the database busy for too long.
        case storageInUse
        /// No space left on the disk.
        case full
        /// The address cannot be listened on.
        case listenFailed
        /// The cryptographic library refused.
        case cryptography
        /// The portal stopped before it had checked the password.
        case stopping
    }

    /// The kind of the error; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The names, numbers and reasons of the case, without any secret; may be empty.
    public let detail: String

    /// Creates an error of the kind `code`, with the place of the call. `detail` must hold no password, teleTAN or cookie,
    /// which is not checked. Cannot fail.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// Whether the words of a command are at fault, rather than the machine: `true` for `invalidName`, `invalidPassword`,
    /// `userExists` and `unknownUser`.
    public var isAboutInput: Bool {
        [.invalidName, .invalidPassword, .userExists, .unknownUser].contains(code)
    }

    /// A text for operators and logs, in English: what is wrong and what to do, then the detail after a colon unless it is
    /// empty, then the raw value of the code in brackets. No secrets.
    public var description: String {
        let text =
            switch code {
            case .invalidName: "a user's name has 1 to 64 of a-z, 0-9, dot, hyphen and underscore; choose another"
            case .invalidPassword: "a password has 12 to 256 bytes; choose another"
            case .userExists: "there is a user of this name; choose another, or change the password"
            case .unknownUser: "there is no user of this name; look at the list of users"
            case .limitReached: "as many teleTANs were issued as an hour may have; issue the next one later"
            case .sourceFailed:
                "the verification server issued no teleTAN; see that it runs and that the secrets are the same"
            case .storageUnusable: "the storage cannot be used; check its owner, its rights and the disk"
            case .storageTooNew: "a newer release wrote this database; install that release again"
            case .storageDamaged: "the database is damaged; restore it from its last copy"
            case .storageInUse: "another process works on this database; wait for it, or stop it"
            case .full: "the disk is full; free some space and do it again"
            case .listenFailed: "the address cannot be listened on; choose another, or stop who has it"
            case .cryptography: "the cryptographic library refused"
            case .stopping: "the portal is being stopped; sign in once it runs again"
            }
        return detail.isEmpty ? "\(text) [\(code.rawValue)]" : "\(text): \(detail) [\(code.rawValue)]"
    }
}

extension PortalError: SQLiteFailure {
    /// Creates the portal's error for a fault of the database, with the fault's detail: `storageUnusable`, `storageTooNew`,
    /// `storageDamaged`, `storageInUse` or `full`. Cannot fail.
    package init(_ fault: SQLiteFault) {
        let code: Code =
            switch fault.kind {
            case .unusable: .storageUnusable
            case .tooNew: .storageTooNew
            case .damaged: .storageDamaged
            case .inUse: .storageInUse
            case .full: .full
            }
        self.init(code, fault.detail)
    }
}
