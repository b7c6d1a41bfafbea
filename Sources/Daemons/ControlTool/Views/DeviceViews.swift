// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import ForeignText
import Interfaces

/// Time, storage, data and paired devices.
enum DeviceViews {
    static func time(_ time: Device1.Time, _ screen: Screen) -> String {
        let tone: Screen.Tone = time.state == .untrusted ? .attention : .good
        var pairs = [("Trust", StateView.words(time.state))]
        pairs.append(("Time", time.now.map { Words.moment($0 / 1_000) } ?? "not known"))
        if let uncertainty = time.uncertainty {
            pairs.append(("May be wrong by", "\(Words.duration(uncertainty)) either way"))
        }
        return screen.paragraph(time.sentence, tone) + screen.list(pairs)
    }

    static func storage(_ storage: Device1.Storage, _ screen: Screen) -> String {
        var text =
            storage.problem.map { screen.paragraph("Nothing can be stored: \($0)", .bad) }
            ?? screen.paragraph("Sightings and keys can be stored.", .good)
        var facts = [("Sightings", "of \(Words.count(storage.dayCount, "day"))")]
        if let free = storage.freeByteCount {
            let all = storage.byteCount.map { " of \(Words.bytes($0))" } ?? ""
            facts.append(("Free", "\(Words.bytes(free))\(all)"))
        }
        facts.append(("Written", "\(Words.bytes(storage.writtenByteCount)) since the program started"))
        text += screen.list(facts)
        guard !storage.findings.isEmpty else { return text + "Nothing was found damaged.\n" }
        text += "\nFound damaged, and what became of it:\n"
        for finding in storage.findings.prefix(64) { text += screen.paragraph("- " + finding, .attention) }
        return text
    }

    static func data(_ sections: [Device1.DataSection], _ screen: Screen) -> String {
        sections.map { section in
            screen.tint(ForeignText.line(section.topic, limit: 60), .strong) + "\n" + screen.paragraph(section.explanation)
                + screen.list(section.values.sorted { $0.key < $1.key }.map { ("  " + $0.key, $0.value) })
        }.joined(separator: "\n")
    }

    static func paired(_ paired: [Device1.Paired], _ screen: Screen) -> String {
        guard !paired.isEmpty else {
            return "No device is paired with this one. `vigil ctl pair read FILE --name NAME` pairs one.\n"
        }
        var table = TextTable("Paired devices")
        for device in paired { table.add([device.name]) }
        return table.text(screen)
    }
}
