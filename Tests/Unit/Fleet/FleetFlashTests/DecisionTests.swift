// SPDX-License-Identifier: Apache-2.0

import RandomValues
import TestKit
import Testing

@testable import FleetCard
@testable import FleetFlash

/// What may be written, by what the system says of a device, by what is on it, and by the journal.
@Suite struct DecisionTests {
    private let size: UInt64 = 1 << 20

    private func device(_ places: BlockDevice.Places) throws -> BlockDevice {
        try BlockDevice(path: "/dev/sdb", number: 8 << 8 | 16, places)
    }

    private func refusal(
        _ places: BlockDevice.Places, imageSize: UInt64 = 1 << 20, isLaboratory: Bool = false
    ) throws -> CardFault? {
        try device(places).refusal(imageSize: imageSize, isLaboratory: isLaboratory)
    }

    @Test func aCardInAReaderIsTaken() throws {
        let folder = try TemporaryFolder()
        let device = try device(FlashSample.system(in: folder))
        #expect(device.refusal(imageSize: size, isLaboratory: false) == nil)
        #expect(device.name == "sdb" && device.size == 1 << 30 && device.port == "1-1.3" && device.sequence == 7)
    }

    @Test func eachReasonAgainstADeviceIsNamed() throws {
        let root = "22 1 8:17 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
        let pool = "22 1 0:40 / /srv/a\\040b rw,relatime shared:1 - btrfs /dev/sdb1 rw\n"
        func says(_ fault: CardFault, _ make: (TemporaryFolder) throws -> BlockDevice.Places) throws {
            let folder = try TemporaryFolder()
            #expect(try refusal(make(folder)) == fault)
        }
        try says(.mounted(at: "/")) { try FlashSample.system(in: $0, mounts: root) }
        try says(.mounted(at: "/srv/a\\040b")) { try FlashSample.system(in: $0, mounts: pool) }
        try says(.swap) { try FlashSample.system(in: $0, swaps: "/dev/sdb1 partition 1 0 -2\n") }
        try says(.held(by: "dm-0")) { try FlashSample.system(in: $0, holder: "dm-0") }
        try says(.notRemovable) { try FlashSample.system(in: $0, removable: "0") }
        try says(.notRemovable) { try FlashSample.system(in: $0, removable: "0", type: "MMC") }
        try says(.readOnly) { try FlashSample.system(in: $0, readOnly: "1") }
        try says(.noMedium) { try FlashSample.system(in: $0, size: 0) }
        try says(.tooSmall(size: 512, needed: 2 << 20)) { try FlashSample.system(in: $0, size: 1) }
        try says(.sectors(size: 4096)) { try FlashSample.system(in: $0, sector: "4096") }
        try says(.loop) { try FlashSample.system(in: $0, removable: "0", isLoop: true) }
    }

    @Test func aReaderOfTheBoardsOwnIsTakenForSDOnly() throws {
        let folder = try TemporaryFolder()
        #expect(try refusal(FlashSample.system(in: folder, removable: "0", type: "SD")) == nil)
    }

    @Test func theLaboratoryAdmitsLoopDevicesAlone() throws {
        let (loop, disk) = (try TemporaryFolder(), try TemporaryFolder())
        #expect(try refusal(FlashSample.system(in: loop, removable: "0", isLoop: true), isLaboratory: true) == nil)
        #expect(try refusal(FlashSample.system(in: disk, removable: "0"), isLaboratory: true) == .notRemovable)
    }

    @Test func aPartitionIsRefusedAndSoIsATableThatCannotBeRead() throws {
        let folder = try TemporaryFolder()
        var places = try FlashSample.system(in: folder)
        #expect(throws: CardFault.partition) { try BlockDevice(path: "/dev/sdb1", number: 8 << 8 | 17, places) }
        #expect(throws: CardFault.notABlockDevice) { try BlockDevice(at: folder.path, places) }
        places.mounts = "\(folder.path)/nothing"
        guard case .held = try refusal(places) else {
            Issue.record("a device was taken without knowing what is mounted")
            return
        }
    }

    /// A card's first MiB with these partitions, or zeros, and a mark.
    private func head(_ partitions: [String]?, _ mark: MediumMark?) -> [UInt8] {
        var head = partitions.map { FlashSample.head($0) } ?? [UInt8](repeating: 0, count: 1 << 20)
        if let mark {
            head.replaceSubrange(Int(MediumMark.place)..<Int(MediumMark.place) + 512, with: mark.sector)
        }
        return head
    }
    private static let vigils = ["vigil-boot", "vigil-root-a"]
    private let blank = [UInt8](repeating: 0, count: 1 << 20)

    @Test func whatIsOnACardIsTold() throws {
        var generator = SeededGenerator(seed: 3)
        let mark = MediumMark(using: &generator)
        func content(_ partitions: [String]?, _ mark: MediumMark? = nil) throws -> MediumContent {
            try MediumContent(head(partitions, mark), blank)
        }
        #expect(try content(nil).kind == .blank && content(nil).mark == nil)
        #expect(try MediumContent([UInt8](repeating: 0xFF, count: 1 << 20), blank).kind == .blank)
        #expect(try content(nil, mark).kind == .begun && content(nil, mark).mark == mark)
        #expect(try content(Self.vigils, mark).kind == .vigil && content(Self.vigils, mark).mark == mark)
        #expect(try content(Self.vigils).kind == .vigil && content(Self.vigils).mark == nil)
        for head in [
            head(["vigil-boot", "photos"], nil), head([], nil), [UInt8](repeating: 7, count: 1 << 20),
            head(["photos"], mark),
        ] {
            guard case .foreign = try MediumContent(head, blank).kind else {
                Issue.record("foreign data was not seen"); continue
            }
        }
        var one = blank
        one[1 << 19] = 1
        if case .foreign = try MediumContent(blank, one).kind {
        } else {
            Issue.record("a byte at the end was not seen")
        }
        var torn = head(nil, mark)
        torn[Int(MediumMark.place) + 400] = 1
        #expect(try MediumContent(torn, blank).mark == nil, "a sector with more than a mark is none")
    }

    @Test func theJournalDecidesWhatACardIsFor() throws {
        var generator = SeededGenerator(seed: 4)
        let mark = MediumMark(using: &generator)
        func bound(_ state: Inventory.Event) -> Inventory.Bound {
            Inventory.Bound(
                board: Inventory.Board(serial: "vg-1", name: "one", state: state.rawValue, time: 0),
                medium: Inventory.Medium(mark: mark.description, size: 4096, cardNumber: "a", device: "sdb", image: ""))
        }
        func decide(
            _ partitions: [String]?, _ mark: MediumMark? = nil, size: UInt64 = 4096, number: String? = nil,
            _ bound: [Inventory.Bound] = [], mayOverwrite: Bool = false
        ) throws -> FlashDecision {
            try FlashDecision(
                MediumContent(head(partitions, mark), blank), size: size, cardNumber: number, bound: bound,
                mayOverwrite: mayOverwrite)
        }
        func isForeign(_ body: () throws -> FlashDecision) -> Bool {
            do { _ = try body() } catch { if case .foreign? = error as? CardFault { return true } }
            return false
        }
        let (begun, done) = (bound(.cardWriting), bound(.cardWritten))
        #expect(try decide(nil) == .fresh(isUsed: false))
        #expect(try decide(nil, mark) == .fresh(isUsed: true), "begun, and cut before a board was bound")
        // A board of somebody else's fleet, or of nobody's, may have a person's data.
        #expect(isForeign { try decide(Self.vigils) } && isForeign { try decide(Self.vigils, mark) })
        #expect(try decide(Self.vigils, mark, mayOverwrite: true) == .fresh(isUsed: true))
        // At each moment of the writing.
        for partitions in [nil, ["half"], Self.vigils] {
            #expect(try decide(partitions, mark, [begun]) == .resume(begun))
        }
        #expect(try decide(nil, mark, number: "a", [begun]) == .resume(begun))
        #expect(try decide(Self.vigils, mark, [done]) == .whole(done))
        #expect(try decide(Self.vigils, mark, [done], mayOverwrite: true) == .whole(done))
        // Written, and then somebody's: a camera has formatted it.
        #expect(isForeign { try decide(["photos"], mark, [done]) })
        #expect(try decide(["photos"], mark, [done], mayOverwrite: true) == .fresh(isUsed: true))
        #expect(throws: CardFault.copy(serial: "vg-1")) { try decide(Self.vigils, mark, size: 8192, [begun]) }
        #expect(throws: CardFault.copy(serial: "vg-1")) { try decide(Self.vigils, mark, number: "b", [begun]) }
        #expect(try decide(Self.vigils, mark, number: "b", [begun], mayOverwrite: true) == .fresh(isUsed: true))
        // Formatted, and empty: for a new board only if nobody misses the old one.
        func decideUnused(_ bound: [Inventory.Bound] = [], mayOverwrite: Bool = false) throws -> FlashDecision {
            let head = UnusedFormatTests.card(UnusedFormatTests.fat32(), mark: mark)
            return try FlashDecision(
                MediumContent(head, blank), size: 4096, cardNumber: nil, bound: bound, mayOverwrite: mayOverwrite)
        }
        #expect(try decideUnused() == .fresh(isUsed: true) && decideUnused([begun]) == .resume(begun))
        #expect(isForeign { try decideUnused([done]) })
        #expect(try decideUnused([done], mayOverwrite: true) == .fresh(isUsed: true))
        #expect(isForeign { try decide(["photos"]) })
        #expect(try decide(["photos"], mayOverwrite: true) == .fresh(isUsed: true))
    }
}
