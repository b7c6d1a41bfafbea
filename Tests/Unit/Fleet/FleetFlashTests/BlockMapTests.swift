// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import Testing

@testable import FleetFlash

/// Maps of blocks, right ones and hostile ones.
@Suite struct BlockMapTests {
    @Test func aMapOfBmaptoolIsRead() throws {
        let map = try BlockMap(parsing: FlashSample.map())
        #expect(map.imageSize == 12_288 && map.blockSize == 4096 && map.mappedByteCount == 8192)
        #expect(map.extents.map(\.blocks) == [0..<1, 2..<3])
        #expect(map.extents.allSatisfy { $0.checksum == [UInt8](repeating: 0x11, count: 32) })
        let wide = try BlockMap(parsing: FlashSample.map(imageSize: "12000", mapped: "3", ranges: ["0-2"]))
        #expect(wide.bytes(of: wide.extents[0]) == 0..<12_000, "the last block counts as far as the image goes")
    }

    @Test(arguments: [
        ("a range out of order", FlashSample.map(ranges: ["2", "0"])),
        ("ranges that overlap", FlashSample.map(ranges: ["0", "0"])),
        ("a range behind the image", FlashSample.map(ranges: ["0", "3"])),
        ("a range backwards", FlashSample.map(ranges: ["2-0"])),
        ("a range of three numbers", FlashSample.map(ranges: ["0-1-2"])),
        ("a number that is none", FlashSample.map(ranges: ["0", "x"])),
        ("a number beyond 64 bits", FlashSample.map(ranges: ["0", "99999999999999999999"])),
        ("a negative number", FlashSample.map(ranges: ["0", "-2"])),
        ("fewer blocks than said", FlashSample.map(mapped: "3")),
        ("no block", FlashSample.map(mapped: "0", ranges: [])), ("no image", FlashSample.map(imageSize: "0", blocks: "0")),
        ("a block of no size", FlashSample.map(blockSize: "0")),
        ("a block of 1000 bytes", FlashSample.map(blockSize: "1000")),
        ("a wrong number of blocks", FlashSample.map(blocks: "4")),
        ("an image of a petabyte", FlashSample.map(imageSize: "900000000000000", blocks: "219726562500")),
        ("a document type", FlashSample.map { $0.replacing("<bmap ", with: "<!DOCTYPE a [<!ENTITY b \"c\">]><bmap ") }),
        ("another checksum", FlashSample.map { $0.replacing("sha256", with: "sha1") }),
        ("elements in another order", FlashSample.map { $0.replacing("BlockSize>", with: "Size>") }),
        ("something at the end", FlashSample.map { $0 + "<more/>" }),
        ("a comment without an end", FlashSample.map { $0 + "<!-- " }),
        ("a checksum that is none", FlashSample.map { $0.replacing(FlashSample.one, with: "11") }),
        ("version 3", FlashSample.map(version: "3.0")), ("nothing", []),
    ]) func whatIsNoMapIsRefused(_ what: String, _ text: [UInt8]) {
        do throws(ImageFault) {
            _ = try BlockMap(parsing: text)
            Issue.record("\(what) was taken")
        } catch {
            if case .badMap = error { return }
            Issue.record("\(what): \(error)")
        }
    }

    @Test func anOldMapAndAChangedOneAreNamed() {
        #expect(throws: ImageFault.oldMap(version: "1.4")) { try BlockMap(parsing: FlashSample.map(version: "1.4")) }
        var changed = FlashSample.map()
        changed.append(UInt8(ascii: "\n"))
        #expect(throws: ImageFault.mapDamaged) { try BlockMap(parsing: changed) }
    }

    /// Whatever is cut, changed or put in is refused, and nothing stops the program.
    @Test func noChangedMapIsTaken() {
        var generator = SeededGenerator(seed: 24)
        let good = FlashSample.map()
        for _ in 0..<3000 {
            var text = good
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: text.removeLast(Int.random(in: 1...text.count, using: &generator))
            case 1:
                text[Int.random(in: 0..<text.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            default:
                text.insert(
                    UInt8.random(in: 0...255, using: &generator), at: Int.random(in: 0...text.count, using: &generator))
            }
            #expect(throws: ImageFault.self) { try BlockMap(parsing: text) }
        }
    }
}
