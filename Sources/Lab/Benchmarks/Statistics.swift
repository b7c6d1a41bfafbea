// SPDX-License-Identifier: Apache-2.0

enum Statistics {
    static func median(_ values: [Double]) -> Double { percentile(values, 0.5) }

    /// The smallest value that this share of all does not exceed.
    static func percentile(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let rank = Int((Double(values.count) * share).rounded(.up))
        return values.sorted()[min(max(rank - 1, 0), values.count - 1)]
    }
}
