// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a diagnosis key file was refused: the broken rule and its place. Two errors are equal when their
/// codes are.
public struct KeyExportError: CodedError {
    /// The rules for key files, one of which was broken. The raw values are stable: they appear in `--json` output
    /// and in logs.
    public enum Code: String, Sendable, CaseIterable {
        // The archive.
        /// The file cannot be opened or read.
        case unreadableFile
        /// The file is not a zip archive, has no entries, or was cut off before its end.
        case notAZipArchive
        /// The archive does not have exactly two entries. The reader reports a more exact rule where one applies: a
        /// missing, duplicate or unexpected entry.
        case wrongEntryCount
        /// The archive has an entry that is neither export.bin nor export.sig.
        case unexpectedEntry
        /// An entry's name is a path: the archive was made to write outside its folder.
        case illegalEntryName
        /// An entry occurs twice.
        case duplicateEntry
        /// export.bin is missing.
        case missingExport
        /// export.sig is missing: the file is not signed.
        case missingSignature
        /// An entry is encrypted.
        case encryptedEntry
        /// An entry is neither stored nor deflated.
        case unsupportedCompression
        /// An entry has, or states that it has, more bytes than ``ExportLimits`` allow.
        case entryTooLarge
        /// An entry is compressed more than ``ExportLimits`` allow, as in a zip bomb.
        case suspiciousRatio
        /// The archive contradicts itself, or a checksum is wrong.
        case damagedArchive
        /// The caller stopped the reading before the end.
        case stopped
        // export.bin.
        /// export.bin does not start with `EK Export v1` and its blanks.
        case wrongHeader
        /// export.bin ends in the middle of a field.
        case truncated
        /// export.bin is not a valid protobuf message.
        case malformedProtobuf
        /// A field of export.bin is larger than allowed.
        case elementTooLarge
        /// export.bin holds more keys than ``ExportLimits`` allow.
        case tooManyKeys
        /// export.bin names more signers than ``ExportLimits`` allow.
        case tooManySignatureInfos
        // export.sig, and who signed.
        /// export.sig is not a valid list of signatures.
        case malformedSignatureList
        /// export.sig does not hold as many signatures as export.bin names.
        case signatureCountMismatch
        /// The algorithm that a trusted key's signature names is not the object identifier of ECDSA with SHA-256 or
        /// SHA-512, or is absent.
        case unsupportedAlgorithm
        /// No signature names a key that is trusted for key files and valid now; under ``SignaturePolicy/anyKey``,
        /// there is no such key or no signature.
        case noTrustedSigner
        /// No signature of a trusted key verifies, or not all required ones do: the file was changed, or signed
        /// wrongly.
        case signatureMismatch
        /// The file was signed by another authority than the one for which it was fetched.
        case anotherAuthority
        /// The file is for another region than the authority's.
        case wrongRegion
        // Batches of files.
        /// The batch number is not between 1 and the batch size.
        case invalidBatchNumber
        /// Files of a batch are missing from the call.
        case incompleteBatch
        /// Files of one batch contradict each other.
        case inconsistentBatch
    }

    /// The rule that was broken; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The offset in bytes within the entry (or the archive) at which the rule was broken, from 0; `nil` when there
    /// is no such place. For ``Code/stopped`` it is the number of bytes read.
    public let offset: UInt64?
    /// The numbers and names that belong to the error, may be empty; never key material. It may quote a file's region
    /// and the names of its signers, which are foreign text and not made printable.
    public let detail: String

    /// Creates an error. `offset` is in bytes, `nil` when there is no place. `detail` must have no key material and
    /// be safe to log.
    public init(
        _ code: Code, at offset: UInt64? = nil, _ detail: String = "",
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.offset = offset
        self.detail = detail
    }

    /// A sentence with detail, place and code, for people, answers and logs; without keys. Foreign text in ``detail``
    /// is not made printable.
    public var description: String {
        let place = offset.map { " (at byte \($0))" } ?? ""
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more)\(place) [\(code.rawValue)]"
    }

    /// Whether the error is about the content of export.bin, which a changed byte anywhere can cause. The signature
    /// then tells whether the file was changed or made wrongly.
    package var isAboutContent: Bool {
        switch code {
        case .wrongHeader, .truncated, .malformedProtobuf, .elementTooLarge, .tooManySignatureInfos: return true
        default: return false
        }
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .unreadableFile: return "the file cannot be read"
        case .notAZipArchive: return "not a zip archive, or cut off before its end"
        case .wrongEntryCount: return "a key file holds exactly export.bin and export.sig"
        case .unexpectedEntry: return "a key file holds export.bin and export.sig and nothing else"
        case .illegalEntryName: return "an entry's name is a path: this archive was made to write outside its folder"
        case .duplicateEntry: return "an entry occurs twice"
        case .missingExport: return "export.bin is missing"
        case .missingSignature: return "export.sig is missing: the file is not signed"
        case .encryptedEntry: return "an entry is encrypted"
        case .unsupportedCompression: return "an entry is neither stored nor deflated"
        case .entryTooLarge: return "an entry is larger than allowed"
        case .suspiciousRatio: return "an entry is compressed more than key files can be"
        case .damagedArchive: return "the archive is damaged"
        case .stopped: return "reading was stopped before the end"
        case .wrongHeader: return "export.bin does not start with \"EK Export v1\""
        case .truncated: return "export.bin ends in the middle of a field"
        case .malformedProtobuf: return "export.bin is not a valid protobuf message"
        case .elementTooLarge: return "a field of export.bin is larger than allowed"
        case .tooManyKeys: return "export.bin holds more keys than allowed"
        case .tooManySignatureInfos: return "export.bin names more signatures than allowed"
        case .malformedSignatureList: return "export.sig is not a valid list of signatures"
        case .signatureCountMismatch: return "export.sig does not hold as many signatures as export.bin names"
        case .unsupportedAlgorithm: return "the signature's algorithm is not the OID of ECDSA with SHA-256 or SHA-512"
        case .noTrustedSigner: return "no signature is by a key that is trusted for key files"
        case .signatureMismatch: return "the signature does not fit export.bin: the file was changed or signed wrongly"
        case .anotherAuthority: return "another authority than the one it came for has signed it"
        case .wrongRegion: return "it is signed for another region than the authority's"
        case .invalidBatchNumber: return "the batch number is not between 1 and the batch size"
        case .incompleteBatch: return "files of a batch are missing"
        case .inconsistentBatch: return "files of one batch contradict each other"
        }
    }
}
