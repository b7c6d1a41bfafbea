// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// Most paired devices that are kept. Our own bound.
    public static let maximumPairedDevices = 8
    /// Most digests of one device, together and in one call; of more together, the newest stay. Our own bound.
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

    /// Digests of the keys of all paired devices, 32 bytes each; empty if there are none. Throws ``LedgerFailure``.
    public func pairedDigests() throws -> Set<[UInt8]> {
        try rows(.paired).reduce(into: []) { set, row in
            for (_, digest) in Paired(row.content)?.digests ?? [] { set.insert(digest) }
        }
    }

    /// Names of the paired devices, in the order they were paired, 1 to 128 bytes each; empty if there are none. Throws ``LedgerFailure``.
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
    /// Adds keys of a paired device, as digests of 32 bytes, told on the UTC day `day` (since 1970); a device that is not there is added, with no
    /// digests too. A digest that is there already gets the new day.
    ///
    /// Throws a ``LedgerFailure``: `tooMany` beyond ``Ledger/maximumPairedDevices`` and for more than ``Ledger/maximumPairedDigests`` in one call,
    /// `invalid` for a name or digest of a wrong length, or what the disk refuses.
    public func addPaired(name: String, digests: [[UInt8]], day: UInt32) throws {
        try ledger.addPaired(Ledger.checked(name: name), digests, day)
    }

    /// Removes a device with all its keys; does nothing when there is none of this name. ``Ledger/renewKey()`` afterwards makes sure that they
    /// cannot be found in old flash cells. Throws ``LedgerFailure``.
    public func removePaired(name: String) throws {
        let ledger = try ledger
        try ledger.delete(.paired, tag: ledger.sealer.tag(.paired, Array(name.utf8)))
    }
}
