// SPDX-License-Identifier: Apache-2.0

import GAEN
import Radio

/// The fields of a profile's file, each optional but the name. Times are milliseconds, of rotation seconds.
struct ProfileDraft: Decodable {
    struct Beacon: Decodable {
        var interval, rotation: [Int64]?
        var flags: Bool?
    }

    struct Scan: Decodable {
        var duration, period, spread: Int64?
    }

    struct Calibration: Decodable {
        var transmitPower, rssiCorrection: Int8?
        var confidence: String?
    }

    var name: String
    var revision: UInt16?
    var role, commands: String?
    var timeSlice: Bool?
    var consentButton: Bool?
    var beacon: Beacon?
    var scan: Scan?
    var calibration: Calibration?
    var controllerCheck: Int64?

    /// Every path there may be.
    static let fields: Set<String> = [
        "$schema", "name", "revision", "role", "commands", "timeSlice", "consentButton", "controllerCheck", "beacon",
        "beacon.interval",
        "beacon.rotation", "beacon.flags", "scan", "scan.duration", "scan.period", "scan.spread", "calibration",
        "calibration.transmitPower", "calibration.rssiCorrection", "calibration.confidence",
    ]

    func profile(_ problems: inout [String]) -> BoardProfile {
        func range(
            _ values: [Int64]?, _ unit: Int64, _ path: String, _ other: ClosedRange<Duration>
        ) -> ClosedRange<Duration> {
            guard let values else { return other }
            guard values.count == 2, values[0] <= values[1], values.allSatisfy(Self.isSane) else {
                problems.append("\(path): two numbers, the smaller one first")
                return other
            }
            return .milliseconds(values[0] * unit) ... .milliseconds(values[1] * unit)
        }
        func span(_ value: Int64?, _ path: String, _ other: Duration) -> Duration {
            guard let value else { return other }
            guard Self.isSane(value) else {
                problems.append("\(path): not a time")
                return other
            }
            return .milliseconds(value)
        }
        func choice<Value: RawRepresentable & CaseIterable>(_ text: String?, _ path: String, _ other: Value) -> Value
        where Value.RawValue == String {
            guard let text else { return other }
            if let value = Value(rawValue: text) { return value }
            problems.append("\(path): one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
            return other
        }
        var result = BoardProfile.token
        result.name = name
        result.revision = revision ?? result.revision
        result.role = choice(role, "role", result.role)
        result.commands = choice(commands, "commands", result.commands)
        result.hasConsentButton = consentButton ?? result.hasConsentButton
        result.mustTimeSlice = timeSlice ?? result.mustTimeSlice
        result.beacon.interval = range(beacon?.interval, 1, "beacon.interval", result.beacon.interval)
        result.beacon.rotation = range(beacon?.rotation, 1_000, "beacon.rotation", result.beacon.rotation)
        if let flags = beacon?.flags { result.beacon.form = flags ? .withFlags : .withoutFlags }
        result.scan.duration = span(scan?.duration, "scan.duration", result.scan.duration)
        result.scan.period = span(scan?.period, "scan.period", result.scan.period)
        result.scan.spread = span(scan?.spread, "scan.spread", result.scan.spread)
        result.calibration.transmitPower = calibration?.transmitPower ?? result.calibration.transmitPower
        result.calibration.rssiCorrection = calibration?.rssiCorrection ?? result.calibration.rssiCorrection
        result.calibration.confidence =
            choice(
                calibration?.confidence, "calibration.confidence", Confidence(result.calibration.confidence)
            ).value
        result.controllerCheck = span(controllerCheck, "controllerCheck", result.controllerCheck)
        return result
    }

    /// Far above every limit of a profile and far below every limit of arithmetic.
    private static func isSane(_ value: Int64) -> Bool { (0...86_400_000).contains(value) }
}

/// ``CalibrationConfidence`` in words.
private enum Confidence: String, CaseIterable {
    case lowest, low, medium, high

    init(_ value: CalibrationConfidence) {
        switch value {
        case .lowest: self = .lowest
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }

    var value: CalibrationConfidence {
        switch self {
        case .lowest: .lowest
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }
}

/// The paths of all fields in a JSON text, for finding those that should not be there.
struct KeyPaths: Decodable {
    let paths: [String]

    init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: AnyKey.self) else {
            paths = []
            return
        }
        paths = container.allKeys.flatMap { key in
            let inner = (try? container.decode(KeyPaths.self, forKey: key).paths) ?? []
            return [key.stringValue] + inner.map { "\(key.stringValue).\($0)" }
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
