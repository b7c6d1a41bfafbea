// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import PluginKit
import WebSafety

/// Why a request was not obeyed (RFC 9457).
struct Problem: Error, Equatable {
    let status: UInt32
    /// One stable word, for scripts.
    let code: String
    /// What to do next, in an English sentence; `nil` where the title says everything.
    let detail: String?
    var headers: [(String, String)] = []
    /// The error's own name, `interface.Error`, and what it carries.
    var error: String?
    var parameters: JSON = .empty

    init(_ status: UInt32, _ code: String, _ detail: String? = nil, headers: [(String, String)] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    static func == (left: Problem, right: Problem) -> Bool { left.status == right.status && left.code == right.code }

    static let titles: [UInt32: String] = [
        400: "The request cannot be read", 401: "Nobody is signed in", 403: "This may not be done",
        404: "There is no such thing",
        405: "It cannot be asked like this", 409: "It cannot be done now", 413: "The body is too large",
        415: "The body is of the wrong kind", 421: "This is not the name of this device", 422: "A value does not fit",
        429: "Too many tries", 431: "The head of the request is too large", 503: "It does not work at the moment",
    ]

    /// What came of a call.
    init(_ failure: CallError) {
        switch failure.code {
        case .notAvailable:
            self.init(
                404, "notAvailable",
                "Nothing on this device answers that, or this page was not granted it: see `vigil plugin list`.")
        case .unreachable, .notUnderstood:
            self.init(503, failure.code.rawValue, "Try again in a moment; the log says more.")
        case .timedOut: self.init(503, "timedOut", "Whether it was done is not known. Look before trying again.")
        case .refused: self.init(name: failure.name ?? "", parameters: failure.parameters)
        }
    }

    private init(name: String, parameters: JSON) {
        let word = name.split(separator: ".").last.map(String.init) ?? "refused"
        let reason = parameters["reason"]?.string
        let problems = parameters["problems"]?.array?.compactMap(\.string).joined(separator: "\n")
        switch name {
        case "\(Access1.name).NotSignedIn", "\(Diagnosis1.name).NotSignedIn", "\(Checkin1.name).NotSignedIn":
            self.init(401, word, "Sign in, or bring a token that is in force.")
        case "\(Access1.name).WrongRole": self.init(403, word, reason)
        case "\(Access1.name).Refused":
            let wait = parameters["wait"]?.int ?? 0
            self.init(wait > 0 ? 429 : 403, word, reason, headers: wait > 0 ? [("Retry-After", "\(wait)")] : [])
        case "org.varlink.service.PermissionDenied":
            self.init(403, "notGranted", "The operator has not granted this to the page: see grants.json.")
        case "org.varlink.service.InvalidParameter":
            let path = parameters["parameter"]?.string ?? ""
            self.init(422, "invalidParameter", "Compare `\(path)` with openapi.json.")
        case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
            "org.varlink.service.MethodNotImplemented":
            self.init(404, "notAvailable", "Nothing on this device answers that.")
        default:
            switch word {
            case "StorageUnavailable": self.init(503, word, reason)
            case "NoSuchPlugin", "NoSuchTest", "NoSuchNumber", "UnknownCaller": self.init(404, word, reason)
            case "Unfit", "Unusable", "TimeRefused", "FileRefused": self.init(422, word, problems ?? reason)
            case "LimitReached": self.init(429, word, reason)
            default: self.init(409, word, reason)
            }
        }
        error = name
        self.parameters = parameters
    }

    /// For scripts.
    var response: HTTPResponse {
        var body: JSON = [
            "type": "about:blank", "title": .string(Self.titles[status] ?? "It was not done"),
            "status": .int(Int64(status)),
            "code": .string(code),
        ]
        if let detail, case .object(var object) = body {
            object["detail"] = .string(detail)
            body = .object(object)
        }
        return HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/problem+json")] + SafetyHeaders.all(scripts: true) + headers,
            body: .bytes(body.bytes))
    }
}
