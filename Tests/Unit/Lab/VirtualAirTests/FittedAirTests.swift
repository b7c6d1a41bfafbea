// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualAir

/// What the air of real phones has and the plain one has not: brief shadows, bursts, losses, noise.
@Suite struct FittedAirTests {
    /// Levels by minute of `minutes` in this environment, from a sender two metres away, advertising every second.
    private func minutes(_ count: Int, seed: UInt64 = 5, _ change: (inout Environment) -> Void) -> [[Int8]] {
        let air = VirtualAir(seed: seed)
        change(&air.environment)
        let scanner = Host(air)
        scanner.prepare()
        let sender = Host(air, .make { $0.transmitPower = -12 })
        sender.prepare()
        sender.advertise(interval: 0x640)
        air.move(sender.id, x: 2, y: 0)
        scanner.scan()
        return (0..<count).map { _ in
            scanner.wait(.seconds(60), step: .seconds(10))
            return scanner.takeReports().map(\.rssi)
        }
    }

    @Test func losesSinglePackets() {
        let all = minutes(20) { _ in }.joined().count
        let rest = minutes(20) { $0.packetLoss = 0.4 }
        #expect((0.56...0.64).contains(Double(rest.joined().count) / Double(all)))
        #expect(rest.allSatisfy { !$0.isEmpty })
        #expect(minutes(1) { $0.packetLoss = 1 } == [[]])
    }

    /// A brief period is lost as a whole: here of exactly a minute, which begins somewhere in ours.
    @Test func losesWholePeriods() {
        let levels = minutes(200) {
            $0.burstLoss = 0.3
            $0.briefShadowingPeriod = 60
        }
        let whole = levels.map(\.count).max() ?? 0
        let share = Double(levels.joined().count) / Double(200 * whole)
        #expect((0.6...0.8).contains(share), "\(share)")
        // A minute of ours has parts of two periods: sometimes both are lost, often neither.
        #expect(levels.contains { $0.isEmpty } && levels.contains { $0.count >= whole - 3 })
        let periods = minutes(200) {
            $0.burstLoss = 0.3
            $0.briefShadowingPeriod = 1e6
        }
        #expect(periods.allSatisfy { $0.isEmpty } || periods.allSatisfy { $0.count > 50 })
        #expect(minutes(1) { $0.burstLoss = 1 } == [[]])
    }

    /// At 3 dB above the floor, noise of 3 dB leaves the share of a Gaussian within one deviation: 68 %.
    @Test func needsToBeAboveTheNoise() {
        let all = minutes(20) { $0.sensitivity = -62 }
        #expect(Set(all.joined()) == [-59])
        let rest = minutes(20) {
            $0.sensitivity = -62
            $0.noise = 3
        }
        let share = Double(rest.joined().count) / Double(all.joined().count)
        #expect((0.65...0.72).contains(share), "\(share)")
        #expect(minutes(1) { $0.noise = 3 }[0].count > 50, "far above the floor noise is nothing")
    }

    @Test func briefShadowsComeAndGo() {
        let levels = minutes(120) {
            $0.briefShadowing = 5
            $0.briefShadowingPeriod = 60
        }
        // One change a minute, three deviations at most.
        #expect(levels.allSatisfy { (1...2).contains(Set($0).count) })
        #expect(levels.joined().allSatisfy { abs(Int($0) + 59) <= 15 })
        let means = levels.map { Double($0.first ?? 0) }
        let mean = means.reduce(0, +) / 120
        let deviation = (means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 119).squareRoot()
        #expect((3.9...6.1).contains(deviation), "\(deviation)")
        // Independent of the long one, also with an equal period: the sum's variance is the sum of both.
        let both = minutes(400) {
            $0.shadowing = 5
            $0.shadowingPeriod = 60
            $0.briefShadowing = 5
            $0.briefShadowingPeriod = 60
        }.map { Double($0.first ?? 0) + 59 }
        let sum = (both.reduce(0) { $0 + $1 * $1 } / 400).squareRoot()
        #expect((6.2...8).contains(sum), "\(sum)")
    }

    /// Who walks gets into another brief shadow with every so many metres, and who stops stays in the last.
    @Test func briefShadowsChangeWithSteps() {
        func levels(metres: Double) -> [Set<Int8>] {
            let air = VirtualAir(seed: 4)
            air.environment.pathLoss.exponent = 0
            air.environment.briefShadowing = 5
            air.environment.briefShadowingPeriod = 1e9
            air.environment.briefShadowingMetres = metres
            let scanner = Host(air)
            scanner.prepare()
            let sender = Host(air, .make { $0.transmitPower = 0 })
            sender.prepare()
            sender.advertise()
            // A metre a second, there and back, for 40 seconds; the receiver beside it at half the pace.
            air.setPath(
                MotionPath([(0, 0), (20, 20), (40, 0)].map { Waypoint(time: .seconds($0.0), x: Double($0.1), y: 0) }),
                of: sender.id)
            air.setPath(
                MotionPath([(0, 0), (40, 20)].map { Waypoint(time: .seconds($0.0), x: Double($0.1), y: 0) }), of: scanner.id
            )
            scanner.scan()
            return (0..<2).map { _ in
                scanner.wait(.seconds(40))
                return Set(scanner.takeReports().map(\.rssi))
            }
        }
        let whole = levels(metres: 0)
        #expect(whole[0].count == 1 && whole[1] == whole[0])
        // 60 metres in steps of 20: three shadows, or four as the first one has begun before.
        let few = levels(metres: 20)
        #expect((2...4).contains(few[0].count) && few[1].count == 1)
        let many = levels(metres: 0.5)
        #expect(many[0].count > 10 && many[1].count == 1)
        #expect(levels(metres: -1) == whole)
    }

    /// Both directions of a pair have the same shadow; a third device has another.
    @Test func aPairHasOneShadow() {
        let air = VirtualAir(seed: 3)
        air.environment.briefShadowing = 8
        air.environment.briefShadowingPeriod = 1e6
        let hosts = (0..<3).map { _ in Host(air, .make { $0.transmitPower = 0 }) }
        for (number, host) in hosts.enumerated() {
            host.prepare()
            #expect(host.status(0x2005, [UInt8(number + 1), 1, 1, 1, 1, 1]) == 0)
            #expect(host.status(0x2006, host.advertisingParameters()) == 0)
            #expect(host.status(0x200A, [1]) == 0)
            host.scan()
        }
        air.advance(to: .seconds(2))
        let levels = hosts.map { host in
            Dictionary(host.takeReports().map { (Int($0.address.bytes[0]) - 1, $0.rssi) }) { one, _ in one }
        }
        for one in 0..<3 {
            for other in 0..<one { #expect(levels[one][other] == levels[other][one] && levels[one][other] != nil) }
        }
        #expect(Set([levels[0][1], levels[0][2], levels[1][2]]).count > 1)
    }

    /// Who cannot be heard with the best of luck is not computed, and nobody is heard from further away.
    @Test(arguments: [Environment.fitted, .bodies]) func luckHasAnEnd(fitted: Environment) {
        let air = VirtualAir(seed: 9)
        air.environment = fitted
        let scanner = Host(air)
        scanner.prepare()
        scanner.scan()
        let environment = air.environment
        let gain = 6 * environment.pathLoss.fading + 3 * (environment.shadowing + environment.briefShadowing)
        var reach = 1.0
        while environment.pathLoss.meanRSSI(metres: reach) - 29 + gain >= environment.sensitivity { reach += 1 }
        #expect(reach > 30)
        _ = air.addPhone(.captured, path: MotionPath(x: 1.2 * reach, y: 0))
        scanner.wait(.seconds(600))
        #expect(scanner.takeReports().isEmpty)
        // Some, before it is known that nobody hears it.
        #expect(air.statistics.transmitted < 10)
        let near = air.addPhone(.captured, path: MotionPath(x: 1, y: 0))
        scanner.wait(.seconds(600))
        #expect(!scanner.takeReports().isEmpty && air.contains(near))
    }

    @Test func sameSeedSameLevelsInTheFittedAirToo() {
        func levels(_ seed: UInt64, _ air: Environment) -> [[Int8]] { minutes(10, seed: seed) { $0 = air } }
        for air in [Environment.fitted, .bodies] {
            #expect(levels(1, air) == levels(1, air))
            #expect(levels(1, air) != levels(2, air))
        }
    }

    /// What captured phones send: scannable, without flags, from a resolvable address, every 281 to 291 ms.
    @Test func phonesAsTheyWereCaptured() throws {
        let air = VirtualAir(seed: 21)
        let scanner = Host(air)
        scanner.prepare()
        scanner.scan()
        var model = PhoneModel.captured
        model.transmitPower = -12
        let captured = air.addPhone(model)
        scanner.wait(.seconds(2_860))
        let reports = scanner.takeReports()
        #expect((9_950...10_050).contains(reports.count), "\(reports.count)")
        #expect(
            reports.allSatisfy { $0.kind == 2 && $0.data.count == 28 && $0.address.value >> 46 == 1 && $0.address.isRandom }
        )
        // Address and data change together.
        #expect(Set(reports.map(\.address)).count == Set(reports.map(\.data)).count)
        #expect(Set(reports.map(\.address)).count >= 3)
        air.remove(captured)
        air.addPhone()
        scanner.wait(.seconds(10))
        #expect(scanner.takeReports().allSatisfy { $0.kind == 3 && $0.address.value >> 46 == 0 })
    }

    @Test func scenariosNameTheAirAndThePhones() throws {
        let air = VirtualAir(seed: 1)
        let text = #"""
            {"environment": {"air": "fitted", "n": 3, "shadowPeriod": 60, "brief": 1, "briefPeriod": 2, "burst": 0.5, "lost": 0.25, "noise": 7,
              "briefMetres": 3, "bodyWidth": 0.5, "bodyMost": 12},
             "phones": [{"pdu": "scannable", "address": "resolvable", "tx": 20, "path": [[0, 1, 0]]}]}
            """#
        try Scenario(json: Array(text.utf8)).begin(in: air)
        let environment = air.environment
        #expect(environment.pathLoss.exponent == 3 && environment.pathLoss.fading == Environment.fitted.pathLoss.fading)
        #expect(
            environment.shadowingPeriod == 60 && environment.briefShadowing == 1 && environment.briefShadowingPeriod == 2)
        #expect(environment.burstLoss == 0.5 && environment.packetLoss == 0.25 && environment.noise == 7)
        #expect(environment.briefShadowingMetres == 3 && environment.bodyWidth == 0.5 && environment.mostBodyLoss == 12)
        let scanner = Host(air)
        scanner.prepare()
        scanner.scan()
        scanner.wait(.seconds(60))
        let reports = scanner.takeReports()
        #expect(!reports.isEmpty && reports.allSatisfy { $0.kind == 2 && $0.address.value >> 46 == 1 })
    }

    @Test(arguments: [
        #"{"environment": {"air": "clean"}}"#, #"{"environment": {"brief": 41}}"#, #"{"environment": {"briefPeriod": 0}}"#,
        #"{"environment": {"shadowPeriod": 1e10}}"#, #"{"environment": {"burst": 1.1}}"#,
        #"{"environment": {"lost": -0.1}}"#,
        #"{"environment": {"briefMetres": -1}}"#, #"{"environment": {"bodyWidth": 2.1}}"#,
        #"{"environment": {"bodyWidth": -0.1}}"#, #"{"environment": {"bodyMost": 128}}"#,
        #"{"environment": {"bodyMost": "all"}}"#, #"{"environment": {"noise": -1}}"#,
        #"{"environment": {"noise": "loud"}}"#, #"{"phones": [{"pdu": "directed"}]}"#,
        #"{"phones": [{"address": "public"}]}"#,
    ])
    func refused(json: String) {
        let error = #expect(throws: VirtualAirError.self) { try Scenario(json: Array(json.utf8)) }
        #expect(error?.code == .invalidScenario)
    }
}
