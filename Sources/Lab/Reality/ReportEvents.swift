// SPDX-License-Identifier: Apache-2.0

/// Events with advertising reports, as the controller wrote them, one behind the other in one piece of memory.
struct ReportEvents: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [(time: Int64, end: Int)] = []

    /// Adds a whole packet; `time` in microseconds since 1970.
    mutating func append(_ packet: [UInt8], at time: Int64) {
        bytes += packet
        entries.append((time, bytes.count))
    }

    /// Calls `body` with each packet in order.
    func forEach(_ body: (ArraySlice<UInt8>, Int64) throws -> Void) rethrows {
        var start = 0
        for entry in entries {
            try body(bytes[start..<entry.end], entry.time)
            start = entry.end
        }
    }
}
