// SPDX-License-Identifier: Apache-2.0

import Ledger
import Radio
import TimeTrust

/// Cuts the running totals into hours. Pure; what was counted while the time was not known goes to the hour in which it became known.
struct EvidenceRecorder {
    /// Totals since the program started.
    struct Totals: Equatable {
        var scans: UInt64 = 0
        var quietScans: UInt64 = 0
        var reports: UInt64 = 0
        var exposureNotifications: UInt64 = 0
        var storedIdentifiers: UInt64 = 0
        var rotations: UInt64 = 0
        var secondsOnAir: UInt64 = 0
        var troubles: UInt64 = 0
    }

    private var recorded = Totals()
    private var hour: Int64?

    /// What is to be recorded: the hour that has ended, or, when `isLast`, the one under way. `nil` when there is nothing yet.
    mutating func take(_ totals: Totals, now: UnixTime, isLast: Bool = false) -> EvidenceHour? {
        let present = now.seconds / 3_600
        defer { hour = present }
        guard isLast || hour.map({ $0 != present }) ?? false else { return nil }
        defer { recorded = totals }
        return pending(totals, now: now)
    }

    /// What was counted and is not recorded yet.
    func pending(_ totals: Totals, now: UnixTime) -> EvidenceHour? {
        guard totals != recorded else { return nil }
        func since(_ count: KeyPath<Totals, UInt64>) -> UInt32 {
            UInt32(clamping: totals[keyPath: count] - recorded[keyPath: count])
        }
        var evidence = EvidenceHour(hour: UInt32(clamping: hour ?? now.seconds / 3_600))
        evidence.scans = since(\.scans)
        evidence.quietScans = since(\.quietScans)
        evidence.reports = since(\.reports)
        evidence.exposureNotifications = since(\.exposureNotifications)
        evidence.storedIdentifiers = since(\.storedIdentifiers)
        evidence.identifiersSent = since(\.rotations)
        evidence.secondsOnAir = since(\.secondsOnAir)
        evidence.troubles = since(\.troubles)
        return evidence
    }
}

extension Beacon {
    /// What is counted as evidence, up to `now`.
    func evidence(at now: BootInstant) -> EvidenceRecorder.Totals {
        let counters = radio.counters
        let onAir = tally.timeOnAir + (onAirSince.map { now.duration - $0 } ?? .zero)
        return .init(
            scans: counters.scans, quietScans: counters.quietScans, reports: counters.reports,
            exposureNotifications: counters.exposureNotifications, storedIdentifiers: tally.storedIdentifiers,
            rotations: counters.rotations, secondsOnAir: UInt64(clamping: onAir.components.seconds),
            troubles: tally.troubles)
    }
}
