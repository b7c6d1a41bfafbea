// SPDX-License-Identifier: Apache-2.0

import JSON

/// What Google's verification and key servers answer, and what is to be done about it (specification ens 2 and 6). By the code in the body
/// first, then by the status: 412 and a 400 `internal_error` mean something else than their status.
public struct ENSAnswer: Sendable, Hashable {
    /// The calls of both servers. Raw values are their paths.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        case verify = "/api/verify"
        case certificate = "/api/certificate"
        case userReport = "/api/user-report"
        case publish = "/v1/publish"
    }

    /// What is to be done about an answer. Raw values are those of the test vectors.
    public enum Action: String, Sendable, Hashable {
        case proceed, published, ignore, configuration, retry
        /// 200, and every key was dropped because of its distance from the onset.
        case nothingPublished = "nothing_published"
        /// Unknown, used, or mistyped.
        case checkCode = "check_code"
        case newCode = "new_code"
        case updateSoftware = "update_software"
        /// Never again as it was.
        case fixRequest = "fix_request"
        /// After a moment that the server names.
        case retryAt = "retry_at"
        case keysAlreadyThere = "keys_already_there"
        case newKeysOnly = "new_keys_only"
        case waitForSMS = "wait_for_sms"
        case noSMS = "no_sms"
        case askPhone = "ask_phone"
        case askDate = "ask_date"

        /// Whether the same request may be sent again by itself.
        public var mayRepeat: Bool { self == .retry || self == .retryAt }
    }

    /// What is to be done about the answer.
    public let action: Action
    /// The server's word for an error, at most ``maximumTokenBytes``; empty for none. It is foreign text.
    public let code: String
    /// The token that a code was exchanged for; only of ``Endpoint/verify``. A secret.
    public var token: String?
    /// What the code stands for; only of ``Endpoint/verify``.
    public var type: ENSTestType?
    /// The day on which symptoms began, as the server has it, `YYYY-MM-DD`; `nil` if it has none.
    public var symptomDate: String?
    /// The day of the test, as the server has it, `YYYY-MM-DD`; `nil` if it has none.
    public var testDate: String?
    /// The certificate over the keys; only of ``Endpoint/certificate``. A secret until it was used.
    public var certificate: String?
    /// What the next upload of this device must carry; only of ``Endpoint/publish``. A secret.
    public var revisionToken: String?

    /// The longest answer that is read, in bytes; the longest there is has 2,732 characters of padding and a token.
    public static let maximumBytes = 65_536
    /// The longest text that is taken from an answer, in bytes: more than tokens and certificates have (ens 4, 6.2).
    public static let maximumTokenBytes = 8_192

    private init(_ action: Action, code: String = "") {
        self.action = action
        self.code = code
    }

    /// Reads an answer; one that cannot be read is to be asked for again.
    /// - Parameters:
    ///   - status: The HTTP status; 0 if nothing came.
    ///   - retryAfter: Whether the server named a moment.
    ///   - isChaff: Whether it answers a fake: nothing of it is read then.
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

    /// What of a request that was so answered must not be lost, by the names of the vectors.
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
