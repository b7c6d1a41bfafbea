// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import JSON
import RandomValues

/// A verification server and a submission service in memory, by the rules of cwa-protocols 4 and 5, with what a network does to them.
struct ModelServers {
    let promise: ServerPromise
    private var tokens: [String: String] = [:]
    private var permitted: Set<String> = []
    private var tans: Set<String> = []
    private var remainders: Set<String> = []
    /// Rests of days that were stored, by body.
    private(set) var storedRemainders: [[UInt8]] = []
    private var answers: [String: TestRegistry.Outcome] = [:]
    /// Submissions that were stored, by body.
    private(set) var stored: [[UInt8]] = []
    var result = 2
    /// Of 100 submissions so many fail after the TAN was spent, unless the server promises better.
    var failures = 0

    init(_ promise: ServerPromise) { self.promise = promise }

    mutating func answer(_ request: ExchangeRequest, using random: inout SeededGenerator) -> TestRegistry.Outcome {
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        guard header("cwa-fake") == "0" else { return .answered(status: request.expectedStatus, body: []) }
        let name = request.path + (header("vigil-request") ?? "")
        if promise == .exactlyOnce, let before = answers[name] { return before }
        let fails = Int.random(in: 0..<100, using: &random) < failures
        if fails, promise == .exactlyOnce { return .answered(status: 500, body: []) }
        let outcome = judge(request, header("cwa-authorization"), fails: fails, using: &random)
        answers[name] = outcome
        return outcome
    }

    private mutating func judge(
        _ request: ExchangeRequest, _ tan: String?, fails: Bool, using random: inout SeededGenerator
    ) -> TestRegistry.Outcome {
        func done(_ status: Int, _ json: JSON) -> TestRegistry.Outcome { .answered(status: status, body: json.bytes) }
        let body = try? JSON(parsing: request.body)
        switch request.path {
        case "/version/v1/registrationToken":
            guard let key = body?["key"]?.string, tokens[key] == nil else { return done(400, [:]) }
            let token = ServerToken(using: &random).text
            tokens[key] = token
            return done(201, ["registrationToken": .string(token)])
        case "/version/v1/testresult":
            guard let token = body?["registrationToken"]?.string, tokens.values.contains(token) else {
                return done(400, [:])
            }
            return done(200, ["testResult": .int(Int64(result))])
        case "/version/v1/tan":
            guard let token = body?["registrationToken"]?.string, tokens.values.contains(token), result == 2,
                permitted.insert(token).inserted
            else { return done(400, [:]) }
            let tan = ServerToken(using: &random).text
            tans.insert(tan)
            if promise == .exactlyOnce, let remainder = body?["remainder"]?.string { remainders.insert(remainder) }
            return done(201, ["tan": .string(tan)])
        default:
            if let tan, remainders.remove(tan) != nil {
                storedRemainders.append(request.body)
                return done(200, [:])
            }
            guard let tan, tans.remove(tan) != nil else { return done(403, [:]) }
            if fails { return done(500, [:]) }
            stored.append(request.body)
            return done(200, [:])
        }
    }
}
