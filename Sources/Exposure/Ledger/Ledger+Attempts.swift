// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The maximum number of UTC days remembered per caller: those with the latest attempts in the order of
    /// recording, so that a clock that jumps cannot fill the ledger. The number is this project's own.
    public static let maximumAttemptDays = 40
    /// The maximum number of kinds of attempts remembered per caller and day. The number is this project's own.
    public static let maximumAttemptKinds = 16

    private struct Attempts {
        let caller: String
        let kind: String
        let day: UInt32
        var count: UInt32

        init(caller: String, kind: String, day: UInt32) {
            (self.caller, self.kind, self.day, count) = (caller, kind, day, 0)
        }

        init?(_ row: Row) {
            var (name, content) = (LedgerReader(row.name), LedgerReader(row.content))
            guard let caller = name.string(), let kind = name.string(), let day = name.integer(UInt32.self),
                let count = content.integer(UInt32.self)
            else { return nil }
            (self.caller, self.kind, self.day, self.count) = (caller, kind, day, count)
        }

        var name: [UInt8] {
            var writer = LedgerWriter()
            writer.write(caller)
            writer.write(kind)
            writer.write(day)
            return writer.bytes
        }

        var content: [UInt8] { withUnsafeBytes(of: count.littleEndian) { Array($0) } }
    }

    /// Returns the number of attempts of `kind` by `caller` that were recorded on the UTC day `day` (since 1970); 0
    /// if none is remembered, or its row cannot be read. Throws ``LedgerFailure`` when the database cannot be read.
    public func attempts(by caller: String, kind: String, day: UInt32) throws -> Int {
        let name = Attempts(caller: caller, kind: kind, day: day).name
        guard let content = try row(.attempt, name) else { return 0 }
        var reader = LedgerReader(content)
        return Int(reader.integer(UInt32.self) ?? 0)
    }

    static func isAttempt(_ row: Row, before day: UInt32) -> Bool { Attempts(row).map { $0.day < day } ?? true }

    func forgetAttempts(before day: UInt32) throws { try delete(.attempt) { Self.isAttempt($0, before: day) } }

    func recordAttempt(by caller: String, kind: String, day: UInt32) throws -> Int {
        _ = try (Self.checked(name: caller), Self.checked(name: kind))
        var attempts = Attempts(caller: caller, kind: kind, day: day)
        let before = try self.attempts(by: caller, kind: kind, day: day)
        attempts.count = UInt32(clamping: before + 1)
        try put(.attempt, attempts.name, attempts.content)
        // Newest first: the days, and within a day the kinds, that were written last stay.
        if before > 0 { return before + 1 }
        var days: [UInt32: Int] = [:]
        for row in try rows(.attempt).reversed() {
            guard let other = Attempts(row), other.caller == caller else { continue }
            if days[other.day] == nil, days.count == Self.maximumAttemptDays {
                try delete(.attempt, tag: row.tag)
            } else {
                days[other.day, default: 0] += 1
                if days[other.day, default: 0] > Self.maximumAttemptKinds {
                    throw LedgerFailure(.tooMany, "kinds of attempts")
                }
            }
        }
        return before + 1
    }
}

extension LedgerTransaction {
    /// Records an attempt on the UTC day `day` (since 1970) and returns the number of attempts of this caller and
    /// kind on the day, including this one. The attempt should be made only after the transaction is durable. Of
    /// more than ``Ledger/maximumAttemptDays`` days of a caller, those whose last attempt was recorded first are
    /// forgotten.
    ///
    /// Throws ``LedgerFailure``: `invalid` for a name of 0 or more than ``Ledger/maximumNameByteCount`` bytes,
    /// `tooMany` for a new kind beyond ``Ledger/maximumAttemptKinds`` on one day, or what the disk refuses.
    @discardableResult
    public func recordAttempt(by caller: String, kind: String, day: UInt32) throws -> Int {
        try ledger.recordAttempt(by: caller, kind: kind, day: day)
    }
}
