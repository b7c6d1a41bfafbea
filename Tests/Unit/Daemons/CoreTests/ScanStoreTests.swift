// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Interfaces
import Logging
import Testing
import TimeTrust
import Vault

@testable import Core

/// What a scan hears, and how well, without a radio.
@Suite struct ScanStoreTests {
    private static let noon = UnixTime(seconds: ExposureServiceBench.noon)

    private let sender: AdvertisingPayload

    init() throws {
        let keys = try IdentifierKeys(SecretBytes(copying: [UInt8](repeating: 1, count: 16)))
        let identifier = keys.identifier(for: ENIN(2_880_000))
        sender = AdvertisingPayload(
            identifier: identifier,
            metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier))
    }

    // MARK: Scans

    @Test func aScanIsARecordThatKnowsTheOneBefore() throws {
        var scan = ScanStore()
        scan.begin(at: .seconds(100))
        scan.hear(sender, -60, at: .seconds(102))
        let ended = scan.finish(end: Self.noon, length: .seconds(4), profileRevision: 3)
        let first = try #require(ended)
        #expect(first.record.start == UInt32(Self.noon.seconds - 4) && first.record.heard.count == 1)
        #expect(first.record.profileRevision == 3 && first.record.previousScan == 0 && first.droppedCount == 0)
        scan.begin(at: .seconds(400))
        let endedAgain = scan.finish(
            end: Self.noon.advanced(by: .seconds(300)), length: .seconds(4), profileRevision: 3)
        let second = try #require(endedAgain)
        #expect(second.record.previousScan == UInt32(Self.noon.seconds) && second.record.isEmpty)
    }

    @Test func withoutATimeThereIsNoRecord() {
        var scan = ScanStore()
        let early = scan.finish(end: Self.noon, length: .seconds(4), profileRevision: 0)
        scan.begin(at: .zero)
        let timeless = scan.finish(end: nil, length: .seconds(4), profileRevision: 0)
        let late = scan.finish(end: Self.noon, length: .seconds(4), profileRevision: 0)
        #expect(early == nil, "nothing was begun")
        #expect(timeless == nil && late == nil, "it is over all the same")
    }

    @Test func whatIsForgottenLeavesNothing() {
        var scan = ScanStore()
        scan.begin(at: .zero)
        _ = scan.finish(end: Self.noon, length: .seconds(4), profileRevision: 0)
        scan.begin(at: .zero)
        scan.hear(sender, -60, at: .zero)
        scan.forget()
        let forgotten = scan.finish(end: Self.noon, length: .seconds(4), profileRevision: 0)
        scan.begin(at: .zero)
        let next = scan.finish(end: Self.noon, length: .zero, profileRevision: 0)
        #expect(forgotten == nil && next?.record.previousScan == 0)
    }

    // MARK: Calibration

    @Test func scansFollowSoonWhileSomethingIsMeasured() {
        var calibration = Calibration()
        #expect(calibration.scanPause(at: .zero, slice: nil) == nil)
        calibration.measure(reference: -60, until: .seconds(10))
        #expect(calibration.scanPause(at: .seconds(9), slice: nil) == .milliseconds(500))
        #expect(calibration.scanPause(at: .seconds(9), slice: .seconds(4)) == .seconds(4), "as long as it listens")
        #expect(calibration.scanPause(at: .seconds(10), slice: nil) == nil)
    }

    @Test func whatIsHeardIsCountedAndMeasured() throws {
        var calibration = Calibration()
        calibration.hear(sender, -60, at: .zero)
        #expect(calibration.strengths.counts.reduce(0, +) == 1 && calibration.measurement == nil)
        calibration.measure(reference: -60, until: .seconds(10))
        calibration.hear(sender, -55, at: .seconds(1))
        #expect(try #require(calibration.measurement).result(at: .seconds(1)).count == 1)
    }

    // MARK: The disk

    @Test func troubleLastsUntilTheDiskTakesSomething() {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var storage = StorageWatch()
        let full = storage.failed(StorageFailure(.full, "x"), doing: "testing", log)
        #expect(full == StorageFailure(.full, "x") && storage.trouble == full)
        struct Other: Error {}
        let other = storage.failed(Other(), doing: "testing", log)
        #expect(other.code == .failed)
        storage.recovered(.inPlace, room: nil, findings: [], log)
        #expect(storage.trouble == nil)
    }

    /// A full disk still takes what it has room for already. That is no sign of room for more.
    @Test func aFullDiskIsOverWhenItTakesMore() {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (little, enough) = (StorageRoom(free: 4_096, size: 1 << 30), StorageRoom(free: 1 << 20, size: 1 << 30))
        for (write, room, isOver) in [
            (StorageWatch.Write.inPlace, nil, false), (.inPlace, little, false), (.inPlace, enough, true),
            (.new, nil, true),
            (.new, little, true),
            // Bytes are free, and no file can be made.
            (.inPlace, StorageRoom(free: 1 << 30, size: 1 << 30, freeFiles: 15), false),
            (.inPlace, StorageRoom(free: 1 << 30, size: 1 << 30, freeFiles: 16), true),
            (.inPlace, StorageRoom(free: 4_096, size: 1 << 30, freeFiles: 16), false),
        ] as [(StorageWatch.Write, StorageRoom?, Bool)] {
            var storage = StorageWatch()
            _ = storage.failed(StorageFailure(.full, "x"), doing: "testing", log)
            storage.recovered(write, room: room, findings: [], log)
            #expect((storage.trouble == nil) == isOver, "\(write), \(String(describing: room))")
        }
    }
}
