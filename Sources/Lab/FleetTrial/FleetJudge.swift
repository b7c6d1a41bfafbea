// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import FleetRegistry
import SQLiteFile

/// Looks at the disks of all boards and at the registry's database, and says what is doubled or lost.
struct FleetJudge {
    let fleet: TrialFleet
    let registry: RegistryFolder

    /// A certificate as the registry has it.
    struct Issued {
        let serial: [UInt8]
        let certificate: DeviceCertificate
    }

    /// The certificates of each board in the order in which they were given.
    func issued() throws -> [String: [Issued]] {
        let database = try SQLiteDatabase<RegistryError>(
            path: registry.database, schema: SQLiteSchema(version: 4, statements: []))
        var rows: [[SQLiteValue]] = []
        try database.run("SELECT board, serial, der FROM certificate ORDER BY sequence") { rows.append($0) }
        var found: [String: [Issued]] = [:]
        for row in rows {
            guard let board = row[0].text, let serial = row[1].blob, let bytes = row[2].blob else {
                throw FleetTrialFailure("a row of the registry cannot be read")
            }
            found[board, default: []].append(Issued(serial: serial, certificate: try DeviceCertificate(der: bytes)))
        }
        return found
    }

    /// What is wrong, in English; `nil` if nothing is. `generation` is the number of certificates that each board has been given: 1 after
    /// enrolment, 2 after a renewal.
    func problem(generation: Int) throws -> String? {
        let issued = try issued()
        let states = try RegistryStore(path: registry.database).boards()
        var known: [String: RegisteredBoard] = [:]
        for board in states { known[board.name.text] = board }
        guard states.count == fleet.count else { return "the registry has \(states.count) boards" }
        var keys: Set<[UInt8]> = []
        var serials: Set<[UInt8]> = []
        for number in 0..<fleet.count {
            let name = try fleet.name(number)
            guard let identity = try fleet.board(number).identity() else { return "\(name) is not enrolled" }
            let own = identity.certificate
            guard try P256.SigningKey(pemOrDER: identity.key).verificationKey == own.key, own.name == name,
                own.isSigned(by: registry.signer.certificate)
            else { return "\(name) has a certificate that is not its own" }
            if fleet.hasClaim(number) { return "\(name) has kept its claim" }
            let given = issued[name.text] ?? []
            guard let last = given.last, last.certificate == own, known[name.text]?.state == .enrolled,
                known[name.text]?.key == own.key.subjectPublicKeyInfo
            else { return "the registry does not know the certificate that \(name) has" }
            guard given.count == generation else { return "\(name) was given \(given.count) certificates" }
            guard given.allSatisfy({ $0.certificate.key == own.key }) else { return "\(name) has changed its key" }
            guard keys.insert(own.key.subjectPublicKeyInfo).inserted else { return "\(name) has another board's key" }
            for entry in given where !serials.insert(entry.serial).inserted { return "\(name) has another's serial number" }
        }
        guard issued.count == fleet.count else { return "the registry has certified \(issued.count) boards" }
        return nil
    }

    /// The moments of the renewals as the registry has written them into the certificates.
    func renewals() throws -> [Int64] {
        // What the registry takes off for clocks that differ.
        let slack = min(300, registry.settings.lifetime / 10)
        return try issued().values.flatMap { $0.dropFirst() }.map { $0.certificate.validity.notBefore + slack }
    }
}
