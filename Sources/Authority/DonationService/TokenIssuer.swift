// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import PrivacyPass

/// An issuer of donation tokens: takes requests with evidence, and signs them blind (specification donation 6.4). Keeps no state but its
/// store, its keys and the nonces of this process. Used by one thread.
package final class TokenIssuer {
    /// The reason why a request was refused. The raw values are sent.
    package enum Refusal: String, Sendable, CaseIterable {
        case evidenceRequired = "EVIDENCE_REQUIRED"
        case evidenceInvalid = "EVIDENCE_INVALID"
        case nonceMismatch = "NONCE_MISMATCH"
        case evidenceExpired = "EVIDENCE_EXPIRED"
        case evidencePolicy = "EVIDENCE_POLICY"
        case deviceBlocked = "DEVICE_BLOCKED"
        case fleetTooSmall = "FLEET_TOO_SMALL"
        case malformedRequest = "REQUEST_MALFORMED"
        case unknownKey = "KEY_UNKNOWN"
        case deviceQuotaExceeded = "DEVICE_QUOTA_EXCEEDED"
        case storeFailed = "TRY_LATER"

        /// The status of HTTP.
        package var status: UInt32 {
            switch self {
            case .evidenceRequired, .evidenceInvalid, .nonceMismatch, .evidenceExpired: 401
            case .evidencePolicy, .deviceBlocked, .fleetTooSmall: 403
            case .malformedRequest, .unknownKey: 422
            case .deviceQuotaExceeded: 429
            case .storeFailed: 503
            }
        }

        /// What is counted; `nil` for a store that cannot count either.
        var event: IssuerEvent? {
            switch self {
            case .evidenceRequired: .evidenceRequired
            case .evidenceInvalid: .evidenceInvalid
            case .nonceMismatch: .nonceMismatch
            case .evidenceExpired: .evidenceExpired
            case .evidencePolicy: .evidencePolicy
            case .deviceBlocked: .deviceBlocked
            case .fleetTooSmall: .fleetTooSmall
            case .malformedRequest: .malformedRequest
            case .unknownKey: .unknownKey
            case .deviceQuotaExceeded: .cloneAlarm
            case .storeFailed: nil
            }
        }
    }

    /// The answer to a request.
    package struct Answer: Sendable {
        /// The blind signature, 256 bytes, or why there is none.
        package let result: Result<[UInt8], RefusalError>
        /// The nonce for the next request.
        package let nonce: [UInt8]
    }

    /// A refusal as an error.
    package struct RefusalError: Error, Hashable {
        /// The reason.
        package let reason: Refusal
    }

    /// The settings.
    package let settings: IssuerSettings
    /// The keys.
    package let keys: IssuerKeys
    private let store: any IssuerStoring
    private let rule = IssuanceRule()
    private var nonces: IssuanceNonces
    private var random: any RandomNumberGenerator
    private var counter = EventCounter<IssuerEvent>()
    private var keptDay: UTCDay?

    /// Creates an issuer.
    package init(
        settings: IssuerSettings, keys: IssuerKeys, store: any IssuerStoring,
        using generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.settings = settings
        self.keys = keys
        self.store = store
        nonces = IssuanceNonces(using: generator)
        random = generator
    }

    deinit { try? flush() }

    /// Makes and destroys keys as the day wants it; called by ``answer(body:authorization:now:)`` too, on the first request of a day. Throws
    /// what the stores throw.
    package func keep(now: Int64) throws(DonationServiceError) {
        let today = UTCDay(containing: now)
        guard keptDay != today else { return }
        try keys.keep(today: today, count: settings.daysAhead, purposes: settings.purposes)
        try store.clean(today: today)
        keptDay = today
    }

    /// Writes down what was counted. Throws what the store throws; the counts stay then.
    package func flush() throws(DonationServiceError) {
        try counter.flush { (events, day) throws(DonationServiceError) in try store.count(events, on: day) }
    }

    /// The answer to a request. `authorization` is the header field; `now` is in Unix seconds. A store that fails gives `storeFailed`, and
    /// nothing is signed.
    package func answer(body: [UInt8], authorization: String?, now: Int64) throws(DonationServiceError) -> Answer {
        var keyID: [UInt8]?
        let result: Result<[UInt8], RefusalError>
        do throws(DonationServiceError) {
            try keep(now: now)
            result = try decide(body, authorization, now, keyID: &keyID)
        } catch { result = .failure(RefusalError(reason: .storeFailed)) }
        if case .failure(let refusal) = result, let event = refusal.reason.event { count(event, now) }
        // The device may repeat the same request: what it has used for that would be refused.
        let repeated = keyID.map { (keyID: $0, requestDigest: SHA256.digest(of: body)) }
        return Answer(result: result, nonce: try nonces.next(now: now, repeated: repeated))
    }

    private func decide(
        _ body: [UInt8], _ authorization: String?, _ now: Int64, keyID: inout [UInt8]?
    ) throws(DonationServiceError) -> Result<[UInt8], RefusalError> {
        func refused(_ reason: Refusal) -> Result<[UInt8], RefusalError> { .failure(RefusalError(reason: reason)) }
        let cover = DonationCover.truncatedKeyID(ofRequest: body)
        let request = try? TokenRequest(decoding: body)
        guard cover != nil || request != nil else { return refused(.malformedRequest) }
        guard let authorization, !authorization.isEmpty else { return refused(.evidenceRequired) }
        guard let token = EvidenceScheme.evidence(inAuthorization: authorization) else { return refused(.evidenceInvalid) }
        let proven = cover == nil ? body : DonationCover.provenRequest
        let check = EvidenceCheck(
            issuerNonces: try nonces.good(now: now), requestDigest: SHA256.digest(of: proven), now: now,
            tiers: IssuerSettings.tiers)
        guard let request else { return try self.cover(cover ?? 0, token, check, now) }
        var found: FleetDevice?
        var failure: DonationServiceError?
        let evidence: DeviceEvidence
        do throws(EvidenceError) {
            evidence = try check.evidence(in: token) { keyID in
                do throws(DonationServiceError) { found = try store.device(keyID: keyID) } catch { failure = error }
                return found.flatMap { try? P256.VerificationKey(pemOrDER: $0.subjectPublicKeyInfo) }
            }
        } catch {
            if let failure { throw failure }
            return refused(Self.refusal(error.code))
        }
        guard let device = found else { return refused(.evidenceInvalid) }
        // Two evidences of one device for one nonce and one request are the same, even if their signatures differ.
        keyID = device.keyID
        guard nonces.use(device.keyID + evidence.nonce, now: now) else { return refused(.nonceMismatch) }
        guard !device.isRevoked else { return refused(.deviceBlocked) }
        let today = UTCDay(containing: now)
        try store.saw(keyID: device.keyID, on: today)
        return try sign(request, for: device, today, now)
    }

    /// The answer to cover: by as many bytes as to a request, and refused where that of a device in order would be: after a start of this process, which ends all
    /// nonces, by a clock that is wrong, and while nothing can be written.
    private func cover(
        _ truncatedKeyID: UInt8, _ token: [UInt8], _ check: EvidenceCheck, _ now: Int64
    ) throws(DonationServiceError) -> Result<[UInt8], RefusalError> {
        let today = UTCDay(containing: now)
        do throws(EvidenceError) { try check.checkFreshness(of: token) } catch {
            return .failure(RefusalError(reason: Self.refusal(error.code)))
        }
        try store.tryWriting(day: today)
        guard keys.key(truncatedID: truncatedKeyID, today: today) != nil else {
            return .failure(RefusalError(reason: .unknownKey))
        }
        guard try isFleetLarge(today) else { return .failure(RefusalError(reason: .fleetTooSmall)) }
        count(.cover, now)
        return .success(DonationCover.answer(using: &random))
    }

    private func isFleetLarge(_ today: UTCDay) throws(DonationServiceError) -> Bool {
        let first = UTCDay(number: today.number - IssuerSettings.fleetDays + 1)
        let isLarge = try store.fleet(since: first, isAtLeast: settings.minimumFleet)
        guard let since = try store.noteFleet(isLarge: isLarge, today: today) else { return false }
        // Those that were refused before come again within 27 hours: then tokens of a day are of many from the first on.
        return today.number >= since.number + IssuerSettings.waitingDays
    }

    private func sign(
        _ request: TokenRequest, for device: FleetDevice, _ today: UTCDay, _ now: Int64
    ) throws(DonationServiceError) -> Result<[UInt8], RefusalError> {
        func refused(_ reason: Refusal) -> Result<[UInt8], RefusalError> { .failure(RefusalError(reason: reason)) }
        guard let entry = keys.key(truncatedID: request.truncatedKeyID, today: today) else { return refused(.unknownKey) }
        guard entry.key.canSign(request.blindedMessage) else { return refused(.malformedRequest) }
        guard try isFleetLarge(today) else { return refused(.fleetTooSmall) }
        let answer = try store.enter(
            digest: SHA256.digest(of: request.blindedMessage), keyID: device.keyID, key: entry.key.publicKey.id,
            day: entry.lastDay, rule: rule)
        switch answer {
        case .issue, .issueAgain:
            let signature = try entry.key.sign(request.blindedMessage)
            count(answer == .issue ? .signed : .signedAgain, now)
            return .success(signature)
        case .refuseRevoked: return refused(.deviceBlocked)
        case .refuseQuota: return refused(.deviceQuotaExceeded)
        }
    }

    private static func refusal(_ code: EvidenceError.Code) -> Refusal {
        switch code {
        case .malformed, .unsupportedAlgorithm, .unknownDevice, .badSignature: .evidenceInvalid
        case .nonceMismatch: .nonceMismatch
        case .stale: .evidenceExpired
        case .policy: .evidencePolicy
        }
    }

    private func count(_ event: IssuerEvent, _ now: Int64) {
        counter.count(event, at: now, isUrgent: event == .cloneAlarm) { (events, day) throws(DonationServiceError) in
            try store.count(events, on: day)
        }
    }
}
