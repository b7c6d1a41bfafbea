// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
import Glibc
import JSON
import Logging
import PluginManifest
import ProcessLink
import Supervision
import Trust

/// A configuration of the board's fleet (docs/fleet.md): the core brings it, having judged who signed it and whether its time is over. Here the signature is verified once more, by the keys
/// that were provisioned, before anything of it is read; so a core that was taken over grants nobody anything.
extension Supervisor {
    static let noFleet =
        "This board belongs to no fleet, so it takes no configuration: its card has no \"fleet\" and no operatorKeys in vigil.json. Make the card with vigil-fleet plan and --key."

    /// Before grants are read: what a cut left.
    func recoverConfiguration() {
        // A disk that is slow with each step does not look like a supervisor that hangs.
        configurations.beforeStep = { [unowned self] in systemd.tellAlive(at: now) }
        network?.beforeStep = { [unowned self] in systemd.tellAlive(at: now) }
        do {
            let lock = try? grantsLock()
            defer { withExtendedLifetime(lock) {} }
            let recovery = try configurations.recover(mayTakeBack: lock != nil) { try keepConfiguredNetworks() }
            switch recovery {
            case .nothing, .kept: break
            case .takenBack:
                log.warning("the fleet's configuration was on trial when the board ended, and is taken back")
            case .left:
                log.warning("the fleet's configuration was on trial when the board ended; it is taken back in a moment")
                leftTrial = (ConfigurationFolder.ended, now + Self.lockPause)
            }
        } catch { log.error("the fleet's configuration cannot be put in order: \(error)") }
    }

    /// After which pause somebody else's lock is tried again: `vigil plugin` is done in a moment, or after its eight seconds for a plugin that does not end.
    private static let lockPause = Duration.seconds(2)

    /// The one that is held already, while a configuration is put in force, or a new one.
    private func grantsLock() throws(GrantsStore.Failure) -> GrantsStore.Lock {
        if let changing { return changing }
        return try GrantsStore.lock(configuration.pluginFolders.last)
    }

    private func keepConfiguredNetworks() throws { try network?.keepConfigured() }

    func takeConfiguration(_ number: UInt32, _ file: [UInt8]?, isByPerson: Bool, at moment: Duration) {
        let outcome = judgeConfiguration(file, isByPerson: isByPerson, at: moment)
        // Before the answer: the core reads there what became of it.
        writeConfiguration()
        tellCore(number, outcome)
    }

    /// A person keeps what is on trial, though it has not come again.
    func keepConfiguration(_ version: Int64, at moment: Duration) -> SupervisorAnswer.Outcome {
        guard let onTrial = trial.version else {
            return .notPossible("No configuration is on trial, so there is none to keep. GetConfiguration says what holds.")
        }
        guard onTrial == version else {
            return .notPossible(
                "The configuration \(onTrial) is on trial, and not \(version). Look at what it changes, and keep that one.")
        }
        let answer = trial.keep(lacks: before.flatMap { lack(of: $0, at: moment) })
        if answer == .tooSoon {
            return .notPossible("The system still reads the network's settings. Try again in a minute.")
        }
        return finish(version, answer)
    }

    private func judgeConfiguration(
        _ file: [UInt8]?, isByPerson: Bool, at moment: Duration
    ) -> SupervisorAnswer.Outcome {
        guard let place = configuration.fleet, !configuration.operatorKeys.isEmpty else {
            return .notPossible(Self.noFleet)
        }
        guard let file else { return .notPossible("The configuration cannot be read, or is too long.") }
        if trial.version == nil, configurations.trialFile() != nil {
            // A full disk, or one that failed, when it was to be taken back or kept.
            takeConfigurationBack(leftTrial?.reason ?? "it could not be taken back, or kept, when it was time")
            guard configurations.trialFile() == nil else {
                return .notPossible(
                    "The last configuration cannot be taken back yet; another one is taken when that is done.")
            }
        }
        let signed: SignedConfiguration
        do throws(TrustError) { signed = try SignedConfiguration(file: file) } catch { return .notPossible("\(error)") }
        guard signed.isSigned(byOneOf: operatorKeys()) else {
            return .notPossible("No key that was provisioned as this board's operator's has signed the configuration.")
        }
        // From here on nobody else changes grants: what is written is what is judged. To be kept it needs none.
        if trial.version == nil {
            do throws(GrantsStore.Failure) { changing = try grantsLock() } catch { return .notPossible(error.reason) }
        }
        defer { changing = nil }
        guard let grants = readGrants() else {
            return .notPossible("grants.json cannot be used as it is, so nothing is changed in it; mend it first.")
        }
        let wish: FleetConfiguration
        do throws(FleetConfigurationError) {
            wish = try FleetConfiguration(parsing: signed.document, granted: grants)
        } catch { return .notPossible("The configuration is not taken (\(error.rule.rawValue)): \(error)") }
        if let version = trial.version {
            guard version == wish.version, configurations.trialFile() == file else {
                return .notPossible(
                    "The configuration \(version) is on trial; another one is taken when that is over.")
            }
            return finish(
                version,
                trial.broughtAgain(
                    isByPerson: isByPerson, lacks: before.flatMap { lack(of: $0, at: moment) }, at: moment))
        }
        if let held = heldVersion(), wish.version <= held {
            // The same one again is how everybody brings it.
            if configurations.heldFile() == file { return .done }
            return .notPossible("The configuration \(held) holds, and \(wish.version) is not newer.")
        }
        if let former = takenBack(), wish.version <= former.version {
            return .notPossible(
                "The configuration \(former.version) was taken back, because \(former.reason); only a newer one is tried.")
        }
        let change = wish.change(
            board: place.board, group: place.group,
            lot: FleetConfiguration.lot(ofDigest: SHA256.digest(of: Array(place.board.utf8))))
        return apply(change, of: wish, signed: file, to: grants, at: moment)
    }

    private func apply(
        _ change: FleetConfiguration.Change, of wish: FleetConfiguration, signed file: [UInt8], to grants: JSON.Object,
        at moment: Duration
    ) -> SupervisorAnswer.Outcome {
        let wished = change.applied(to: grants)
        let networks = change.networks.sorted { $0.key < $1.key }.map { NetworkWish($0.value) }
        let problems = problems(in: change, wished) + networkProblems(networks)
        guard problems.isEmpty else { return .unfit(problems) }
        do {
            if wished == grants, networks.isEmpty {
                try configurations.hold(file)
                log.notice("the fleet's configuration changes nothing here", metadata: ["version": "\(wish.version)"])
                return .done
            }
            // Also if this one leaves the network alone: what is kept with it would be a technician's change that nobody has confirmed.
            if network?.isSettled == false {
                return .notPossible("A change of the network is on trial: confirm it, or wait until it is over.")
            }
            try configurations.begin(
                file, version: wish.version, grants: Array(JSON.object(wished).indentedText.utf8))
        } catch {
            log.error("\(error)", metadata: ["while": "beginning the trial of a configuration"])
            return .notPossible("The trial cannot be stored, and nothing changed: \(error)")
        }
        before = soundness(at: moment, without: Set(change.plugins.keys.filter { Self.shrinks($0, grants, wished) }))
        trial.begin(version: wish.version, seconds: wish.trial, waitsForNetwork: !networks.isEmpty, at: moment)
        log.notice(
            "the fleet's configuration is tried",
            metadata: ["version": "\(wish.version)", "seconds": "\(wish.trial)", "plugins": "\(change.plugins.count)"])
        do {
            try configurations.putGrants()
            if !networks.isEmpty {
                try network?.tryConfigured(networks, at: moment) { [weak self] well in
                    guard let self else { return }
                    obey(trial.didReload(well: well, at: now))
                }
                writeNetwork()
                // Connections of before would outlast what cut the board off.
                if let egress = processes["egress"] { restartAsAsked(egress, at: moment) }
            }
        } catch {
            takeConfigurationBack("it could not be stored: \(error)")
            return .notPossible("The configuration cannot be stored, and is taken back: \(error)")
        }
        guard trial.version == wish.version else {
            return .notPossible("The system cannot be told of the network's settings, and the configuration is taken back.")
        }
        if wished != grants { reload(isFirst: false) }
        return .done
    }

    private func finish(_ version: Int64, _ answer: ConfigurationTrial.Answer) -> SupervisorAnswer.Outcome {
        switch answer {
        case .tooSoon, .byPerson: return .done
        case .lacks(let what):
            return .notPossible(
                "The configuration \(version) stays on trial, because \(what). Bring it again, or it is taken back.")
        case .kept:
            do {
                try configurations.keep { try keepConfiguredNetworks() }
            } catch {
                // With the decision on the disk the next start finishes it; without it the next start takes it back.
                log.error("\(error)", metadata: ["while": "keeping the fleet's configuration"])
                return .notPossible("It cannot be stored that the configuration is kept: \(error)")
            }
            before = nil
            writeNetwork()
            log.notice("the fleet's configuration is kept", metadata: ["version": "\(version)"])
            return .done
        }
    }

    func advanceConfiguration(at moment: Duration) {
        obey(trial.advance(to: moment))
        if let leftTrial, moment >= leftTrial.again { takeConfigurationBack(leftTrial.reason) }
    }

    /// When ``advanceConfiguration(at:)`` has something to do; `nil` if never.
    var configurationDue: Duration? { [trial.due, leftTrial?.again].compactMap(\.self).min() }

    private func obey(_ acts: [ConfigurationTrial.Act]) {
        for case .takeBack(let reason) in acts { takeConfigurationBack(reason) }
    }

    private func takeConfigurationBack(_ reason: String) {
        let version = trial.version
        trial = ConfigurationTrial()
        before = nil
        do {
            let lock = try grantsLock()
            defer { withExtendedLifetime(lock) {} }
            // Of one that was left the network is as it was already.
            try configurations.takeBack(reason) { if leftTrial == nil { network?.takeBackConfigured(at: now) } }
            leftTrial = nil
        } catch let failure as GrantsStore.Failure {
            // What cuts the board off goes at once; the grants when whoever changes them is done.
            if leftTrial == nil {
                network?.takeBackConfigured(at: now)
                log.notice("the grants of the fleet's configuration are taken back in a moment: \(failure.reason)")
            }
            leftTrial = (reason, now + Self.lockPause)
            return writeNetwork()
        } catch {
            leftTrial = nil
            log.error(
                "the fleet's configuration cannot be taken back wholly now; the next look for one, or the next start, does it: \(error)"
            )
        }
        log.warning(
            "the fleet's configuration is taken back: \(reason)",
            metadata: ["version": "\(version ?? configurations.takenBack()?.version ?? 0)"])
        reload(isFirst: false)
        writeNetwork()
        writeConfiguration()
    }

    // MARK: What is judged

    private func operatorKeys() -> [P256.VerificationKey] {
        configuration.operatorKeys.prefix(32).compactMap { argument in
            let path = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) } ?? argument
            return Folders.read(path, limit: 16 << 10).flatMap { try? P256.VerificationKey(pemOrDER: $0) }
        }
    }

    private func readGrants() -> JSON.Object? {
        guard access(configuration.grants, F_OK) == 0 else { return ["plugins": [:]] }
        guard let bytes = Folders.read(configuration.grants, limit: Limits.grantsByteCount),
            let file = try? GrantsFile(parsing: bytes), file.problems.isEmpty
        else { return nil }
        return (try? JSON(parsing: bytes, maximumDepth: 16))?.object
    }

    /// The number of the configuration that holds; `nil` if none does. It shuts out lower ones only while its file is signed by a key that counts today: a board that went
    /// to another fleet begins anew.
    private func heldVersion() -> Int64? { configurations.heldFile().flatMap { version(of: $0) } }

    /// What was taken back last, as far as it counts today.
    private func takenBack() -> ConfigurationFolder.TakenBack? {
        configurations.takenBack().flatMap { version(of: $0.file) == $0.version ? $0 : nil }
    }

    private func version(of file: [UInt8]) -> Int64? {
        guard let signed = try? SignedConfiguration(file: file), signed.isSigned(byOneOf: operatorKeys()) else {
            return nil
        }
        return (try? JSON(parsing: signed.document, maximumDepth: 16))?["version"]?.int
    }

    /// Everything that does not fit, with its place: as a whole or not at all.
    private func problems(in change: FleetConfiguration.Change, _ wished: JSON.Object) -> [String] {
        let file: GrantsFile
        do throws(Refusal) { file = try GrantsFile(parsing: Array(JSON.object(wished).indentedText.utf8)) } catch {
            return ["\(error)"]
        }
        let after = judged(file)
        var problems = file.problems.map { "\($0)" }
        for (name, plugin) in change.plugins.sorted(by: { $0.key < $1.key }) {
            let shown = ForeignText.line(name, limit: 40)
            guard let decision = after.decision(for: name), let manifest = decision.manifest else {
                problems.append("plugins.\(shown): no such plugin is installed here")
                continue
            }
            for member in plugin.settings.members {
                guard let property = manifest.settings.properties.first(where: { $0.name == member.name }) else { continue }
                if property.isCards {
                    problems.append(
                        "plugins.\(shown).settings.\(member.name): it says whom the plugin believes or who the board is, and only a card changes that"
                    )
                }
                if property.isSecretAnywhere {
                    problems.append(
                        "plugins.\(shown).settings.\(member.name): it is a secret, and nothing secret is in a configuration that anybody may read"
                    )
                }
            }
            problems += file.entry(named: name)?.problems.map { "\($0)" } ?? []
            problems += decision.problems.map { "\($0)" }
            let former = Set(files.set?.decision(for: name)?.notes ?? [])
            problems += decision.notes.filter { $0.contains("granted") && !former.contains($0) }.map {
                "plugins.\(shown): \($0)"
            }
        }
        return Array(problems.prefix(64))
    }

    private func networkProblems(_ wishes: [NetworkWish]) -> [String] {
        guard !wishes.isEmpty else { return [] }
        guard let place = configuration.network else { return ["networks: \(Self.noNetwork)"] }
        return wishes.flatMap { wish in
            NetworkRules.problems(
                in: wish, seconds: NetworkTrial.confirmationSeconds.lowerBound, among: place.interfaces,
                confirmationSeconds: NetworkTrial.confirmationSeconds
            ).map { "\(wish.interface): \($0)" }
        }
    }

    // MARK: What the board could do before

    /// What must not be lost by a configuration.
    struct Soundness: Equatable {
        var isOnAir: Bool
        /// Plugins that were allowed, ran and were well.
        var plugins: Set<String>
    }

    private func soundness(at moment: Duration, without names: Set<String>) -> Soundness {
        let well = plugins.filter { $0.effectiveGrants != nil && $0.hasBeenReady && isWell($0) }.map(\.name)
        return Soundness(isOnAir: radio.isOnAir(at: moment), plugins: Set(well).subtracting(names))
    }

    /// Whether a plugin loses a method or an address by this change. It could end again and again to have all of it taken back, so its own end says nothing.
    static func shrinks(_ name: String, _ before: JSON.Object, _ after: JSON.Object) -> Bool {
        func granted(_ grants: JSON.Object, _ kind: String) -> Set<String> {
            let lists = grants["plugins"]?[name]?[kind]?.object?.members ?? []
            return Set(lists.flatMap { list in (list.value.array ?? []).map { "\(list.name) \($0)" } })
        }
        return ["calls", "endpoints"].contains { !granted(before, $0).isSubset(of: granted(after, $0)) }
    }

    private func isWell(_ process: ManagedProcess) -> Bool {
        switch process.state {
        case .quarantined, .refused: false
        default: true
        }
    }

    private func lack(of before: Soundness, at moment: Duration) -> String? {
        guard processes["core"]?.isAlive == true else { return "the core does not run" }
        // Whoever switched the device off meanwhile did not do it because of this.
        if before.isOnAir, radio.isWanted, !radio.isOnAir(at: moment) {
            return "the board was on air before, and is not now"
        }
        for name in before.plugins.sorted() {
            // Switched off by the configuration is no fault.
            guard let process = processes[name], files.grants.entry(named: name)?.isEnabled == true else { continue }
            guard isWell(process) else { return "the plugin \(name) ran before, and does not now" }
        }
        return nil
    }

    // MARK: What is told

    /// For the core: what holds, what is on trial, what was taken back.
    func writeConfiguration() {
        var object = JSON.Object()
        if let version = heldVersion() { object["version"] = .int(version) }
        if let version = trial.version, let until = trial.due {
            object["trial"] = .int(version)
            object["until"] = .int(Int64(until / .seconds(1)))
        }
        if let former = takenBack() {
            object["takenBack"] = .int(former.version)
            object["reason"] = .string(String(former.reason.prefix(300)))
        }
        writeTechnicianFile("configuration", JSON.object(object).bytes)
    }
}

extension NetworkWish {
    init(_ network: FleetConfiguration.Network) {
        self.init(
            interface: network.interface, isManual: network.isManual, addresses: network.addresses,
            gateway: network.gateway, nameServers: network.nameServers)
    }
}

extension SettingsSchema.Property {
    /// Whether it, or anything in it, may only be written.
    var isSecretAnywhere: Bool {
        if isSecret { return true }
        guard case .list(let element, _) = kind else { return false }
        if element.isSecret { return true }
        if case .object(let inner) = element.kind { return inner.contains(where: \.isSecret) }
        return false
    }
}
