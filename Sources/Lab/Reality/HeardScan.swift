// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import GAEN

/// What one scan of one phone brought of another phone that was in the room, which may be nothing.
public struct HeardScan: Sendable, Equatable {
    /// The scene.
    public let scene: ScenePositions.Name
    /// The number of the phone that listened.
    public let receiver: Int
    /// The number of the phone that sent all the while.
    public let sender: Int
    /// The beginning of the scan in microseconds since 1970.
    public let time: Int64
    /// The distance in metres in the middle of the scan, by video.
    public let metres: Double
    /// The signal strengths in dBm, in the order of reception.
    public let levels: [Int8]

    /// Receptions outside of a scan by this much still belong to it, in microseconds: reports come a little late.
    static let slack: Int64 = 200_000
    /// Scans of this length count, in microseconds: nearly all last 4 s, and others say nothing about what 4 s bring.
    static let lengths: ClosedRange<Int64> = 3_000_000...6_000_000
}

extension RecordedAfternoon {
    /// What each scan of each phone brought of each other phone with a capture, in each of `scenes`, where both were seen in
    /// the middle of the scan. Throws `InputError` if positions cannot be read.
    public func heardScans(_ scenes: [ScenePositions.Name]) throws(InputError) -> [HeardScan] {
        var all: [HeardScan] = []
        for name in scenes { all += heardScans(try positions(name), name) }
        return all
    }

    /// Where everybody stood in a scene.
    func positions(_ name: ScenePositions.Name) throws(InputError) -> ScenePositions {
        try ScenePositions(name, folder: "\(folder)/computer-vision", clockOffset: Self.clockOffset)
    }

    /// The same of one scene, whose positions were read.
    func heardScans(_ positions: ScenePositions, _ name: ScenePositions.Name) -> [HeardScan] {
        Self.phones.flatMap { receiver -> [HeardScan] in
            guard let capture = captures[receiver] else { return [] }
            return capture.heardScans(of: receiver, identifiers: identifiers, name, positions)
        }
    }
}

extension PhoneCapture {
    /// What the scans of this phone, number `receiver`, brought of the other phones in `identifiers`.
    func heardScans(
        of receiver: Int, identifiers: [RollingProximityIdentifier: Int], _ name: ScenePositions.Name,
        _ positions: ScenePositions
    ) -> [HeardScan] {
        guard let first = positions.times.first, let last = positions.times.last else { return [] }
        let senders = Set(identifiers.values).intersection(positions.people).subtracting([receiver]).sorted()
        var found: [HeardScan] = []
        for scan in scans where HeardScan.lengths.contains(scan.end - scan.start) {
            let middle = scan.start + (scan.end - scan.start) / 2
            guard (first...last).contains(middle), let frame = positions.frame(at: middle) else { continue }
            var levels: [Int: [Int8]] = [:]
            for heard in receptions(from: scan.start - HeardScan.slack, to: scan.end + HeardScan.slack) {
                guard let rssi = heard.rssi, let sender = identifiers[heard.payload.identifier] else { continue }
                levels[sender, default: []].append(rssi)
            }
            for sender in senders {
                guard let metres = positions.distance(receiver, sender, frame: frame) else { continue }
                found.append(
                    HeardScan(
                        scene: name, receiver: receiver, sender: sender, time: scan.start, metres: metres,
                        levels: levels[sender] ?? []))
            }
        }
        return found
    }

    /// Receptions between two times. A clock that was set back by some seconds leaves them nearly in order, so all are looked at.
    private func receptions(from start: Int64, to end: Int64) -> [Reception] {
        receptions.filter { $0.time >= start && $0.time <= end }
    }
}
