// SPDX-License-Identifier: Apache-2.0

import JSON
import SQLiteFile

extension Inventory {
    /// A medium that a board was bound to, as the journal has it.
    public struct Medium: Sendable, Equatable {
        /// The mark that the medium carries, 32 hexadecimal digits.
        public let mark: String
        /// The length of the medium in bytes.
        public let size: UInt64
        /// The number that the medium was made with; `nil` when the reader hides it.
        public let cardNumber: String?
        /// The device and, where it is known, the socket of the hub, for the operator.
        public let device: String
        /// SHA-256 of the image's map of blocks, 64 hexadecimal digits.
        public let image: String

        /// Creates a medium of these values; nothing is checked.
        public init(mark: String, size: UInt64, cardNumber: String?, device: String, image: String) {
            self.mark = mark
            self.size = size
            self.cardNumber = cardNumber
            self.device = device
            self.image = image
        }

        /// The detail of an event.
        var detail: String {
            var object: JSON.Object = [
                "medium": .string(mark), "size": .int(Int64(clamping: size)), "device": .string(device),
                "image": .string(image),
            ]
            if let cardNumber { object["cardNumber"] = .string(cardNumber) }
            return String(decoding: JSON.object(object).bytes, as: UTF8.self)
        }

        /// What a detail says; `nil` when it says something else.
        init?(detail: String) {
            guard let json = try? JSON(parsing: Array(detail.utf8)), let mark = json["medium"]?.string,
                let size = json["size"]?.int
            else { return nil }
            self.init(
                mark: mark, size: UInt64(max(0, size)), cardNumber: json["cardNumber"]?.string,
                device: json["device"]?.string ?? "", image: json["image"]?.string ?? "")
        }
    }

    /// A board that has a medium: begun, or written.
    public struct Bound: Sendable, Equatable {
        /// The board.
        public let board: Board
        /// Its medium.
        public let medium: Medium
        /// Whether the medium was written and read back.
        public var isWritten: Bool { board.state == Event.cardWritten.rawValue }
    }

    /// Returns the boards whose card is made and not begun, in the order in which they were planned. Throws ``InventoryFault`` when the
    /// file cannot be read.
    public func unwritten() throws(InventoryFault) -> [Board] {
        var found: [Board] = []
        try database.run(
            Self.select + " WHERE kind = ? ORDER BY (SELECT min(sequence) FROM event WHERE serial = board.serial)",
            [.text(Event.cardMade.rawValue)]
        ) { found.append(Self.board($0)) }
        return found
    }

    /// Returns the boards of whose card the last event is that a medium was begun or written. Throws ``InventoryFault`` when the file cannot be read.
    public func bound() throws(InventoryFault) -> [Bound] {
        var found: [Bound] = []
        try database.run(
            """
            SELECT board.serial, name, kind, time, detail FROM board JOIN event ON event.serial = board.serial AND sequence = \
            (SELECT max(sequence) FROM event WHERE serial = board.serial AND kind IN (\(Self.cardKinds))) \
            WHERE kind IN (?, ?) ORDER BY board.key
            """, [.text(Event.cardWriting.rawValue), .text(Event.cardWritten.rawValue)]
        ) { row in
            if let medium = Medium(detail: row[4].text ?? "") {
                found.append(Bound(board: Self.board(row), medium: medium))
            }
        }
        return found
    }

    /// Binds a medium to a board before anything of the board's is written to it; durable when this returns `true`. Returns `false`,
    /// and changes nothing, unless the board's card is made and not begun, or was begun on a medium of this mark; and when another
    /// board has a medium of this mark. Safe beside other processes. `time` is in Unix seconds. Throws ``InventoryFault`` when the
    /// file cannot be written.
    public func begin(_ medium: Medium, for serial: BoardSerial, at time: Int64) throws(InventoryFault) -> Bool {
        try database.transaction { () throws(InventoryFault) in
            for bound in try bound() where bound.medium.mark == medium.mark && bound.board.serial != "\(serial)" {
                return false
            }
            let (state, old) = try last(serial)
            guard state == .cardMade || state == .cardWriting && old?.mark == medium.mark else { return false }
            try add(.cardWriting, to: serial, at: time, detail: medium.detail)
            return true
        }
    }

    /// Says that the medium that was bound to a board was written and read back; durable when this returns `true`. Returns `false`, and
    /// changes nothing, when the board's last event is another than that this medium was begun. Throws as ``begin(_:for:at:)`` does.
    public func finish(_ medium: Medium, for serial: BoardSerial, at time: Int64) throws(InventoryFault) -> Bool {
        try database.transaction { () throws(InventoryFault) in
            let (state, old) = try last(serial)
            guard state == .cardWriting, old?.mark == medium.mark else { return false }
            try add(.cardWritten, to: serial, at: time, detail: medium.detail)
            return true
        }
    }

    /// The last event of a board's card, and the medium that it names.
    private func last(_ serial: BoardSerial) throws(InventoryFault) -> (Event?, Medium?) {
        var found: (Event?, Medium?)
        try database.run(
            "SELECT kind, detail FROM event WHERE serial = ? AND kind IN (\(Self.cardKinds)) ORDER BY sequence DESC LIMIT 1",
            [.text("\(serial)")]
        ) { found = (Event(rawValue: $0[0].text ?? ""), Medium(detail: $0[1].text ?? "")) }
        return found
    }
}
