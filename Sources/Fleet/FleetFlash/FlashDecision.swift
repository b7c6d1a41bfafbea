// SPDX-License-Identifier: Apache-2.0

import FleetCard

/// What is to become of one card, by what is on it and by what the journal says of it.
enum FlashDecision: Equatable {
    /// It gets the next board. `isUsed` says that it was not blank.
    case fresh(isUsed: Bool)
    /// It was begun for this board, by a run that was cut: written anew from the start, for the same board.
    case resume(Inventory.Bound)
    /// It was written for this board: left alone.
    case whole(Inventory.Bound)

    /// Decides. `size` and `cardNumber` are those of the medium; `bound` are the media that the journal has. Throws `foreign` for data of
    /// somebody else, which another inventory's board is, too, and for a written card that was formatted since; `copy` for the mark of a medium that this one is not; with
    /// `mayOverwrite` neither.
    init(
        _ content: MediumContent, size: UInt64, cardNumber: String?, bound: [Inventory.Bound], mayOverwrite: Bool
    ) throws(CardFault) {
        let known = content.mark.flatMap { mark in bound.first { $0.medium.mark == mark.description } }
        if let known {
            let isSame =
                known.medium.size == size
                && (known.medium.cardNumber == nil || cardNumber == nil || known.medium.cardNumber == cardNumber)
            guard isSame || mayOverwrite else { throw .copy(serial: known.board.serial) }
            if isSame {
                // A cut within the last step leaves half a partition table.
                if !known.isWritten {
                    self = .resume(known)
                    return
                }
                // Whoever has formatted a written card has left the mark.
                if content.kind == .vigil {
                    self = .whole(known)
                    return
                }
            }
        }
        switch content.kind {
        case .blank: self = .fresh(isUsed: false)
        case .begun: self = .fresh(isUsed: true)
        case .unused:
            // Somebody may look for that board.
            if let known, !mayOverwrite {
                throw .foreign("an empty file system, on the card that was written for \(known.board.serial)")
            }
            self = .fresh(isUsed: true)
        case .vigil:
            guard mayOverwrite else { throw .foreign("a board of Vigil's that this inventory does not know") }
            self = .fresh(isUsed: true)
        case .foreign(let what):
            guard mayOverwrite else { throw .foreign(what) }
            self = .fresh(isUsed: true)
        }
    }
}
