// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import KeyExport
import KeyStream

/// The reason why a call of key files failed: the file, the rule, and what to do. Two failures are equal when code,
/// rule and file are.
public struct IntakeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure of a call or a file. The raw values are stable: they appear in answers and logs.
    public enum Code: String, Sendable, CaseIterable {
        // The call.
        /// The call names no file.
        case noFiles
        /// The call names more files than ``IntakeLimits`` allow.
        case tooManyFiles
        /// The files of the call together are larger than ``IntakeLimits`` allow; the failure names the first file
        /// beyond.
        case tooManyBytes
        /// The call took ``IntakeLimits/totalTime`` or longer.
        case callTookTooLong
        /// The caller, or the end of the process, cancelled the call.
        case cancelled
        // The file's name and what it names.
        /// The name is not the plain name of a file: it is a path, has control characters, is empty, or is longer
        /// than 255 bytes.
        case illegalName
        /// The spool folder has no file of that name.
        case noSuchFile
        /// The file is a symbolic link; links are never followed.
        case symbolicLink
        /// The file is a folder, a pipe, a socket or a device, or another file system is mounted over it.
        case notARegularFile
        /// The file is a hard link to a file of another user.
        case anotherOwnersFile
        /// The file, or a document in it, has more bytes than its caller or ``IntakeLimits`` allow.
        case fileTooLarge
        /// The file or the folder cannot be opened, read or created because of permissions, the disk, or a name that
        /// is taken.
        case unreadable
        // What is in it: see `rule`.
        /// The file breaks a rule of key files: see ``rule``.
        case refused
        /// The file's keys match more often than honest ones can: it has the same keys many times.
        case tooManyMatches
        // The program that unpacks.
        /// The unzip program is not installed, or may not be run.
        case programMissing
        /// The unzip program cannot be started, for want of memory or processes.
        case programNotStarted
        /// The kernel cannot confine the unzip program.
        case notConfined
        /// The unzip program tried something forbidden while it unpacked the file, and was killed; this may be an
        /// attack.
        case confinementViolated
        /// The unzip program died.
        case programDied
        /// The unzip program broke its protocol, or ended with an error after a complete file.
        case programMisbehaved
        /// Nothing of the file came for ``IntakeLimits/stallTime``; for an archive that is being packed, for
        /// ``IntakeLimits/fileTime``.
        case stalled
        /// The file took ``IntakeLimits/fileTime`` or longer.
        case fileTookTooLong
    }

    /// The kind of failure; for ``Code/refused`` there is also a ``rule``.
    public let code: Code
    /// The file as the caller named it, with unprintable characters replaced and cut after 80 bytes; `nil` when the
    /// failure is about the whole call.
    public let file: String?
    /// The rule of key files that was broken when the code is ``Code/refused``; `nil` for other codes.
    public let rule: KeyExportError?
    /// The numbers and words that belong to the failure, may be empty; never key material.
    public let detail: String

    /// Creates a failure. `file` is made printable and cut after 80 bytes; it is `nil` for the whole call. `detail`
    /// must be printable and free of keys.
    public init(_ code: Code, file: String? = nil, _ detail: String = "") {
        self.code = code
        self.file = file.map { ForeignText.ascii($0, limit: 80) }
        rule = nil
        self.detail = detail
    }

    /// Creates the failure of a file that breaks a rule of key files. `file` is its name, made printable and cut
    /// after 80 bytes; `nil` when the rule is about the files of a call together.
    public init(_ rule: KeyExportError, file: String?) {
        code = .refused
        self.file = file.map { ForeignText.ascii($0, limit: 80) }
        self.rule = rule
        detail = ""
    }

    /// Whether code, rule and file of both are equal; the detail is not compared.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.rule == right.rule && left.file == right.file
    }

    /// Hashes code, rule and file, which `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(rule)
        hasher.combine(file)
    }

    /// The stable name of the broken rule: that of the rule of key files if there is one, otherwise the code.
    public var ruleName: String { rule?.code.rawValue ?? code.rawValue }
    /// The offset in export.bin or the archive, in bytes from 0, at which the rule was broken; `nil` when there is no
    /// place or no rule.
    public var offset: UInt64? { rule?.offset }

    /// Whether the same call with unchanged files may succeed later, as after deadlines, a cancelled call, and
    /// programs that died or could not start.
    public var isWorthRepeating: Bool {
        switch code {
        case .callTookTooLong, .cancelled, .programNotStarted, .programDied, .stalled, .fileTookTooLong: true
        default: false
        }
    }

    /// A text for answers and logs that states the failure, its reason and the next step; without keys. The file's
    /// name is foreign text made printable; the description of the ``rule`` may have foreign text that is not.
    public var description: String {
        let name = file.map { "\($0): " } ?? ""
        if let rule { return "\(name)\(rule). Nothing of this call was kept. \(advice)" }
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(name)\(sentence)\(more) [\(code.rawValue)]. Nothing of this call was kept. \(advice)"
    }

    private var sentence: String {
        switch code {
        case .noFiles: "no file was named"
        case .tooManyFiles: "too many files in one call"
        case .tooManyBytes: "the files of this call are too large together"
        case .callTookTooLong: "the call took too long"
        case .cancelled: "the call was cancelled"
        case .illegalName: "this is not the plain name of a file in the spool folder"
        case .noSuchFile: "there is no such file in the spool folder"
        case .symbolicLink: "this is a symbolic link, and links are never followed"
        case .notARegularFile: "this is not a regular file"
        case .anotherOwnersFile: "this is a link to a file of another user"
        case .fileTooLarge: "the file is larger than a key file can be"
        case .unreadable: "the file cannot be opened"
        case .refused: "the file is refused"
        case .tooManyMatches: "the file holds the same keys over and over"
        case .programMissing: "the program that unpacks key files is not there"
        case .programNotStarted: "the program that unpacks key files cannot be started"
        case .notConfined: "this kernel cannot confine the program that unpacks key files"
        case .confinementViolated:
            "while it was unpacked, the file made the program try what it must never do; it was killed"
        case .programDied: "the program that unpacks key files died"
        case .programMisbehaved: "the program that unpacks key files does not keep to its protocol"
        case .stalled: "the file brought nothing for too long"
        case .fileTookTooLong: "the file took too long"
        }
    }

    private var advice: String {
        switch code {
        case .noFiles, .illegalName: "Name files by their plain names, without folders."
        case .tooManyFiles, .tooManyBytes: "Give fewer files at a time, whole batches together."
        case .noSuchFile: "Finish writing a file before naming it."
        case .symbolicLink, .notARegularFile, .anotherOwnersFile: "Put the file itself into the spool folder."
        case .unreadable: "Check that the core may read what is in the spool folder."
        case .fileTooLarge, .tooManyMatches: "Do not offer it again; tell who publishes it."
        case .refused:
            switch rule?.code {
            case .incompleteBatch: "Give all files of a batch in one call."
            case .anotherAuthority: "Check which source its address was given for."
            case .wrongRegion: "Check the address it was loaded from, and the region in the authority's profile."
            case .noTrustedSigner, .signatureMismatch:
                "Check where it was loaded from and which keys are trusted; load it again."
            default: "Load it again; if it is refused again, tell who publishes it."
            }
        case .confinementViolated: "Do not offer it again; keep the file and report it, it may be an attack."
        case .programMissing: "Install vigil-zip beside vigil."
        case .notConfined: "Use a kernel with seccomp (CONFIG_SECCOMP_FILTER), or allow it to run unconfined for tests."
        case .programMisbehaved: "Install vigil and vigil-zip of the same release; if they are, report the file."
        case .callTookTooLong, .cancelled, .programNotStarted, .programDied, .stalled, .fileTookTooLong: "Try again later."
        }
    }
}

extension IntakeFailure {
    init(_ error: KeyStreamError, file: String?) { self.init(.programMisbehaved, file: file, "\(error)") }
}
