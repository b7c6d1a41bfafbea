// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import PresenceTracing
import Testing

enum Samples {
    /// The public key of the health authority that production codes begin with has 96 bytes; any will do here.
    static let publicKey = [UInt8](repeating: 0x5A, count: 96)
    static let seed = Array(1...16 as ClosedRange<UInt8>)

    static func location(
        name: String = "Cafe am Ring", address: String = "Ring 1", start: UInt64 = 0, end: UInt64 = 0,
        kind: TraceLocation.Kind = .permanentFoodService, minutes: UInt32 = 90, seed: [UInt8] = seed
    ) throws -> TraceLocation {
        try TraceLocation(
            name: name, address: address, start: start, end: end, kind: kind, defaultMinutes: minutes, publicKey: publicKey,
            seed: seed)
    }

    /// Unix seconds of a time of the fourth of March 2021, which is day 18,690; hours may be beyond it.
    static func time(_ hour: Int64, _ minute: Int64 = 0, _ second: Int64 = 0) -> Int64 {
        18_690 * UTCDay.seconds + hour * 3_600 + minute * 60 + second
    }

    static func record(_ hour: Int64, _ minute: Int64 = 0, period: Int64, level: Int64 = 8) throws -> CheckInRecord {
        try #require(CheckInRecord(start: time(hour, minute) / 600, period: period, level: level))
    }

    static func refusal(_ body: () throws -> Void) -> PresenceTracingError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? PresenceTracingError)?.code }
    }
}
