// SPDX-License-Identifier: Apache-2.0

import RandomValues
import Testing
import VirtualAir

/// Who stands between two devices takes from their signal.
@Suite struct CrowdTests {
    /// The levels of a second from a sender of -12 dBm at (4, 0), heard at the origin: -65.04 dBm where nobody is between.
    private func levels(
        _ others: [(Double, Double)], _ change: (inout Environment) -> Void = { $0.bodyWidth = 0.3 },
        more: (VirtualAir, Host, Host) -> Void = { _, _, _ in }
    ) -> Set<Int8> {
        let air = VirtualAir(seed: 5)
        change(&air.environment)
        let (scanner, sender) = (Host(air), Host(air, .make { $0.transmitPower = -12 }))
        scanner.prepare()
        sender.prepare()
        sender.advertise()
        air.move(sender.id, x: 4, y: 0)
        for (x, y) in others { air.addBystander(path: MotionPath(x: x, y: y)) }
        more(air, scanner, sender)
        scanner.scan()
        scanner.wait(.seconds(2))
        return Set(scanner.takeReports().map(\.rssi))
    }

    /// By hand, two edges 0.15 m from the line: 5.1 dB in the middle of 4 m, 7.0 half a metre from one end.
    @Test func onTheLine() {
        #expect(levels([]) == [-65])
        #expect(levels([(2, 0)]) == [-70])
        #expect(levels([(0.5, 0)]) == levels([(3.5, 0)]))
        #expect((levels([(0.5, 0)]).first ?? 0) < -70)
    }

    /// With the middle beside the line the shade grows fainter, on both sides alike; from a little further there is none.
    @Test func besideTheLine() {
        let falling = [0, 0.1, 0.2, 0.3, 0.6, 3].map { levels([(2, $0)]).first ?? 0 }
        #expect(falling == falling.sorted() && falling.first == -70 && falling.suffix(2) == [-65, -65])
        #expect(Set(falling).count >= 4)
        for aside in [0.1, 0.2, 0.3] { #expect(levels([(2, aside)]) == levels([(2, -aside)])) }
    }

    @Test func behindAnEndNobodyIsBetween() {
        #expect(levels([(4.5, 0), (-0.5, 0), (5, 0.1)]) == [-65])
    }

    /// Who wears a device is not between it and others, nor is another device on the same body.
    @Test func wearersDoNotCount() {
        #expect(levels([(0.2, 0), (3.8, 0.1), (0, 0), (4, 0)]) == [-65])
        #expect(levels([(0.4, 0)]) != [-65])
        let close = levels([]) {
            $0.bodyWidth = 0.3
        } more: { air, _, sender in
            air.move(sender.id, x: 0.5, y: 0)
            air.addBystander(path: MotionPath(x: 0.25, y: 0))
        }
        #expect(close == [-53])
    }

    /// Two devices of one person, or a crowd put in one place, are one; at different places each takes its own, to a sum.
    @Test func severalAddUpToASum() {
        #expect(levels([(2, 0), (2, 0), (2, 0)]) == levels([(2, 0)]))
        // By hand 5.1 each at 1.9 and 2.1 m.
        #expect(levels([(1.9, 0), (2.1, 0)]) == [-75])
        let row = stride(from: 0.5, through: 3.5, by: 0.25).map { ($0, 0.0) }
        #expect(levels(row) == [-85], "20 dB at most")
        #expect(
            levels(row) {
                $0.bodyWidth = 0.3
                $0.mostBodyLoss = 3
            } == [-68])
    }

    /// Off unless asked for, and so for numbers that make no sense.
    @Test func offByDefault() {
        #expect(levels([(2, 0)]) { _ in } == [-65])
        #expect(levels([(2, 0)]) { $0.bodyWidth = -1 } == [-65])
        #expect(
            levels([(2, 0)]) {
                $0.bodyWidth = 0.3
                $0.mostBodyLoss = -4
            } == [-65])
        #expect(levels([(2, 0)]) { $0.bodyWidth = 1e300 } == [-85])
    }

    /// People with controllers and phones are somebody, things on walls are nobody; a pinned level stays.
    @Test func whoIsSomebody() {
        let between = MotionPath(x: 2, y: 0)
        let wide: (inout Environment) -> Void = { $0.bodyWidth = 0.3 }
        #expect(levels([], wide) { air, _, _ in air.setPath(between, of: air.attach(ControllerModel())) } == [-70])
        // Its own packets are weaker: -128 dBm, below the floor.
        let phone = levels([], wide) { air, _, _ in
            var model = PhoneModel()
            model.transmitPower = -128
            air.addPhone(model, path: between)
        }
        #expect(phone == [-70])
        let thing = levels([], wide) { air, _, _ in
            _ = air.addAdvertiser(
                data: [1], addressing: .rotating(every: .seconds(60)), transmitPower: -128, path: between)
        }
        #expect(thing == [-65])
        #expect(levels([(2, 0)], wide) { air, scanner, sender in air.fix(scanner.id, sender.id, rssi: -60) } == [-60])
    }

    /// Somebody walks across, and away; another one is taken out of the room.
    @Test func peopleMove() {
        let air = VirtualAir(seed: 5)
        air.environment.bodyWidth = 0.3
        let (scanner, sender) = (Host(air), Host(air, .make { $0.transmitPower = -12 }))
        scanner.prepare()
        sender.prepare()
        sender.advertise()
        air.move(sender.id, x: 4, y: 0)
        air.addBystander(
            path: MotionPath([
                Waypoint(time: .seconds(10), x: 2, y: -5), Waypoint(time: .seconds(20), x: 2, y: 5),
            ]))
        scanner.scan()
        var seconds: [Set<Int8>] = []
        for _ in 0..<30 {
            scanner.wait(.seconds(1))
            seconds.append(Set(scanner.takeReports().map(\.rssi)))
        }
        let shaded = seconds.indices.filter { seconds[$0] != [-65] }
        #expect(shaded == [14] || shaded == [15] || shaded == [14, 15], "\(seconds)")
        #expect(seconds.joined().contains { $0 <= -69 })
        let other = air.addBystander(path: MotionPath(x: 2, y: 0))
        scanner.wait(.seconds(1))
        #expect(Set(scanner.takeReports().map(\.rssi)) == [-70])
        air.remove(other)
        scanner.wait(.seconds(1))
        #expect(Set(scanner.takeReports().map(\.rssi)) == [-65])
    }

    /// In a room full of people each pair hears the other as loud as it is heard, and the same seed says the same.
    @Test(arguments: [1, 2, 3] as [UInt64]) func bothWaysAlike(seed: UInt64) {
        func heard() -> [[Int: Int8]] {
            var random = SeededGenerator(seed: seed)
            let air = VirtualAir(seed: seed)
            air.environment.bodyWidth = 0.4
            let hosts = (0..<12).map { number in
                let host = Host(air, .make { $0.transmitPower = 0 })
                host.prepare()
                #expect(host.status(0x2005, [UInt8(number + 1), 1, 1, 1, 1, 1]) == 0)
                #expect(host.status(0x2006, host.advertisingParameters()) == 0)
                #expect(host.status(0x200A, [1]) == 0)
                air.move(host.id, x: .random(in: -2...2, using: &random), y: .random(in: -2...2, using: &random))
                return host
            }
            for host in hosts { host.scan() }
            air.advance(to: .seconds(2))
            return hosts.map { host in
                Dictionary(host.takeReports().map { (Int($0.address.bytes[0]) - 1, $0.rssi) }) { one, _ in one }
            }
        }
        let levels = heard()
        for one in 0..<12 {
            for other in 0..<one { #expect(levels[one][other] == levels[other][one] && levels[one][other] != nil) }
        }
        #expect(levels == heard())
    }
}
