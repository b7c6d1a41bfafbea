// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// What the radio does and has done, and what the steps against trouble mean.
enum RadioView {
    /// What is on air in a place, and why not.
    private static func door(_ door: Device1.Door?) -> String {
        switch door {
        case .onAir: "The code at the door is on air; no identifier is, as it should be: this device stands for a place."
        case .nothing, nil:
            "Nothing is to be on air now: this device stands for a place."
        case .timeUnsure:
            "Nothing is on air: the device is not sure what time it is, so it cannot say whether a code at the door is valid. `vigil ctl time` says more."
        case .off: "Nothing is on air: the device is switched off."
        case .silent: "The code at the door is to be on air, and the radio does not send it yet."
        }
    }

    /// `isPlace` is whether the device stands for a place: there an identifier on air would be wrong.
    static func text(_ radio: Device1.Radio, _ screen: Screen, isPlace: Bool = false) -> String {
        var text = ""
        if let problem = radio.transportProblem {
            text += screen.paragraph("The controller cannot be reached: \(problem)", .bad)
        } else if isPlace, !radio.onAir {
            let isWell = radio.door == nil || radio.door == .onAir || radio.door == .nothing
            text += screen.paragraph(
                "\(door(radio.door)) The receiver is \(radio.scanning ? "on" : "off").", isWell ? .good : .attention)
        } else {
            text += screen.paragraph(
                "\(radio.onAir ? "An identifier is on air" : "Nothing is on air"), and the receiver is \(radio.scanning ? "on" : "off").",
                radio.onAir ? .good : .attention)
        }
        var pairs = [
            ("Controller", radio.controller ?? "none yet"),
            ("Reached by", radio.transport),
            ("Next identifier", radio.secondsToRotation.map { "in \(Words.duration($0))" } ?? "none on air"),
            (
                "Identifiers sent",
                "\(Terminal.grouped(radio.rotationCount)); changed at worst \(Terminal.grouped(radio.worstRotationLateness)) ms late"
            ),
            (
                "Scans",
                "\(Terminal.grouped(radio.scanCount)), \(Terminal.grouped(radio.quietScanCount)) of them heard nothing, \(Terminal.grouped(radio.lostScanCount)) could not be stored"
            ),
            (
                "Heard",
                "\(Words.count(radio.reportCount, "advertisement")), \(Terminal.grouped(radio.exposureNotificationCount)) of Exposure Notification"
            ),
            ("Last scan", "\(Words.count(radio.lastScanSenderCount, "sender")) of Exposure Notification"),
        ]
        if radio.timeSlices {
            pairs.append(("Note", "sending pauses during scans, because this controller cannot do both"))
        }
        if let trouble = radio.lastTrouble { pairs.append(("Last trouble", trouble)) }
        text += screen.list(pairs)
        let taken = radio.ladder.filter { $0.value > 0 }
        guard !taken.isEmpty else { return text + "\nNo step against trouble was needed.\n" }
        text += "\n"
        var table = TextTable("Step against trouble", "#Times", "What it does")
        for (name, count) in taken.sorted(by: { (order($0.key), $0.key) < (order($1.key), $1.key) }) {
            table.add([name, Terminal.grouped(count), meanings[name]?.text ?? "not known to this version"])
        }
        return text + table.text(screen)
    }

    private static func order(_ name: String) -> Int { meanings[name]?.order ?? meanings.count }

    /// By the names of `Radio`'s ladder, gentlest first.
    static let meanings: [String: (order: Int, text: String)] = [
        "prove-alive": (0, "asks the controller something only a working one answers rightly; nothing is interrupted"),
        "restart-scan": (1, "switches the receiver off and on"),
        "reset-controller": (2, "resets the controller and sets it up anew; off air for milliseconds"),
        "reopen-transport": (3, "closes the way to the controller and opens it again; reloads drivers of adapters"),
        "ask-for-power-cycle": (4, "asks the board to cut the controller's power; somebody may have to unplug it"),
    ]
}
