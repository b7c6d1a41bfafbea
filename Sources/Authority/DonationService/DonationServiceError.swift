// SPDX-License-Identifier: Apache-2.0

public import CodedError
package import SQLiteFile

/// The reason why the issuer or the donation server cannot work. Two errors are equal if their codes are. Names no device and holds no
/// key, token or donation.
public struct DonationServiceError: CodedError {
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
        /// The folder belongs to the other server, or to none.
        case wrongFolder
        /// A name, an address or a number of the settings is not one.
        case invalidSettings
        /// The document of terms is not one.
        case invalidTerms
        /// A device's key is not one, or is not known.
        case invalidDevice
        /// The address cannot be listened on.
        case listenFailed
        /// The cryptographic library refused.
        case cryptography
    }

    /// The kind; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Paths and reasons; may be empty.
    public let detail: String

    /// Creates an error. `detail` must be printable and name no device.
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
        case .wrongFolder: "this folder is not the one of this server; the issuer and the donation server have one each"
        case .invalidSettings: "a setting is not valid; correct it"
        case .invalidTerms: "this is not a document about data donation; make it with `donations terms`"
        case .invalidDevice: "this is not the key of a device; give the Base64 of its SubjectPublicKeyInfo"
        case .listenFailed: "the address cannot be listened on; choose another, or stop who has it"
        case .cryptography: "the cryptographic library refused"
        }
    }
}

extension DonationServiceError: SQLiteFailure {
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
