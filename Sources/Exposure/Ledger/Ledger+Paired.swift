// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The maximum number of paired devices. The number is this project's own.
    public static let maximumPairedDevices = 8
    /// The maximum number of digests of one device, both in one call and stored; of more, the newest are kept. The
    /// number is this project's own.
    public static let maximumPairedDigests = 200

    private struct Paired {
        /// In the order they were told.
        var digests: [(day: UInt32, digest: [UInt8])] = []

        init() {}

        init?(_ content: [UInt8]) {
            var reader = LedgerReader(content)
            guard reader.integer(UInt8.self) == 1 else { return nil }
            while !reader.isAtEnd {
                guard let day = reader.integer(UInt32.self), let digest = reader.raw(32) else { return nil }
                digests.append((day, digest))
            }
        }

        var content: [UInt8] {
            var writer = LedgerWriter()
            writer.write(UInt8(1))
            for (day, digest) in digests {
                writer.write(day)
                writer.write(raw: digest)
            }
            return writer.bytes
        }
    }

    /// Returns the digests of the keys of all paired devices, 32 bytes each; empty if there are none. Throws
    /// ``LedgerFailure`` when the database cannot be read.
    public func pairedDigests() throws -> Set<[UInt8]> {
        try rows(.paired).reduce(into: []) { set, row in
            for (_, digest) in Paired(row.content)?.digests ?? [] { set.insert(digest) }
        }
    }

    /// Returns the names of the paired devices, 1 to 128 bytes each, in the order in which they were paired; empty if
    /// there are none. Throws ``LedgerFailure`` when the database cannot be read.
    public func pairedNames() throws -> [String] { try rows(.paired).map { String(decoding: $0.name, as: UTF8.self) } }

    static func hasPaired(_ row: Row, before day: UInt32) -> Bool {
        Paired(row.content)?.digests.contains { $0.day < day } ?? true
    }

    func forgetPaired(before day: UInt32) throws {
        for row in try rows(.paired) where Self.hasPaired(row, before: day) {
            // The device stays paired.
            var paired = Paired(row.content) ?? Paired()
            paired.digests.removeAll { $0.day < day }
            try put(.paired, row.name, paired.content, keepsPlace: true)
        }
    }

    func addPaired(_ name: [UInt8], _ digests: [[UInt8]], _ day: UInt32) throws {
        guard digests.count <= Self.maximumPairedDigests else { throw LedgerFailure(.tooMany, "digests of one device") }
        guard digests.allSatisfy({ $0.count == 32 }) else { throw LedgerFailure(.invalid, "a digest's length") }
        var paired = try row(.paired, name).flatMap(Paired.init) ?? Paired()
        let fresh = Set(digests)
        paired.digests.removeAll { fresh.contains($0.digest) }
        var seen: Set<[UInt8]> = []
        paired.digests += digests.filter { seen.insert($0).inserted }.map { (day, $0) }
        paired.digests = paired.digests.suffix(Self.maximumPairedDigests)
        try put(.paired, name, paired.content, keepsPlace: true)
        guard try count(.paired) <= Self.maximumPairedDevices else { throw LedgerFailure(.tooMany, "paired devices") }
    }
}

extension LedgerTransaction {
    /// Adds keys of a paired device, as digests of 32 bytes, received on the UTC day `day` (since 1970). A device
    /// that is not yet paired is added, even without digests. A digest that is stored already gets the new day.
    ///
    /// Throws ``LedgerFailure``: `tooMany` for a new device beyond ``Ledger/maximumPairedDevices``, and for more than
    /// ``Ledger/maximumPairedDigests`` in one call; `invalid` for a name or digest of a wrong length; or what the
    /// disk refuses.
    public func addPaired(name: String, digests: [[UInt8]], day: UInt32) throws {
        try ledger.addPaired(Ledger.checked(name: name), digests, day)
    }

    /// Removes a device with all its keys; does nothing when there is none of this name. Call ``Ledger/renewKey()``
    /// afterwards to make sure that they cannot be read from old flash cells. Throws ``LedgerFailure`` when the disk
    /// refuses.
    public func removePaired(name: String) throws {
        let ledger = try ledger
        try ledger.delete(.paired, tag: ledger.sealer.tag(.paired, Array(name.utf8)))
    }
}
