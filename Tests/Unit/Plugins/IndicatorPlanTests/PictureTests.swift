// SPDX-License-Identifier: Apache-2.0

import Core
import Foundation
import IndicatorPlan
import Testing

/// The pictures of docs/indicator.md are drawn by what blinks on a board. `VIGIL_DRAW=1 swift test --filter PictureTests` draws them anew.
@Suite struct PictureTests {
    private static let folder =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/images")

    private func compare(_ drawing: Drawing, _ name: String) throws {
        let file = Self.folder.appending(path: name)
        if ProcessInfo.processInfo.environment["VIGIL_DRAW"] == "1" {
            try drawing.svg.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        #expect(kept == drawing.svg, "draw it anew: VIGIL_DRAW=1 swift test --filter PictureTests")
    }

    private static let words: [Signal: String] = [
        .updating: "Updating", .problem: "Problem", .timeUntrusted: "Time not known", .batteryLow: "Battery low",
        .news: "News", .reminder: "Reminder",
        .onAir: "All is well", .off: "Switched off (asked)",
    ]

    @Test func theSignalsAreDrawn() throws {
        let rows = Signal.allCases.reversed().map { signal in
            Drawing.Row(
                name: Self.words[signal] ?? "", fill: Drawing.fill(signal.colour),
                bars: Drawing.bars(to: 12_000) { signal.rhythm.isLit(at: $0 - 500) })
        }
        try compare(Drawing(title: "What the light says", seconds: 12, rows: rows), "indicator-signals.svg")
    }

    /// The table of what lights cost.
    @Test func theFiguresAreComputed() throws {
        let page = try String(
            contentsOf: Self.folder.deletingLastPathComponent().appending(path: "indicator.md"), encoding: .utf8)
        for signal in Signal.allCases where signal.blinksUnasked {
            let rhythm = signal.rhythm
            let name = (Self.words[signal] ?? "").lowercased()
            let row =
                "| \(name) | \(String(format: "%.2f", rhythm.duty * 100)) % | \(String(format: "%.3f", rhythm.duty * 2)) mA | \(rhythm.changesPerHour) |"
            #expect(page.contains(row), "\(row)")
        }
    }

    /// Somebody asks, holds the button to the end, and confirms: as button, core and lights would.
    @Test func aResetIsDrawn() throws {
        var watch = PressWatch(at: .zero)
        var show = Show()
        var scene = Scene(signals: [.onAir])
        show.see(scene, at: 0)
        let edges: [(at: Int, isPressed: Bool)] = [(2_500, true), (13_500, false), (16_500, true), (16_800, false)]
        var held: [Bool] = []
        var film: [Show.Look] = []
        var isHeld = false
        for moment in 0..<22_000 {
            for edge in edges where edge.at == moment {
                isHeld = edge.isPressed
                watch.line(isPressed: edge.isPressed, at: .milliseconds(moment))
            }
            watch.advance(to: .milliseconds(moment))
            for event in watch.takeEvents() {
                switch event {
                case .pressed: scene.presses += 1
                case .counting(let left): scene.button = .countdown(left)
                case .letGo: scene.button = .release
                case .confirmWanted: scene.button = .confirmWanted
                case .cancelled:
                    scene.button = .idle
                    scene.cancelled += 1
                case .confirmed:
                    scene.button = .idle
                    scene.done += 1
                    scene.signals = [.off]
                case .stuck, .free, .claimed: break
                }
                show.see(scene, at: moment)
            }
            held.append(isHeld)
            film.append(show.look(at: moment))
        }
        #expect(scene.done == 1)
        let rows = [
            Drawing.Row(name: "Your finger", fill: "#bbbbbb", bars: Drawing.bars(to: film.count) { held[$0] }),
            Drawing.Row(name: "Light", fill: "#e0443e", bars: Drawing.bars(to: film.count) { film[$0].colour != nil }),
            Drawing.Row(name: "Sound", fill: "#555555", bars: Drawing.bars(to: film.count) { film[$0].sounds }),
        ]
        let notes = [
            Drawing.Note(
                moment: 4_500, text: "Held for two seconds: five, four, three, two, one. Let go, and nothing happens."),
            Drawing.Note(moment: 12_500, text: "Counted to the end: let go now."),
            Drawing.Note(moment: 13_500, text: "Still nothing is lost. Press once more within ten seconds, or leave it."),
            Drawing.Note(
                moment: 16_800, text: "Confirmed: everything is erased. One long light, then dark: the device is as new."),
        ]
        try compare(
            Drawing(title: "Erasing everything with the button", seconds: 22, rows: rows, notes: notes),
            "indicator-reset.svg")
    }
}
