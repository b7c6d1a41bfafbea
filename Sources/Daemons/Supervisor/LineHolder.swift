// SPDX-License-Identifier: Apache-2.0

import BoardFile
import GPIOLines

/// The board's lights, buzzer and button: asked for once, kept for as long as the supervisor lives, and handed over as descriptors that reach these
/// lines and no others (docs/decisions/0025). Held from before the first plugin starts, so that nobody else can have them; held over a restart of
/// the core, so that nobody else gets the button meanwhile.
final class LineHolder {
    private let wanted: BoardFile.Lines?
    private let folder: String
    private(set) var button: LineSet?
    private(set) var lights: LineSet?
    private(set) var buzzer: LineSet?
    /// Why some cannot be had; said once per kind.
    private(set) var problem: LineFailure?
    private var tryAt: Duration?
    private var delay = Duration.seconds(1)

    /// Drivers come late; after that a board is looked at once a minute.
    private static let longestDelay = Duration.seconds(60)

    init(_ wanted: BoardFile.Lines?, folder: String = "/dev") {
        self.wanted = wanted
        self.folder = folder
        tryAt = wanted == nil ? nil : .zero
    }

    /// When ``advance(to:)`` has something to do.
    var due: Duration? { tryAt }

    /// Asks for what is missing, when that is due. True when something was had just now, and whoever may have it has to get it.
    func advance(to now: Duration) -> Bool {
        guard let wanted, let tryAt, now >= tryAt else { return false }
        let before = [button, lights, buzzer].compactMap { $0 }.count
        problem = nil
        do throws(LineFailure) {
            let chip = try Chip.find(wanted.chip, in: folder)
            if let line = wanted.button {
                button = try have(button, chip, [line], isButton: true, bias: wanted.bias)
            }
            if !wanted.lights.isEmpty { lights = try have(lights, chip, wanted.lights.map(\.line)) }
            if let line = wanted.buzzer { buzzer = try have(buzzer, chip, [line]) }
            self.tryAt = nil
        } catch {
            problem = error
            self.tryAt = now + delay
            delay = min(delay * 2, Self.longestDelay)
        }
        return [button, lights, buzzer].compactMap { $0 }.count > before
    }

    private func have(
        _ old: LineSet?, _ chip: Chip, _ lines: [BoardFile.Lines.Line], isButton: Bool = false,
        bias: BoardFile.Lines.Bias = .none
    ) throws(LineFailure) -> LineSet {
        if let old { return old }
        let held: Chip.Line.Bias = bias == .pullUp ? .pullUp : bias == .pullDown ? .pullDown : .none
        return try chip.request(
            lines.map { Chip.Line(offset: $0.line, isActiveLow: $0.activeLow, bias: held) }, isButton: isButton)
    }

    /// What a plugin is handed for one of its names.
    func lines(_ name: String) -> (descriptor: Int32, values: [String: String])? {
        switch name {
        case "lights":
            let colours = wanted?.lights.map(\.colour.rawValue).joined(separator: ",") ?? ""
            return lights.map { ($0.descriptor, ["name": name, "colours": colours]) }
        case "buzzer": return buzzer.map { ($0.descriptor, ["name": name]) }
        default: return nil
        }
    }

    /// Everything off: nobody is left who would say what it means.
    func end() {
        try? lights?.set(0, of: .max)
        try? buzzer?.set(0, of: 1)
    }
}
