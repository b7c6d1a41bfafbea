// SPDX-License-Identifier: Apache-2.0

import GAEN
import Glibc
import Testing
import VirtualAir

/// Scripted devices, and the ideal receiver that watches them.
@Suite struct PhoneTests {
    @Test func twoWeeksOfRotationWithoutALeak() {
        let air = VirtualAir(seed: 11)
        var heard: [NodeID: [Broadcast]] = [:]
        let phones = (0..<20).map { _ in air.addPhone() }
        air.addObserver { if $0.end != nil { heard[$0.node, default: []].append($0) } }
        air.advance(to: .seconds(14 * 86_400))
        for phone in phones {
            let intervals = heard[phone] ?? []
            #expect(intervals.count > 14 * 72 && intervals.count < 14 * 145)
            var audit = RotationAudit()
            for interval in intervals {
                #expect(audit.observe(address: interval.address.bytes, serviceData: interval.data) == .both)
            }
            #expect(Set(intervals.map(\.address)).count == intervals.count)
            #expect(Set(intervals.map(\.data)).count == intervals.count)
            for (one, next) in zip(intervals, intervals.dropFirst()) {
                #expect(one.end == next.start)
                #expect(next.start == intervals.last?.start || (next.end ?? .zero) - next.start >= .seconds(600))
            }
            #expect(intervals.dropFirst().allSatisfy { ($0.end ?? .zero) - $0.start <= .seconds(1_200) })
        }
    }

    @Test func everyIdentifierBelongsToAKey() throws {
        let air = VirtualAir(seed: 12)
        air.epoch = 1_609_459_200 + 12_345
        var heard: [Broadcast] = []
        let phone = air.addPhone()
        air.addObserver { heard.append($0) }
        air.advance(to: .seconds(3 * 86_400))
        let keys = air.keys(of: phone)
        #expect(keys.count == 4)
        var found = 0
        for broadcast in heard {
            let payload = try AdvertisingPayload(advertisingData: broadcast.data)
            let interval = try #require(ENIN(unixSeconds: air.epoch + broadcast.start.components.seconds))
            let key = try #require(keys.first { $0.contains(interval) })
            let own = try IdentifierKeys(key.secret)
            #expect(own.identifier(for: interval) == payload.identifier)
            #expect(own.decrypt(payload.metadata, with: payload.identifier).transmitPower == -12)
            found += 1
        }
        #expect(found > 300)
    }

    @Test func bothForms() {
        let air = VirtualAir(seed: 13)
        var lengths: [Int] = []
        var model = PhoneModel()
        _ = air.addPhone(model)
        model.form = .withFlags
        _ = air.addPhone(model)
        air.addObserver { lengths.append($0.data.count) }
        #expect(lengths == [28, 31])
    }

    @Test func lookingChangesNothing() {
        func addresses(isObserved: Bool) -> [[AirAddress]] {
            let air = VirtualAir(seed: 14)
            let phone = air.addPhone()
            if isObserved { air.addObserver { _ in } }
            return (1...50).map { number in
                air.advance(to: .seconds(number * 1_777))
                return air.broadcasting(phone)
            }
        }
        #expect(addresses(isObserved: true) == addresses(isObserved: false))
    }

    /// A host that sets the data before the address shows a state that a leak detector must see.
    @Test func observersSeeEveryStateOfAController() {
        let air = VirtualAir(seed: 15)
        let host = Host(air, .extended)
        var audit = RotationAudit()
        air.addObserver { if $0.end == nil { _ = audit.observe(address: $0.address.bytes, serviceData: $0.data) } }
        host.prepare()
        func rotate(_ number: UInt8, disablesFirst: Bool) {
            if disablesFirst { #expect(host.status(0x2039, [0, 0]) == 0) }
            #expect(host.status(0x2035, [0, number, 2, 3, 4, 5, 6]) == 0)
            #expect(host.status(0x2037, [0, 3, 1, 1, number]) == 0)
            if disablesFirst { #expect(host.status(0x2039, [1, 1, 0, 0, 0, 0]) == 0) }
        }
        #expect(host.status(0x2036, host.setParameters()) == 0)
        for number in 1...5 { rotate(UInt8(number), disablesFirst: true) }
        #expect(audit.leaks == 0)
        rotate(6, disablesFirst: false)
        #expect(audit.leaks == 2)
    }

    @Test func aQuietDayCostsNothing() {
        let air = VirtualAir(seed: 16)
        for _ in 0..<300 { _ = air.addPhone() }
        #expect(air.nextEvent == nil)
        air.advance(to: .seconds(86_400))
        #expect(air.statistics.transmitted == 0)
        let scanner = Host(air)
        scanner.prepare()
        scanner.scan()
        air.advance(to: air.now + .seconds(1))
        #expect((300 * 3...300 * 5).contains(air.statistics.transmitted))
    }

    /// The bound is generous for debug builds; without laziness it would be minutes.
    @Test func aDayOfScansIsQuick() {
        let air = VirtualAir(seed: 17)
        for number in 0..<100 { _ = air.addPhone(path: MotionPath(x: Double(number % 10), y: Double(number / 10))) }
        let scanner = Host(air)
        scanner.prepare()
        let start = threadTime()
        for number in 0..<345 {
            scanner.scan()
            air.advance(to: .seconds(number * 250 + 4))
            #expect(scanner.status(0x200C, [0, 0]) == 0)
            _ = air.takeOutput(of: scanner.id)
            air.advance(to: .seconds(number * 250 + 250))
        }
        let elapsed = threadTime() - start
        #expect((500_000...600_000).contains(air.statistics.transmitted))
        #expect(elapsed < .seconds(60))
    }
}

/// What this thread has had of a processor: other work on the machine does not count.
private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
