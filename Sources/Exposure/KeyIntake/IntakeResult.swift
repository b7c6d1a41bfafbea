// SPDX-License-Identifier: Apache-2.0

public import KeyExport
public import Matching
import Trust

/// The mark that a file is recognised by, so that the same file costs nothing the second time; both are SHA-256, 32
/// bytes.
public enum FileMark: Sendable, Hashable {
    /// SHA-256 of export.sig, known before a byte of export.bin is read.
    case signatureList([UInt8])
    /// `VerifiedExport.contentMark`: of export.bin and of the authorities whose it is. It also recognises the same keys
    /// signed anew by the same authorities.
    case content([UInt8])
}

/// The outcome of one file of a call.
public struct IntakeFile: Sendable {
    /// The outcome of a file: its keys were matched in this call, or had been before.
    public enum Outcome: String, Sendable {
        /// The file was verified and its keys were matched.
        case matched
        /// Matched before, by an earlier call or as an earlier file of this one; it brings nothing.
        case repeated
    }

    /// Name of the file as the caller gave it; a legal name of the spool, otherwise foreign text.
    public let name: String
    /// The outcome of the file: its keys were matched in this call for the first time, or had been before.
    public let outcome: Outcome
    /// The file's content besides its keys; `nil` when it was recognised by its signature list, without being read.
    public let export: VerifiedExport?
    /// SHA-256 of export.sig, 32 bytes: what the file is recognised by.
    public let signatureListDigest: [UInt8]
    /// The matches in file order, those of revised keys last, for ``MatchSet/merge(_:)-([Match])``; empty for a
    /// repeated file.
    public let matches: [Match]

    /// For owners that do what an ``IntakeRun`` does by other means.
    package init(
        name: String, outcome: Outcome, export: VerifiedExport?, signatureListDigest: [UInt8], matches: [Match]
    ) {
        self.name = name
        self.outcome = outcome
        self.export = export
        self.signatureListDigest = signatureListDigest
        self.matches = matches
    }

    /// Header and counts of the file; `nil` when it was recognised by its signature list, without being read.
    public var summary: ExportSummary? { export?.summary }
    /// The mark of its content and of its authority (`VerifiedExport.contentMark`), 32 bytes; `nil` when it was not read.
    public var contentDigest: [UInt8]? { export?.contentMark }
    /// The sources of the file's statements, by its authorities and signing keys (`VerifiedExport.sources`); empty when
    /// it was not read. Neither the file nor who brought it has a say in that.
    public var sources: [String] { export?.sources ?? [] }
}

/// The outcome of a call of key files. Every file verified, every batch is whole; to be committed in one transaction, or
/// not at all.
public struct IntakeResult: Sendable {
    /// The files of the call, in the order they were named.
    public let files: [IntakeFile]
    /// Numbers of keys that were tried and that hit, over all files of the call that were read, repeated ones included.
    public let statistics: MatchStatistics
    /// Number of keys that were left out, by flaw, over all files of the call that were read; each 1 or more.
    public let flaws: [ExportedKey.Flaw: Int]

    /// A result of these parts, for owners that do what an ``IntakeRun`` does by other means.
    package init(files: [IntakeFile], statistics: MatchStatistics, flaws: [ExportedKey.Flaw: Int]) {
        self.files = files
        self.statistics = statistics
        self.flaws = flaws
    }
}

/// The progress of one call that takes in files: files and bytes that were read so far.
public struct IntakeProgress: Sendable, Hashable {
    /// Number of files that are verified or recognised; 0 up to ``files``.
    public internal(set) var filesDone = 0
    /// Number of files of the call, 0 or more.
    public internal(set) var files = 0
    /// Bytes of export.bin read so far, of all files, 0 or more; those of recognised files are not among them.
    public internal(set) var bytes: UInt64 = 0
    /// Bytes of export.bin read so far of the present file, 0 or more; after a file its bytes stay until the next one
    /// begins.
    public internal(set) var fileBytes: UInt64 = 0
    /// Bytes of export.bin that the present file announced; 0 until it has. After a file they stay until the next one
    /// begins.
    public internal(set) var fileAnnounced: UInt64 = 0
}
