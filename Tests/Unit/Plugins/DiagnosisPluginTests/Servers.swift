// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import KeyExport
import RandomValues
import Synchronization
import Testing
import Verification

/// The real servers of our authority on the loopback, with a laboratory's word and a shelf for keys.
final class Servers {
    let folder: String
    let verification: VerificationServer
    let results: TestResultServer
    let boards: VerificationService
    let uploads: VerificationService
    let shelf = Shelf()

    /// Keeps what was submitted.
    final class Shelf: KeyTaking {
        private let kept = Mutex<[Block: ExportedKey]>([:])
        private let count = Mutex(0)
        var keys: [ExportedKey] { kept.withLock { Array($0.values) } }
        /// Submissions that were taken.
        var calls: Int { count.withLock { $0 } }
        private let given = Mutex<[SubmittedCheckIns]>([])
        /// The check-ins of each submission, in their order.
        var checkIns: [SubmittedCheckIns] { given.withLock { $0 } }

        func take(
            _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
        ) throws(VerificationError) -> TakenSubmission {
            kept.withLock { kept in for key in accepted.keys { kept[key.data] = key } }
            count.withLock { $0 += 1 }
            given.withLock { $0.append(accepted.checkIns) }
            return TakenSubmission(keys: accepted.keys.count)
        }
    }

    init() throws {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        folder = "\(base)/vigil-diagnosis-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        (verification, results) = try Self.open(folder)
        // Each server has its own thread, so each has stores of its own.
        boards = try VerificationService(try Self.open(folder).0, address: "127.0.0.1", port: 0)
        uploads = try VerificationService(
            SubmissionServer(
                rules: SubmissionRules(supportedCountries: ["DE", "FR"]), tans: try Self.open(folder).0, taker: shelf),
            address: "127.0.0.1",
            port: 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func open(_ folder: String) throws -> (VerificationServer, TestResultServer) {
        let results = try TestResultServer(path: folder + "/results.db")
        let server = VerificationServer(
            store: try SQLiteVerificationStore(path: folder + "/verification.db"), results: results,
            secret: try VerificationSecret.load(path: folder + "/verification-secret"), rules: VerificationRules())
        return (server, results)
    }

    /// The laboratory says so of the test with that registration key.
    func report(_ key: String, _ code: Int64) throws {
        let identity = try #require(TestIdentity(key: key))
        _ = try results.take([.init(identity, try #require(TestResult(code: code)))], now: Int64(time(nil)))
    }

    func teleTAN() throws -> String { try verification.issueTeleTAN(.test, now: Int64(time(nil))) }

    /// The plugin's settings for these.
    var settings: String {
        """
        { "verification": "http://127.0.0.1:\(boards.port)", "submission": "http://127.0.0.1:\(uploads.port)",
          "exactlyOnce": true, "plainHTTP": true, "slots": 96, "countries": ["DE", "FR"] }
        """
    }
}
