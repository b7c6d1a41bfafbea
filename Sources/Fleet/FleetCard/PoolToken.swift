// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import JSON

/// A token of a pool that is lent, and what became of it: one board, no borrower. Nothing here can say who has it.
public struct PoolToken: Sendable, Equatable {
    /// What happens to a token at the desk. Raw values are what the desk types; as events they are stored as `pool.VERB`.
    public enum Verb: String, Sendable, CaseIterable {
        /// The token is in the pool from now on; a board of the inventory is so from its card on, without this.
        case add
        /// Somebody gets it.
        case lend
        /// It is back, with everything of whoever had it.
        case `return`
        /// It was erased to be handed on.
        case wiped
        /// Nobody knows where it is.
        case lost
        /// It is there again.
        case found
        /// Its battery was charged.
        case charge

        /// The kind of the event in the inventory.
        public var kind: String { "pool.\(rawValue)" }
    }

    /// Where a token is, as far as the desk knows.
    public enum State: String, Sendable, CaseIterable {
        /// It can be lent: it is new, or was wiped.
        case free
        /// Somebody has it.
        case out
        /// It was returned or found, and has to be wiped before anybody else gets it.
        case toWipe
        /// Nobody knows where it is.
        case lost
    }

    /// The token's serial number, as it is printed on its label.
    public let serial: BoardSerial
    /// The operator's name of the board; its serial number for one that has no name.
    public let name: String
    /// Where it is.
    public private(set) var state = State.free
    /// When it came to be there, by the clock of the desk's computer, in Unix seconds; `nil` before the first event.
    public private(set) var since: Int64?
    /// The number of the device's life at its last proven wipe, 2 or more; `nil` before the first, also of a new card.
    public private(set) var life: Int64?
    /// When it was charged last, in Unix seconds; `nil` if it never was, or before it was lent last.
    public private(set) var charged: Int64?
    /// The number of the desk that had to do with it last, 1 to 99; `nil` if none was given.
    public private(set) var desk: Int?

    /// A token of which nothing has happened yet.
    public init(serial: BoardSerial, name: String) {
        self.serial = serial
        self.name = name
    }

    /// What an event says beside its kind: numbers only.
    public struct Detail: Sendable, Equatable {
        /// The desk's number, 1 to 99.
        public var desk: Int?
        /// With ``Verb/wiped``: the number of the life that began with it.
        public var life: Int64?
        /// With ``Verb/lend``: whether it was lent although it was not wiped, which was said twice. With ``Verb/wiped``: whether
        /// nobody has seen the proof.
        public var isInsisted = false

        /// An event without anything to add.
        public init(desk: Int? = nil, life: Int64? = nil, isInsisted: Bool = false) {
            self.desk = desk
            self.life = life
            self.isInsisted = isInsisted
        }

        /// Reads what ``text`` says; what cannot be read is not there.
        init(parsing text: String) {
            let json = (try? JSON(parsing: Array(text.utf8))) ?? .null
            desk = json["desk"]?.int.flatMap { Int(exactly: $0) }
            life = json["life"]?.int
            isInsisted = json["insisted"]?.bool ?? false
        }

        /// The detail as it is stored.
        var text: String {
            var object = JSON.Object()
            if let desk { object["desk"] = .int(Int64(desk)) }
            if let life { object["life"] = .int(life) }
            if isInsisted { object["insisted"] = true }
            return JSON.object(object).description
        }
    }

    /// Checks whether the verb can follow on what is known. Throws ``PoolFault`` with what to do if it cannot.
    public func check(_ verb: Verb, _ detail: Detail) throws(PoolFault) {
        switch (verb, state) {
        case (.add, _): if since != nil { throw .refused(serial, "is in the pool already") }
        case (.lend, .free), (.return, .out), (.lost, .free), (.lost, .out), (.lost, .toWipe), (.found, .lost): break
        case (.lend, .toWipe):
            guard detail.isInsisted else {
                throw .refused(
                    serial,
                    "was returned and not wiped: whoever gets it would have what is the former wearer's. Wipe it, and say `wiped`. If it was wiped and you cannot say how, say so a second time: --not-wiped"
                )
            }
        case (.lend, .out): throw .refused(serial, "is out already; say `return` first, then wipe it")
        case (.lend, .lost): throw .refused(serial, "is lost; say `found` first, then wipe it")
        case (.return, .lost): throw .refused(serial, "is lost; say `found`")
        case (.return, .free), (.return, .toWipe): throw .refused(serial, "was not out")
        case (.wiped, .out): throw .refused(serial, "is out; say `return` first")
        case (.wiped, .lost): throw .refused(serial, "is lost; say `found` first")
        case (.wiped, .free), (.wiped, .toWipe):
            guard let new = detail.life, let life else { break }
            guard new > life else {
                throw .refused(
                    serial,
                    "was in life \(life) when it was wiped last, and the proof says life \(new): it is the proof of before, or of another token. Compare the serial number on the label"
                )
            }
        case (.lost, .lost): throw .refused(serial, "is lost already")
        case (.found, _): throw .refused(serial, "is not lost")
        case (.charge, _): if state == .lost { throw .refused(serial, "is lost; say `found` first") }
        }
    }

    /// A card was made for it, or written: a board that starts with a new card begins to count its lives anew.
    mutating func applyNewCard() { life = nil }

    /// Applies an event that was checked when it happened.
    mutating func apply(_ verb: Verb, _ detail: Detail, at time: Int64) {
        desk = detail.desk ?? desk
        switch verb {
        case .charge:
            charged = time
            return
        case .add, .wiped: state = .free
        case .lend:
            state = .out
            charged = nil
        case .return, .found: state = .toWipe
        case .lost: state = .lost
        }
        if verb == .wiped { life = detail.life ?? life }
        since = time
    }

    /// The token as a JSON object for programs; what is not known is not in it.
    public var json: JSON {
        var object: JSON.Object = [
            "serial": .string("\(serial)"), "name": .string(name), "state": .string(state.rawValue),
        ]
        if let since { object["since"] = .int(since) }
        if let life { object["life"] = .int(life) }
        if let charged { object["charged"] = .int(charged) }
        if let desk { object["desk"] = .int(Int64(desk)) }
        return .object(object)
    }

    /// The header line of ``csv``.
    public static let columns = "serial,name,state,since,charged,life,desk"

    /// The token as a line of comma-separated values (RFC 4180), with dates in UTC; what is not known is empty.
    public var csv: String {
        func date(_ time: Int64?) -> String { time.map { UTCDay.text(time: UInt64(max(0, $0))) } ?? "" }
        let harmless = name.first.map { "=+-@".contains($0) } == true ? "'" + name : name
        return
            "\(serial),\"\(harmless.replacing("\"", with: "\"\""))\",\(state.rawValue),\(date(since)),\(date(charged)),\(life.map(String.init) ?? ""),\(desk.map(String.init) ?? "")"
    }
}
