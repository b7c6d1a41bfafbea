// SPDX-License-Identifier: Apache-2.0

public import KeyExport
public import Matching
import Trust

/// The mark by which a file is recognised, so that it is not matched twice; both kinds are SHA-256 digests of 32
/// bytes.
public enum FileMark: Sendable, Hashable {
    /// The SHA-256 of export.sig, which is known before any byte of export.bin is read.
    case signatureList([UInt8])
    /// The mark of export.bin and the authorities that signed it (`VerifiedExport.contentMark`). It also recognises
    /// the same content newly signed by the same authorities.
    case content([UInt8])
}

/// The outcome of one file of a call.
public struct IntakeFile: Sendable {
    /// The outcome of a file: its keys were matched in this call, or had been before.
    public enum Outcome: String, Sendable {
        /// The file was verified and its keys were matched.
        case matched
        /// The file was matched before, by an earlier call or as an earlier file of this one; it has no matches.
        case repeated
    }

    /// The name of the file as the caller gave it: a legal name of the spool, otherwise foreign text.
    public let name: String
    /// Whether the file's keys were matched in this call or had been matched before.
    public let outcome: Outcome
    /// The content of the file without its keys; `nil` when the file was recognised by its signature list and not
    /// read.
    public let export: VerifiedExport?
    /// The SHA-256 of export.sig, 32 bytes, by which the file is recognised.
    public let signatureListDigest: [UInt8]
    /// The matches in file order, those of revised keys last, for ``MatchSet/merge(_:)-([Match])``; empty for a
    /// repeated file.
    public let matches: [Match]

    /// Creates the outcome of a file, for code that does the work of an ``IntakeRun`` in another way.
    package init(
        name: String, outcome: Outcome, export: VerifiedExport?, signatureListDigest: [UInt8], matches: [Match]
    ) {
        self.name = name
        self.outcome = outcome
        self.export = export
        self.signatureListDigest = signatureListDigest
        self.matches = matches
    }

    /// The header and the counts of the file; `nil` when the file was recognised by its signature list and not read.
    public var summary: ExportSummary? { export?.summary }
    /// The mark of the file's content and authorities (`VerifiedExport.contentMark`), 32 bytes; `nil` when the file
    /// was not read.
    public var contentDigest: [UInt8]? { export?.contentMark }
    /// The sources of the file's statements, by its authorities and signing keys (`VerifiedExport.sources`); empty
    /// when it was not read. Neither the file nor the program that brought it can choose them.
    public var sources: [String] { export?.sources ?? [] }
}

/// The result of a call of key files, in which every file was verified and every batch is complete. It must be
/// committed in one transaction, or not at all.
public struct IntakeResult: Sendable {
    /// The files of the call, in the order in which they were named.
    public let files: [IntakeFile]
    /// The counts of keys and of their matches, over all files of the call that were read, including repeated ones.
    public let statistics: MatchStatistics
    /// The number of keys that were left out, by flaw, over all files of the call that were read; each is 1 or more.
    public let flaws: [ExportedKey.Flaw: Int]

    /// Creates a result, for code that does the work of an ``IntakeRun`` in another way.
    package init(files: [IntakeFile], statistics: MatchStatistics, flaws: [ExportedKey.Flaw: Int]) {
        self.files = files
        self.statistics = statistics
        self.flaws = flaws
    }
}

/// The progress of one call of key files.
public struct IntakeProgress: Sendable, Hashable {
    /// The number of files that were verified or recognised; 0 up to ``files``.
    public internal(set) var filesDone = 0
    /// The number of files of the call, 0 or more.
    public internal(set) var files = 0
    /// The number of bytes of export.bin read so far, of all files, without recognised ones; 0 or more.
    public internal(set) var bytes: UInt64 = 0
    /// The number of bytes of export.bin read so far of the present file, 0 or more; it stays until the next file
    /// begins.
    public internal(set) var fileBytes: UInt64 = 0
    /// The number of bytes of export.bin that the present file announced; 0 before that. It stays until the next file
    /// begins.
    public internal(set) var fileAnnounced: UInt64 = 0
}
