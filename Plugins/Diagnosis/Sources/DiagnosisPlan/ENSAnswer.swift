// SPDX-License-Identifier: Apache-2.0

import JSON

/// An answer of Google's verification or key server, and the action that follows (specification ens 2 and 6). By the code
/// in the body first, then by the status: 412 and a 400 `internal_error` mean something else than their status.
public struct ENSAnswer: Sendable, Hashable {
    /// The calls of both servers. Raw values are their paths.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        /// The verification server exchanges a code for a token.
        case verify = "/api/verify"
        /// The verification server signs the keys of a token.
        case certificate = "/api/certificate"
        /// The verification server sends a code to somebody who reports their own test.
        case userReport = "/api/user-report"
        /// The key server takes keys and their certificate.
        case publish = "/v1/publish"
    }

    /// The next steps that an answer can ask for. Raw values are those of the test vectors.
    public enum Action: String, Sendable, Hashable {
        /// The common cases, in this order: go on; the keys are published; a fake was answered, do nothing; the settings of
        /// this device are wrong, tell the operator; send the same request later.
        case proceed, published, ignore, configuration, retry
        /// The server answered with 200 and took no key: it gave no revision token, and counts no key that it stored.
        case nothingPublished = "nothing_published"
        /// The code is unknown, used, or mistyped: ask the person to look at it again.
        case checkCode = "check_code"
        /// The code or token is over or used up: ask for another code.
        case newCode = "new_code"
        /// The server, or the type of the code, asks for more than this software knows: install a newer one.
        case updateSoftware = "update_software"
        /// The request breaks a rule: it is never sent again as it was.
        case fixRequest = "fix_request"
        /// Send the same request after the moment that the server names.
        case retryAt = "retry_at"
        /// The server has keys of this device already, and the token for changing them was not sent: there is nothing more
        /// to send.
        case keysAlreadyThere = "keys_already_there"
        /// The server refuses to change keys that it has: send the others alone.
        case newKeysOnly = "new_keys_only"
        /// A code comes in a message to the telephone: wait for it.
        case waitForSMS = "wait_for_sms"
        /// No message comes, because this number was used a short time ago (ens 2).
        case noSMS = "no_sms"
        /// The telephone number is wrong: ask the person for it again.
        case askPhone = "ask_phone"
        /// The date is wrong: ask the person for it again.
        case askDate = "ask_date"

        /// Whether the same request may be sent again by itself: only after ``retry`` and ``retryAt``.
        public var mayRepeat: Bool { self == .retry || self == .retryAt }
    }

    /// The next step for whoever asked; what belongs to it is in the other properties.
    public let action: Action
    /// The server's word for an error, at most ``maximumTokenBytes`` bytes of foreign text. Empty for none, for a longer one, for a fake, and
    /// where a
    /// verification server answers 200 with a word that is not known.
    public let code: String
    /// The token that a code was exchanged for, as it was sent; `nil` unless ``Endpoint/verify`` was answered with ``Action/proceed``. A secret.
    public var token: String?
    /// The kind of test that the code stands for; `nil` unless ``Endpoint/verify`` was answered with ``Action/proceed``.
    public var type: ENSTestType?
    /// The day on which symptoms began, as the server has it: `YYYY-MM-DD`, not checked. `nil` if it has none, and without a ``token``.
    public var symptomDate: String?
    /// The day of the test, as the server has it: `YYYY-MM-DD`, not checked. `nil` if it has none, and without a ``token``.
    public var testDate: String?
    /// The certificate over the keys, a JWT as it was sent; `nil` unless ``Endpoint/certificate`` was answered with ``Action/proceed``. A secret
    /// until it was used.
    public var certificate: String?
    /// The text that the next upload of this device must carry; `nil` unless ``Endpoint/publish`` was answered with ``Action/published``, and if
    /// the
    /// server gave none. A secret.
    public var revisionToken: String?

    /// The longest answer that is read, in bytes: 64 KiB, a choice of ours. The longest that servers give has 2,732
    /// characters of padding and a token.
    public static let maximumBytes = 65_536
    /// The longest text that is taken from an answer, in bytes: more than tokens and certificates have (ens 4, 6.2). A longer one counts as absent.
    public static let maximumTokenBytes = 8_192

    private init(_ action: Action, code: String = "") {
        self.action = action
        self.code = code
    }

    /// Reads an answer. Cannot fail: a 200 that cannot be read, and a status that is not known, give ``Action/retry``.
    /// - Parameters:
    ///   - status: The HTTP status; 0 if nothing came.
    ///   - body: The bytes of the body, JSON; of more than ``maximumBytes`` nothing is read.
    ///   - retryAfter: Whether the server named a moment; counts with status 429 only.
    ///   - isChaff: Whether it answers a fake: nothing of it is read then, and the action is ``Action/ignore``.
    public static func read(
        _ endpoint: Endpoint, status: Int, body: [UInt8], retryAfter: Bool = false, isChaff: Bool = false
    ) -> ENSAnswer {
        if isChaff { return ENSAnswer(.ignore) }
        let json = body.count <= maximumBytes ? try? JSON(parsing: body, maximumDepth: 8) : nil
        func text(_ name: String) -> String? {
            guard let text = json?[name]?.string, !text.isEmpty, text.utf8.count <= maximumTokenBytes else { return nil }
            return text
        }
        let code = endpoint == .publish ? text("code") : text("errorCode") ?? text("error_code")
        if let code, let action = action(endpoint, code, status) { return ENSAnswer(action, code: code) }
        switch status {
        case 200: break
        case 401, 403, 404, 405: return ENSAnswer(.configuration, code: code ?? "")
        case 412: return ENSAnswer(.updateSoftware, code: code ?? "")
        case 429: return ENSAnswer(retryAfter ? .retryAt : .retry, code: code ?? "")
        case 400...499: return ENSAnswer(.fixRequest, code: code ?? "")
        case 300...399: return ENSAnswer(.configuration, code: code ?? "")
        default: return ENSAnswer(.retry, code: code ?? "")
        }
        // Not usable, whatever it says.
        guard json?.object != nil else { return ENSAnswer(.retry) }
        switch endpoint {
        case .verify:
            guard let token = text("token"), let word = text("testtype") else { return ENSAnswer(.retry) }
            guard let type = ENSTestType(word) else { return ENSAnswer(.updateSoftware) }
            var answer = ENSAnswer(.proceed)
            answer.token = token
            answer.type = type
            answer.symptomDate = text("symptomDate")
            answer.testDate = text("testDate")
            return answer
        case .certificate:
            guard let certificate = text("certificate") else { return ENSAnswer(.retry) }
            var answer = ENSAnswer(.proceed)
            answer.certificate = certificate
            return answer
        case .userReport:
            guard let moment = json?["expiresAtTimestamp"]?.int else { return ENSAnswer(.retry) }
            return ENSAnswer(moment > 0 ? .waitForSMS : .noSMS)
        case .publish:
            let revision = text("revisionToken")
            let count = json?["insertedExposures"]?.int ?? 0
            var answer = ENSAnswer(revision == nil && count <= 0 ? .nothingPublished : .published, code: code ?? "")
            answer.revisionToken = revision
            return answer
        }
    }

    /// What a code means; `nil` leaves it to the status.
    private static func action(_ endpoint: Endpoint, _ code: String, _ status: Int) -> Action? {
        if endpoint == .publish { return publishAction(code) }
        switch code {
        case "unparsable_request", "invalid_test_type", "missing_phone", "missing_nonce", "hmac_invalid":
            return .fixRequest
        case "code_invalid", "code_not_found", "code_user_unauthorized": return .checkCode
        case "code_expired", "token_invalid", "token_expired": return .newCode
        case "unsupported_test_type": return status == 412 ? .updateSoftware : .configuration
        case "missing_date", "invalid_date": return .askDate
        case "phone_number_invalid": return .askPhone
        case "sms_failure", "sms_queue_full", "maintenance_mode", "quota_exceeded": return .retry
        // The code or token was taken before signing failed.
        case "internal_server_error" where status == 400: return .newCode
        default: return nil
        }
    }

    private static func publishAction(_ code: String) -> Action? {
        switch code {
        case "bad_request": .fixRequest
        case "internal_error", "unable_to_load_health_authority": .retry
        case "missing_revision_token": .keysAlreadyThere
        case "invalid_revision_token", "key_already_revised", "invalid_report_type_transition": .newKeysOnly
        case "unknown_health_authority_id", "health_authority_missing_region_config": .configuration
        case "health_authority_verification_certificate_invalid": .newCode
        default: nil
        }
    }

    /// The values of the answer, and of its request to `endpoint`, that must not be lost, by the names of the vectors; empty if none.
    public func keeps(_ endpoint: Endpoint) -> [String] {
        switch (endpoint, action) {
        case (.verify, .proceed):
            ["token", "testtype"] + (symptomDate == nil ? [] : ["symptomDate"]) + (testDate == nil ? [] : ["testDate"])
        case (.certificate, .proceed): ["certificate", "hmacKey", "keys"]
        // Neither spent the token.
        case (.certificate, .fixRequest): ["token"]
        case (.certificate, .retry), (.certificate, .retryAt): ["token", "hmacKey", "keys"]
        case (.userReport, .waitForSMS): ["nonce"]
        case (.publish, .published): ["revisionToken"]
        case (.publish, .retry), (.publish, .retryAt): ["certificate", "hmacKey", "keys"]
        default: []
        }
    }
}
