// SPDX-License-Identifier: Apache-2.0

public import CodedError
package import SQLiteFile

/// The reason why the registration authority cannot work, or refuses what its operator hands in. Two errors are equal if their codes are.
/// Has neither a claim nor a key in it.
public struct RegistryError: CodedError {
    /// The kinds of failure, by what an operator can do. The raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// A file or a folder cannot be read or written.
        case storageUnusable
        /// A newer release wrote the database.
        case storageTooNew
        /// The database is not what this program writes.
        case storageDamaged
        /// Another process kept the database locked.
        case storageInUse
        /// No space is left.
        case full
        /// The folder is no registration authority's, or is one already.
        case wrongFolder
        /// A number or a name of the settings is not valid.
        case invalidSettings
        /// A line of the list of boards is not one, or the list is older than what is known.
        case invalidList
        /// There is no such board.
        case unknownBoard
        /// A board's state does not allow it.
        case wrongState
        /// The address cannot be listened on.
        case listenFailed
        /// The authority's own certificate has ended, or has not begun.
        case authorityEnded
        /// The cryptographic library refused.
        case cryptography
        /// The token with the authority's key cannot be used.
        case tokenUnusable
    }

    /// The kind; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Paths and reasons; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and without secrets.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        self.detail = detail
        origin = ErrorOrigin(file: file, line: line)
    }

    /// A sentence for operators: what is wrong and what to do, the detail, the code.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .storageUnusable: "the storage cannot be used; check its owner, its rights and the disk"
        case .storageTooNew: "a newer release wrote this database; install that release again"
        case .storageDamaged: "the database is damaged; restore it from its last copy"
        case .storageInUse: "another process works on this database; wait for it, or stop it"
        case .full: "the disk is full; free some space and do it again"
        case .wrongFolder: "this is not the folder that is needed; `fleet init` makes one"
        case .invalidSettings: "a setting is not valid; correct it"
        case .invalidList: "this is not a list of boards as `vigil-fleet claims` writes it now; nothing was taken"
        case .unknownBoard: "there is no such board; `fleet list` lists them"
        case .wrongState: "the board's state does not allow this"
        case .listenFailed: "the address cannot be listened on; choose another, or stop who has it"
        case .authorityEnded:
            "the authority's own certificate is not valid now; set the clock if it is wrong, or make a new one with `fleet renew-authority`"
        case .cryptography: "nothing could be signed"
        case .tokenUnusable: "the token with the authority's key cannot be used"
        }
    }
}

extension RegistryError: SQLiteFailure {
    /// Translates a fault of the database. Cannot fail.
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
