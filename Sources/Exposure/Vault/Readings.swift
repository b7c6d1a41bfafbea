// SPDX-License-Identifier: Apache-2.0

extension ScanRecord {
    /// The signal strengths of one sender in one scan: 1 to 16 raw readings, in dBm, as the controller reported them,
    /// before any correction.
    ///
    /// Held in place: a busy day has a hundred thousand of these, and an array each would cost more than what is in it.
    public struct Readings: Sendable, Hashable, RandomAccessCollection {
        /// The maximum number of readings kept of one sender and scan. A phone sends about 15 times in a scan of four
        /// seconds. The number is this project's own.
        public static let maximumCount = 16

        private var low: UInt64 = 0
        private var high: UInt64 = 0
        private var length: UInt8 = 0

        /// Creates readings in dBm, in the given order; returns `nil` unless there are 1 to ``maximumCount`` values.
        public init?(_ values: some Collection<Int8>) {
            guard (1...Self.maximumCount).contains(values.count) else { return nil }
            for value in values { append(value) }
        }

        /// Creates readings from the value of one packet, in dBm; any 8 bits are allowed. Cannot fail.
        public init(_ value: Int8) { append(value) }

        /// The index of the first reading, always 0.
        public var startIndex: Int { 0 }
        /// The number of readings: 1 to ``maximumCount``.
        public var endIndex: Int { Int(length) }

        /// The reading at `position`, in dBm; a position outside `startIndex..<endIndex` stops the program.
        public subscript(position: Int) -> Int8 {
            precondition(position >= 0 && position < endIndex, "a reading that is not there")
            let word = position < 8 ? low : high
            return Int8(truncatingIfNeeded: word >> (8 * UInt64(position & 7)))
        }

        /// The loudest reading in dBm, as the controller reported it: any 8 bits.
        public var strongest: Int8 { reduce(.min, Swift.max) }

        /// Must not be called when there are ``maximumCount`` already.
        mutating func append(_ value: Int8) {
            precondition(endIndex < Self.maximumCount, "a sender has \(Self.maximumCount) readings at most")
            length += 1
            replace(endIndex - 1, by: value)
        }

        mutating func replace(_ position: Int, by value: Int8) {
            let shift = 8 * UInt64(position & 7)
            let bits = UInt64(UInt8(bitPattern: value)) << shift
            if position < 8 {
                low = low & ~(0xff << shift) | bits
            } else {
                high = high & ~(0xff << shift) | bits
            }
        }

        /// Leaves every second reading, the first included.
        mutating func halve() {
            let kept = stride(from: 0, to: endIndex, by: 2).map { self[$0] }
            (low, high, length) = (0, 0, 0)
            for value in kept { append(value) }
        }
    }
}
