// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import HTTPService
import RandomValues
import Testing
import Verification

/// Both servers over files in a folder of their own, at a time the test says.
final class VerificationScene {
    /// 2026-11-13, 10:00 UTC.
    static let start: Int64 = 20_770 * 86_400 + 10 * 3_600
    static let hour: Int64 = 3_600
    static let day: Int64 = 86_400
    static let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path

    let path = "\(base)/vigil-verification-\(Unique.name())"
    let rules: VerificationRules
    private(set) var server: VerificationServer
    private(set) var results: TestResultServer
    var now = VerificationScene.start

    init(_ change: (inout VerificationRules) -> Void = { _ in }) throws {
        var rules = VerificationRules()
        change(&rules)
        self.rules = rules
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        (server, results) = try Self.open(path, rules)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func open(_ path: String, _ rules: VerificationRules) throws -> (VerificationServer, TestResultServer) {
        let results = try TestResultServer(path: path + "/results.db")
        let server = VerificationServer(
            store: try SQLiteVerificationStore(path: path + "/verification.db"), results: results,
            secret: try VerificationSecret.load(path: path + "/verification-secret"), rules: rules)
        return (server, results)
    }

    /// Another process with the same files.
    func another() throws -> VerificationServer { try Self.open(path, rules).0 }

    /// As after a kill: the files as they are on the disk in this moment, with whatever is in their logs, opened somewhere else; what was
    /// open is left alone.
    func crash() throws -> VerificationScene {
        let copy = try VerificationScene()
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.path) {
            try FileManager.default.removeItem(atPath: copy.path + "/" + name)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
        }
        (copy.server, copy.results) = try Self.open(copy.path, rules)
        copy.now = now
        return copy
    }

    /// The key of a test, as boards register it.
    static func key(_ number: Int) -> String { Hex.string(SHA256.digest(of: Array("test \(number)".utf8))) }
    static func test(_ number: Int) throws -> VerificationServer.Key {
        try VerificationServer.key(key(number), type: "GUID", birth: nil)
    }
    /// A request's name.
    static func name(_ number: Int) -> String {
        let digits = Hex.string(SHA256.digest(of: Array("name \(number)".utf8)))
        let lengths = [8, 4, 4, 4, 12]
        var rest = Substring(digits)
        return lengths.map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    func register(_ number: Int, request: String? = nil) throws -> String {
        try server.register(Self.test(number), request: request, now: now)
    }

    /// The laboratory says so.
    func report(_ number: Int, _ code: Int64) throws {
        let identity = try #require(TestIdentity(key: Self.key(number)))
        _ = try results.take([.init(identity, try #require(TestResult(code: code)))], now: now)
    }

    /// A TAN of a positive test.
    func tan(_ number: Int) throws -> String {
        let token = try register(number)
        try report(number, 2)
        return try server.tan(token: token, now: now)
    }

    /// Every byte of every file.
    func storedBytes() throws -> [UInt8] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().flatMap { name in
            FileManager.default.contents(atPath: path + "/" + name).map(Array.init) ?? []
        }
    }
}

/// The code `body` fails with.
func code(_ body: () throws -> Void) -> VerificationError.Code? {
    do { try body() } catch { return (error as? VerificationError)?.code }
    return nil
}

extension [UInt8] {
    func contains(sequence: [UInt8]) -> Bool {
        guard let first = sequence.first, count >= sequence.count else { return false }
        return indices.dropLast(sequence.count - 1).contains { index in
            self[index] == first && self[index..<(index + sequence.count)].elementsEqual(sequence)
        }
    }
}
