// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Interfaces
import JSON
import Ledger
public import TimeTrust
public import VarlinkSocket

/// The core's interfaces on sockets: for each call it asks the method of ``ExposureService`` that answers it, and returns
/// the answer in pages that fit into messages. The socket's grants have decided before who may call what. May be used by
/// one thread at a time.
public final class CoreInterfaces {
    /// Bytes of a page, as JSON: well below what a message may have.
    static let pageByteCount = 48 << 10

    let service: ExposureService
    let clock: () -> BootInstant
    /// The connection to the supervisor, which displays the board's state and carries out orders; `nil` if there is none.
    public var supervisor: SupervisorClient?
    /// The last configuration of the fleet that was refused, and why; `nil` once another one was taken.
    var refusedConfiguration: (version: Int64?, reason: String)?
    private var callers: [String: Caller]
    /// Calls that are told of what happens, with who they are for.
    private var watchers: [(call: IncomingCall, caller: Caller)] = []
    private var riskWatchers: [(call: IncomingCall, caller: Caller)] = []
    var sceneWatchers = SceneWatchers()

    /// Creates the interfaces of `service`, and listens to its announcer from now on. `callers` are identified by the names
    /// of their sockets; of two with the same name the first counts. `clock` returns the time since the board was switched
    /// on. Cannot fail.
    public init(_ service: ExposureService, callers: [Caller], clock: @escaping () -> BootInstant) {
        self.service = service
        self.clock = clock
        self.callers = Dictionary(callers.map { ($0.name, $0) }) { first, _ in first }
        noteCallers()
        service.announcer.listen { [weak self] in self?.pass(on: $0) }
    }

    /// Answers the calls that arrive at `server` from now on with ``handle(_:)``; returns at once and cannot fail. Replaces
    /// the server's `handler` and `onClose`. When a connection closes, its session is forgotten.
    public func serve(on server: VarlinkServer) {
        server.handler = { [self] in try handle($0) }
        server.onClose = { [service] in service.signIn.access.connectionClosed($0) }
    }

    private func pass(on news: Announcer.News) {
        switch news {
        case .event(let event): tell(event)
        case .risk: tellRiskNews()
        case .scene: tellScene(at: clock())
        case .doorCode: break
        case .sessionsEnded: endWatchers()
        }
    }

    /// Accepts one more caller from now on; replaces one with the same name. Cannot fail.
    public func add(_ caller: Caller) {
        callers[caller.name] = caller
        noteCallers()
    }

    /// A held button collects only where somebody takes what it collects.
    private func noteCallers() { service.doorHold.hasTaker = callers.values.contains(where: \.takesDoorCodes) }

    /// Stops serving the caller with this name, whose socket is closed already, and forgets its watchers, its news
    /// for the wearer, its open questions to the authority and its proofs. Has no effect if there is none.
    public func removeCaller(named name: String) {
        callers[name] = nil
        noteCallers()
        watchers.removeAll { $0.call.edge == name }
        riskWatchers.removeAll { $0.call.edge == name }
        sceneWatchers.calls.removeAll { $0.edge == name }
        service.say(news: false, of: name)
        service.nonces.forget(name)
        service.signIn.access.forgetProofs(of: name)
    }

    /// Answers a call, now or later. The calls of one connection are answered one after the other, each after the last
    /// reply to the one before, because `UseSession` decides for the next.
    ///
    /// - Throws: `CallFailure`, which the server turns into an error, if the socket belongs to no caller, the method is
    ///   unknown, its parameters are not valid, or the caller or its session may not call it; and the error of decoding the
    ///   parameters. A ``Refusal`` is sent as an answer, not thrown.
    public func handle(_ call: IncomingCall) throws {
        guard let known = callers[call.edge] else { throw CallFailure("org.varlink.service.PermissionDenied") }
        guard let method = CoreMethod(path: call.method) else { throw Self.notImplemented(call.method) }
        do {
            let caller = try service.signIn.acting(known, method, on: call.connectionNumber, at: clock())
            switch method {
            case .access1(let method): try access(method, call, caller)
            case .content1(let method): try content(method, call, caller)
            case .device1(let method): try device(method, call, caller)
            case .donation1(let method): try donation(method, call, caller)
            case .door1(let method): try door(method, call)
            case .exposure1(let method): try exposure(method, call, caller)
            case .indicator1(let method): try indicator(method, call, caller)
            case .technician1(let method): try technician(method, call, caller)
            case .release1(let method): try release(method, call, caller)
            case .risk1(let method): try risk(method, call, caller)
            case .time1(let method): try time(method, call, caller)
            case .trust1(let method): try trust(method, call, caller)
            }
        } catch let refusal as Refusal {
            fail(call, refusal)
        } catch let refusal as AccessRefusal {
            throw Self.failure(refusal)
        }
    }

    private func exposure(_ method: Exposure1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        let now = clock()
        switch method {
        case .getStatus: call.reply(Exposure1.StatusReply(status: try service.status(for: caller, at: now)))
        case .watch:
            call.reply(
                Exposure1.WatchReply(event: .current, status: try service.status(for: caller, at: now)), continues: true)
            watchers.append((call, caller))
        case .provideDiagnosisKeys: try provide(call, caller, at: now)
        case .getExposureWindows: try page(call, "windows", try service.windows(at: now))
        case .getDailySummaries:
            let configuration = try call.decode(Exposure1.DailySummariesCall.self).configuration
            guard let days = try service.dailySummaries(configuration, at: now) else { throw Self.invalid("configuration") }
            call.reply(Exposure1.DailySummariesReply(dailySummaries: days))
        case .getExposureSummary:
            let configuration = try call.decode(Exposure1.ExposureConfigurationCall.self).configuration
            guard let summary = try service.summary(configuration, at: now) else { throw Self.invalid("configuration") }
            call.reply(Exposure1.SummaryReply(summary: summary))
        case .getExposureInformation:
            let configuration = try call.decode(Exposure1.ExposureConfigurationCall.self).configuration
            guard let list = try service.information(configuration, at: now) else { throw Self.invalid("configuration") }
            try page(call, "information", list)
        case .getDiagnosisKeysDataMapping: call.reply(try service.mapping(at: now))
        case .setDiagnosisKeysDataMapping:
            let mapping = try call.decode(Exposure1.MappingCall.self).mapping
            guard try service.setMapping(mapping, by: caller, at: now) else { throw Self.invalid("mapping") }
            call.reply(Nothing())
        }
    }

    private func provide(_ call: IncomingCall, _ caller: Caller, at now: BootInstant) throws {
        let wanted = try call.decode(Exposure1.Files.self)
        let job = try service.provide(wanted.files, ProvideTerms(wanted), by: caller, at: now)
        if call.wantsMore {
            job.onProgress = {
                call.reply(Exposure1.ProvideReply(progressByteCount: $1, progressFileCount: $0), continues: true)
            }
        }
        job.isWanted = { call.isOpen || call.isOneway }
        job.onEnd = { [weak self] in
            switch $0 {
            case .success(let result): call.reply(Exposure1.ProvideReply(result: result))
            case .failure(let refusal): self?.fail(call, refusal)
            }
        }
    }

    private func device(_ method: Device1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        let now = clock()
        switch method {
        case .enable:
            try service.enable(by: caller, at: now)
            call.reply(Nothing())
        case .disable:
            try service.disable(by: caller, at: now)
            call.reply(Nothing())
        case .giveConsent:
            let purpose = try call.decode(Device1.GiveConsentCall.self).purpose
            if let session = caller.session, !purpose.roles.contains(Law.Holder(session.role)) {
                throw AccessRefusal.wrongRole(
                    needed: .wearer, "Only the wearer agrees to this. Sign in with the wearer's secret.")
            }
            call.reply(try service.giveConsent(purpose, by: caller, at: now))
        case .getPreferences:
            call.reply(Device1.PreferencesMessage(preferences: try service.preferences(for: caller)))
        case .setPreferences:
            let preferences = try call.decode(Device1.PreferencesMessage.self).preferences
            guard try service.setPreferences(preferences) else { throw Self.invalid("preferences.language") }
            call.reply(Nothing())
        case .measureStrength:
            let wanted = try call.decode(Device1.MeasureStrengthCall.self)
            guard service.measureStrength(wanted, at: now) else {
                throw Self.invalid(StrengthMeasurement.seconds.contains(wanted.seconds) ? "reference" : "seconds")
            }
            call.reply(Nothing())
        case .getMeasurement:
            call.reply(
                Device1.MeasurementReply(
                    measurement: service.beacon.strengthMeasurement(at: now), correction: service.correction))
        case .setCorrection:
            let correction = try call.decode(Device1.SetCorrectionCall.self).correction
            guard try service.setCorrection(correction, by: caller, at: now) else { throw Self.invalid("correction") }
            call.reply(Nothing())
        case .measureNeighbours:
            let seconds = try call.decode(Device1.MeasureNeighboursCall.self).seconds
            guard try service.measureNeighbours(seconds: seconds, by: caller, at: now) else {
                throw Self.invalid("seconds")
            }
            call.reply(Nothing())
        case .getNeighbours:
            call.reply(Device1.NeighboursReply(neighbours: try service.neighbours(for: caller, at: now)))
        case .setRole:
            try service.setRole(try call.decode(Device1.RoleCall.self).role, by: caller, at: now)
            call.reply(Nothing())
        case .getRadio: call.reply(Device1.RadioReply(radio: service.radio(at: now)))
        case .getEvidence:
            let since = try call.decode(Device1.EvidenceCall.self).since
            try page(call, "hours", try service.evidence(since: since, at: now))
        case .getTime: call.reply(Device1.TimeReply(time: service.time(at: now)))
        case .setTime:
            let time = try call.decode(Device1.SetTimeCall.self).now
            call.reply(Device1.TimeReply(time: try service.setTime(time, by: caller, at: now)))
        case .getAudit:
            let (records, verdict) = try service.audit(after: try call.decode(Device1.AuditCall.self).after, for: caller)
            try page(
                call, "entries", records,
                others: ["intact": .bool(verdict.isIntact), "droppedCount": .int(Int64(clamping: verdict.dropped))])
        case .startRecording:
            let seconds = try call.decode(Device1.StartRecordingCall.self).seconds
            guard try service.startRecording(seconds: seconds, by: caller, at: now) else { throw Self.invalid("seconds") }
            call.reply(Nothing())
        case .getRecording:
            guard caller.presence == Caller.console else {
                throw Refusal.wrongRole("Only the operator's console records: `vigil ctl record` on the board.")
            }
            call.reply(Device1.RecordingReply(recording: service.recording(at: now)))
        case .stopRecording:
            call.reply(Device1.RecordingReply(recording: try service.stopRecording(by: caller, at: now)))
        case .getStorage: call.reply(Device1.StorageReply(storage: service.storage()))
        case .exportMyData:
            try page(call, "sections", try service.myData(by: caller, at: now))
        case .writePairingFile:
            let parameters = try call.decode(Device1.WritePairingCall.self)
            try service.writePairing(parameters.file, ticket: parameters.ticket, by: caller, at: now)
            call.reply(Nothing())
        case .readPairingFile:
            let parameters = try call.decode(Device1.ReadPairingCall.self)
            let paired = try service.readPairing(
                parameters.file, name: parameters.name, ticket: parameters.ticket, by: caller, at: now)
            call.reply(Device1.ReadPairingReply(paired: paired))
        case .getPaired: call.reply(Device1.PairedReply(paired: try service.paired()))
        case .forgetPaired:
            try service.forgetPaired(try call.decode(Device1.NameCall.self).name, by: caller, at: now)
            call.reply(Nothing())
        case .reset:
            let order = try call.decode(Device1.TicketCall.self)
            try service.reset(ticket: order.ticket, handOn: order.handOn ?? false, by: caller, at: now)
            call.reply(Nothing())
        }
    }

    private func release(_ method: Release1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .takeDiagnosisKeys: try takeDiagnosisKeys(call, caller)
        }
    }

    private func takeDiagnosisKeys(_ call: IncomingCall, _ caller: Caller) throws {
        let wish = try call.decode(Release1.TakeCall.self)
        let isRemainder = wish.remainder == true
        let now = clock()
        let keys =
            isRemainder
            ? try service.takeRemainder(ticket: wish.ticket, by: caller, at: now)
            : try service.takeKeys(ticket: wish.ticket, by: caller, at: now)
        call.reply(
            Release1.KeysReply(
                keys: keys.map { key in
                    Release1.TemporaryExposureKey(
                        keyData: key.secret.withBytes { Base64.string($0) },
                        rollingStartIntervalNumber: Int64(key.rollingStart.number), rollingPeriod: Int64(key.rollingPeriod))
                },
                remainder: service.remainder(of: wish.ticket).map {
                    .init(from: $0.from, after: $0.after, until: $0.until)
                },
                proof: isRemainder ? nil : service.signIn.makeReleaseProof(by: caller, at: now)))
    }

    private func time(_ method: Time1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .makeChallenge: call.reply(Time1.NonceReply(challenge: service.makeNonce(for: caller, at: clock())))
        case .takeSignedTime:
            let document = try call.decode(Time1.TakeCall.self).document
            call.reply(try service.takeSignedTime(document, by: caller, at: clock()))
        }
    }

    private func risk(_ method: Risk1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        let now = clock()
        switch method {
        case .getRisk: call.reply(Risk1.RiskReply(risk: try service.warnings.risk(at: now)))
        case .watch:
            _ = try service.warnings.risk(at: now)
            call.reply(Risk1.WatchReply(news: service.warnings.hasNews), continues: true)
            riskWatchers.append((call, caller))
        case .acknowledge:
            try service.warnings.acknowledge()
            call.reply(Nothing())
        case .explain:
            let wish = try call.decode(Risk1.ExplainCall.self)
            try page(call, "contributions", try service.warnings.contributions(day: wish.day, source: wish.source, at: now))
        case .takeConfiguration:
            let offer = try call.decode(Risk1.TakeConfigurationCall.self)
            call.reply(
                try service.warnings.takeRules(
                    offer.document, approvals: offer.approvals, source: offer.source, by: caller, at: now))
        case .getConfiguration:
            call.reply(service.warnings.rules(of: try call.decode(Risk1.GetConfigurationCall.self).source, at: now))
        }
    }

    private func tellRiskNews() {
        let now = clock()
        for watcher in riskWatchers where service.signIn.isStillActing(watcher.caller, at: now) {
            watcher.call.reply(Risk1.WatchReply(news: service.warnings.hasNews), continues: true)
        }
    }

    /// The time at which the next watcher's session ends, and ``endWatchers()`` has something to do; it may be past. `nil`
    /// if no watcher has a session that ends.
    public var watchersDue: BootInstant? {
        (watchers + riskWatchers).compactMap { $0.caller.session.flatMap { service.signIn.access.end(of: $0) } }.min().map {
            BootInstant($0)
        }
    }

    /// Forgets watchers that have disconnected, and ends those whose session has ended. It is never called because there is
    /// news, so that the end of a watch does not reveal when the wearer did something.
    public func endWatchers() {
        let now = clock()
        func isOver(_ watcher: (call: IncomingCall, caller: Caller)) -> Bool {
            guard watcher.call.isOpen else { return true }
            guard !service.signIn.isStillActing(watcher.caller, at: now) else { return false }
            let failure = Self.failure(.notSignedIn)
            watcher.call.fail(failure.name, parameters: failure.parameters)
            return true
        }
        watchers.removeAll(where: isOver)
        riskWatchers.removeAll(where: isOver)
    }

    // MARK: Answers

    private func tell(_ event: Exposure1.Event) {
        let now = clock()
        for watcher in watchers where service.signIn.isStillActing(watcher.caller, at: now) {
            // That something happened to the wearer, and when, is as good as what it was.
            guard event.secret.map(watcher.caller.mayLearn) ?? true,
                let status = try? service.status(for: watcher.caller, at: now)
            else { continue }
            watcher.call.reply(Exposure1.WatchReply(event: event, status: status), continues: true)
        }
    }

    /// Sends `list` as the field `name`, in pages that are pulled as the caller reads, with `others` on each. A caller that did not ask
    /// for more gets it whole or is told to ask.
    private func page(
        _ call: IncomingCall, _ name: String, _ list: [some Encodable], others: JSON.Object = JSON.Object()
    ) throws {
        // Encoded once: what is measured here is what is sent.
        var rest = try list.map { try JSON(encoding: $0) }[...]
        func next() -> JSON {
            var size = 0
            let page = rest.prefix {
                size += $0.bytes.count + 1
                return size <= Self.pageByteCount
            }
            // An element larger than a page goes alone; the server refuses it when it fits no message.
            let count = max(page.count, min(1, rest.count))
            var reply = others
            reply[name] = .array(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            return .object(reply)
        }
        guard call.wantsMore else {
            let whole = next()
            guard rest.isEmpty else { throw CallFailure("org.varlink.service.ExpectedMore") }
            call.reply(whole)
            return
        }
        call.stream { (next(), rest.isEmpty) }
    }

    private func fail(_ call: IncomingCall, _ refusal: Refusal) {
        guard let interface = CoreMethod(path: call.method)?.interface else { return }
        let parameters = (try? JSON(encoding: refusal.parameters))?.object ?? JSON.Object()
        call.fail("\(interface).\(refusal.name)", parameters: parameters)
    }

    static func invalid(_ parameter: String) -> CallFailure {
        CallFailure("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }

    static func notImplemented(_ method: String) -> CallFailure {
        CallFailure("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
    }
}
