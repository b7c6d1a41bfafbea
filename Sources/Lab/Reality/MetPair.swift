// SPDX-License-Identifier: Apache-2.0

import CommandFiles
public import Matching

/// Somebody and somebody else in one scene: what the first one's phone would have known, and the truth by video.
public struct MetPair: Sendable {
    /// The scene.
    public let scene: ScenePositions.Name
    /// The number of the phone that listened.
    public let receiver: Int
    /// The number of the phone that was heard.
    public let sender: Int
    /// The exposure windows of what was received while both were seen; empty if nothing was.
    public let windows: [ExposureWindow]
    /// The seconds within 1.5 metres.
    public let secondsWithinOneAndAHalf: Double
    /// The seconds within 2 metres.
    public let secondsWithinTwo: Double
    /// The mean distance in metres while each scan heard the other, for all scans of ``windows`` in their order; empty if
    /// receptions and scans cannot be told apart with certainty.
    public let metresAtScans: [Double]

    /// Both were seen for at least so long, or there is no unit (spec reality, section 5), in seconds.
    static let leastSeen = 480.0
    /// Positive is a unit with so long within a distance, in seconds.
    public static let exposureSeconds = 900.0

    /// Whether both were within 2 metres for a quarter of an hour, or within 1.5 with `nearer`.
    public func isPositive(nearer: Bool = false) -> Bool {
        (nearer ? secondsWithinOneAndAHalf : secondsWithinTwo) >= Self.exposureSeconds
    }
}

/// Distances of one sender's receptions, put together scan by scan.
private struct DistanceByScan {
    /// Receptions this much later belong to another scan, in microseconds: scans are minutes apart and last four seconds.
    private static let pause: Int64 = 60_000_000

    private var last: Int64 = .min / 2
    private var scans: [(sum: Double, count: Double)] = []
    var means: [Double] { scans.map { $0.sum / $0.count } }

    mutating func add(_ metres: Double, at time: Int64) {
        if time - last > Self.pause { scans.append((0, 0)) }
        last = time
        scans[scans.count - 1].sum += metres
        scans[scans.count - 1].count += 1
    }
}

extension RecordedAfternoon {
    /// All pairs of phones with a capture that were seen together for eight minutes or more, in each of `scenes`. Calls
    /// `progress` with the number of scenes that are done. Throws `InputError` if positions cannot be read,
    /// and what ``BoardReplay`` throws.
    public func pairs(
        _ scenes: [ScenePositions.Name], _ calibration: RebuiltWindows.Calibration, progress: (Int) -> Void = { _ in }
    ) throws -> [MetPair] {
        var pairs: [MetPair] = []
        for (index, name) in scenes.enumerated() {
            let scene = try ScenePositions(name, folder: "\(folder)/computer-vision", clockOffset: Self.clockOffset)
            for receiver in Self.phones where scene.people.contains(receiver) {
                guard let capture = captures[receiver] else { continue }
                var metres: [Int: DistanceByScan] = [:]
                let rebuilt = try RebuiltWindows(
                    of: capture, number: receiver, identifiers: identifiers, calibration: calibration
                ) {
                    time, sender in
                    guard let frame = scene.frame(at: time), let sender = sender(), sender != receiver,
                        let distance = scene.distance(receiver, sender, frame: frame)
                    else { return false }
                    metres[sender, default: DistanceByScan()].add(distance, at: time)
                    return true
                }
                for sender in Self.phones where sender != receiver && scene.people.contains(sender) {
                    let together = scene.seconds(receiver, sender, within: [1.5, 2])
                    guard together.seen >= MetPair.leastSeen else { continue }
                    let windows = rebuilt.senders.first { $0.sender == sender }?.windows ?? []
                    let means = metres[sender]?.means ?? []
                    let isCertain = means.count == windows.reduce(0) { $0 + $1.scanInstances.count }
                    pairs.append(
                        MetPair(
                            scene: name, receiver: receiver, sender: sender,
                            windows: windows,
                            secondsWithinOneAndAHalf: together.near[0], secondsWithinTwo: together.near[1],
                            metresAtScans: isCertain ? means : []))
                }
            }
            progress(index + 1)
        }
        return pairs
    }
}
