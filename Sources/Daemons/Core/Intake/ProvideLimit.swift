// SPDX-License-Identifier: Apache-2.0

/// How often files may be provided. Pure; days are UTC days, counted by whoever calls, so that neither a restart nor a step of the clock
/// gives or takes away more than the day it lands in.
struct ProvideLimit {
    /// Calls per UTC day; `nil` when there is no such limit.
    let perDay: Int?
    /// Refused calls per UTC day of callers without ``perDay``: signed content is bound by who signs it, noise by this, for the battery's
    /// sake.
    static let refusedPerDay = 200

    init(_ reading: Caller.Reading) {
        switch reading {
        case .nothing: perDay = nil
        case .summaries: perDay = 20
        case .windows: perDay = 6
        }
    }

    /// When the next call is permitted, Unix seconds; `nil` if it is now.
    func nextPermitted(used: Int, refused: Int, day: UInt32) -> Int64? {
        let isUsedUp = perDay.map { used >= $0 } ?? (refused >= Self.refusedPerDay)
        return isUsedUp ? (Int64(day) + 1) * 86_400 : nil
    }
}
