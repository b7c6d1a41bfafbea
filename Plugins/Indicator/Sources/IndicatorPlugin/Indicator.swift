// SPDX-License-Identifier: Apache-2.0

import GPIOLines
import IndicatorPlan
import Interfaces
import Logging
public import PluginKit

/// The indicator plugin: drives lights and buzzer by `IndicatorPlan`, from the reports of the core. If the core has
/// not answered for ten seconds, our choice, it shows ``Signal/problem``; when it stops, light and sound go off.
/// Used only on its host's loop.
///
/// `Indicator.run()` is the role `indicator` of a program with several roles. It wakes only when a light changes.
public final class Indicator: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public struct Settings: Decodable {
        /// Whether the buzzer sounds for ordinary signals and for the request for consent; it always sounds while
        /// the button is about to erase everything. `true` by `plugin.json`.
        public var sound: Bool
    }

    /// How long a core that does not answer is taken for one that is being started again.
    static let timeout = Duration.seconds(10)
    /// Between two tries to hear from it.
    static let pause = Duration.seconds(2)

    private unowned let host: Host<Settings>
    private var show = Show()
    /// What the core said last.
    private var scene: Indicator1.Scene?
    private var lights: (lines: LineSet, wiring: Lights)?
    private var buzzer: LineSet?
    private var timer: PluginLoop.Timer?
    private var lossTimer: PluginLoop.Timer?
    private var isLost = false
    private var saidFailure: LineFailure?

    /// Sets up the plugin on its loop; lights and watching begin when the host starts. It does not throw itself.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        host.onLines = { [unowned self] in take($0, $1, $2) }
        host.onStart = { [unowned self] in begin() }
        host.onSettings = { [unowned self] _ in work() }
        host.onStop = { [unowned self] in
            // Nobody is left who would say what a light means.
            try? lights?.lines.set(0, of: .max)
            try? buzzer?.set(0, of: 1)
        }
    }

    private func take(_ name: String, _ colours: [String], _ descriptor: Int32) {
        let lines = LineSet(adopting: descriptor)
        switch name {
        case "lights": lights = (lines, Lights(colours.map(Colour.init(word:))))
        case "buzzer": buzzer = lines
        default: return host.log.warning("lines of an unknown name", metadata: ["name": "\(name)"])
        }
        work()
    }

    private func begin() {
        guard lights != nil || buzzer != nil else {
            host.log.notice("this board has no lights and no buzzer that this plugin may use: nothing to do")
            // The supervisor starts it again when the board has them.
            host.startsAgainAfter = .seconds(86_400)
            return host.exitsWhenIdle(after: .milliseconds(100))
        }
        lose()
        listen()
    }

    // MARK: What there is to show

    private func listen() {
        host.subscribe(Indicator1.Method.watch, as: Indicator1.WatchReply.self) { [unowned self] outcome in
            switch outcome {
            case .success((let reply, let continues)):
                scene = reply.scene
                isLost = false
                lossTimer?.cancel()
                lossTimer = nil
                look()
                if !continues { listenAgain() }
            case .failure(let error):
                host.log.debug("the core does not say what to show", metadata: ["error": "\(error)"])
                listenAgain()
            }
        }
    }

    private func listenAgain() {
        lose()
        host.loop.after(Self.pause) { [unowned self] in listen() }
    }

    /// The core does not say anything: for a moment what it said last holds, then that is the problem.
    private func lose() {
        guard lossTimer == nil else { return }
        lossTimer = host.loop.after(Self.timeout) { [unowned self] in
            isLost = true
            look()
        }
    }

    private func look() {
        show.see(next, at: now)
        work()
    }

    /// What the core says, as a scene.
    private var next: Scene {
        guard let scene else { return Scene(signals: [.problem]) }
        var signals = Set(scene.signals.compactMap { Signal(rawValue: $0.rawValue) })
        if scene.button == .stuck { signals.insert(.problem) }
        if isLost { signals = [.problem] }
        return Scene(
            signals: signals, button: isLost ? .idle : Scene.Button(scene), presses: scene.presses, done: scene.done,
            cancelled: scene.cancelled)
    }

    // MARK: Lights and sound

    private var now: Int { Int(host.loop.now / .milliseconds(1)) }

    /// Sets the lines as they must be now, and has itself called when that changes.
    private func work() {
        timer?.cancel()
        timer = nil
        guard scene != nil || isLost else { return }
        let now = now
        let look = show.look(at: now)
        do throws(LineFailure) {
            if let lights {
                try lights.lines.set(look.colour.map(lights.wiring.mask) ?? 0, of: lights.wiring.all)
            }
            let isWarning = scene.map { [.countdown, .release, .confirmWanted].contains($0.button) } ?? false
            try buzzer?.set(look.sounds && (host.settings.sound || isWarning) ? 1 : 0, of: 1)
            saidFailure = nil
        } catch {
            if error != saidFailure { host.log.error("\(error)") }
            saidFailure = error
        }
        guard let change = show.change(after: now) else { return }
        // Not before: what is a fraction of a millisecond early would wake up twice.
        timer = host.loop.after(.milliseconds(change) - host.loop.now) { [unowned self] in work() }
    }
}

extension Colour {
    /// As the board's file names them; what nobody knows is a light whose colour does not matter.
    init(word: String) {
        switch word {
        case "red": self = .red
        case "green": self = .green
        case "blue": self = .blue
        case "yellow": self = .yellow
        default: self = .white
        }
    }
}

extension Scene.Button {
    init(_ scene: Indicator1.Scene) {
        self =
            switch scene.button {
            case .idle where scene.collecting == true: .collecting
            case .idle, .stuck: .idle
            case .consentWanted: .consentWanted
            case .countdown: .countdown(Int(clamping: scene.count ?? 0))
            case .release: .release
            case .confirmWanted: .confirmWanted
            }
    }
}
