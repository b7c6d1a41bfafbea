// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import Glibc
import HTTPService
import Synchronization
import Verification

/// Who gives tests and codes to the wearers of a trial.
protocol Office: Sendable {
    /// What a wearer enters; `isTeleTAN` where the result is there at once. Where results come with the code, it always is.
    func newKey(isTeleTAN: Bool) throws -> RegistrationKey
    /// The laboratory says "positive".
    func report(_ key: RegistrationKey) throws
}

/// A laboratory and a hotline, on the files of an authority whose servers run.
final class OwnOffice: Office {
    private struct Desk: @unchecked Sendable {
        let results: TestResultServer
        let verification: VerificationServer
    }
    // One at a time.
    private let desk: Mutex<Desk>

    /// `folder` is the authority's `tests`.
    init(_ folder: String) throws { desk = Mutex(try Self.open(folder)) }

    private static func open(_ folder: String) throws -> Desk {
        let results = try TestResultServer(path: "\(folder)/results.db")
        return Desk(
            results: results,
            verification: VerificationServer(
                store: try SQLiteVerificationStore(path: "\(folder)/verification.db"), results: results,
                secret: try VerificationSecret.load(path: "\(folder)/verification-secret"), rules: VerificationRules()))
    }

    func newKey(isTeleTAN: Bool) throws -> RegistrationKey {
        if isTeleTAN { return RegistrationKey(try TeleTAN(typed: teleTAN())) }
        var random = SystemRandomNumberGenerator()
        let code = "123456-" + ExchangeRequest.requestName(using: &random)
        return RegistrationKey(try TestCode(scanned: "https://localhost/?\(code)"))
    }

    func report(_ key: RegistrationKey) throws {
        guard let test = TestIdentity(key: key.text), let result = Verification.TestResult(code: 2) else { return }
        let outcome: Result<Void, any Error> = desk.withLock { desk in
            Result { _ = try desk.results.take([.init(test, result)], now: VerificationService.machineTime()) }
        }
        try outcome.get()
    }

    private func teleTAN() throws -> String {
        let outcome: Result<String, any Error> = desk.withLock { desk in
            Result { try desk.verification.issueTeleTAN(.test, now: VerificationService.machineTime()) }
        }
        return try outcome.get()
    }
}
