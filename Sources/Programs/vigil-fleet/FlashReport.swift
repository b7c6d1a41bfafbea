// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FleetCard
import FleetFlash
import ForeignText
import Glibc
import JSON

/// What `flash` says: a line for each device that is drawn again at a terminal, plain lines into a pipe, JSON at the end.
struct FlashReport {
    private let admission: FlashAdmission
    private let isDryRun: Bool
    private let isJSON: Bool
    private let isTerminal: Bool
    /// What was said of each target last; or how many lines stand at the terminal.
    private var phases: [String]
    private var drawn = 0

    init(admission: FlashAdmission, isDryRun: Bool, isJSON: Bool) {
        self.admission = admission
        self.isDryRun = isDryRun
        self.isJSON = isJSON
        isTerminal = !isJSON && isatty(1) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
        phases = admission.targets.map { _ in "" }
    }

    // MARK: Before

    /// Each reason, and that nothing was written.
    func sayRefusals() {
        for (path, fault) in admission.refusals {
            Terminal.error("vigil-fleet: \(ForeignText.line(path, limit: 200)): \(fault)\n")
        }
        Terminal.error("Nothing was written to any device.\n")
        if isJSON { print(JSON.object(["written": false, "cards": .array(refusals)])) }
    }

    private var refusals: [JSON] {
        admission.refusals.map { ["device": .string($0.path), "state": "refused", "text": .string($0.fault.description)] }
    }

    func sayPlan() {
        for note in admission.notes { line("Note: \(note)") }
        for target in admission.targets { line("\(head(target, known(target))): \(Self.plan(target))") }
        flush()
    }

    /// The board of a card that has one already. In a dry run the next one of the others, too: another command that runs at the same time may take it first, so when
    /// cards are written, none is named before the inventory has bound it.
    private func known(_ target: FlashAdmission.Target) -> FlashRun.Board? {
        guard isDryRun || target.isWhole || target.isResumed else { return nil }
        return FlashRun.Board(serial: target.serial, name: target.name)
    }

    /// What would be done; nothing was written.
    func sayDryRun() {
        line("The image is as its map says. Nothing was written.")
        guard isJSON else { return }
        let cards = admission.targets.map { card($0, known($0), $0.isWhole ? "there" : "planned", nil) }
        print(JSON.object(["written": false, "cards": .array(cards), "notes": .array(admission.notes.map(JSON.string))]))
    }

    private static func plan(_ target: FlashAdmission.Target) -> String {
        if target.isWhole { return "was written before; it is left alone, and nothing of it is read now" }
        if target.isResumed { return "was begun before; it is written anew from its start" }
        return target.isUsed ? "what is on the card is overwritten" : "the card is empty"
    }

    // MARK: Meanwhile

    mutating func show(_ states: [FlashRun.Progress]) {
        if isTerminal { return draw(states) }
        for (index, state) in states.enumerated() {
            let phase = Self.name(state.phase)
            // What is to be said of those that were written before was said in the plan.
            guard phases[index] != phase, !admission.targets[index].isWhole else { continue }
            phases[index] = phase
            line("\(head(admission.targets[index], state.board)): \(phase)")
        }
        flush()
    }

    private mutating func draw(_ states: [FlashRun.Progress]) {
        var text = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        for (index, state) in states.enumerated() {
            let part = state.total > 0 ? Double(state.done) / Double(state.total) : 0
            let filled = Int(part * 20)
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
            let phase = admission.targets[index].isWhole ? "written before, not read now" : Self.name(state.phase)
            text += "\r\u{1B}[K\(head(admission.targets[index], state.board))  \(bar) \(phase)\n"
        }
        drawn = states.count
        print(text, terminator: "")
        flush()
    }

    private static func name(_ phase: FlashRun.Progress.Phase) -> String {
        switch phase {
        case .writing: "writing the image"
        case .checking: "reading it back"
        case .finishing: "writing the board's folder"
        case .done: "done"
        case .failed: "failed"
        }
    }

    // MARK: After

    /// `isStrict`: a card that was written before is a fault.
    func say(_ results: [FlashRun.Result], mapped: UInt64, isStrict: Bool) {
        for result in results {
            if isStrict, result.target.isWhole {
                Terminal.error(
                    "vigil-fleet: \(head(result.target, result.board)): the card was written for this board before, and nothing of it was read now; whoever had it since may have changed it\n"
                )
            }
            if let fault = result.fault {
                Terminal.error("vigil-fleet: \(head(result.target, result.board)): \(fault)\n")
            }
        }
        let fresh = results.filter { $0.fault == nil && !$0.target.isWhole }
        let (there, failed) = (results.filter(\.target.isWhole).count, results.filter { $0.fault != nil }.count)
        line(
            "\(fresh.count) \(fresh.count == 1 ? "card" : "cards") written and read back, \(there) written before and not read now, \(failed) failed."
        )
        let slowest = fresh.compactMap(\.secondsToWrite).max()
        if let slowest, slowest > 0 {
            let rate = Double(mapped) * Double(fresh.count) / slowest / 1e6
            line(
                "Images written in \(Terminal.fixed(slowest, 1)) s, \(Terminal.fixed(rate, 1)) MB/s together, then read back."
            )
        }
        if !fresh.isEmpty {
            line("Label them, then delete each board's \(Card.folder) and label here; keep board.json.")
        }
        flush()
        guard isJSON else { return }
        let cards = results.map { result -> JSON in
            let state = result.fault != nil ? "failed" : result.target.isWhole ? "there" : "written"
            return card(result.target, result.board, state, result)
        }
        print(
            JSON.object([
                "written": .bool(!fresh.isEmpty), "mappedBytes": .int(Int64(clamping: mapped)),
                "milliseconds": slowest.map { .int(Int64($0 * 1000)) } ?? .null, "cards": .array(cards),
                "notes": .array(admission.notes.map(JSON.string)),
            ]))
    }

    private func card(
        _ target: FlashAdmission.Target, _ board: FlashRun.Board?, _ state: String, _ result: FlashRun.Result?
    ) -> JSON {
        var object: JSON.Object = [
            "device": .string(target.device.path), "state": .string(state), "resumed": .bool(target.isResumed),
        ]
        if let board { (object["serial"], object["name"]) = (.string("\(board.serial)"), .string(board.name)) }
        if let port = target.device.port { object["port"] = .string(port) }
        if let fault = result?.fault { object["text"] = .string(fault.description) }
        return .object(object)
    }

    // MARK: Lines

    /// The device, its socket, and the board, if it has one.
    private func head(_ target: FlashAdmission.Target, _ board: FlashRun.Board?) -> String {
        let port = target.device.port.map { " (\($0))" } ?? ""
        let owner = board.map { "\($0.serial) (\(ForeignText.line($0.name, limit: 60)))" } ?? "no board yet"
        return "\(ForeignText.line(target.device.path, limit: 100))\(port), \(owner)"
    }

    private func line(_ text: String) { if isJSON { Terminal.error("\(text)\n") } else { print(text) } }
    private func flush() { fflush(nil) }
}
