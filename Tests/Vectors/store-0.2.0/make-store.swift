// SPDX-License-Identifier: Apache-2.0

// Made data/ and keys/ with the Vault of release 0.2.0. Built against that release it makes the same bytes again; a later
// vault writes other formats. Arguments: the two folders, which must exist and be empty.

import Cryptography
import GAEN
import TimeTrust
import Vault

/// Steele, Lea, Flood 2014. Not for secrets: these are known to everybody.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

let today: UInt32 = 19_700

func key(_ day: UInt32) throws -> TemporaryExposureKey {
    let secret = SecretBytes(copying: [UInt8](repeating: UInt8(day % 100), count: 16))
    guard
        let key = TemporaryExposureKey(
            secret: secret, rollingStart: ENIN(day * 144), rollingPeriod: 144)
    else { throw StorageFailure(.failed, "no key") }
    return key
}

func scan(day: UInt32, number: UInt32) -> ScanRecord {
    let start = day * 86_400 + number * 250
    let heard = (0...number).map { sender in
        ScanRecord.Heard(
            payload: AdvertisingPayload(
                identifier: RollingProximityIdentifier(Block(low: UInt64(start), high: UInt64(sender))),
                metadata: AssociatedEncryptedMetadata(word: 0x0102_0304 + sender)),
            offset: UInt8(sender), readings: ScanRecord.Readings([-60, -61, -62 - Int8(sender)]) ?? .init(-1))
    }
    return ScanRecord(
        start: start, previousScan: start - 250, profileRevision: 7, heard: heard, leftOut: UInt16(number))
}

let point = TrustedTime.Snapshot.Point(
    source: 4, time: UnixTime(seconds: Int64(today) * 86_400 + 3_600), uncertaintyMilliseconds: 1_500, ageMilliseconds: 20)
let time = TrustedTime.Snapshot(
    bootIdentity: BootIdentity(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00),
    boot: BootInstant(nanoseconds: 123_456_789), signedFloor: UnixTime(seconds: Int64(today) * 86_400), current: point,
    reference: point, isOrderlyStop: true)
let schedule = TEKSchedule(
    current: try key(today), lastInterval: ENIN(today * 144 + 6),
    past: try ((today - 5)..<today).map { try key($0) })

let vault = try Vault(
    PosixStorage(folder: CommandLine.arguments[1]),
    provider: FileKeyProvider(PosixStorage(folder: CommandLine.arguments[2])),
    generator: SeededGenerator(seed: 200))
for day in [today - 1, today] {
    for number in 0..<3 as Range<UInt32> { try vault.append(scan(day: day, number: number)) }
}
try vault.store(schedule, time: time)
