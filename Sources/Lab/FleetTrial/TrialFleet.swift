// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import FleetRegistry
import Glibc
import SystemCalls
import VirtualAir

/// The boards of a trial in a folder: names and claims come from the seed, keys from the boards themselves.
struct TrialFleet {
    let folder: String
    let count: Int
    let seed: UInt64
    let anchor: String

    /// Where the registration authority is.
    static func registry(_ folder: String) -> String { "\(folder)/registry" }

    init(folder: String, count: Int, seed: UInt64) throws {
        (self.folder, self.count, self.seed) = (folder, count, seed)
        let pem = try WholeFile.read("\(Self.registry(folder))/authority.pem", limit: 65_536)
        anchor = String(decoding: pem, as: UTF8.self)
    }

    func name(_ number: Int) throws(FleetTrialFailure) -> BoardName {
        guard let name = BoardName("vg-\(seed)-\(number)") else { throw FleetTrialFailure("no name for a board") }
        return name
    }

    private func claimText(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
        return (0..<16).map { _ in Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)[Int.random(in: 0..<32, using: &random)] }
    }

    private func claim(_ number: Int) throws(FleetTrialFailure) -> EnrolmentClaim {
        guard let claim = EnrolmentClaim(SecretBytes(copying: claimText(number))) else {
            throw FleetTrialFailure("no claim for a board")
        }
        return claim
    }

    func place(_ number: Int) -> String { "\(folder)/boards/\(number)" }
    func claimFile(_ number: Int) -> String { "\(place(number))/claim" }

    /// Whether the claim can still be read. Zeros were about to be deleted when the process was killed: nobody deletes them later.
    func hasClaim(_ number: Int) -> Bool {
        let bytes = try? WholeFile.read(claimFile(number), limit: 4_096)
        return bytes?.contains { $0 != 0 } == true
    }

    /// Makes the card of each board: its claim in a file.
    func makeCards() throws {
        for number in 0..<count {
            guard mkdir(place(number), 0o700) == 0 else { throw FleetTrialFailure("\(place(number)) cannot be made") }
            try WholeFile.replace(claimFile(number), with: claimText(number), mode: 0o600)
        }
    }

    /// The list for the registration authority.
    func claimList() throws -> [ClaimList.Entry] {
        var lines = ""
        for number in 0..<count { lines += "\(try name(number)) \(try claim(number).digest)\n" }
        return try ClaimList.parse(Array(lines.utf8))
    }

    /// A board as it starts: by what its card says, with a sealed key, like the plugin Enrolment has it.
    func board(_ number: Int) throws -> BoardEnrolment {
        let name = try name(number)
        let order = try EnrolmentOrder(
            name: name, address: "https://ra.example/.well-known/est", anchor: anchor, claimDigest: try claim(number).digest
        )
        let seal = SecretBytes(copying: SHA256.digest(of: Array("seal \(name)".utf8)))
        return try BoardEnrolment(order: order, claim: claimFile(number), folder: "\(place(number))/state", seal: seal)
    }
}

/// Who has a turn, and when: the order in which boards ask, which a killed process goes on with.
struct TurnPlan {
    /// A board's number, and the time at which it asks in Unix seconds.
    typealias Turn = (number: Int, now: Int64)

    static func write(_ turns: [Turn], _ path: String) throws {
        let text = turns.map { "\($0.number) \($0.now)\n" }.joined()
        try WholeFile.replace(path, with: Array(text.utf8), mode: 0o600)
    }

    static func read(_ path: String) throws -> [Turn] {
        let bytes = try WholeFile.read(path, limit: 64 << 20)
        return try bytes.split(separator: 10).map { line throws in
            let words = line.split(separator: 32).compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
            guard words.count == 2 else { throw FleetTrialFailure("\(path) is no plan") }
            return (Int(words[0]), words[1])
        }
    }
}
