// SPDX-License-Identifier: Apache-2.0

import GAEN
import HCI
import Testing
import Vault

@testable import Reality

/// More figures of the sheet `reality` that need the published captures.
@Suite struct RealityFiguresTests {
    /// Section 2: addresses link nothing, and how long an identifier lasts.
    @Test(.enabled(if: RealityTests.isThere, RealityTests.absent)) func identifiersAndAddressesChangeTogether() throws {
        let data = try RealityTests.afternoon.get()
        let receptions = data.captures.values.flatMap(\.receptions).filter { $0.address.type == .random }
        func addresses(_ isMeant: (PhoneCapture.Reception) -> Bool) -> (identifiers: Int, several: Int, shared: Int) {
            var ofIdentifier: [RollingProximityIdentifier: Set<BluetoothAddress>] = [:]
            var ofAddress: [BluetoothAddress: Set<RollingProximityIdentifier>] = [:]
            for heard in receptions where isMeant(heard) {
                ofIdentifier[heard.payload.identifier, default: []].insert(heard.address)
                ofAddress[heard.address, default: []].insert(heard.payload.identifier)
            }
            return (
                ofIdentifier.count, ofIdentifier.values.count { $0.count > 1 }, ofAddress.values.count { $0.count > 1 }
            )
        }
        let known = addresses { data.identifiers[$0.payload.identifier] != nil }
        #expect(known == (330, 2, 0))
        let phones = addresses { $0.flags == 0x1A }
        #expect(phones.several == 0 && phones.shared == 0, "\(phones)")
        // From one identifier to the next, by the phones' own commands.
        let changes = data.captures.values.flatMap { capture in
            zip(capture.sent, capture.sent.dropFirst()).map { Double($1.time - $0.time) / 60e6 }
        }.filter { $0 < 20 }.sorted()
        #expect((12.6...13).contains(changes[changes.count / 2]), "\(changes[changes.count / 2])")
        #expect(changes[changes.count / 20] > 11 && changes[changes.count * 19 / 20] < 14.6)
    }

    /// The whole chain of a board loses nothing: what it hears is what the capture has in its scans.
    @Test(.enabled(if: RealityTests.isThere, RealityTests.absent)) func aBoardHearsWhatThePhonesHeard() throws {
        let path = "\(RealityTests.soldiers)/pcaps/01.btsnoop"
        let capture = try PhoneCapture(path: path, clockOffset: RecordedAfternoon.clockOffset, keepsReports: true)
        let board = try capture.replay(path: path)
        #expect(board.heardCount == 9_957 && board.scanCount == capture.scans.count && board.refusedEvents == 0)
        #expect(try capture.replay() == board)
        let stored = Set(board.records.flatMap(\.heard).map(\.payload))
        #expect(stored == Set(capture.receptions.map(\.payload)))
    }

    /// Section 4: pairs that both were seen for two minutes, and for a quarter of an hour within 1.5 m and 2 m.
    @Test(.enabled(if: RealityTests.isThere, RealityTests.absent)) func pairsAreThoseOfTheSheet() throws {
        let expected: [(ScenePositions.Name, [Int])] = [
            (.lunch, [91, 16, 30]), (.train, [153, 38, 55]), (.office, [45, 3, 6]), (.movement, [136, 0, 0]),
        ]
        for (name, figures) in expected {
            let scene = try ScenePositions(
                name, folder: "\(RealityTests.soldiers)/computer-vision", clockOffset: RecordedAfternoon.clockOffset)
            let people = RecordedAfternoon.phones.filter(scene.people.contains)
            var (seen, nearer, near) = (0, 0, 0)
            for (index, left) in people.enumerated() {
                for right in people[(index + 1)...] {
                    let together = scene.seconds(left, right, within: [1.5, 2])
                    seen += together.seen >= 120 ? 1 : 0
                    nearer += together.near[0] >= MetPair.exposureSeconds ? 1 : 0
                    near += together.near[1] >= MetPair.exposureSeconds ? 1 : 0
                }
            }
            #expect([seen, nearer, near] == figures, "\(name)")
        }
    }

    /// Section 4: the median attenuation by distance, by -29 dBm. The sheet's are of all six scenarios, of which four are
    /// here: two of these differ by 1 dB.
    @Test(.enabled(if: RealityTests.isThere, RealityTests.absent)) func attenuationGrowsSlowlyWithDistance() throws {
        let july = try MeasuredReception.read(
            ["01-lunch", "02-train", "03-office", "06-movement"].map { "\(RealityTests.soldiers)/scenario\($0).sqlite" })
        let steps: [(Range<Double>, Int)] = [
            (0..<1, 52), (1..<1.5, 56), (1.5..<2, 57), (2..<3, 59), (3..<5, 61), (5..<8, 62),
        ]
        for (range, median) in steps {
            let values = july.filter { range.contains($0.distance) }.map { -29 - $0.rssi }.sorted()
            #expect(abs(values[values.count / 2] - median) <= 1, "\(range)")
        }
    }
}
