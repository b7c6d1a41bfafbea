// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension Ledger {
    /// The maximum number of open tickets, neither spent nor expired, of one caller for one purpose. It applies to
    /// each purpose, so that tickets for one reveal nothing about another, and to each caller, so that one caller
    /// cannot keep others from making tickets. The number is this project's own.
    public static let maximumOpenTickets = 16
    /// The number of spent tickets that are kept when another is made, those spent last. One that is no longer kept
    /// counts as unknown and is refused too. The number is this project's own.
    public static let maximumSpentTickets = 1_024
    /// The number of seconds by which the clock may be earlier than when a ticket was made, inclusive: 10 minutes. A
    /// larger step back would prolong its life. The number is this project's own.
    public static let ticketClockSlack: Int64 = 600

    private struct Stored {
        var isSpent: Bool
        /// Whose call made it; empty in rows of version 1, which did not say.
        let caller: String
        let ticket: Ticket

        init(isSpent: Bool, caller: String, ticket: Ticket) {
            (self.isSpent, self.caller, self.ticket) = (isSpent, caller, ticket)
        }

        init?(_ name: [UInt8], _ content: [UInt8]) {
            var reader = LedgerReader(content)
            guard let version = reader.integer(UInt8.self), (1...2).contains(version),
                let isSpent = reader.integer(UInt8.self), isSpent <= 1,
                let made = reader.integer(Int64.self), let expires = reader.integer(Int64.self),
                let purpose = reader.string(), let presence = reader.string(),
                let caller = version == 1 ? "" : reader.string(), reader.isAtEnd
            else { return nil }
            self.isSpent = isSpent == 1
            self.caller = caller
            ticket = Ticket(
                id: Hex.string(name), purpose: purpose, presence: presence, made: made, expires: expires)
        }

        var content: [UInt8] {
            var writer = LedgerWriter()
            writer.write(UInt8(2))
            writer.write(UInt8(isSpent ? 1 : 0))
            writer.write(ticket.made)
            writer.write(ticket.expires)
            writer.write(ticket.purpose)
            writer.write(ticket.presence)
            writer.write(caller)
            return writer.bytes
        }
    }

    /// Returns the number of tickets that are neither spent nor expired at `time` (Unix seconds), including those
    /// made after `time`. Throws ``LedgerFailure`` when the database cannot be read.
    public func openTicketCount(at time: Int64) throws -> Int {
        try rows(.ticket).filter { row in
            Stored(row.name, row.content).map { !$0.isSpent && $0.ticket.expires > time } ?? false
        }.count
    }

    static func isTicket(_ row: Row, before day: UInt32) -> Bool {
        guard let stored = Stored(row.name, row.content) else { return true }
        return max(stored.ticket.made, stored.ticket.expires) < Int64(day) * 86_400
    }

    func forgetTickets(before day: UInt32) throws { try delete(.ticket) { Self.isTicket($0, before: day) } }

    func makeTicket(
        _ purpose: String, _ presence: String, _ caller: String, _ made: Int64, _ expires: Int64
    ) throws -> Ticket {
        _ = try (Self.checked(name: purpose), Self.checked(name: presence), Self.checked(name: caller))
        guard expires > made else { throw LedgerFailure(.invalid, "a ticket that expires before it is made") }
        try delete(.ticket) { row in
            Stored(row.name, row.content).map { !$0.isSpent && $0.ticket.expires <= made } ?? true
        }
        let kept = try rows(.ticket)
        let spent = kept.filter { Stored($0.name, $0.content)?.isSpent == true }
        let open = kept.count {
            guard let stored = Stored($0.name, $0.content) else { return true }
            return !stored.isSpent && stored.ticket.purpose == purpose && stored.caller == caller
        }
        guard open < Self.maximumOpenTickets else { throw LedgerFailure(.tooMany, "tickets") }
        for row in spent.dropLast(Self.maximumSpentTickets) { try delete(.ticket, tag: row.tag) }
        let name = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let ticket = Ticket(id: Hex.string(name), purpose: purpose, presence: presence, made: made, expires: expires)
        try put(.ticket, name, Stored(isSpent: false, caller: caller, ticket: ticket).content)
        return ticket
    }

    func redeem(_ id: String, _ purpose: String, _ time: Int64) throws -> Ticket {
        guard let name = Hex.bytes(id), name.count == 16, let content = try row(.ticket, name),
            var stored = Stored(name, content)
        else { throw LedgerFailure(.ticketUnknown) }
        guard !stored.isSpent else { throw LedgerFailure(.ticketSpent) }
        guard stored.ticket.purpose == purpose else { throw LedgerFailure(.ticketPurpose) }
        guard time < stored.ticket.expires,
            time >= stored.ticket.made.subtractingReportingOverflow(Self.ticketClockSlack).partialValue
        else { throw LedgerFailure(.ticketExpired) }
        stored.isSpent = true
        try put(.ticket, name, stored.content)
        return stored.ticket
    }
}

extension LedgerTransaction {
    /// Makes a ticket for `purpose` with fresh random bits, valid from `made` until before `expires` (Unix
    /// seconds). Open tickets that are expired at `made` are removed, and all spent ones but the last
    /// ``Ledger/maximumSpentTickets``.
    ///
    /// Throws ``LedgerFailure``: `tooMany` when `caller` has ``Ledger/maximumOpenTickets`` open for this purpose;
    /// `invalid` when `purpose`, `presence` or `caller` does not have 1 to ``Ledger/maximumNameByteCount`` bytes,
    /// or `expires` is not after `made`; or what the disk refuses.
    public func makeTicket(
        purpose: String, presence: String, caller: String, made: Int64, expires: Int64
    ) throws -> Ticket {
        try ledger.makeTicket(purpose, presence, caller, made, expires)
    }

    /// Spends a ticket at `time` (Unix seconds) and returns it. It is spent for good only when the transaction is
    /// durable: do what it allows after that.
    ///
    /// Throws ``LedgerFailure``, the first that applies: `ticketUnknown` when there is no such ticket, also for an
    /// `id` that is not 32 hexadecimal digits; `ticketSpent` when it was spent before; `ticketPurpose` when it is
    /// for another purpose; `ticketExpired` when its time is over, or `time` is more than
    /// ``Ledger/ticketClockSlack`` before it was made; or what the disk refuses. A refusal changes nothing.
    public func redeemTicket(id: String, purpose: String, at time: Int64) throws -> Ticket {
        try ledger.redeem(id, purpose, time)
    }
}
