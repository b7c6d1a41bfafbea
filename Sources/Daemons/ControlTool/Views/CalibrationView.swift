// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// The sentences of a calibration: what to do, what was wrong, what it came to.
enum CalibrationView {
    static func introduction(_ plan: CalibrationPlan) -> String {
        let count = CalibrationEstimate.orientationCount
        let minutes = max(1, (count * (plan.seconds + 10) + 59) / 60)
        let set = """
            A quiet room, 2 m from walls and metal. One other device, 1.00 m from this board, antenna to antenna, both on cardboard or wood, \
            1 m above the floor. Take other phones out of the room, and stand 2 m away while it measures.
            """
        let turned: String
        switch plan.subject {
        case .receiver(let power):
            turned = """
                The other device is a phone with Exposure Notification switched on, or a second board, of \(power) dBm by its table. This board is turned.
                """
        case .otherBoard:
            turned = """
                The other device is the board to be calibrated, switched on. It is turned; this board stays, and its receiver must be calibrated.
                """
        }
        return
            "\(set) \(turned) \(count) orientations of \(plan.seconds) s each, about \(minutes) minutes. Ctrl-C ends it, and nothing has changed."
    }

    /// What to do before an orientation, from 0.
    static func request(_ index: Int, _ plan: CalibrationPlan, isBack: Bool) -> String {
        let number = "Orientation \(index + 1) of \(CalibrationEstimate.orientationCount)"
        let what = plan.subject == .otherBoard ? "the other board" : "the board"
        let angle = index * 360 / CalibrationEstimate.orientationCount
        if isBack {
            return "\(number) again, it lies far off the others: turn \(what) to \(angle) degrees, then press Enter. "
        }
        return index == 0
            ? "\(number): lay \(what) as it will be worn or fixed. Step back. Press Enter. "
            : "\(number): turn \(what) by 30 degrees, to \(angle), then press Enter. "
    }

    static func progress(_ index: Int, _ heard: Device1.Neighbours) -> String {
        let median = heard.median.map { ", \($0) dBm" } ?? ""
        let other = heard.otherMedian.map { "; the next one \($0) dBm" } ?? ""
        return "orientation \(index + 1): \(heard.secondsLeft) s left, \(heard.count) heard\(median)\(other)"
    }

    static func done(_ index: Int, _ reading: OrientationReading) -> String {
        "orientation \(index + 1): \(reading.median) dBm, \(reading.count) heard, half of them within \(reading.spread) dB\n"
    }

    static func sentence(_ problem: OrientationReading.Problem) -> String {
        switch problem {
        case .deaf:
            "The radio did not listen. `vigil ctl` says whether the device is switched on and knows the time, `vigil ctl radio` what the controller does."
        case .nobody:
            "Nobody near was heard. Is Exposure Notification switched on at the other device, and is it within a metre? A phone sends only with Bluetooth on."
        case .tooFew(let count):
            "Only \(count) packets of the other device came, and \(OrientationReading.leastCount) are needed. Measure longer (--seconds 60), or look for what stands between the two."
        case .changedIdentifier:
            "The other device has changed its identifier just now, as it does every 10 to 20 minutes. Once more."
        case .anotherOne(let distance):
            "Another device is as near: \(distance < 0 ? "\(-distance) dB louder" : "\(distance) dB weaker"), and \(OrientationReading.leastDistance) dB weaker is needed. Take all other phones out of the room, your own too."
        case .unsteady(let spread):
            "What was heard was not steady: half of it lies within \(spread) dB, and \(OrientationReading.mostSpread) are allowed. Somebody walked through, or something was moved."
        }
    }

    static func sentence(_ problem: CalibrationEstimate.Problem, _ plan: CalibrationPlan) -> String {
        switch problem {
        case .incomplete: "Not all orientations were measured. Nothing was changed."
        case .tooWide(let spread):
            "The orientations lie too far apart: quartiles of \(Terminal.fixed(spread, 1)) dB, and \(Terminal.fixed(CalibrationEstimate.mostSpread, 0)) are allowed. This room reflects, or the antenna is covered: try another place, away from walls and metal. Nothing was changed."
        case .unbelievable(let value):
            switch plan.subject {
            case .receiver(let power):
                "This would be a correction of \(Terminal.fixed(value, 1)) dB, and more than \(Terminal.fixed(CalibrationEstimate.mostCorrection, 0)) has another cause. Look at the distance (1.00 m), at the power that you gave (\(power) dBm, the column tx of the table), at the antenna and its plug, and at metal near the board. Nothing was changed."
            case .otherBoard:
                "This would be a transmit power of \(Terminal.fixed(value, 1)) dBm, which no profile can have. Look at the distance (1.00 m), at this board's correction, and at the antennas. Nothing was changed."
            }
        }
    }

    static func caution(_ correction: Double) -> String? {
        guard abs(correction) > CalibrationEstimate.usualCorrection else { return nil }
        return correction > 0
            ? "That is unusually deaf. At 4 m instead of 1 m it looks so, too: measure the distance once more, and look up the power."
            : "That is unusually loud. A power that is typed too small looks so, too: look it up once more."
    }
}
