// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualAir

/// Who hears whom, how loud and how often.
@Suite struct MediumTests {
    let air = VirtualAir(seed: 7)

    @Test(arguments: [(1.0, -53), (2.0, -59), (8.0, -71), (0.2, -53)]) func distance(metres: Double, level: Int) {
        let scanner = Host(air)
        scanner.prepare()
        let sender = Host(air, .make { $0.transmitPower = -12 })
        sender.prepare()
        sender.advertise()
        air.move(sender.id, x: metres, y: 0)
        scanner.scan()
        scanner.wait(.seconds(4))
        let reports = scanner.takeReports()
        #expect((13...16).contains(reports.count))
        #expect(reports.allSatisfy { $0.rssi == level && $0.data == [1, 2, 3] && $0.kind == 3 })
        #expect(reports.allSatisfy { $0.address == AirAddress(littleEndian: Host.address, isRandom: true) })
    }

    @Test func silence() {
        let scanner = Host(air)
        scanner.prepare()
        scanner.scan()
        scanner.wait(.seconds(60))
        let other = Host(air)
        other.prepare()
        other.advertise()
        #expect(other.status(0x200A, [0]) == 0)
        scanner.wait(.seconds(60))
        #expect(scanner.takeReports().isEmpty)
        #expect(air.statistics.transmitted == 0)
    }

    @Test func nobodyHearsItselfOrTooFarAway() {
        let both = Host(air)
        both.prepare()
        both.advertise()
        both.scan()
        let far = air.addPhone(path: MotionPath(x: 400, y: 0))
        both.wait(.seconds(10))
        #expect(both.takeReports().isEmpty)
        air.fix(both.id, far, rssi: -63)
        both.wait(.seconds(10))
        let pinned = both.takeReports()
        #expect(pinned.count > 20 && pinned.allSatisfy { $0.rssi == -63 })
        air.fix(both.id, far, rssi: nil)
        both.wait(.seconds(10))
        #expect(both.takeReports().isEmpty)
    }

    @Test func withoutMasksThereAreNoReports() {
        let scanner = Host(air)
        _ = air.addPhone()
        scanner.scan()
        scanner.wait(.seconds(4))
        #expect(scanner.takeReports().isEmpty)
        #expect(scanner.status(0x0C01, [0, 0, 0, 0, 0, 0, 0, 0x20]) == 0)
        scanner.wait(.seconds(4))
        #expect(!scanner.takeReports().isEmpty)
        #expect(scanner.status(0x2001, [0x1D, 0, 0, 0, 0, 0, 0, 0]) == 0)
        scanner.wait(.seconds(4))
        #expect(scanner.takeReports().isEmpty)
    }

    @Test func bodyAndLoss() {
        let scanner = Host(air)
        scanner.prepare()
        let phone = air.addPhone()
        air.setBodyLoss(20, of: phone)
        air.setBodyLoss(5, of: scanner.id)
        scanner.scan()
        scanner.wait(.seconds(10))
        let loud = scanner.takeReports()
        #expect(loud.allSatisfy { $0.rssi == -78 })
        air.setLoss(0.5, of: phone)
        scanner.wait(.seconds(500))
        let share = Double(scanner.takeReports().count) / Double(loud.count) / 50
        #expect((0.45...0.55).contains(share))
    }

    @Test func halfAWindowHearsAboutHalf() {
        let full = Host(air)
        let half = Host(air)
        for host in [full, half] { host.prepare() }
        for _ in 0..<5 { _ = air.addPhone() }
        full.scan(interval: 0x100, window: 0x100)
        half.scan(interval: 0x100, window: 0x80)
        for _ in 0..<200 {
            air.advance(to: air.now + .seconds(1))
            full.collect()
            half.collect()
        }
        let share = Double(half.takeReports().count) / Double(full.takeReports().count)
        #expect((0.45...0.55).contains(share))
    }

    @Test func duplicates() {
        let scanner = Host(air)
        scanner.prepare()
        _ = air.addAdvertiser(data: [], addressing: .rotating(every: .seconds(10)))
        _ = air.addAdvertiser(data: [9], addressing: .fixed(AirAddress(value: 5, isRandom: false)))
        scanner.scan(filter: 1)
        scanner.wait(.seconds(29))
        let reports = scanner.takeReports()
        #expect(reports.count == 4)
        #expect(Set(reports.map(\.address)).count == 4)
        #expect(reports.filter { $0.data.isEmpty }.count == 3)
        #expect(scanner.status(0x200C, [1, 0]) == 0)
        scanner.wait(.seconds(29))
        #expect(scanner.takeReports().count > 300)
    }

    @Test func activeScansGetTheirAnswer() {
        let scanner = Host(air)
        let sender = Host(air)
        for host in [scanner, sender] { host.prepare() }
        #expect(sender.status(0x2009, sender.data([7, 7])) == 0)
        sender.advertise([1], kind: 0)
        scanner.scan(filter: 1, active: true)
        scanner.wait(.seconds(2))
        #expect(scanner.takeReports().map(\.data) == [[1], [7, 7]])
    }

    @Test func withoutMeasurement() {
        let scanner = Host(air, .make { $0.measuresRSSI = false })
        scanner.prepare()
        _ = air.addPhone()
        scanner.scan()
        scanner.wait(.seconds(4))
        let reports = scanner.takeReports()
        #expect(!reports.isEmpty && reports.allSatisfy { $0.rssi == 127 })
    }

    @Test func aSlowHostLosesReportsAndNoAnswers() {
        let scanner = Host(air, .make { $0.reportLimit = 2_000 })
        scanner.prepare()
        _ = air.addPhone()
        scanner.scan()
        air.advance(to: air.now + .seconds(60))
        air.write([1, 0x0C, 0x20, 2, 0, 0], to: scanner.id)
        #expect(air.outputCount(of: scanner.id) < 2_100)
        #expect((air.statistics(of: scanner.id)?.droppedReports ?? 0) > 100)
        scanner.collect()
        #expect(scanner.answers.last?.opcode == 0x200C)
    }

    @Test func delayedAnswersComeInTime() {
        let host = Host(air, .make { $0.answerDelay = .milliseconds(1) })
        host.command(0x0C03)
        host.command(0x1009)
        #expect(host.answers.isEmpty)
        #expect(air.nextEvent == .milliseconds(1))
        air.advance(to: .milliseconds(1))
        host.collect()
        #expect(host.answers.map(\.opcode) == [0x0C03])
        air.advance(to: .milliseconds(2))
        host.collect()
        #expect(host.answers.map(\.opcode) == [0x0C03, 0x1009])
    }

    @Test func sameSeedSameBytes() {
        func run(_ seed: UInt64) -> [UInt8] {
            let air = VirtualAir(seed: seed)
            air.environment = .measured
            let scanner = air.attach(ControllerModel())
            for number in 0..<10 { _ = air.addPhone(path: MotionPath(x: Double(number), y: 1)) }
            air.write([1, 1, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8), to: scanner)
            air.write([1, 0x18, 0x20, 0, 1, 0x0C, 0x20, 2, 1, 0], to: scanner)
            air.advance(to: .seconds(20))
            return air.takeOutput(of: scanner)
        }
        #expect(run(1).count > 10_000)
        #expect(run(1) == run(1))
        #expect(run(1) != run(2))
    }

    @Test func walking() {
        let scanner = Host(air)
        scanner.prepare()
        let path = MotionPath([Waypoint(time: .seconds(100), x: 10, y: 0), Waypoint(time: .seconds(200), x: 1, y: 0)])
        _ = air.addPhone(path: path)
        scanner.scan()
        scanner.wait(.seconds(300))
        let levels = scanner.takeReports().map(\.rssi)
        #expect(levels.first == -73)
        #expect(levels.last == -53)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    }
}

/// What stands between two devices for minutes.
@Suite struct ShadowingTests {
    /// Mean level of each minute of two hours, from a sender two metres away.
    private func minutes(shadowing: Double, seed: UInt64 = 11) -> [[Int8]] {
        let air = VirtualAir(seed: seed)
        air.environment.shadowing = shadowing
        let scanner = Host(air)
        scanner.prepare()
        let sender = Host(air)
        sender.prepare()
        sender.advertise()
        air.move(sender.id, x: 2, y: 0)
        scanner.scan()
        return (0..<120).map { _ in
            scanner.wait(.seconds(60))
            return scanner.takeReports().map(\.rssi)
        }
    }

    @Test func offUnlessAskedFor() {
        #expect(Set(minutes(shadowing: 0).joined()) == [-47])
    }

    @Test func holdsForMinutesAndThenChanges() {
        let levels = minutes(shadowing: 5)
        // One new value in five minutes at most: no minute has more than two.
        #expect(levels.allSatisfy { (1...2).contains(Set($0).count) })
        let changes = zip(levels.joined(), levels.joined().dropFirst()).filter { $0 != $1 }.count
        #expect((15...24).contains(changes))
        // Three deviations at most.
        #expect(levels.joined().allSatisfy { abs(Int($0) + 47) <= 15 })
        #expect(Set(levels.joined()).count > 5)
        #expect(minutes(shadowing: 5) == levels)
        #expect(minutes(shadowing: 5, seed: 12) != levels)
    }
}
