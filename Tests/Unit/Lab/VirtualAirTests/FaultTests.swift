// SPDX-License-Identifier: Apache-2.0

import GAEN
import Testing
import VirtualAir

/// What goes wrong on request, and what ends it.
@Suite struct FaultTests {
    let air = VirtualAir(seed: 21)
    let host: Host

    init() {
        host = Host(air)
        host.prepare()
        _ = air.addPhone()
        host.scan()
    }

    private func heard() -> Int {
        host.wait(.seconds(4))
        return host.takeReports().count
    }

    /// A flood of no reports a second has no moment for the next one.
    @Test func ratesAreHeldInTheirRange() {
        var fault = Fault(.flood)
        fault.rate = 0
        #expect(fault.rate == 1)
        fault.rate = .max
        #expect(fault.rate == 100_000)
        fault.kind = .noise
        #expect(fault.rate == 65_536)
    }

    @Test func vanishing() {
        air.apply(Fault(.vanish, for: .seconds(10)), to: host.id)
        #expect(!air.isConnected(host.id))
        #expect(!air.reattach(host.id))
        air.advance(to: .seconds(10))
        #expect(air.reattach(host.id))
        #expect(!air.reattach(host.id))
        #expect(heard() == 0, "it forgot that it was scanning")
        host.prepare()
        host.scan()
        #expect(heard() > 10)
    }

    @Test func errors() {
        air.apply(Fault(.errors), to: host.id)
        #expect(host.status(0x0C03) == 0x1F)
        #expect(host.status(0x200C, [0, 0]) == 0x1F)
        #expect(heard() > 10, "the commands had no effect")
        air.clearFaults(of: host.id)
        #expect(host.status(0x200C, [0, 0]) == 0)
    }

    @Test func silence() {
        air.apply(Fault(.silent, for: .seconds(5)), to: host.id)
        #expect(host.status(0x1009) == nil)
        #expect(heard() == 0)
        #expect(air.isConnected(host.id))
        host.wait(.seconds(1))
        #expect(host.status(0x1009) == 0)
        #expect(heard() > 10)
    }

    @Test(arguments: Fault.Cure.allCases) func deafnessAndItsCures(cure: Fault.Cure) {
        air.apply(Fault(.deaf, cure: cure), to: host.id)
        #expect(heard() == 0)
        let measures: [(Fault.Cure, () -> Void)] = [
            (.scanRestart, { #expect(host.status(0x200C, [0, 0]) == 0) }),
            (.reset, { host.prepare() }),
            (
                .reattach,
                {
                    air.detach(host.id)
                    #expect(air.reattach(host.id))
                    host.prepare()
                }
            ),
            (
                .powerCycle,
                {
                    air.powerCycle(host.id)
                    #expect(air.reattach(host.id))
                    host.prepare()
                }
            ),
        ]
        for (measure, action) in measures {
            action()
            host.scan()
            #expect((heard() > 10) == (measure >= cure), "\(measure)")
            #expect(host.status(0x200C, [0, 0]) == 0)
        }
    }

    @Test func aLostScan() {
        #expect(host.status(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0]) == 0x0C)
        air.apply(Fault(.lostScan), to: host.id)
        #expect(heard() == 0)
        #expect(host.status(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0]) == 0)
        #expect(host.status(0x200C, [1, 0]) == 0)
        #expect(heard() > 10)
    }

    @Test func aFlood() {
        air.apply(Fault(.flood, rate: 500), to: host.id)
        air.apply(Fault(.flood, for: .seconds(4), rate: 1_000), to: host.id)
        host.wait(.seconds(4))
        let reports = host.takeReports()
        #expect((3_990...4_050).contains(reports.count))
        #expect(Set(reports.map(\.address)).count > 3_980)
        #expect(reports.allSatisfy { (try? AdvertisingPayload(advertisingData: $0.data)) != nil })
        #expect((10...20).contains(heard()))
    }

    @Test func emptyReports() {
        air.apply(Fault(.emptyReports), to: host.id)
        host.wait(.seconds(4))
        let reports = host.takeReports()
        #expect(reports.count > 10 && reports.allSatisfy { $0.data.isEmpty })
    }

    @Test func noise() {
        host.collect()
        air.apply(Fault(.noise, rate: 77), to: host.id)
        #expect(air.takeOutput(of: host.id).count == 77)
        #expect(heard() > 10)
    }
}
