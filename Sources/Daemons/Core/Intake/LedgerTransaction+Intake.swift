// SPDX-License-Identifier: Apache-2.0

import KeyIntake
import Ledger
import Matching

extension LedgerTransaction {
    /// Keeps what files brought, and remembers them, so that they need not be read again. `day` is the UTC day, days since 1970. Gives how many
    /// matches are new, and how many are others than before.
    func keep(_ files: [IntakeFile], day: UInt32) throws -> (new: Int, changed: Int) {
        // Those that were matched before: again, with the signature list they have now, so that they need not be read a third time.
        for file in files where file.outcome == .repeated { try remember(file, day: day) }
        var (new, changed) = (0, 0)
        for file in files where file.outcome == .matched {
            let sources = file.sources
            let outcome = try merge(file.matches.map { $0.attributed(to: sources) })
            new += outcome.new
            changed += outcome.changed
            try remember(file, day: day)
        }
        return (new, changed)
    }

    private func remember(_ file: IntakeFile, day: UInt32) throws {
        guard let content = file.contentDigest else { return }
        try rememberFile(
            signatureListDigest: file.signatureListDigest, contentDigest: content, day: day,
            note: FileNote(file.export)?.bytes ?? [])
    }
}
