// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The maximum number of settings. The number is this project's own.
    public static let maximumSettings = 256
    /// The maximum size of a setting's value in bytes, inclusive; 32 KiB. The number is this project's own.
    public static let maximumSettingByteCount = 32_768
    /// The maximum size in bytes of UTF-8 of the name of a setting, caller, kind, purpose or device, inclusive; the
    /// minimum is 1. The number is this project's own.
    public static let maximumNameByteCount = 128

    /// Returns the value last stored under `name`, may be empty; `nil` when there is none or it cannot be unsealed.
    /// Throws ``LedgerFailure`` when the database cannot be read.
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
    /// Stores `value` under `name`, in place of the value before; `nil` removes the setting, if there is one.
    ///
    /// Throws ``LedgerFailure``: `invalid` for a name that does not have 1 to ``Ledger/maximumNameByteCount`` bytes
    /// and for a value of more than ``Ledger/maximumSettingByteCount``, `tooMany` for a new name beyond
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
