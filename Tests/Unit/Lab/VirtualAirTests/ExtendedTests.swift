// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualAir

/// Advertising sets and extended scans.
@Suite struct ExtendedTests {
    let air = VirtualAir(seed: 3)

    private func pair() -> (sender: Host, scanner: Host) {
        let sender = Host(air, .extended)
        let scanner = Host(air, .extended)
        for host in [sender, scanner] { host.prepare() }
        #expect(sender.status(0x2036, sender.setParameters(handle: 1, power: UInt8(bitPattern: -7))) == 0)
        #expect(sender.status(0x2035, [1] + Host.address) == 0)
        #expect(sender.status(0x2037, [1, 3, 1, 2, 8, 9]) == 0)
        #expect(scanner.status(0x2041, [0, 0, 1, 0, 0x60, 0, 0x60, 0]) == 0)
        return (sender, scanner)
    }

    @Test func extendedReports() {
        let (sender, scanner) = pair()
        #expect(sender.status(0x2039, [1, 1, 1, 0, 0, 0]) == 0)
        #expect(scanner.status(0x2042, [1, 0, 0, 0, 0, 0]) == 0)
        scanner.wait(.seconds(4))
        let reports = scanner.takeReports()
        #expect((13...16).contains(reports.count))
        #expect(
            reports.allSatisfy {
                $0.isExtended && $0.kind == 0x10 && $0.data == [8, 9] && $0.rssi == -48
                    && $0.address == AirAddress(littleEndian: Host.address, isRandom: true)
            })
    }

    @Test func setsEndByTimeAndByNumber() {
        let (sender, scanner) = pair()
        #expect(scanner.status(0x2042, [1, 0, 0, 0, 0, 0]) == 0)
        #expect(sender.status(0x2039, [1, 1, 1, 100, 0, 0]) == 0)
        scanner.wait(.seconds(4))
        sender.collect()
        #expect(sender.otherEvents == [[0x12, 0x3C, 1, 0, 0, 0]])
        #expect((3...5).contains(scanner.takeReports().count))
        #expect(air.broadcasting(sender.id).isEmpty)
        #expect(sender.status(0x2039, [1, 1, 1, 0, 0, 8]) == 0)
        scanner.wait(.seconds(8))
        sender.collect()
        #expect(sender.otherEvents.last == [0x12, 0x43, 1, 0, 0, 0])
        #expect((7...9).contains(scanner.takeReports().count))
    }

    @Test func scansEndAndRepeat() {
        let (sender, scanner) = pair()
        #expect(sender.status(0x2039, [1, 1, 1, 0, 0, 0]) == 0)
        #expect(scanner.status(0x2042, [1, 0, 100, 0, 0, 0]) == 0)
        scanner.wait(.seconds(8))
        #expect((3...5).contains(scanner.takeReports().count))
        #expect(scanner.otherEvents == [[0x11]])
        #expect(!air.isScanning(scanner.id))
        // 1.28 s on, 1.28 s off, one report in each.
        #expect(scanner.status(0x2042, [1, 2, 128, 0, 2, 0]) == 0)
        scanner.wait(.milliseconds(25_600 - 100))
        #expect(scanner.takeReports().count == 10)
        #expect(scanner.status(0x2042, [1, 0, 128, 0, 1, 0]) == 0x12)
    }
}
