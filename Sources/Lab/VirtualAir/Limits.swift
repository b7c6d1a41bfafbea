// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Which numbers from a file or the control socket make sense; everything else is refused before it is used.
struct Limits {
    let range: ClosedRange<Double>
    let unit: String

    /// Thirty years.
    static let time = Limits(range: 0...1e9, unit: "seconds")
    static let period = Limits(range: 0.001...1e9, unit: "seconds")
    static let epoch = Limits(range: 0...4_102_444_800, unit: "Unix seconds")
    static let place = Limits(range: -1e6...1e6, unit: "metres")
    static let decibel = Limits(range: -100...100, unit: "dB")
    static let loss = Limits(range: 0...127, unit: "dB")
    static let level = Limits(range: -127...20, unit: "dBm")
    static let fading = Limits(range: 0...40, unit: "dB")
    static let metres = Limits(range: 0...1e6, unit: "metres")
    static let width = Limits(range: 0...2, unit: "metres")
    static let exponent = Limits(range: 0...10, unit: "")
    static let share = Limits(range: 0...1, unit: "")
    static let interval = Limits(range: 0.02...10.24, unit: "seconds")
    static let count = Limits(range: 1...10_000, unit: "")
    static let speed = Limits(range: 0.001...1e6, unit: "")

    func check(_ value: Double?, _ name: String) throws(VirtualAirError) {
        guard let value, !range.contains(value) else { return }
        let unit = unit.isEmpty ? "" : " \(unit)"
        throw VirtualAirError(
            .invalidRequest, "\(name) takes \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))\(unit)")
    }

    /// No path is rest at the origin.
    static func path(_ points: [[Double]]?) throws(VirtualAirError) -> MotionPath {
        var waypoints: [Waypoint] = []
        for point in points ?? [] {
            guard point.count == 3 else {
                throw VirtualAirError(.invalidRequest, "path takes points of three numbers: seconds, metres, metres")
            }
            try time.check(point[0], "the time of a point")
            try place.check(point[1], "a point")
            try place.check(point[2], "a point")
            waypoints.append(Waypoint(time: .seconds(point[0]), x: point[1], y: point[2]))
        }
        return MotionPath(waypoints)
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

extension Fault {
    /// From the words of a file or the control socket.
    init(kind: String?, seconds: Double?, rate: Int?, cure: String?) throws(VirtualAirError) {
        guard let kind = kind.flatMap(Kind.init) else {
            let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw VirtualAirError(.invalidRequest, "kind of a fault takes one of \(names)")
        }
        let measure = cure.flatMap(Cure.init)
        guard measure != nil || cure == nil else {
            let names = Cure.allCases.map(\.rawValue).joined(separator: ", ")
            throw VirtualAirError(.invalidRequest, "cure takes one of \(names)")
        }
        try Limits.time.check(seconds, "seconds")
        self.init(kind, for: seconds.map { .seconds($0) }, cure: measure, rate: rate ?? 100)
    }
}

/// Describes faults of a JSON document for people, without the decoder's dump of its state.
package enum JSONProblem {
    /// Returns a clause with the path of the member, such as "hosts.[0].id has another type"; "it is not JSON" for any
    /// error that is not a `DecodingError`.
    package static func text(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is not JSON" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context): return "\(place(context)) has another type"
        case .keyNotFound(let key, let context): return "\(place(context)) lacks \(key.stringValue)"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is not JSON" : "\(place(context)) has a value out of range"
        @unknown default: return "it is not what was expected"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return path.isEmpty ? "the object" : path.joined(separator: ".")
    }
}
