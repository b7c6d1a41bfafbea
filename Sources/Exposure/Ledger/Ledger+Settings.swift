// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// Most settings of all names together. Our own bound.
    public static let maximumSettings = 256
    /// Most bytes of a setting's value, inclusive; 32 KiB. Our own bound.
    public static let maximumSettingByteCount = 32_768
    /// Most bytes of a name of a setting, a caller, a kind, a purpose or a device, in UTF-8, inclusive; the least is 1. Our own bound.
    public static let maximumNameByteCount = 128

    /// The value stored last under `name`, perhaps empty; `nil` when there is none, or it cannot be unsealed. Throws ``LedgerFailure``.
    public func setting(_ name: String) throws -> [UInt8]? { try row(.setting, Array(name.utf8)) }

    static func checked(name: String) throws -> [UInt8] {
        let bytes = Array(name.utf8)
        guard (1...maximumNameByteCount).contains(bytes.count) else {
            throw LedgerFailure(.invalid, "a name of \(bytes.count) bytes")
        }
        return bytes
    }
}

extension LedgerTransaction {
    /// Stores `value` under `name`, in place of the one before; `nil` removes it, if there is one.
    ///
    /// Throws a ``LedgerFailure``: `invalid` for a name or value of a length beyond the bounds of ``Ledger``, `tooMany` for a new name beyond
    /// ``Ledger/maximumSettings``, or what the disk refuses.
    public func set(_ name: String, _ value: [UInt8]?) throws {
        let ledger = try ledger
        let key = try Ledger.checked(name: name)
        guard let value else { return try ledger.delete(.setting, tag: ledger.sealer.tag(.setting, key)) }
        guard value.count <= Ledger.maximumSettingByteCount else {
            throw LedgerFailure(.invalid, "a setting of \(value.count) bytes")
        }
        try ledger.put(.setting, key, value, keepsPlace: true)
        guard try ledger.count(.setting) <= Ledger.maximumSettings else { throw LedgerFailure(.tooMany, "settings") }
    }
}
