// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ExposureRisk
import FoundationEssentials
import GAEN
import Glibc
import Interfaces
import JSON
import KeyExport
import KeyIntake
import Ledger
import Logging
import ProcessLink
import RandomValues
import RiskConfiguration
import Simulation
import Synchronization
import Testing
import TimeTrust
import Trust
import Varlink
import VarlinkSocket
import VirtualAir

@testable import Core
@testable import Matching

/// One of two boards that live through the same, but for what only the wearer may know: a real core with its sockets over a virtual controller, in
/// virtual time and with the same seeds, and everybody who looks at it. What each of them sees is written down.
final class TwinBoard {
    /// What happens to one wearer, and not to the other.
    enum Secret: String, CaseIterable {
        /// Somebody was met who warned: there are matches, a warning and news of it, which the wearer reads.
        case met
        /// A test's result is there, and the wearer looks at it.
        case tested
        /// The wearer agrees to warn others, to pair, and changes the mind.
        case agreed
        /// The wearer agrees, and the keys are taken; the rest of the day follows after midnight.
        case warned
        /// The wearer signs in, and has everything handed out that is known.
        case asked
    }

    /// Whoever looks: a socket, and whom it acts for.
    private final class Line {
        let descriptor: Int32
        var input: [UInt8] = []
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
    }

    /// Kept by whatever thread logs.
    final class Lines: LogHandler, Sendable {
        private let kept = Mutex<[String]>([])
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { key, value in "\(key)=\(value)" }.sorted()
            let line = "\(event.level) \(event.message) \(fields.joined(separator: " "))"
            kept.withLock { $0.append(line) }
        }
        func take() -> [String] {
            kept.withLock { kept in
                defer { kept = [] }
                return kept
            }
        }
    }

    let bench: Bench
    let service: ExposureService
    let interfaces: CoreInterfaces
    /// What the supervisor has written down, the same for both.
    private let technicianFiles: TwinFiles
    private let server = VarlinkServer(checksReplies: true)
    private let lines = Lines()
    private var observers: [(name: String, line: Line, watches: [(method: String, line: Line)])] = []
    private var sessions: [Access1.Role: String] = [:]
    /// What was seen, by whom: with the moment and the turns of the core that an answer took.
    private(set) var seen: [String: [String]] = [:]
    private let secret: Secret?

    /// Rules by which a quarter of an hour near somebody is a warning, signed once for both boards.
    struct Rules {
        let trust: TrustStore
        let document: String
        let approvals: String

        init() throws {
            let signer = try P256.SigningKey.generate()
            let name = KeyName(id: "1", version: "v1")
            trust = try TrustStore(keys: [TrustedKey(name: name, role: .config, key: signer.verificationKey)])
            let summaries = try #require(
                DailySummariesConfiguration(
                    attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                    reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
            var parameters = DailySummariesParameters(summaries: summaries)
            parameters.increasedFrom = 600
            let rules = RiskConfiguration(
                version: 1, models: [.dailySummaries(parameters)], mapping: .standard, service: .running)
            let encoder = ExportEncoder(
                startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
            document = Base64.string(rules.document)
            approvals = Base64.string(try encoder.exportSig(for: rules.document, keys: [signer]))
        }
    }

    /// `secret` is what happens to this one's wearer; `nil` for the other one.
    init(_ secret: Secret?, _ rules: Rules) throws {
        self.secret = secret
        let lines = lines
        bench = try Bench(clock: Bench.right, log: Logger(label: "beacon") { _ in lines })
        service = ExposureService(
            bench.beacon, vault: bench.vault, ledger: try Ledger(path: nil, keys: MemoryLedgerKeys()),
            trust: rules.trust, policy: .namedKeys, program: .failure(IntakeFailure(.programMissing)),
            access: AccessControl(data: nil, iterations: 600, generator: SeededGenerator(seed: 5)),
            generator: SeededGenerator(seed: 6), log: Logger(label: "core") { _ in lines })
        let bench = bench
        interfaces = CoreInterfaces(service, callers: [], clock: { bench.now })
        technicianFiles = try TwinFiles(isBusy: secret != nil)
        interfaces.supervisor = technicianFiles.client()
        interfaces.serve(on: server)
        try openSockets()
        try tick()
        try service.enable(by: Self.console, at: bench.now)
        _ = try service.warnings.takeRules(rules.document, approvals: rules.approvals, by: Self.console, at: bench.now)
        for role in Access1.Role.allCases {
            sessions[role] = service.signIn.access.makeSession(role, at: bench.now.duration).session
        }
        try tick()
    }

    private static var console: Caller { Caller(name: "ctl", reading: .windows, spool: nil, presence: Caller.console) }
    private static var diagnosis: Caller {
        Caller(name: "diagnosis", spool: nil, presence: "caller") { $0.hasPrefix("org.vigil.release1.") }
    }

    // MARK: Who looks

    /// Whoever is not the wearer, and by what he is granted: the plugins that there are, and one that was granted all that does not make it read.
    private static func plugins() throws -> [(name: String, grants: Set<String>)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let known = Set(InterfaceTexts.core.keys)
        var found: [(String, Set<String>)] = []
        for name in ["Diagnosis", "Indicator", "Sync", "Wake", "Examples/hello-swift"] {
            let manifest = try JSON(parsing: [UInt8](Data(contentsOf: root.appending(path: "Plugins/\(name)/plugin.json"))))
            var grants: Set<String> = []
            for wish in manifest["wants"]?.array ?? [] {
                guard let interface = wish["interface"]?.string, known.contains(interface) else { continue }
                for method in wish["methods"]?.array ?? [] { grants.insert("\(interface).\(method.string ?? "")") }
            }
            if !grants.isEmpty { found.append((name.lowercased(), grants)) }
        }
        let all = try methods().map(\.name)
        let reading = Set(CoreMethod.allCases.filter { $0.law.results != .nothing || $0.law.isAboutConsents }.map(\.path))
        found.append(("curious", Set(all.filter { !reading.contains($0) && !$0.hasPrefix(Access1.name) })))
        return found
    }

    static func methods() throws -> [(name: String, method: InterfaceDescription.Method, InterfaceDescription)] {
        try CoreSockets.interfaces().flatMap { interface in
            interface.methods.map { ("\(interface.name).\($0.name)", $0, interface) }
        }
    }

    private func openSockets() throws {
        let service = try CoreSockets.service()
        let page = Caller(name: "page", spool: nil, presence: "caller") { _ in true }
        interfaces.add(page)
        server.add(Edge(name: "page", listener: nil, grants: .everything, description: service))
        for (name, grants) in try Self.plugins() {
            interfaces.add(Caller(name: name, spool: nil, presence: "caller", isGranted: grants.contains))
            server.add(Edge(name: name, listener: nil, grants: try Grants(grants), description: service))
        }
    }

    /// Everybody comes, and watches what he is let watch.
    func gather() throws {
        var names: [(String, String, Access1.Role?)] = [
            ("nobody", "page", nil), ("technicianReadOnly", "page", .technicianReadOnly),
            ("technician", "page", .technician),
        ]
        names += try Self.plugins().map { ($0.name, $0.name, nil) }
        for (name, edge, role) in names {
            var watches: [(method: String, line: Line)] = []
            for method in try Self.methods().map(\.name) where method.hasSuffix(".Watch") {
                let line = try connect(edge, role)
                send(line, method, .empty)
                watches.append((method, line))
            }
            observers.append((name, try connect(edge, role), watches))
        }
        try listen()
    }

    private func connect(_ edge: String, _ role: Access1.Role?) throws -> Line {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        try server.adopt(ends[0], on: edge)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let line = Line(ends[1])
        if let role, let session = sessions[role] {
            send(line, "org.vigil.access1.UseSession", ["session": .string(session)])
            _ = try #require(receive(line))
        }
        return line
    }

    // MARK: Asking

    private func send(_ line: Line, _ method: String, _ parameters: JSON) {
        let call: JSON = ["method": .string(method), "parameters": parameters, "more": true]
        let bytes = call.bytes + [0]
        _ = bytes.withUnsafeBytes { Glibc.send(line.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func turn() {
        var descriptors = server.descriptors()
        _ = poll(&descriptors, nfds_t(descriptors.count), 0)
        server.serve(descriptors, at: bench.now.duration)
        service.signIn.advance(at: bench.now, in: service.beacon.workWindow)
    }

    /// The next message, and the turns it took.
    private func receive(_ line: Line, turns: Int = 3_000) -> (JSON, Int)? {
        for count in 0..<turns {
            if let end = line.input.firstIndex(of: 0) {
                defer { line.input.removeFirst(end + 1) }
                return (try? JSON(parsing: Array(line.input[..<end]))).map { ($0, count) }
            }
            turn()
            take(line)
        }
        return nil
    }

    private func take(_ line: Line) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(line.descriptor, &piece, piece.count, 0)
        if count > 0 { line.input += piece[..<count] }
    }

    /// Calls that change something: made at the end, as whatever they do is done on both boards.
    private static let last: Set<String> = [
        "org.vigil.access1.SignIn", "org.vigil.access1.UseSession", "org.vigil.access1.SignOut",
        "org.vigil.access1.ChangeSecret", "org.vigil.access1.MakeToken", "org.vigil.access1.RevokeToken",
        "org.vigil.access1.MakeSecret", "org.vigil.device1.SetTime", "org.vigil.device1.MeasureStrength",
        "org.vigil.device1.SetCorrection", "org.vigil.device1.GiveConsent", "org.vigil.device1.Enable",
        "org.vigil.device1.Disable", "org.vigil.device1.SetRole", "org.vigil.device1.Reset",
        "org.vigil.device1.SetPreferences", "org.vigil.indicator1.SayNews",
        "org.vigil.exposure1.SetDiagnosisKeysDataMapping", "org.vigil.device1.StartRecording",
        "org.vigil.device1.StopRecording", "org.vigil.device1.MeasureNeighbours", "org.vigil.trust1.KeepConfiguration",
    ]
    /// Of these the last ones: they end what the others look at.
    private static let veryLast = ["org.vigil.device1.Disable", "org.vigil.device1.SetRole"]

    /// Everybody asks everything that changes nothing, or only what is named.
    func ask(atEnd: Bool = false, only: String? = nil, _ chosen: JSON? = nil) throws {
        let all = try Self.methods()
        var wanted = all.filter { Self.last.contains($0.name) == atEnd && !$0.name.hasSuffix(".Watch") }
        if let only { wanted = all.filter { $0.name == only } }
        if atEnd {
            wanted = wanted.filter { !Self.veryLast.contains($0.name) } + all.filter { Self.veryLast.contains($0.name) }
        }
        for (name, method, interface) in wanted {
            for observer in observers {
                var parameters = chosen ?? SampleCall.parameters(method, interface)
                // As many as one may, of what both may agree to: how many are open already is the wearer's.
                var count = 1
                if name == "org.vigil.device1.GiveConsent" {
                    parameters = ["purpose": "reset"]
                    count = Ledger.maximumOpenTickets + 1
                }
                // Of the plugin that has news for the wearer.
                if interface.name == Technician1.name, parameters["name"] != nil {
                    let whole: JSON = ["name": "diagnosis", "enabled": false, "settings": "{}"]
                    parameters = whole.only(method.parameters.map(\.name))
                }
                for _ in 0..<count {
                    send(observer.line, name, parameters)
                    var isOver = false
                    while !isOver {
                        let (reply, turns) = try #require(receive(observer.line), "\(name) by \(observer.name)")
                        isOver = reply["continues"]?.bool != true
                        note(observer.name, "\(name) \(turns) \(Self.readable(reply))")
                    }
                }
                if name == "org.vigil.access1.SignOut" || name == "org.vigil.access1.UseSession" {
                    try comeAgain(observer.name)
                }
            }
        }
        try listen()
    }

    private func comeAgain(_ name: String) throws {
        guard let role = Access1.Role(rawValue: name), let index = observers.firstIndex(where: { $0.name == name }) else {
            return
        }
        sessions[role] = service.signIn.access.makeSession(role, at: bench.now.duration).session
        observers[index].line = try connect("page", role)
    }

    /// What came by itself.
    private func listen() throws {
        for _ in 0..<4 { turn() }
        for observer in observers {
            for (method, line) in observer.watches {
                take(line)
                while let end = line.input.firstIndex(of: 0) {
                    let message = try JSON(parsing: Array(line.input[..<end]))
                    line.input.removeFirst(end + 1)
                    note(observer.name, "\(method) \(Self.readable(message))")
                }
            }
        }
        for line in lines.take() { note("log", line) }
    }

    private func note(_ who: String, _ what: String) {
        seen[who, default: []].append("\(bench.now.duration.components.seconds) \(what)")
    }

    /// Without what is drawn by chance or comes from the machine's own clock: of that, only how long it is.
    private static func readable(_ json: JSON) -> String {
        func plain(_ json: JSON) -> JSON {
            switch json {
            case .object(let object):
                var result = JSON.Object()
                for member in object.members where member.name != "systemOffset" {
                    result[member.name] = plain(member.value)
                }
                return .object(result)
            case .array(let list): return .array(list.map(plain))
            case .string(let text) where text.utf8.count >= 32 && text.allSatisfy(\.isHexDigit):
                return .string("\(text.utf8.count) random digits")
            default: return json
            }
        }
        return plain(json).description
    }

    // MARK: What happens

    /// Time passes, and everybody hears what is said.
    func pass(_ span: Duration) throws {
        let end = bench.now.duration + span
        while bench.now.duration < end {
            bench.run(for: min(.seconds(60), end - bench.now.duration))
            try tick()
        }
    }

    private func tick() throws {
        service.advance(to: bench.now)
        interfaces.tellScene(at: bench.now)
        if let due = interfaces.watchersDue, due <= bench.now { interfaces.endWatchers() }
        try listen()
    }

    /// Two days of both: for each part of what is secret the moment at which it happens on one of them.
    func live() throws {
        try pass(.seconds(600))
        try gather()
        try ask()
        var ticket = ""
        // A file came in on both boards, with the same keys: one of them may be of somebody who was met.
        try commit(secret == .met ? [try #require(try ExposureServiceBench.match(1))] : [])
        try happen([.tested: { self.say(news: true) }, .asked: { try self.handOut() }])
        try happen([.agreed: { _ = try self.agree(.releaseKeys) }, .warned: { ticket = try self.agree(.releaseKeys) }])
        // While the wearer's consent is open.
        try ask(only: "org.vigil.device1.GiveConsent")
        try happen([
            .agreed: { _ = try self.agree(.pair) },
            .warned: { _ = try self.service.takeKeys(ticket: ticket, by: Self.diagnosis, at: self.bench.now) },
        ])
        try happen([
            .met: { try self.service.warnings.acknowledge() }, .tested: { self.say(news: false) },
            .agreed: {
                try self.service.ledger.record { try $0.addPaired(name: "x", digests: [], day: 1) }
                try self.service.forgetPaired("x", by: Self.console, at: self.bench.now)
            },
        ])
        try pass(.seconds(4_800))
        try happen([.warned: { _ = try self.service.takeRemainder(ticket: ticket, by: Self.diagnosis, at: self.bench.now) }]
        )
        // The own keys were published: they come back with a file, and so do those of a paired device.
        try commit([], excluded: secret == .warned || secret == .agreed ? 2 : 0)
        try ask(atEnd: true)
        try ask()
        try turnOver()
    }

    /// The audit log is so long that the oldest entries have gone.
    private func turnOver() throws {
        let (service, now) = (service, bench.now)
        try service.ledger.record { transaction in
            for _ in 0..<Ledger.maximumAuditEntries {
                try transaction.audit(service.auditWriter.entry(.timeSet, Self.console, at: now))
            }
        }
        // None of them has so high a number: how many have gone is said all the same.
        try ask(only: "org.vigil.device1.GetAudit", ["after": 1_000_000])
    }

    private func happen(_ actions: [Secret: () throws -> Void]) throws {
        if let secret, let action = actions[secret] { try action() }
        interfaces.tellScene(at: bench.now)
        try listen()
        try pass(.seconds(60))
        try ask()
        try pass(.seconds(600))
    }

    private func commit(_ matches: [Match], excluded: UInt64 = 0) throws {
        let file = IntakeFile(
            name: "a.zip", outcome: .matched, export: nil, signatureListDigest: [UInt8](repeating: 1, count: 32),
            matches: matches)
        let sync = Caller(name: "sync", reading: .nothing, spool: nil, presence: "caller")
        var statistics = MatchStatistics()
        statistics.excluded = excluded
        let result = try service.commit(
            IntakeResult(files: [file], statistics: statistics, flaws: [:]), .none, by: sync, at: bench.now)
        note("sync", "org.vigil.exposure1.ProvideDiagnosisKeys \(try JSON(encoding: result))")
    }

    private func say(news: Bool) { service.say(news: news, of: "diagnosis") }

    private func agree(_ purpose: Device1.Purpose) throws -> String {
        try service.giveConsent(purpose, by: wearer(), at: bench.now).ticket
    }

    private func wearer() throws -> Caller {
        let session = try #require(sessions[.wearer])
        let page = Caller(name: "page", spool: nil, presence: "caller") { _ in true }
        _ = try service.signIn.useSession(session, isAttended: true, by: page, on: 9_999, at: bench.now)
        return try service.signIn.acting(page, .device1(.giveConsent), on: 9_999, at: bench.now)
    }

    private func handOut() throws {
        _ = service.signIn.access.makeSession(.wearer, at: bench.now.duration)
        service.auditWriter.note(.signedIn, try wearer(), at: bench.now, ["role": "wearer"])
        _ = try service.myData(by: try wearer(), at: bench.now)
        _ = try service.warnings.risk(at: bench.now)
    }
}
