// SPDX-License-Identifier: Apache-2.0

public import FleetCard

/// The devices of a run, looked at and held, before anything is written: which board each gets, or why none.
public struct FlashAdmission: Sendable {
    /// A device that can be written, or is written already.
    public struct Target: Sendable {
        /// The device.
        public let device: BlockDevice
        /// The board.
        public let serial: BoardSerial
        /// The board's name.
        public let name: String
        /// Whether the card was written for this board before; it is left alone.
        public let isWhole: Bool
        /// Whether a run before was cut while it wrote this card.
        public let isResumed: Bool
        /// Whether there was something on the card.
        public let isUsed: Bool
        let medium: Medium
        let mark: MediumMark
    }

    /// What the person has allowed.
    public struct Permissions: Sendable {
        /// Loop devices are admitted.
        public var isLaboratory = false
        /// Cards with data of somebody else are admitted.
        public var mayOverwrite = false
        /// Nothing will be written, so devices are opened for reading.
        public var isReadOnly = false

        /// Nothing is allowed.
        public init() {}
    }

    /// The devices that passed, in the order in which they were given.
    public private(set) var targets: [Target] = []
    /// Those that did not, as they were given, with the reason.
    public private(set) var refusals: [(path: String, fault: CardFault)] = []
    /// Boards that were passed over, because their folder is not as it was made: a sentence each.
    public private(set) var notes: [String] = []

    /// Looks at the devices, opens them for this process alone and keeps them open. Each gets the next board of `inventory` that has no
    /// medium, in the order of planning; a card that was begun gets its own again. `cards` is the folder of the boards' folders. Writes nothing
    /// to any device, and nothing to the inventory. Throws ``InventoryFault``.
    public init(
        _ paths: [String], imageSize: UInt64, inventory: Inventory, cards: String, _ permissions: Permissions,
        _ places: BlockDevice.Places = BlockDevice.Places(), using generator: inout some RandomNumberGenerator
    ) throws(InventoryFault) {
        let bound = try inventory.bound()
        var free = try inventory.unwritten()[...]
        var seen: [(number: UInt, path: String)] = []
        var taken: Set<String> = []
        for path in paths {
            do throws(CardFault) {
                let device = try BlockDevice(at: path, places)
                if let first = seen.first(where: { $0.number == device.number }) { throw .twice(path: first.path) }
                seen.append((device.number, path))
                if let fault = device.refusal(imageSize: imageSize, isLaboratory: permissions.isLaboratory) { throw fault }
                let medium = try FleetFlash.Medium(device, readOnly: permissions.isReadOnly, places)
                let content = try MediumContent(
                    head: try medium.bytes(0, 1 << 20),
                    tail: try medium.bytes(device.size / 4096 * 4096 - 1 << 20, 1 << 20),
                    size: device.size
                ) { place, count throws(CardFault) in try medium.bytes(place, count) }
                let decision = try FlashDecision(
                    content, size: device.size, cardNumber: device.cardNumber, bound: bound,
                    mayOverwrite: permissions.mayOverwrite)
                switch decision {
                case .fresh(let isUsed):
                    guard let board = try Self.next(&free, inventory, cards, &notes), let serial = BoardSerial(board.serial)
                    else { throw .noBoard }
                    targets.append(
                        Target(
                            device: device, serial: serial, name: board.name, isWhole: false, isResumed: false,
                            isUsed: isUsed,
                            medium: medium, mark: MediumMark(using: &generator)))
                case .resume(let known), .whole(let known):
                    guard let serial = BoardSerial(known.board.serial), let mark = MediumMark(known.medium.mark) else {
                        throw .noBoard
                    }
                    // Two cards with one mark: one is a copy of the other, and nobody knows which.
                    guard taken.insert(known.board.serial).inserted else { throw .copy(serial: known.board.serial) }
                    if !known.isWritten { try Self.check(serial, inventory, cards) }
                    targets.append(
                        Target(
                            device: device, serial: serial, name: known.board.name, isWhole: known.isWritten,
                            isResumed: !known.isWritten, isUsed: true, medium: medium, mark: mark))
                }
            } catch { refusals.append((path, error)) }
        }
    }

    /// The next board whose folder can be written.
    private static func next(
        _ free: inout ArraySlice<Inventory.Board>, _ inventory: Inventory, _ cards: String, _ notes: inout [String]
    ) throws(CardFault) -> Inventory.Board? {
        while let board = free.popFirst() {
            guard let serial = BoardSerial(board.serial) else { continue }
            do throws(CardFault) {
                try check(serial, inventory, cards)
                return board
            } catch { notes.append("\(board.serial) was passed over. \(error)") }
        }
        return nil
    }

    private static func check(_ serial: BoardSerial, _ inventory: Inventory, _ cards: String) throws(CardFault) {
        _ = try files(of: serial, inventory, cards)
    }

    /// A board's files, held against what the inventory has.
    static func files(
        of serial: BoardSerial, _ inventory: Inventory, _ cards: String
    ) throws(CardFault) -> [(path: String, bytes: [UInt8])] {
        do {
            guard let record = try inventory.record(of: serial) else { throw CardFault.boardTaken(serial: "\(serial)") }
            return try CardFolder.files(at: "\(cards)/\(serial)", of: record).map {
                ("\(Card.folder)/\($0.path)", $0.bytes)
            }
        } catch let fault as CardFault { throw fault } catch { throw .other("\(error)") }
    }
}
