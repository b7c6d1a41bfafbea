// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DeviceEvidence
import Donation
import JSON
import PrivacyPass

/// One board: its wearer's life, its core's desk, and the plugin that carries, whose runs are played step by step. Times are in Unix seconds.
final class DonorBoard {
    /// What the plugin is about to do.
    private enum Doing {
        /// It asks the core for a step; between runs it is not there.
        case asking
        /// It asks the issuer; with evidence for this nonce if there is one.
        case request(day: Int64, body: [UInt8], nonce: [UInt8]?, challenges: Int)
        case donation(day: Int64, body: [UInt8], authorization: String, MonthlyPurpose?)
    }

    let life: DonorLife
    private let number: Int
    private let settings: DonationTrialSettings
    private let key: P256.SigningKey
    let ueid: [UInt8]
    private var desk: any TrialDesk
    private var random: SeededNumbers
    private var doing = Doing.asking
    private var isRunning = false
    private var steps = 0
    private var nextNonce: [UInt8]?
    private var issuerConnection: TrialDump.Connection?
    /// With the flaw `session`.
    private var session: String?
    private var hasAgreed = false, hasAgreedToSurvey = false
    private var storedDays: Set<Int64> = []
    private var storedDigests: Set<[UInt8]> = []

    /// The plugin's steps of a run, how long it stays when nobody needs it, and the core's longest wait in seconds.
    private static let mostSteps = 32, grace = 5.0, mostSeconds: Int64 = 86_400

    init(_ number: Int, _ settings: DonationTrialSettings, start: Double) throws {
        self.number = number
        self.settings = settings
        var random = SeededNumbers(settings.seed, part: UInt64(number))
        life = DonorLife(settings, start: start, using: &random)
        ueid = [1] + random.bytes(DeviceEvidence.ueidByteCount - 1)
        self.random = random
        key = try P256.SigningKey.generate()
        desk = settings.flaw == .atOnce ? HastyDesk() : BookDesk()
    }

    var verificationKey: P256.VerificationKey { key.verificationKey }
    /// The name of its key, as the issuer has it.
    var device: String { Hex.string(DeviceEvidence.keyID(of: key.verificationKey)) }

    /// Does the next thing; returns when there is another, `nil` if never.
    func act(at time: Double, _ world: TrialWorld) throws -> Double? {
        if let end = life.isOffUntil(time) {
            try endRun(at: time, world)
            desk.wake(at: Int64((end + 30 + life.clockOffset).rounded(.down)), using: &random)
            // The system starts, and the supervisor gives a plugin with a schedule its first turn.
            return end + .random(in: 22...34, using: &random) + 2 + life.startSeconds
        }
        if !isRunning {
            (isRunning, steps) = (true, 0)
            doing = .asking
        }
        let terms = world.terms(at: time, number)
        let now = Int64((time + life.clockOffset).rounded(.down))
        if !hasAgreed, let consent = life.consent, time >= consent {
            hasAgreed = true
            desk.agree(terms, at: now, using: &random)
        }
        if !hasAgreedToSurvey, let survey = life.survey, time >= survey {
            hasAgreedToSurvey = true
            desk.agreeToSurvey(terms, at: now)
        }
        switch doing {
        case .asking: return try askForStep(time, now, terms, world)
        case .request(let day, let body, let nonce, let challenges):
            return try ask(day, body, nonce, challenges, time, now, terms, world)
        case .donation(let day, let body, let authorization, let purpose):
            return try donate(day, body, authorization, purpose, time, now, world)
        }
    }

    // MARK: Runs

    private func askForStep(_ time: Double, _ now: Int64, _ terms: DonationTerms, _ world: TrialWorld) throws -> Double {
        let work: TrialWork
        if steps < Self.mostSteps {
            work = try desk.work(terms, life.facts(at: time), at: now, using: &random)
        } else {
            work = .wait(until: now + 60)
        }
        steps += 1
        switch work {
        case .wait(let until):
            try endRun(at: time, world)
            let seconds = min(max(1, (until ?? .max) - now), Self.mostSeconds)
            return restart(after: time, Double(seconds))
        case .request(let day, let body):
            doing = .request(day: day, body: body, nonce: nextNonce, challenges: 0)
            nextNonce = nil
        case .donate(let day, let body, let authorization, let purpose):
            nextNonce = nil
            try leave(at: time, world)
            doing = .donation(day: day, body: body, authorization: authorization, purpose)
        }
        return time + .random(in: 0.02...0.2, using: &random)
    }

    /// The supervisor counts the pause from the plugin's end, which comes after its grace; starting takes a while.
    private func restart(after time: Double, _ seconds: Double) -> Double {
        time + Self.grace + seconds + max(0.1, life.startSeconds + .random(in: -0.06...0.06, using: &random))
    }

    private func endRun(at time: Double, _ world: TrialWorld) throws {
        isRunning = false
        nextNonce = nil
        try leave(at: time, world)
    }

    /// Ends the connection to the issuer, if there is one.
    private func leave(at time: Double, _ world: TrialWorld) throws {
        guard var connection = issuerConnection else { return }
        issuerConnection = nil
        connection.end = time
        try world.dump.networkSees(connection)
    }

    private func connection(_ host: String, _ time: Double, _ world: TrialWorld) -> TrialDump.Connection {
        defer {
            if settings.flaw == .session, session == nil { session = Hex.string(random.bytes(32)) }
        }
        return TrialDump.Connection(
            host: host, address: settings.address(number), number: world.count(host), start: time, end: time,
            session: session)
    }

    // MARK: The issuer

    private func ask(
        _ day: Int64, _ body: [UInt8], _ nonce: [UInt8]?, _ challenges: Int, _ time: Double, _ now: Int64,
        _ terms: DonationTerms, _ world: TrialWorld
    ) throws -> Double {
        var authorization: String?
        if let nonce {
            authorization = try evidence(day, nonce, time, now, terms)
            if authorization == nil {
                doing = .asking
                return time + 0.05
            }
        }
        var connection = issuerConnection ?? connection(TrialServers.issuerHost, time, world)
        let request = BoardWire.tokenRequest(
            host: TrialServers.issuerHost, body: body, authorization: authorization)
        let answer = world.servers.ask(request, group: number % world.servers.groupCount, at: time)
        connection.up.append(BoardWire.lineBytes(request.byteCount))
        connection.down.append(BoardWire.lineBytes(answer.byteCount))
        try world.dump.issuerSees(request, answer, connection, at: time)
        issuerConnection = connection
        let after = time + .random(in: 0.06...0.4, using: &random)
        doing = .asking
        guard !random.chance(settings.loss) else {
            try leave(at: after, world)
            try take(.failure(TrialRefusal(why: .unreachable)), day, terms, after)
            return after
        }
        nextNonce = answer[EvidenceScheme.nextNonceHeader].flatMap { EvidenceScheme.nonce(inNextNonce: $0) }
        switch answer.status {
        case 200 where answer.body.count == TokenRequest.responseByteCount:
            try take(.success(answer.body), day, terms, after)
        case 401:
            let nonce = answer["WWW-Authenticate"].flatMap { EvidenceScheme.nonce(inWWWAuthenticate: $0) }
            if challenges == 0, let nonce {
                doing = .request(day: day, body: body, nonce: nonce, challenges: 1)
                return after
            }
            try take(.failure(TrialRefusal(why: challenges > 0 ? .deviceRefused : .unreachable)), day, terms, after)
        default: try take(.failure(TrialRefusal(why: Self.refusal(answer))), day, terms, after)
        }
        return after
    }

    private func take(
        _ answer: Result<[UInt8], TrialRefusal>, _ day: Int64, _ terms: DonationTerms, _ time: Double
    ) throws {
        try desk.take(
            answer, day: day, terms, at: Int64((time + life.clockOffset).rounded(.down)), using: &random)
    }

    /// As the plugin reads it.
    private static func refusal(_ answer: BoardWire.Answer) -> DonationBook.IssuerRefusal {
        switch (answer.status, (try? JSON(parsing: answer.body))?["errorCode"]?.string) {
        case (403, "DEVICE_BLOCKED"), (403, "EVIDENCE_POLICY"): .deviceRefused
        case (403, "FLEET_TOO_SMALL"): .notYet
        case (422, _), (429, _): .notThisDay
        default: .unreachable
        }
    }

    private func evidence(
        _ day: Int64, _ nonce: [UInt8], _ time: Double, _ now: Int64, _ terms: DonationTerms
    ) throws -> String? {
        guard let handedOut = try desk.handedOut(day, terms) else { return nil }
        var (key, name, body) = (key, ueid, DonationCover.provenRequest)
        switch handedOut {
        case .request(let request): body = request.encoded
        case .cover: (key, name) = (try P256.SigningKey.generate(), [1] + random.bytes(DeviceEvidence.ueidByteCount - 1))
        }
        let version = life.version(at: time)
        let evidence = DeviceEvidence(
            issuedAt: now,
            nonce: DeviceEvidence.nonce(issuerNonce: nonce, requestDigest: SHA256.digest(of: body)), ueid: name,
            hardwareModel: Array(life.hardware.utf8), softwareVersion: "\(version.major).\(version.minor).0",
            bootWasVerified: false, debugStatus: .disabled, tier: .software)
        return EvidenceScheme.authorization(try evidence.token(signedBy: key))
    }

    // MARK: The donation server

    private func donate(
        _ day: Int64, _ body: [UInt8], _ authorization: String, _ purpose: MonthlyPurpose?, _ time: Double, _ now: Int64,
        _ world: TrialWorld
    ) throws -> Double {
        var connection = connection(TrialServers.serverHost, time, world)
        let request = BoardWire.donation(
            host: TrialServers.serverHost, body: body, authorization: authorization, purpose: purpose)
        let answer = world.servers.donate(request, at: time)
        connection.up = [BoardWire.lineBytes(request.byteCount)]
        connection.down = [BoardWire.lineBytes(answer.byteCount)]
        // The server answers after a tenth of a second.
        connection.end = time + 0.1 + .random(in: 0.06...0.4, using: &random)
        let isCover = DonationCover.isAuthorization(authorization)
        var isStored = !isCover && answer.status == 200
        // The same again is stored once.
        if isStored {
            isStored = purpose == nil ? storedDays.insert(day).inserted : storedDigests.insert(body).inserted
        }
        try world.dump.serverSees(
            request, answer, connection, at: time, device: isStored ? device : nil, purpose: purpose)
        try world.dump.networkSees(connection)
        let outcome: DonationBook.Outcome? =
            switch answer.status {
            case _ where random.chance(settings.loss): nil
            case 200: .taken
            case 400, 401, 403: .refused
            default: nil
            }
        desk.note(outcome, day: day, at: now, using: &random)
        doing = .asking
        return connection.end
    }
}
