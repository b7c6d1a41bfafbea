// SPDX-License-Identifier: Apache-2.0

import JSON
import KeyExport
import KeyIntake
import Ledger

/// How fresh the published keys are that this device has compared. The core keeps that account itself: whoever brings files is a plugin, and
/// whoever publishes their lists need not be honest.
extension ExposureService {
    static let freshnessSetting = "freshness"

    /// As it is kept; empty at first.
    func readFreshness() throws -> KeyFreshness {
        if let keyFreshness { return keyFreshness }
        let bytes = try ledger.setting(Self.freshnessSetting)
        let read = bytes.flatMap { try? JSON(parsing: $0).decode(KeyFreshness.self) } ?? KeyFreshness()
        keyFreshness = read
        return read
    }

    /// What each file of a call says of itself, in their order; of one that was recognised without being read, what was kept when it was.
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

    /// What the account is once these files are taken.
    func freshness(
        with notes: [FileNote?], _ terms: ProvideTerms, by caller: Caller, at time: Int64
    ) throws -> KeyFreshness {
        var freshness = try readFreshness()
        if let sources = terms.sources {
            let wanted = sources.map { wanted in
                KeyFreshness.Wanted(
                    name: wanted.name, region: wanted.region, isContinuous: wanted.isContinuous,
                    authority: source(named: wanted.name).flatMap { $0.isStandard ? nil : $0.name })
            }
            freshness.want(wanted, by: caller.name, at: time)
        }
        for case let note? in notes {
            freshness.take(note.period, from: terms.source, by: caller.name, at: time, of: note.authorities)
        }
        freshness.settle(at: time)
        return freshness
    }

    /// The source that is called so in profiles. Whoever brings files may call theirs anything else: then it is whoever has signed.
    func source(named name: String?) -> AuthoritySource? {
        name.flatMap { riskState.index(named: $0) }.map { riskState.sources[$0].source }
    }
}

/// What is kept beside a file in the ledger.
struct FileNote: Equatable {
    let period: ExportPeriod
    /// Who has signed it; empty is the name of the standard source.
    let authorities: [String]

    /// The names as they are written; not there in notes of before there were several.
    private struct Names: Codable {
        let by: [String]?
    }

    /// `nil` for a file that was not read, or that names no period.
    init?(_ export: VerifiedExport?) {
        guard let export, let period = export.summary.period else { return nil }
        self.period = period
        authorities = export.authorities
    }

    init?(bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let period = try? json.decode(ExportPeriod.self) else { return nil }
        self.period = period
        authorities = (try? json.decode(Names.self))?.by ?? [""]
    }

    /// `nil` where it is too long to be kept: such a file is read again.
    var bytes: [UInt8]? {
        guard var object = (try? JSON(encoding: period))?.object else { return nil }
        if authorities != [""] { object["by"] = .array(authorities.map { .string($0) }) }
        let bytes = JSON.object(object).bytes
        return bytes.count <= Ledger.maximumFileNoteByteCount ? bytes : nil
    }
}
