// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPClient
import Interfaces
import Logging
public import PluginKit

/// The plugin for data donation (docs/donation.md): asks the core what is to be carried, carries it, says what became of it, and asks again until there is
/// nothing more. It is started and ends again on every board, whether its wearer donates or not, and its log does not tell which. Used only on its host's
/// loop.
public final class DonationPlugin: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = DonationSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// How long it stays when nobody needs it.
    private static let grace = Duration.seconds(5)
    /// Calls of the core take milliseconds; composing a donation takes longer.
    private static let patience = Duration.seconds(20)
    /// Steps of a run. A week's tokens and a donation are ten.
    static let mostSteps = 32
    /// The wait after a run with more.
    static let pause = Duration.seconds(60)
    /// The core's longest wait.
    private static let mostSeconds: Int64 = 86_400

    private let host: Host<Settings>
    let courier: Courier
    /// Whether no run is under way.
    private(set) var isResting = true
    private var steps = 0
    /// The nonce that the issuer gave for the next request, and the address it is for.
    private var nextNonce: (target: String, nonce: [UInt8])?
    private var timer: PluginLoop.Timer?

    /// Sets up the plugin on its loop.
    /// - Throws: `HTTPError` if the HTTP client refuses its configuration; `StorageError` if the file of certificate
    ///   authorities cannot be written.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        let settings = host.settings
        var configuration = HTTPConfiguration(
            socksProxy: host.socks, publicKeyPins: settings.pins ?? [], allowsPlainHTTP: settings.plainHTTP ?? false,
            userAgent: "")
        if let authorities = settings.authorities { configuration.authorityFile = try host.authorityFile(authorities) }
        courier = try Courier(configuration)
        host.onStart = { [unowned self] in run() }
        // Other authorities and pins are for a new start.
        host.onSettings = { [unowned host] _ in host.stop(status: 0) }
        host.onStop = { [unowned self] in courier.cancellation.cancel() }
        host.exitsWhenIdle(after: Self.grace)
    }

    // MARK: Runs

    private func run() {
        guard isResting else { return }
        isResting = false
        steps = 0
        askForStep()
    }

    /// Ends a run; the next one is in `rest`, or when the manifest's schedule has it.
    private func endRun(_ rest: Duration?) {
        isResting = true
        courier.leave()
        nextNonce = nil
        host.startsAgainAfter = rest
        timer?.cancel()
        // It may still be up by then.
        timer = rest.map { host.loop.after($0) { [unowned self] in run() } }
    }

    private func askForStep() {
        guard !host.isStopping else { return }
        // A core that says the same again and again must not keep the radio busy.
        guard steps < Self.mostSteps else { return endRun(Self.pause) }
        host.call(Donation1.Method.getStep, as: Donation1.StepReply.self, timeout: Self.patience) { [unowned self] reply in
            switch reply {
            case .success(let reply):
                guard let step = reply.step else {
                    return endRun(.seconds(min(max(1, reply.seconds), Self.mostSeconds)))
                }
                steps += 1
                carry(step)
            case .failure(let error):
                if steps == 0 { note(error) }
                endRun(nil)
            }
        }
    }

    /// Says that the core does not answer, as it would on any board. What it refuses by errors of its own, or says that this plugin does not understand, it
    /// says only where somebody donates.
    private func note(_ error: CallError) {
        switch error.code {
        case .refused where error.name?.hasPrefix(Donation1.name) != false, .notUnderstood: return
        default: host.log.warning("the core does not say what is to be done; it is asked again: \(error)")
        }
    }

    private func carry(_ step: Donation1.Step) {
        guard let body = Base64.bytes(step.body), !body.isEmpty else { return endRun(Self.pause) }
        switch step.kind {
        case .request:
            if let known = nextNonce, known.target == step.target {
                nextNonce = nil
                prove(step, body, known.nonce, challenges: 0)
            } else {
                request(step, body, authorization: nil, challenges: 0)
            }
        case .donate:
            guard let authorization = step.authorization else { return endRun(Self.pause) }
            donate(step, body, authorization)
        }
    }

    // MARK: Requests

    /// Asks for a token; `challenges` is how often the issuer wanted evidence for this step before.
    private func request(_ step: Donation1.Step, _ body: [UInt8], authorization: String?, challenges: Int) {
        work {
            $0.ask(step.target, body, authorization: authorization)
        } then: { [unowned self] reply in
            nextNonce = reply.nextNonce.map { (step.target, $0) }
            switch reply.answer {
            case .signature(let bytes): end(step, Donation1.TakeTokenCall(day: step.day, answer: Base64.string(bytes)))
            case .refusal(let why): end(step, Donation1.TakeTokenCall(day: step.day, refusal: why))
            case .challenge(let nonce?) where challenges == 0: prove(step, body, nonce, challenges: 1)
            case .challenge where challenges > 0:
                // Its own nonce, and it refuses the evidence. The core goes on with cover: a run that ends here would be seen.
                end(step, Donation1.TakeTokenCall(day: step.day, refusal: .deviceRefused))
            case .challenge: end(step, Donation1.TakeTokenCall(day: step.day, refusal: .unreachable))
            }
        }
    }

    /// Has the core sign evidence with the issuer's nonce, and asks with it.
    private func prove(_ step: Donation1.Step, _ body: [UInt8], _ nonce: [UInt8], challenges: Int) {
        host.call(
            Donation1.Method.signEvidence, Donation1.SignEvidenceCall(day: step.day, challenge: Base64.string(nonce)),
            as: Donation1.EvidenceReply.self, timeout: Self.patience
        ) { [unowned self] reply in
            switch reply {
            case .success(let evidence):
                request(step, body, authorization: evidence.authorization, challenges: challenges)
            case .failure(let error): goOn(after: error)
            }
        }
    }

    private func end(_ step: Donation1.Step, _ said: Donation1.TakeTokenCall) {
        host.call(Donation1.Method.takeToken, said, as: Donation1.TakeTokenReply.self, timeout: Self.patience) {
            [unowned self] reply in
            if case .failure(let error) = reply { goOn(after: error) } else { askForStep() }
        }
    }

    // MARK: Donations

    private func donate(_ step: Donation1.Step, _ body: [UInt8], _ authorization: String) {
        nextNonce = nil
        work {
            $0.donate(step.target, body, authorization: authorization)
        } then: { [unowned self] outcome in
            host.call(
                Donation1.Method.endDonation, Donation1.EndDonationCall(day: step.day, outcome: outcome),
                as: NoFields.self, timeout: Self.patience
            ) { [unowned self] reply in
                if case .failure(let error) = reply { goOn(after: error) } else { askForStep() }
            }
        }
    }

    // MARK: Both

    /// After an error of the core: if the step is no more, because the consent was taken back meanwhile, it is asked for another.
    private func goOn(after error: CallError) {
        if error.name == "\(Donation1.name).NoSuchStep" { askForStep() } else { endRun(nil) }
    }

    private func work<Value: Sendable>(_ job: @escaping @Sendable (Courier) -> Value, then: @escaping (Value) -> Void) {
        let courier = courier
        host.work { _ in
            job(courier)
        } then: { [unowned self] result in
            guard !host.isStopping, let value = try? result.get() else { return endRun(nil) }
            then(value)
        }
    }
}
