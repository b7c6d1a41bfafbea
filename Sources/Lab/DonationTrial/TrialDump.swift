// SPDX-License-Identifier: Apache-2.0

import Donation
import Glibc
import JSON

/// What an adversary gets, in one folder, and what the judge gets besides (docs/donation.md).
final class TrialDump {
    /// A connection as an observer of the network sees it.
    struct Connection {
        let host: String
        let address: String
        /// Counted for each server, from 1.
        let number: Int
        let start: Double
        var end: Double
        /// The TLS session that the client offered.
        let session: String?
        var up: [Int] = []
        var down: [Int] = []
    }

    /// A file of lines.
    private final class Lines {
        private let file: UnsafeMutablePointer<FILE>
        private let path: String

        init(_ path: String) throws(DonationTrialError) {
            guard let opened = fopen(path, "wxe") else { throw .system(path) }
            file = opened
            self.path = path
        }

        func add(_ line: JSON) throws(DonationTrialError) {
            let bytes = line.bytes + [UInt8(ascii: "\n")]
            guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw .system(path) }
        }

        func end() throws(DonationTrialError) {
            guard fflush(file) == 0 else { throw .system(path) }
        }

        deinit { fclose(file) }
    }

    let folder: String
    private let issuer: Lines, server: Lines, network: Lines, truth: Lines
    /// The exchanges so far.
    private(set) var issuerCount = 0, serverCount = 0
    /// The donations that are stored, and the digests of a survey.
    private(set) var stored = 0, storedDigests = 0

    init(_ folder: String) throws(DonationTrialError) {
        self.folder = folder
        issuer = try Lines("\(folder)/issuer-sees.jsonl")
        server = try Lines("\(folder)/server-sees.jsonl")
        network = try Lines("\(folder)/network.jsonl")
        truth = try Lines("\(folder)/truth.jsonl")
    }

    /// Writes down an exchange with the issuer.
    func issuerSees(
        _ request: BoardWire.Request, _ answer: BoardWire.Answer, _ connection: Connection, at time: Double
    ) throws(DonationTrialError) {
        issuerCount += 1
        try issuer.add(Self.line(issuerCount, request, answer, connection, time))
    }

    /// Writes down an exchange with the donation server. `device` is the one whose donation, or what it sent for `purpose`, was stored by it; `nil` if nothing was.
    func serverSees(
        _ request: BoardWire.Request, _ answer: BoardWire.Answer, _ connection: Connection, at time: Double,
        device: String?,
        purpose: MonthlyPurpose?
    ) throws(DonationTrialError) {
        serverCount += 1
        try server.add(Self.line(serverCount, request, answer, connection, time))
        guard let device else { return }
        var line: JSON.Object = ["n": .int(Int64(serverCount)), "t": Self.time(time), "device": .string(device)]
        line["purpose"] = purpose.map { .string($0.rawValue) }
        if purpose == nil { stored += 1 } else { storedDigests += 1 }
        try truth.add(.object(line))
    }

    private static func line(
        _ number: Int, _ request: BoardWire.Request, _ answer: BoardWire.Answer, _ connection: Connection, _ time: Double
    ) -> JSON {
        [
            "n": .int(Int64(number)), "t": Self.time(time), "address": .string(connection.address),
            "connection": .int(Int64(connection.number)), "request": request.json, "answer": answer.json,
        ]
    }

    /// Writes down a connection that has ended.
    func networkSees(_ connection: Connection) throws(DonationTrialError) {
        func list(_ counts: [Int]) -> JSON { .array(counts.map { .int(Int64($0)) }) }
        try network.add([
            "t": Self.time(connection.start), "end": Self.time(connection.end), "address": .string(connection.address),
            "host": .string(connection.host), "connection": .int(Int64(connection.number)), "up": list(connection.up),
            "down": list(connection.down), "session": connection.session.map { .string($0) } ?? .null,
        ])
    }

    /// Writes everything to its files.
    func end() throws(DonationTrialError) { for lines in [issuer, server, network, truth] { try lines.end() } }

    private static func time(_ time: Double) -> JSON { .double((time * 1_000).rounded() / 1_000) }
}
