// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import ProcessLink
import Supervision

/// Changes the board's network on trial, as ``NetworkTrial`` decides, by files of systemd-networkd and the program that has them read.
final class NetworkConfigurator {
    /// `network` of `vigil.json`.
    struct Place: Sendable, Equatable {
        var folder = ""
        /// Names of interfaces, and ``NetworkRules/wired``.
        var interfaces: [String] = []
        /// The file of a card, which says what holds for ``NetworkRules/wired`` while there is none of ours; empty for none.
        var provisioned = ""
        var reload = ["networkctl", "reload"]
    }

    private let place: Place
    private let folder: NetworkFolder
    private let log: Logger
    /// Called before each file that the disk is to remember: with many interfaces and a slow disk that takes a while.
    var beforeStep: () -> Void = {}
    private var trial = NetworkTrial()
    private var program: ShortProgram?
    /// Another reading is wanted when this one has ended.
    private var isReloadWanted = false
    /// Told when the reading that a change began has ended.
    private var answer: ((SupervisorAnswer.Outcome) -> Void)?
    /// Told whether the files of a fleet's configuration were read.
    private var configured: ((Bool) -> Void)?

    init(_ place: Place, log: Logger) {
        self.place = place
        folder = NetworkFolder(path: place.folder)
        self.log = log
    }

    /// Takes back what nobody confirmed before the power went or this program ended.
    func begin(at now: Duration) {
        let left = folder.unconfirmed(among: place.interfaces)
        if !left.isEmpty {
            log.warning(
                "a change of the network was not confirmed before the last end and is taken back",
                metadata: ["interfaces": "\(left.joined(separator: ","))"])
        }
        obey(trial.begin(unconfirmed: left), at: now)
    }

    /// Tries a change. `answer` is called at once when it does not fit, otherwise when the system has read it.
    func apply(_ wish: NetworkWish, seconds: Int64, at now: Duration, answer: @escaping (SupervisorAnswer.Outcome) -> Void)
    {
        let problems = NetworkRules.problems(
            in: wish, seconds: seconds, among: place.interfaces, confirmationSeconds: NetworkTrial.confirmationSeconds)
        guard problems.isEmpty else { return answer(.unfit(problems)) }
        guard trial.isSettled, program == nil else {
            return answer(
                .notPossible("Another change is on trial or being taken back: confirm it, or wait until it is over."))
        }
        self.answer = answer
        log.notice(
            "the network is changed on trial", metadata: ["interface": "\(wish.interface)", "seconds": "\(seconds)"])
        obey(trial.apply(wish.interface, seconds: seconds, at: now), wish, at: now)
    }

    func confirm(at now: Duration) -> SupervisorAnswer.Outcome {
        guard let acts = trial.confirm(at: now) else {
            return .notPossible("There is no change to confirm; what was not confirmed in time has been taken back.")
        }
        for case .keep(let interface) in acts {
            do { try folder.keep(interface) } catch {
                log.error("\(error)", metadata: ["while": "confirming the network"])
                return .notPossible(
                    "The confirmation cannot be stored, so the change ends with the board's next start: \(error)")
            }
            log.notice("the change of the network is confirmed", metadata: ["interface": "\(interface)"])
        }
        return .done
    }

    // MARK: A fleet's configuration, which has a trial of its own

    /// Whether nothing is on trial, or being taken back or read.
    var isSettled: Bool { trial.isSettled && program == nil }

    /// Puts the files in place. `answer` is told once, whether the system has read them.
    func tryConfigured(_ wishes: [NetworkWish], at now: Duration, answer: @escaping (Bool) -> Void) throws {
        for wish in wishes {
            beforeStep()
            try folder.store(NetworkRules.file(for: wish), for: wish.interface)
        }
        configured = answer
        reload(at: now)
    }

    /// What was before is in its place again; the system is told.
    func takeBackConfigured(at now: Duration) {
        configured = nil
        obey(trial.begin(unconfirmed: folder.unconfirmed(among: place.interfaces)), at: now)
    }

    /// What is in place stays.
    func keepConfigured() throws {
        for interface in folder.unconfirmed(among: place.interfaces) {
            beforeStep()
            try folder.keep(interface)
        }
    }

    /// When ``advance(to:)`` has something to do.
    func due(at now: Duration) -> Duration? {
        [trial.due, program == nil ? nil : now + ShortProgram.pause].compactMap { $0 }.min()
    }

    /// True when what ``json`` says has changed.
    func advance(to now: Duration) -> Bool {
        let before = trial
        if let end = program?.end(at: now) {
            program = nil
            if case .badly(let reason) = end {
                log.error("the system did not read its network files: \(reason)")
            }
            let acts = trial.didReload(well: end == .well, at: now)
            if !acts.isEmpty { finish(.notPossible("The system did not take it, and it is taken back: \(end.reason)")) }
            if isReloadWanted { reload(at: now) }
            obey(acts, at: now)
            if program == nil {
                finish(.done)
                tellConfigured(end == .well)
            }
        }
        let acts = trial.advance(to: now)
        if acts.contains(where: { if case .takeBack = $0 { true } else { false } }) {
            log.warning("nobody confirmed the change of the network: it is taken back")
        }
        obey(acts, at: now)
        return trial != before
    }

    private func tellConfigured(_ isWell: Bool) {
        let told = configured
        configured = nil
        told?(isWell)
    }

    private func finish(_ outcome: SupervisorAnswer.Outcome) {
        answer?(outcome)
        answer = nil
    }

    private func obey(_ acts: [NetworkTrial.Act], _ wish: NetworkWish? = nil, at now: Duration) {
        for act in acts {
            beforeStep()
            do {
                switch act {
                case .store: if let wish { try folder.store(NetworkRules.file(for: wish), for: wish.interface) }
                case .takeBack(let interface): try folder.takeBack(interface)
                case .keep(let interface): try folder.keep(interface)
                case .reload: reload(at: now)
                }
            } catch {
                log.error("\(error)", metadata: ["while": "changing the network"])
                guard act == .store else { continue }
                trial.couldNotStore()
                return finish(.notPossible("The network's file cannot be written, and nothing changed: \(error)"))
            }
        }
    }

    private func reload(at now: Duration) {
        isReloadWanted = program != nil
        guard program == nil else { return }
        do { program = try ShortProgram(place.reload, at: now) } catch {
            log.error("\(error)", metadata: ["while": "changing the network"])
            finish(.notPossible("The system cannot be told of its network files, and the change is taken back: \(error)"))
            tellConfigured(false)
            let acts = trial.didReload(well: false, at: now)
            obey(acts.filter { $0 != .reload }, at: now)
            // That could not be read either: later again.
            if acts.contains(.reload) { _ = trial.didReload(well: false, at: now) }
        }
    }

    /// For the core: what holds, and by when, on the boot clock, what is on trial is to be confirmed.
    var json: JSON {
        var object: JSON.Object = ["networks": .array(place.interfaces.map { .object(network($0)) })]
        if let until = trial.confirmBy { object["confirmBy"] = .int(Int64(until / .seconds(1))) }
        return .object(object)
    }

    private func provisioned(_ interface: String) -> NetworkWish? {
        guard interface == NetworkRules.wired, !place.provisioned.isEmpty else { return nil }
        return Folders.read(place.provisioned, limit: NetworkFolder.maximumByteCount).flatMap {
            NetworkRules.wish(for: interface, from: $0, isProvisioned: true)
        }
    }

    private func network(_ interface: String) -> JSON.Object {
        // Without a file of ours somebody else's says how it is, and most say so.
        let wish =
            folder.read(interface).flatMap { NetworkRules.wish(for: interface, from: $0) } ?? provisioned(interface)
            ?? NetworkWish(interface: interface, isManual: false, addresses: [], gateway: nil, nameServers: [])
        var object: JSON.Object = [
            "interface": .string(interface), "method": wish.isManual ? "manual" : "automatic",
            "addresses": .array(wish.addresses.prefix(4).map { .string($0) }),
            "nameServers": .array(wish.nameServers.prefix(3).map { .string($0) }),
        ]
        if let gateway = wish.gateway { object["gateway"] = .string(gateway) }
        return object
    }
}

extension ShortProgram.End {
    var reason: String { if case .badly(let reason) = self { reason } else { "" } }
}
