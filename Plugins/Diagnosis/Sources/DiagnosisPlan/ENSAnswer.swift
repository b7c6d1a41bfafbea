// SPDX-License-Identifier: Apache-2.0

import JSON

/// An answer of Google's verification or key server, and the action that follows from it (specification ens 2 and 6). The
/// code in the body decides first, then the status: 412, and 400 with `internal_error`, mean something other than the
/// status says.
public struct ENSAnswer: Sendable, Hashable {
    /// The calls of both servers. Raw values are the calls' paths.
    public enum Endpoint: String, Sendable, Hashable, CaseIterable {
        /// Exchanges a code for a token, at the verification server.
        case verify = "/api/verify"
        /// Has the keys of a token signed by the verification server.
        case certificate = "/api/certificate"
        /// Has the verification server send a code to a person who reports their own test.
        case userReport = "/api/user-report"
        /// Sends keys and their certificate to the key server.
        case publish = "/v1/publish"
    }

    /// The next steps that can follow from an answer. Raw values are those of the test vectors.
    public enum Action: String, Sendable, Hashable {
        /// The common cases, in this order: go on; the keys are published; the request was a fake, do nothing; the settings
        /// of this device are wrong, tell the operator; send the same request later.
        case proceed, published, ignore, configuration, retry
        /// The server answered 200 and took no key: it gave no revision token, and the number of keys that it stored is 0
        /// or missing.
        case nothingPublished = "nothing_published"
        /// The code is unknown, used, or mistyped: ask the person to look at it again.
        case checkCode = "check_code"
        /// The code or token has expired or was used: ask for another code.
        case newCode = "new_code"
        /// The server, or the type of the code, needs something that this software does not know: install a newer version.
        case updateSoftware = "update_software"
        /// The request breaks a rule: never send it again unchanged.
        case fixRequest = "fix_request"
        /// Send the same request again after the time that the server names.
        case retryAt = "retry_at"
        /// The server has keys of this device already, and the request did not carry the token for changing them: there is
        /// nothing more to send.
        case keysAlreadyThere = "keys_already_there"
        /// The server refuses to change keys that it has already: send only the other keys.
        case newKeysOnly = "new_keys_only"
        /// The server sends a code to the telephone in a text message: wait for it.
        case waitForSMS = "wait_for_sms"
        /// The server sends no text message, because this number was used a short time ago (ens 2).
        case noSMS = "no_sms"
        /// The telephone number is wrong: ask the person for it again.
        case askPhone = "ask_phone"
        /// The date is wrong: ask the person for it again.
        case askDate = "ask_date"

        /// Whether the same request may be sent again automatically: `true` only for ``retry`` and ``retryAt``.
        public var mayRepeat: Bool { self == .retry || self == .retryAt }
    }

    /// The next step that follows from the answer; the other properties hold the values for it.
    public let action: Action
    /// The server's word for an error, 1 to ``maximumTokenBytes`` bytes of foreign text. Empty if there is none or it is
    /// longer, for a fake, and if a verification server answers 200 with an unknown word.
    public let code: String
    /// The token that the code was exchanged for, unchanged, 1 to ``maximumTokenBytes`` bytes; `nil` unless a call of
    /// ``Endpoint/verify`` led to ``Action/proceed``. A secret.
    public var token: String?
    /// The type of test that the code stands for; `nil` unless a call of ``Endpoint/verify`` led to ``Action/proceed``.
    public var type: ENSTestType?
    /// The day on which symptoms began, as the server wrote it: `YYYY-MM-DD`, not checked, 1 to ``maximumTokenBytes``
    /// bytes. `nil` if the server named none, or if there is no ``token``.
    public var symptomDate: String?
    /// The day of the test, as the server wrote it: `YYYY-MM-DD`, not checked, 1 to ``maximumTokenBytes`` bytes. `nil` if
    /// the server named none, or if there is no ``token``.
    public var testDate: String?
    /// The certificate over the keys, a JWT of 1 to ``maximumTokenBytes`` bytes, unchanged; `nil` unless a call of
    /// ``Endpoint/certificate`` led to ``Action/proceed``. A secret until it was used.
    public var certificate: String?
    /// The text that the next upload of this device must carry, 1 to ``maximumTokenBytes`` bytes; `nil` if the server gave
    /// none, or unless a call of ``Endpoint/publish`` led to ``Action/published``. A secret.
    public var revisionToken: String?

    /// The most bytes of an answer that is read: 64 KiB, our choice. The longest answer of a server has 2,732 characters of
    /// padding and a token.
    public static let maximumBytes = 65_536
    /// The most bytes of a text in an answer: 8,192, more than tokens and certificates have (ens 4, 6.2). A longer text
    /// counts as absent.
    public static let maximumTokenBytes = 8_192

    private init(_ action: Action, code: String = "") {
        self.action = action
        self.code = code
    }

    /// Reads an answer. Cannot fail: a 200 whose body cannot be read, and an unknown status, lead to ``Action/retry``.
    /// - Parameters:
    ///   - endpoint: The call that was answered.
    ///   - status: The HTTP status; 0 if no answer came.
    ///   - body: The bytes of the body, JSON; a body of more than ``maximumBytes`` is not read.
    ///   - retryAfter: Whether the answer names the time for the next try; counts only with status 429.
    ///   - isChaff: Whether the answer belongs to a fake: then nothing of it is read, and the action is ``Action/ignore``.
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

    /// Returns the names of the values of this answer, and of its request to `endpoint`, that must be stored; the names are
    /// those of the test vectors. Empty if there are none.
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
