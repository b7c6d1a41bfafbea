// SPDX-License-Identifier: Apache-2.0

import KeyExport
import KeyIntake
import Ledger
import Varlink

/// How fresh the published keys are that this device has compared. The core keeps that account itself: whoever brings files is a plugin, and
/// whoever publishes their lists need not be honest.
extension BlackBox {
    static let freshnessSetting = "freshness"

    /// As it is kept; empty at first.
    func readFreshness() throws -> KeyFreshness {
        if let keyFreshness { return keyFreshness }
        let bytes = try ledger.setting(Self.freshnessSetting)
        let read = bytes.flatMap { try? JSON(parsing: $0).decode(KeyFreshness.self) } ?? KeyFreshness()
        keyFreshness = read
        return read
    }

    /// The signed period of each file of a call, in its order; that of a file which was recognised without being read was kept when it was.
    func periods(of result: IntakeResult) throws -> [ExportPeriod?] {
        var read: [[UInt8]: ExportPeriod] = [:]
        for file in result.files {
            if let period = file.summary?.period { read[file.signatureListDigest] = period }
        }
        return try result.files.map { file in
            if let period = file.summary?.period ?? read[file.signatureListDigest] { return period }
            let note = try ledger.noteOfFile(signatureListDigest: file.signatureListDigest)
            return note.flatMap(ExportPeriod.init(note:))
        }
    }

    /// What the account is once these files are taken.
    func freshness(
        with periods: [ExportPeriod?], _ terms: ProvideTerms, by caller: Caller, at time: Int64
    ) throws -> KeyFreshness {
        var freshness = try readFreshness()
        if let sources = terms.sources { freshness.want(sources, by: caller.name, at: time) }
        for case let period? in periods { freshness.take(period, from: terms.source, by: caller.name, at: time) }
        freshness.settle(at: time)
        return freshness
    }
}

/// As it is kept beside a file in the ledger.
extension ExportPeriod {
    var note: [UInt8]? {
        let bytes = try? JSON(encoding: self).bytes
        return bytes.flatMap { $0.count <= Ledger.maximumFileNoteByteCount ? $0 : nil }
    }

    init?(note: [UInt8]) {
        guard let period = try? JSON(parsing: note).decode(Self.self) else { return nil }
        self = period
    }
}
