// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import LabKit
import Radio
import Simulation
import Testing
import TimeTrust
import Vault
import VirtualAir

@Suite struct BeaconTests {
    // MARK: Time first

    @Test func withoutTimeNothingIsSentAndNoKeyIsMade() throws {
        let bench = try Bench()
        bench.air.addPhone()
        bench.run(for: .seconds(3_600))
        #expect(bench.broadcasts.isEmpty)
        #expect(bench.vault.schedule == TEKSchedule())
        #expect(bench.status.scanner.scans == 0)
        #expect(!bench.status.radio.onAir)
        // Clocks are asked for every five seconds; the controller is ready and waits.
        #expect(bench.clockRequests > 700)
        #expect(bench.status.radio.controller != nil)
        #expect(bench.status.time.state == "untrusted")
    }

    @Test func whenTimeComesItGoesOnAirAtOnce() throws {
        let bench = try Bench()
        bench.run(for: .seconds(60))
        bench.set(.operator, to: Bench.epoch + 60)
        bench.run(for: .milliseconds(10))
        #expect(bench.status.radio.onAir)
        #expect(bench.status.time.reason == "operator")
    }

    @Test func aTimeThatDriftedAwayEndsTheBroadcast() throws {
        let bench = try Bench()
        // 50 minutes are tolerated; with 100 ppm of drift, ten seconds more take 28 hours.
        bench.beacon.heard(
            .init(.network, UnixTime(seconds: Bench.epoch), uncertainty: .seconds(2_990)), at: bench.now)
        bench.run(for: .seconds(27 * 3_600))
        #expect(bench.status.radio.onAir)
        bench.run(for: .seconds(3_600))
        #expect(!bench.status.radio.onAir)
        #expect(bench.status.time.reason == "drifted")
    }

    // MARK: What goes on air

    @Test func identifiersFollowFromTheStoredKeys() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(7_100))
        let key = try #require(bench.vault.schedule.current)
        let own = try Bench.identifiers(key)
        #expect(bench.broadcasts.count >= 6)
        for broadcast in bench.broadcasts {
            let place = try #require(own.firstIndex(of: Bench.identifier(broadcast)))
            // The interval in which it went on air.
            let interval = (Bench.epoch + broadcast.start.components.seconds) / 600
            #expect(Int64(key.rollingStart.number) + Int64(place) == interval)
            // The metadata is that of the profile.
            let keys = try IdentifierKeys(key.secret)
            let identifier = try #require(RollingProximityIdentifier(Bench.identifier(broadcast)))
            let metadata = try #require(AssociatedEncryptedMetadata(broadcast.data.suffix(4)))
            #expect(keys.decrypt(metadata, with: identifier).bytes == [0x50, 4, 0, 0])
        }
    }

    @Test func rotatesEveryTenToTwentyMinutesAndAtMidnight() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(2 * 86_400))
        // Scans do not interrupt the broadcast, so one broadcast is one identifier.
        let ended = bench.broadcasts.filter { $0.end != nil }
        let spans = ended.map { ($0.end ?? $0.start) - $0.start }
        let midnights: [Duration] = [.seconds(7_200), .seconds(7_200 + 86_400)]
        for (broadcast, span) in zip(ended, spans) {
            let end = broadcast.start + span
            #expect(span <= .seconds(1_201))
            if let midnight = midnights.first(where: { broadcast.start < $0 && end >= $0 }) {
                #expect(end - midnight < .milliseconds(100), "midnight: \(end - midnight) late")
            } else {
                #expect(span >= .seconds(600), "\(span)")
            }
        }
        let ownKeys = bench.vault.schedule.past + [bench.vault.schedule.current].compactMap { $0 }
        #expect(ownKeys.map(\.rollingPeriod) == [144, 144, 144])
        #expect(Set(spans).count > 100, "rotation is random")
    }

    @Test func smallStepsCostNoKey() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(60))
        var error = Duration.zero
        bench.clock = { now in
            error = error == .zero ? .milliseconds(-900) : .zero
            return Bench.right(now + error)
        }
        bench.run(for: .seconds(7_000))
        #expect(bench.status.radio.keysMade == 1)
    }

    @Test(arguments: [-3_600, -86_400, 3_600, 86_400, -7_300, 7_300] as [Int64])
    func noPairIsUsedTwiceWhenTheClockSteps(_ step: Int64) throws {
        let bench = try Bench(clock: { Bench.right($0) })
        bench.run(for: .seconds(4_000))
        bench.clock = nil
        for turn in [Int64(1), -1, 1, 0] {
            bench.set(.operator, to: Bench.epoch + bench.air.now.components.seconds + turn * step)
            bench.run(for: .seconds(3_000))
        }
        var seen: Set<[UInt8]> = []
        for broadcast in bench.broadcasts { #expect(seen.insert(Bench.identifier(broadcast)).inserted) }
        #expect(bench.broadcasts.count > 10)
        // Each belongs to one of the keys that are kept, and to a time within 20 minutes of its interval.
        let keys = bench.vault.schedule.past + [bench.vault.schedule.current].compactMap { $0 }
        let own = try keys.flatMap(Bench.identifiers)
        #expect(Set(own).count == own.count)
        for broadcast in bench.broadcasts { #expect(own.contains(Bench.identifier(broadcast))) }
        // Addresses are as many: none of two identifiers, none of one identifier in turn.
        #expect(Set(bench.broadcasts.map(\.address)).count == bench.broadcasts.count)
    }

    // MARK: The change does not wait for the disk

    @Test func theNextTurnIsStoredBeforeItIsDue() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(60))
        var changes = 0
        // Over midnight, with its fresh key.
        while bench.air.now < .seconds(10_000) {
            let (stored, count) = (bench.vault.schedule, bench.broadcasts.count)
            bench.run(for: .milliseconds(500))
            guard bench.broadcasts.count > count, let broadcast = bench.broadcasts.last else { continue }
            let (key, interval) = (try #require(stored.current), try #require(stored.lastInterval))
            let place = Int(interval.number) - Int(key.rollingStart.number)
            #expect(try Bench.identifiers(key)[place] == Bench.identifier(broadcast))
            changes += 1
        }
        #expect(changes >= 8)
        #expect(bench.status.radio.keysMade == 2)
    }

    /// Somebody releases keys, or the clock steps, between the moment in which the next turn is stored and the one in which it is due.
    @Test(arguments: ["release", "back", "forth", "off and on"]) func aPreparedTurnMayBecomeVoid(_ event: String) throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(60))
        var released: [TemporaryExposureKey] = []
        var occasions = 0
        while occasions < 12 {
            let (stored, count) = (bench.vault.schedule.lastInterval, bench.broadcasts.count)
            bench.run(for: .milliseconds(100))
            guard bench.vault.schedule.lastInterval != stored, bench.broadcasts.count == count else { continue }
            occasions += 1
            switch event {
            case "release":
                let keys = try #require(try bench.beacon.releaseKeys(at: bench.now))
                let now = ENIN(unixSeconds: Bench.epoch + bench.air.now.components.seconds)
                // Up to what is on air, which is of this interval at the latest.
                #expect(keys.allSatisfy { $0.end.number <= (now ?? $0.end).number + 1 })
                released += keys
            case "off and on":
                bench.beacon.disable(at: bench.now)
                bench.beacon.enable(at: bench.now)
            default:
                let shift = Duration.seconds(event == "back" ? -3_000 * occasions : 3_000 * occasions)
                bench.clock = { Bench.right($0 + shift) }
                bench.set(.operator, to: Bench.epoch + (bench.air.now + shift).components.seconds)
            }
            bench.run(for: .seconds(30))
            #expect(bench.status.radio.onAir)
        }
        var seen: Set<[UInt8]> = []
        for broadcast in bench.broadcasts { #expect(seen.insert(Bench.identifier(broadcast)).inserted) }
        // Each belongs to a key that is kept or was released: whoever heard it can be warned.
        let keys = bench.vault.schedule.past + [bench.vault.schedule.current].compactMap { $0 }
        let own = Set(try (keys + released).flatMap(Bench.identifiers))
        let strangers = bench.broadcasts.filter { !own.contains(Bench.identifier($0)) }
        #expect(strangers.isEmpty)
    }

    /// Whoever listens nearby must not learn from an identifier that stays too short that its sender warns others.
    @Test func aReleaseDoesNotShowOnAir() throws {
        let bench = try Bench(clock: Bench.right)
        bench.run(for: .seconds(60))
        var released: Set<[UInt8]> = []
        for round in 0..<6 {
            // At another moment of the identifier's time in each round; in the fifth and the sixth twice within it.
            bench.run(for: .seconds(1_300 + 97 * round))
            for _ in 0..<(round == 4 || round == 5 ? 2 : 1) {
                let (count, written) = (bench.broadcasts.count, bench.status.radio.rotations)
                for key in try #require(try bench.beacon.releaseKeys(at: bench.now)) {
                    released.formUnion(try Bench.identifiers(key))
                }
                bench.run(for: .seconds(2))
                // Unless it was due just then.
                if bench.broadcasts.count == count { #expect(bench.status.radio.rotations == written) }
            }
            let before = Set(bench.broadcasts.map(Bench.identifier))
            bench.run(for: .seconds(1_300))
            // What begins afterwards follows from no key that was given away.
            for broadcast in bench.broadcasts where !before.contains(Bench.identifier(broadcast)) {
                #expect(!released.contains(Bench.identifier(broadcast)))
            }
        }
        let starts = bench.broadcasts.map(\.start)
        // Midnight, two hours after the beginning, ends an identifier.
        for (start, end) in zip(starts, starts.dropFirst()) where !(7_199...7_202).contains(end.components.seconds) {
            #expect(end - start >= .seconds(599) && end - start <= .seconds(1_201), "on air for \(end - start)")
        }
        #expect(bench.status.radio.onAir && starts.count > 12)
    }

    // MARK: What is kept

    @Test func whatIsHeardIsKept() throws {
        let bench = try Bench(clock: Bench.right)
        let phone = bench.air.addPhone()
        bench.air.fix(phone, bench.port.node, rssi: -63)
        bench.run(for: .seconds(3_600))
        let scans = try bench.vault.scans(day: UInt32(Bench.epoch / 86_400))
        #expect((12...18).contains(scans.count))
        let own = Set(try bench.air.keys(of: phone).flatMap(Bench.identifiers))
        var previous: UInt32 = 0
        for scan in scans {
            // Two where the phone changed its identifier during the scan.
            #expect((1...2).contains(scan.heard.count))
            let identifiers = Set(scan.heard.map(\.payload.identifier.bytes))
            #expect(identifiers.count == scan.heard.count && identifiers.isSubset(of: own))
            let readings = scan.heard.flatMap(\.readings)
            #expect(readings.allSatisfy { $0 == -63 } && readings.count >= 12)
            #expect(scan.previousScan == previous)
            #expect(scan.profileRevision == BoardProfile.token.revision)
            // Starts when the scan did; the next one knows when this one stopped.
            previous = scan.start + 4
        }
        #expect(bench.status.scanner.storedIdentifiers == UInt64(scans.reduce(0) { $0 + $1.heard.count }))
    }

    @Test func stoppingKeepsTheScanUnderWayAndGoesOffAir() throws {
        let bench = try Bench(clock: Bench.right)
        bench.air.addPhone()
        bench.run(for: .seconds(2))
        #expect(bench.status.scanner.scanning)
        bench.stop()
        #expect(bench.beacon.isStopped)
        #expect(!bench.status.radio.onAir)
        #expect(try bench.vault.scans(day: UInt32(Bench.epoch / 86_400)).count == 1)
        #expect(bench.vault.timeSnapshot?.isOrderlyStop == true)
        let sent = bench.broadcasts.count
        bench.run(for: .seconds(3_600))
        #expect(bench.broadcasts.count == sent)
    }

    // MARK: A disk that refuses

    enum Disk: CaseIterable { case full, readOnly }

    /// Midnight on a full or read-only disk: the TEK rolls all the same.
    @Test(arguments: Disk.allCases) func midnightOnADiskThatRefuses(_ disk: Disk) throws {
        let bench = try Bench(clock: Bench.right)
        bench.air.addPhone()
        bench.run(for: .seconds(3_000))
        let before = try #require(bench.vault.schedule.current)
        if disk == .full { bench.data.capacity = 0 } else { bench.data.isReadOnly = true }
        // The first scan that cannot be stored says so, and nothing takes it back: also not that slots can be written.
        bench.run(for: .seconds(1_200))
        for _ in 0..<852 {
            bench.run(for: .seconds(100))
            #expect(bench.status.storage.problem != nil)
        }
        #expect(bench.status.radio.onAir)
        #expect(bench.status.scanner.lostScans > 100)
        var seen: Set<[UInt8]> = []
        for broadcast in bench.broadcasts { #expect(seen.insert(Bench.identifier(broadcast)).inserted) }
        let late = try #require(bench.broadcasts.last)
        #expect(try !Bench.identifiers(before).contains(Bench.identifier(late)))
        switch disk {
        case .full:
            // Slots are preallocated, so even the schedule was stored.
            #expect(try Bench.identifiers(#require(bench.vault.schedule.current)).contains(Bench.identifier(late)))
        case .readOnly:
            // Until midnight the key goes on that the disk knows, so whoever hears it can be warned also after a restart; after it nothing
            // of it is sent.
            #expect(bench.vault.schedule.current == before)
            let own = try Set(Bench.identifiers(before))
            for broadcast in bench.broadcasts where broadcast.start > .seconds(3_000) {
                #expect(own.contains(Bench.identifier(broadcast)) == (broadcast.start < .seconds(7_200)))
            }
        }
        // The disk comes back.
        bench.data.capacity = .max
        bench.data.isReadOnly = false
        bench.run(for: .seconds(2_400))
        #expect(bench.status.storage.problem == nil)
        let last = try #require(bench.broadcasts.last)
        #expect(try Bench.identifiers(#require(bench.vault.schedule.current)).contains(Bench.identifier(last)))
    }

    @Test func aBoardWithoutAnyDiskGoesOnAir() throws {
        let vault = try Vault(MemoryStorage(), provider: FileKeyProvider(MemoryStorage()))
        try vault.store(TEKSchedule(), time: nil)
        #expect(vault.findings.isEmpty)
    }
}
