// SPDX-License-Identifier: Apache-2.0

import JSON
import KeyExport
import KeyIntake
import Ledger

/// How fresh the published keys are that this device has compared. The core keeps that account itself: whoever brings files is a plugin, and
/// whoever publishes their lists need not be honest.
///
/// The account on disk changes in the transaction that keeps the files it is about: ``next(with:_:by:at:authority:)`` says what it will be,
/// ``store(_:_:)`` writes that, and ``adopt(_:)`` says that it is durable.
final class FreshnessAccount {
    private static let setting = "freshness"

    private let ledger: Ledger
    /// `nil` until it was read.
    private var kept: KeyFreshness?

    init(_ ledger: Ledger) { self.ledger = ledger }

    /// As it is kept; empty at first, and where what was kept cannot be understood. Throws what the ledger says.
    func read() throws -> KeyFreshness {
        if let kept { return kept }
        let bytes = try ledger.setting(Self.setting)
        let read = bytes.flatMap { try? JSON(parsing: $0).decode(KeyFreshness.self) } ?? KeyFreshness()
        kept = read
        return read
    }

    /// What each file of a call says of itself, in their order; of one that was recognised without being read, what was kept when it was. Throws
    /// what the ledger says.
    func notes(of result: IntakeResult) throws -> [FileNote?] {
        var read: [[UInt8]: FileNote] = [:]
        for file in result.files {
            if let note = FileNote(file.export) { read[file.signatureListDigest] = note }
        }
        return try result.files.map { file in
            if let note = FileNote(file.export) ?? read[file.signatureListDigest] { return note }
            return try ledger.noteOfFile(signatureListDigest: file.signatureListDigest).flatMap(FileNote.init(bytes:))
        }
    }

    /// What the account is once files with these notes are taken at `time`, Unix seconds. `authority` gives the name that an authority has in
    /// the account, by the name of a source; `nil` for the standard authority, and for sources that this device does not follow.
    func next(
        with notes: [FileNote?], _ terms: ProvideTerms, by caller: String, at time: Int64, authority: (String) -> String?
    ) throws -> KeyFreshness {
        var next = try read()
        if let sources = terms.sources {
            let wanted = sources.map {
                KeyFreshness.Wanted(
                    name: $0.name, region: $0.region, isContinuous: $0.isContinuous, authority: authority($0.name))
            }
            next.want(wanted, by: caller, at: time)
        }
        for case let note? in notes {
            next.take(note.period, from: terms.source, by: caller, at: time, of: note.authorities)
        }
        next.settle(at: time)
        return next
    }

    /// Writes the account, if it is another than before.
    func store(_ next: KeyFreshness, _ transaction: LedgerTransaction) throws {
        guard next != kept else { return }
        try transaction.set(Self.setting, try JSON(encoding: next).bytes)
    }

    /// The transaction is durable that ``store(_:_:)`` was part of.
    func adopt(_ next: KeyFreshness) { kept = next }
}
