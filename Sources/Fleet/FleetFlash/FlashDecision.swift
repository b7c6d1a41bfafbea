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
    /// somebody else, and `copy` for the mark of a medium that this one is not; with `mayOverwrite` neither.
    init(
        _ content: MediumContent, size: UInt64, cardNumber: String?, bound: [Inventory.Bound], mayOverwrite: Bool
    ) throws(CardFault) {
        switch content {
        case .blank: self = .fresh(isUsed: false)
        case .foreign(let what):
            guard mayOverwrite else { throw .foreign(what) }
            self = .fresh(isUsed: true)
        case .vigil(let mark):
            guard let mark, let known = bound.first(where: { $0.medium.mark == mark.description }) else {
                self = .fresh(isUsed: true)
                return
            }
            let isSame =
                known.medium.size == size
                && (known.medium.cardNumber == nil || cardNumber == nil || known.medium.cardNumber == cardNumber)
            guard isSame else {
                guard mayOverwrite else { throw .copy(serial: known.board.serial) }
                self = .fresh(isUsed: true)
                return
            }
            self = known.isWritten ? .whole(known) : .resume(known)
        }
    }
}
