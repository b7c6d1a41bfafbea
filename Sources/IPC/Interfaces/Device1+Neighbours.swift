// SPDX-License-Identifier: Apache-2.0

/// Messages of a calibration at the console.
extension Device1 {
    /// Parameters of `MeasureNeighbours`. Refused with `WrongRole` for everybody but the console, with `ButtonNeeded` until the
    /// wearer has pressed, and with `InvalidParameter` if the length is out of range.
    public struct MeasureNeighboursCall: Codable, Sendable {
        /// The length in seconds, 2 to 60.
        public var seconds: Int

        /// Creates the parameters of a call of `MeasureNeighbours`. Nothing is checked here: the core checks the value when
        /// the call arrives.
        public init(seconds: Int) { self.seconds = seconds }
    }

    /// The loudest sender near in a measurement, and the next one. Strengths are dBm, as the controller gives them.
    public struct Neighbours: Codable, Sendable, Equatable {
        /// Whether it is under way.
        public var running: Bool
        /// The number of seconds left, rounded up; 0 when it has ended.
        public var secondsLeft: Int
        /// The number of scans begun for it, 0 or more; 0 means that the radio did not listen.
        public var scanCount: Int
        /// The number of receptions of the loudest sender, 0 or more, of those heard about as often as any.
        public var count: Int
        /// The median of their strengths; `nil` without any.
        public var median: Int?
        /// The lower quartile of their strengths; `nil` without any.
        public var lowerQuartile: Int?
        /// The upper quartile of their strengths; `nil` without any.
        public var upperQuartile: Int?
        /// The median of their distances from the median in dB, 0 or more; `nil` without any.
        public var deviation: Int?
        /// The number of receptions of the loudest other sender at the same time, 5 or more; 0 if there was none.
        public var otherCount: Int
        /// The median of that sender's strengths; `nil` without any.
        public var otherMedian: Int?
        /// Whether a sender began when another one had ended, at about its strength, as when an identifier changes.
        public var changed: Bool

        /// Creates a part of the core's reply. No value is checked. See the properties for units and `nil`.
        public init(
            running: Bool, secondsLeft: Int, scanCount: Int, count: Int, median: Int?, lowerQuartile: Int?,
            upperQuartile: Int?, deviation: Int?, otherCount: Int, otherMedian: Int?, changed: Bool
        ) {
            self.running = running
            self.secondsLeft = secondsLeft
            self.scanCount = scanCount
            self.count = count
            self.median = median
            self.lowerQuartile = lowerQuartile
            self.upperQuartile = upperQuartile
            self.deviation = deviation
            self.otherCount = otherCount
            self.otherMedian = otherMedian
            self.changed = changed
        }
    }

    /// Reply of `GetNeighbours`.
    public struct NeighboursReply: Codable, Sendable {
        /// The running or last measurement; `nil` if there was none since the start of the core.
        public var neighbours: Neighbours?

        /// Creates the reply of the core. No value is checked.
        public init(neighbours: Neighbours?) { self.neighbours = neighbours }
    }
}
