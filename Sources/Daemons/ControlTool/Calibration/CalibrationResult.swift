// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import JSON

/// What a calibration came to, for people, for scripts, and as lines of a profile.
struct CalibrationResult {
    let plan: CalibrationPlan
    let estimate: CalibrationEstimate
    let readings: [OrientationReading]
    /// Rounded: dB for a receiver, dBm for a sender.
    let value: Int
    /// What this board corrected until now, dB.
    let before: Int
    /// How late an identifier was changed at worst since the core has started, ms.
    let lateness: Int

    init(
        _ plan: CalibrationPlan, _ readings: [OrientationReading], before: Int, lateness: Int
    ) throws(CalibrationEstimate.Problem) {
        self.plan = plan
        self.readings = readings
        self.before = before
        self.lateness = lateness
        estimate = try CalibrationEstimate(readings.map(\.median))
        switch plan.subject {
        case .receiver(let power): value = Int(try estimate.correction(power: power).rounded())
        case .otherBoard: value = Int(try estimate.transmitPower(correction: before).rounded())
        }
    }

    /// One distance in one room: never more than this, whatever it came to.
    var confidence: String { estimate.uncertainty < 5 ? "low" : "lowest" }

    /// The lines for a profile of all boards of this kind.
    var profileLine: String {
        switch plan.subject {
        case .receiver: #""calibration": {"rssiCorrection": \#(value)}"#
        case .otherBoard: #""calibration": {"transmitPower": \#(value), "confidence": "\#(confidence)"}"#
        }
    }

    func text(_ screen: Screen) -> String {
        let far = CalibrationEstimate.farOff(readings.map(\.median)).count
        var pairs: [(String, String)] = []
        switch plan.subject {
        case .receiver(let power):
            let expected = Terminal.fixed(Double(power) - CalibrationEstimate.attenuation, 1)
            pairs = [
                ("Correction", "\(Self.signed(value)) dB; until now \(Self.signed(before)) dB"),
                ("Heard", "\(Terminal.fixed(estimate.level, 1)) dBm; a calibrated receiver hears \(expected) dBm at 1 m"),
            ]
        case .otherBoard:
            pairs = [
                ("Power", "\(value) dBm, of the other board"),
                (
                    "Heard",
                    "\(Terminal.fixed(estimate.level, 1)) dBm, with this board's correction of \(Self.signed(before)) dB"
                ),
            ]
        }
        pairs += [
            (
                "Spread",
                "\(Terminal.fixed(estimate.spread, 1)) dB between the quartiles of the orientations"
                    + (far > 0 ? "; \(Words.count(far, "orientation")) far off, as an antenna's deaf directions are" : "")
            ),
            (
                "Uncertain",
                "by \(Terminal.fixed(estimate.uncertainty, 1)) dB (one standard deviation): the reference of \(Terminal.fixed(CalibrationEstimate.attenuation, 1)) dB at 1 m is a chamber's, and a room adds its own error"
            ),
            ("Confidence", confidenceSentence),
            ("Profile", profileLine),
            ("Beacon", "since the start an identifier was changed \(lateness) ms late at worst"),
        ]
        var text = screen.list(pairs)
        if case .receiver = plan.subject, let caution = CalibrationView.caution(Double(value)) {
            text += screen.paragraph(caution, .attention)
        }
        return text
    }

    private var confidenceSentence: String {
        switch plan.subject {
        case .receiver:
            "\(confidence) at most, for this board; `confidence` in a profile is about the transmit power too, so it stays `lowest` until that is measured (`vigil ctl calibrate --other-board` on a calibrated board)"
        case .otherBoard: "\(confidence): one distance in one room is never more"
        }
    }

    private static func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

    func json(isSet: Bool) -> JSON {
        var json: JSON.Object = [
            "before": .int(Int64(before)), "level": .double(estimate.level),
            "spread": .double(estimate.spread), "uncertainty": .double(estimate.uncertainty),
            "attenuation": .double(CalibrationEstimate.attenuation), "confidence": .string(confidence),
            "worstRotationLateness": .int(Int64(lateness)), "isSet": .bool(isSet),
            "orientations": .array(
                readings.map {
                    ["count": .int(Int64($0.count)), "median": .int(Int64($0.median)), "spread": .int(Int64($0.spread))]
                }),
        ]
        switch plan.subject {
        case .receiver(let power):
            json["correction"] = .int(Int64(value))
            json["power"] = .int(Int64(power))
        case .otherBoard: json["transmitPower"] = .int(Int64(value))
        }
        return .object(json)
    }
}
