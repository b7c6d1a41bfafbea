// SPDX-License-Identifier: Apache-2.0

public import Matching

/// How well the scans of rebuilt windows agree with reported ones, number by number (spec reality, section 3).
public struct ScanAgreement: Sendable {
    /// How far off the numbers of one kind are.
    public struct Errors: Sendable {
        private var counts: [Int: Int] = [:]
        /// The number of scans that were compared.
        public private(set) var count = 0
        private var sum = 0

        /// The mean of rebuilt less reported, in dB or seconds; 0 without a scan.
        public var bias: Double { count == 0 ? 0 : Double(sum) / Double(count) }

        /// The share of scans that differ by at most `distance`, 0 to 1; 0 without a scan.
        public func share(within distance: Int) -> Double {
            let near = counts.reduce(0) { $1.key <= distance ? $0 + $1.value : $0 }
            return count == 0 ? 0 : Double(near) / Double(count)
        }

        mutating func add(reported: Int, rebuilt: Int) {
            counts[abs(rebuilt - reported), default: 0] += 1
            count += 1
            sum += rebuilt - reported
        }
    }

    /// Windows with fewer scans say too little about which other window they are.
    private static let leastScans = 5
    /// The best window must cost less than this, without the seconds, and every other one this much more.
    private static let (costLimit, clearance) = (2.0, 0.5)

    /// The smallest attenuation of a scan, in dB, in windows that fit one rebuilt window and clearly no other by attenuations.
    public private(set) var minimum = Errors()
    /// The mean attenuation of a scan, in dB, in the same windows.
    public private(set) var typical = Errors()
    /// The seconds since the last scan, in the same windows. Attenuations alone have chosen them, so the choice does not
    /// flatter this.
    public private(set) var seconds = Errors()
    /// The seconds since the last scan in all windows that were matched, in whose choice they had a part.
    public private(set) var matchedSeconds = Errors()

    /// Creates an agreement of no windows yet.
    public init() {}

    /// Adds the windows of one receiver.
    public mutating func add(_ reported: [ReportedWindow], _ rebuilt: [ExposureWindow], _ comparison: WindowComparison) {
        let own = WindowComparison.scans(of: rebuilt)
        for pair in comparison.matched {
            for (left, right) in pair.scans {
                matchedSeconds.add(
                    reported: reported[pair.reported].scans[left].seconds, rebuilt: own[pair.rebuilt][right].seconds)
            }
        }
        for window in reported where window.scans.count >= Self.leastScans {
            let fits = own.map { WindowComparison.alignment(window.scans, $0, withSeconds: false) }
            let order = fits.indices.sorted { fits[$0].cost < fits[$1].cost }
            guard order.count > 1, fits[order[0]].cost < Self.costLimit,
                fits[order[1]].cost - fits[order[0]].cost > Self.clearance
            else { continue }
            for (left, right) in fits[order[0]].scans {
                let (real, made) = (window.scans[left], own[order[0]][right])
                minimum.add(reported: real.minimum, rebuilt: made.minimum)
                typical.add(reported: real.typical, rebuilt: made.typical)
                seconds.add(reported: real.seconds, rebuilt: made.seconds)
            }
        }
    }

    /// Whether the shares are what section 3 demands: of minimum exact 55 %, within 1 dB 85 %, 2 dB 93 %; of typical 45, 83,
    /// 94 %; of seconds since the last scan exact 96 %.
    public var isAsDemanded: Bool {
        let demands: [(Errors, [Double])] = [
            (minimum, [0.55, 0.85, 0.93]), (typical, [0.45, 0.83, 0.94]), (seconds, [0.96]), (matchedSeconds, [0.96]),
        ]
        return demands.allSatisfy { errors, shares in
            shares.enumerated().allSatisfy { errors.share(within: $0) >= $1 }
        }
    }
}

extension RecordedAfternoon {
    /// Compares the windows of all receivers of ``checks``, scan by scan. Throws as ``compare(_:)``.
    public func agreement(_ calibration: RebuiltWindows.Calibration) throws -> ScanAgreement {
        let reported = try ReportedWindow.reported(in: "\(folder)/backend-checks")
        var agreement = ScanAgreement()
        for receiver in Self.checks.keys.sorted() {
            guard let windows = reported[receiver], let rebuilt = try rebuilt(receiver, calibration)?.windows else {
                continue
            }
            agreement.add(windows, rebuilt, WindowComparison(reported: windows, rebuilt: rebuilt))
        }
        return agreement
    }
}
