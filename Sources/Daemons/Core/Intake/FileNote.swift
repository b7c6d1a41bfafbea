// SPDX-License-Identifier: Apache-2.0

import JSON
import KeyExport
import KeyIntake
import Ledger

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
