// SPDX-License-Identifier: Apache-2.0

/// How evenly renewals are spread: the window in which they are due is divided into parts of the same length.
package struct RenewalWave: Sendable {
    /// The first and the last moment at which a renewal is due, in Unix seconds.
    package let window: ClosedRange<Int64>
    /// The renewals in each part.
    package let parts: [Int]
    /// The renewals outside the window.
    package let strays: Int

    /// Counts. A part has 75 renewals or more on average, so that chance alone does not look like a wave, and there are 40 at most: of a
    /// lifetime of 397 days a day each.
    init(_ moments: [Int64], window: ClosedRange<Int64>) {
        self.window = window
        let count = max(1, min(40, moments.count / 75))
        var parts = [Int](repeating: 0, count: count)
        let length = window.upperBound - window.lowerBound + 1
        var strays = 0
        for moment in moments {
            guard window.contains(moment) else {
                strays += 1
                continue
            }
            parts[Int((moment - window.lowerBound) * Int64(count) / length)] += 1
        }
        (self.parts, self.strays) = (parts, strays)
    }

    /// The renewals in the busiest part, divided by those of a part on average.
    package var ratio: Double {
        let sum = parts.reduce(0, +)
        return sum == 0 ? 0 : Double(parts.max() ?? 0) * Double(parts.count) / Double(sum)
    }
}
