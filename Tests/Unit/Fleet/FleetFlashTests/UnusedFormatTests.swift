// SPDX-License-Identifier: Apache-2.0

import RandomValues
import TestKit
import Testing

@testable import FleetFlash

extension MediumContent {
    /// The content of a card that is as long as `head`.
    init(_ head: [UInt8], _ tail: [UInt8]) throws(CardFault) {
        try self.init(head: head, tail: tail, size: UInt64(head.count)) { place, count throws(CardFault) in
            guard place % 512 == 0, count % 512 == 0, place + UInt64(count) <= UInt64(head.count) else {
                throw .other("read outside, at \(place)")
            }
            return Array(head[Int(place)..<Int(place) + count])
        }
    }
}

/// Cards as shops sell them, and what is none. The file systems of programs that format are in Tools/test-flash.py.
@Suite struct UnusedFormatTests {
    private static func put(_ number: Int, _ count: Int, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    }

    private static func put(_ text: String, at place: Int, in bytes: inout [UInt8]) {
        bytes.replaceSubrange(place..<place + text.utf8.count, with: text.utf8)
    }

    /// Bytes of a FAT32 volume of 512 KiB with these entries in its root folder.
    static func fat32(_ entries: [[UInt8]] = [name]) -> [UInt8] {
        var volume = [UInt8](repeating: 0, count: 512 << 10)
        put("mkfs.fat", at: 3, in: &volume)
        for (place, count, number) in [
            (11, 2, 512), (13, 1, 8), (14, 2, 32), (16, 1, 2), (32, 4, 1024), (36, 4, 16), (44, 4, 2), (48, 2, 1),
        ] { put(number, count, at: place, in: &volume) }
        put("FAT32   ", at: 82, in: &volume)
        put(0xAA55, 2, at: 510, in: &volume)
        let root = (32 + 2 * 16) * 512
        volume.replaceSubrange(root..<root + entries.count * 32, with: entries.joined())
        return volume
    }

    /// Bytes of a FAT16 volume.
    private static func fat16(_ entries: [[UInt8]]) -> [UInt8] {
        var volume = [UInt8](repeating: 0, count: 512 << 10)
        for (place, count, number) in [(11, 2, 512), (13, 1, 4), (14, 2, 4), (16, 1, 2), (17, 2, 512), (22, 2, 20)] {
            put(number, count, at: place, in: &volume)
        }
        put("FAT16   ", at: 54, in: &volume)
        put(0xAA55, 2, at: 510, in: &volume)
        let root = (4 + 2 * 20) * 512
        volume.replaceSubrange(root..<root + entries.count * 32, with: entries.joined())
        return volume
    }

    /// Bytes of an exFAT volume.
    private static func exFAT(_ entries: [[UInt8]]) -> [UInt8] {
        var volume = [UInt8](repeating: 0, count: 512 << 10)
        put("EXFAT   ", at: 3, in: &volume)
        for (place, count, number) in [(88, 4, 128), (92, 4, 100), (96, 4, 5), (108, 1, 9), (109, 1, 3)] {
            put(number, count, at: place, in: &volume)
        }
        put(0xAA55, 2, at: 510, in: &volume)
        let root = (128 + 3 * 8) * 512
        volume.replaceSubrange(root..<root + entries.count * 32, with: entries.joined())
        return volume
    }

    /// A card's first MiB: an MBR with one partition of this type, or of four, which holds `volume` from 256 KiB on.
    static func card(_ volume: [UInt8], type: Int = 0x0C, others: [Int] = [], mark: MediumMark? = nil) -> [UInt8] {
        var card = [UInt8](repeating: 0, count: 1 << 20)
        for (index, type) in ([type] + others).enumerated() {
            put(type, 1, at: 446 + index * 16 + 4, in: &card)
            put(512, 4, at: 446 + index * 16 + 8, in: &card)
            put(volume.count / 512, 4, at: 446 + index * 16 + 12, in: &card)
        }
        put(0xAA55, 2, at: 510, in: &card)
        card.replaceSubrange(256 << 10..<(256 << 10) + volume.count, with: volume)
        // Never in the volume of a real card, which begins after the first MiB.
        if let mark { card.replaceSubrange(Int(MediumMark.place)..<Int(MediumMark.place) + 512, with: mark.sector) }
        return card
    }

    private static func entry(_ text: String, _ attributes: UInt8, first: UInt8? = nil) -> [UInt8] {
        var entry = [UInt8](repeating: 0, count: 32)
        put(text, at: 0, in: &entry)
        entry[11] = attributes
        if let first { entry[0] = first }
        return entry
    }
    static let name = entry("NEW CARD   ", 0x08)
    private static func code(_ code: UInt8) -> [UInt8] { [code] + [UInt8](repeating: 1, count: 31) }
    private static let system: [[UInt8]] = [0x83, 0x81, 0x82].map { code($0) }
    private let blank = [UInt8](repeating: 0, count: 1 << 20)

    private func isUnused(_ card: [UInt8]) throws -> Bool { try MediumContent(card, blank).kind == .unused }

    @Test func aNewCardIsKnown() throws {
        for entries in [[], [Self.name]] {
            #expect(try isUnused(Self.card(Self.fat32(entries))))
            #expect(try isUnused(Self.card(Self.fat16(entries), type: 0x06)))
            // Without a table.
            #expect(try isUnused(Self.fat32(entries)))
        }
        #expect(try isUnused(Self.card(Self.exFAT(Self.system), type: 0x07)))
        #expect(try isUnused(Self.exFAT([Self.code(0x81), Self.code(0x82)])))
    }

    /// One file, folder or deleted file in any place of a folder, and a card is somebody's.
    @Test func whatHasEverHadAFileIsSomebodys() throws {
        let things = [
            Self.entry("IMG_0001JPG", 0x20), Self.entry("DCIM       ", 0x10), Self.entry("MG_0001 JPG", 0x20, first: 0xE5),
            Self.entry("A.l.o.n.g", 0x0F), Self.entry("NAME       ", 0x08, first: 0xE5),
        ]
        for thing in things {
            for entries in [[thing], [Self.name, thing], [Self.name, [UInt8](repeating: 0, count: 32), thing]] {
                #expect(try !isUnused(Self.card(Self.fat32(entries))))
                #expect(try !isUnused(Self.card(Self.fat16(entries))))
                #expect(try !isUnused(Self.fat16(entries)))
            }
        }
        for code: UInt8 in [0x85, 0xC0, 0xC1, 0x05, 0x40, 0x41, 0xFF] {
            #expect(try !isUnused(Self.card(Self.exFAT(Self.system + [Self.code(code)]), type: 0x07)))
            #expect(try !isUnused(Self.exFAT([Self.code(code)] + Self.system)))
        }
        // A folder that fills all that is looked at.
        #expect(try !isUnused(Self.fat32(Array(repeating: Self.name, count: 128))))
    }

    @Test func otherTablesAreSomebodys() throws {
        #expect(try !isUnused(Self.card(Self.fat32(), type: 0x83)))
        #expect(try !isUnused(Self.card(Self.fat32(), others: [0x83])))
        #expect(try !isUnused(Self.card(Self.fat32(), others: [0x0C])))
        // A bootloader before the partition.
        var card = Self.card(Self.fat32())
        card[4096] = 1
        #expect(try !isUnused(card))
        // A table that says more than the card has.
        card = Self.card(Self.fat32())
        Self.put(1 << 20, 4, at: 446 + 12, in: &card)
        #expect(try !isUnused(card))
    }

    /// Whatever stands in the numbers of a file system, nothing is read outside of its partition, and nothing ends the program.
    @Test func hostileNumbersAreHarmless() throws {
        var generator = SeededGenerator(seed: 12)
        let volumes = [Self.fat32(), Self.fat16([]), Self.exFAT(Self.system)]
        let cards = volumes.map { ($0, 0) } + volumes.map { (Self.card($0), 256 << 10) }
        for round in 0..<3_000 {
            var card = cards[round % cards.count].0
            let start = cards[round % cards.count].1
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<512, using: &generator)
                card[start + place] =
                    [0, 0xFF, 0x80, .random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
            }
            do throws(CardFault) { _ = try MediumContent(card, blank) } catch {
                Issue.record("round \(round): \(error)")
                return
            }
        }
    }
}
