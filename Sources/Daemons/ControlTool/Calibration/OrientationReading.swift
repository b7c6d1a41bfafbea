// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What was heard in one orientation, and whether it can be used.
struct OrientationReading: Equatable {
    /// Why it cannot be used.
    enum Problem: Equatable {
        /// The radio did not listen.
        case deaf
        /// Nothing near was heard.
        case nobody
        /// So few receptions.
        case tooFew(Int)
        /// Too few, because the sender changed its identifier meanwhile.
        case changedIdentifier
        /// Another one is as near: so many dB weaker than the loudest, or louder if negative.
        case anotherOne(Int)
        /// Half of the receptions lie within so many dB: something moved.
        case unsteady(Int)

        /// Whether measuring again needs nothing to be done first.
        var isChance: Bool { self == .changedIdentifier }
    }

    /// Fewer have a median that is off by more than a decibel: within a scan real phones scatter by 3.4 dB, and
    /// 1.25 · 3.4 / √20 is 0.95.
    static let leastCount = 20
    /// The next sender must be weaker by this, dB: then it lies at twice the distance or further.
    static let leastDistance = 6
    /// The quartiles of one orientation lie no further apart, dB: 1.35 · 7.6, what NIST saw between two boards at rest, and some more.
    static let mostSpread = 12

    /// Two measurements of one orientation that are no further apart, dB, say the same: it is the antenna's.
    static let sameAgain = 4

    let count: Int
    /// dBm, as the controller gives it.
    let median: Int
    let spread: Int

    /// - Throws: ``Problem`` in `Failure` if it cannot be used.
    init(_ heard: Device1.Neighbours) throws(Failure) {
        guard let median = heard.median, heard.count > 0 else {
            throw Failure(heard.scanCount == 0 ? .deaf : .nobody)
        }
        guard heard.count >= Self.leastCount else {
            throw Failure(heard.changed ? .changedIdentifier : .tooFew(heard.count))
        }
        if let other = heard.otherMedian, median - other < Self.leastDistance {
            throw Failure(.anotherOne(median - other))
        }
        let spread = (heard.upperQuartile ?? median) - (heard.lowerQuartile ?? median)
        guard spread <= Self.mostSpread else { throw Failure(.unsteady(spread)) }
        count = heard.count
        self.median = median
        self.spread = spread
    }

    struct Failure: Error, Equatable {
        let problem: Problem
        init(_ problem: Problem) { self.problem = problem }
    }
}
