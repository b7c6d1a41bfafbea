// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import Cryptography
import SecurityToken
import Trust

struct RotateKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Signs a change of one role's keys, with a new key that is made or given.",
        discussion: """
            Writes STATE/successions/NUMBER-ROLE.json and, without --new-key, the new private key as STATE/keys/ROLE-ID-VERSION.pem. The document \
            lists all keys of the role from then on: the new one, the present one for --keep-days, and those of --spare. The present key signs it, \
            or with --operator-key the fleet's operator, whose word counts whatever a stolen key has signed. What a board would refuse is not written, and \
            the exit status is 1.

            The next publication carries the document, as part of version/v1/successions, and boards take it from there. The authority signs with the \
            new key by itself from --switch-days on; until then with the present one, whose file stays where it is.
            """)

    enum Role: String, ExpressibleByArgument {
        case export, config, time

        var role: KeyRole {
            switch self {
            case .export: .export
            case .config: .config
            case .time: .time
            }
        }
    }

    @OptionGroup var options: StateOptions

    @Option(help: "Whose key: export, config or time.")
    var role: Role

    @Option(help: "Name of the new key, ID-VERSION, for example 262-v2; no key in force has it.")
    var name: String

    @Option(help: "Public key (PEM) of a new key that was made elsewhere.")
    var newKey: String?

    @Option(help: "What `keys prove` printed where the key of --new-key was made.")
    var proof: String?

    @Option(
        help: "Days until the authority signs with the new key; 7 if not given, or half of --keep-days if that is less.")
    var switchDays: Int64?

    @Option(
        help: "What boards call this authority, where the operator signs and it is not their own: the name of its profile.")
    var source: String?

    @Option(help: "Days that the present key stays in force, 0 to 400; 0 when it was stolen.")
    var keepDays: Int64 = KeyRotation.standardOverlapDays

    @Option(help: "ID-VERSION=FILE: name and public key (PEM) of a spare key. May be repeated.")
    var spare: [String] = []

    @Option(help: "Number of the document; without it the next one of whoever signs.")
    var sequence: UInt64?

    @Option(
        help:
            "Private key (PEM) of the fleet's operator, or its PKCS#11 URI in a security token, which signs in place of the role's key."
    )
    var operatorKey: String?

    @Option(help: "Name of the operator's key, ID-VERSION.")
    var operatorName: String?

    @Flag(help: "Only say what it would sign, and whether a board would refuse it.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try Self.keyName("--name", name)
        guard KeyRotation.overlapDays.contains(keepDays) else {
            throw ValidationError("--keep-days must be between 0 and \(KeyRotation.overlapDays.upperBound)")
        }
        if let switchDays, !(0...KeyRotation.overlapDays.upperBound).contains(switchDays) {
            throw ValidationError("--switch-days must be between 0 and \(KeyRotation.overlapDays.upperBound)")
        }
        guard proof == nil || newKey != nil else { throw ValidationError("--proof belongs to --new-key") }
        guard proof.map({ Base64.bytes($0) != nil }) ?? true else {
            throw ValidationError("--proof is the line that keys prove printed")
        }
        if let sequence, !(1...KeyRotation.maximumSequence).contains(sequence) {
            throw ValidationError("--sequence must be between 1 and \(KeyRotation.maximumSequence)")
        }
        guard (operatorKey == nil) == (operatorName == nil) else {
            throw ValidationError("--operator-key and --operator-name belong together")
        }
        if let operatorName { _ = try Self.keyName("--operator-name", operatorName) }
        for text in spare { _ = try Self.spare(text) }
    }

    func run() throws {
        let authority = try options.authority()
        var rotation = KeyRotation(role: role.role, name: try Self.keyName("--name", name))
        rotation.newKey = try newKey.map(Self.publicKey)
        rotation.overlapDays = keepDays
        rotation.sequence = sequence
        rotation.source = source
        rotation.proof = proof.flatMap(Base64.bytes)
        let now = options.clock.seconds()
        rotation.switchTime = switchDays.map { now + $0 * 86_400 }
        rotation.spares = try spare.map { text in
            let (name, file) = try Self.spare(text)
            return (name, try Self.publicKey(file))
        }
        if let operatorKey, let operatorName {
            rotation.fleet = (
                try Self.keyName("--operator-name", operatorName),
                TokenURI.isMeant(by: operatorKey)
                    ? try TokenKey(TokenURI(operatorKey)) : try authority.folder.signingKey(in: operatorKey)
            )
        }
        let report = try authority.rotate(rotation, isTrial: dryRun, now: now)
        print(json ? "\(report.json)" : report.text)
    }

    private static func keyName(_ option: String, _ text: String) throws -> KeyName {
        guard let name = AuthoritySettings.keyName(text) else {
            throw ValidationError("\(option) is ID-VERSION, for example 262-v2")
        }
        return name
    }

    private static func spare(_ text: String) throws -> (name: KeyName, file: String) {
        guard let equals = text.lastIndex(of: "="), text.index(after: equals) != text.endIndex else {
            throw ValidationError("--spare is ID-VERSION=FILE, for example 262-v9=spare.pem")
        }
        return (try keyName("--spare", String(text[..<equals])), String(text[text.index(after: equals)...]))
    }

    private static func publicKey(_ file: String) throws -> P256.VerificationKey {
        let bytes = try SmallFile.read(file, limit: 16 << 10)
        do { return try P256.VerificationKey(pemOrDER: bytes) } catch {
            throw AuthorityError(.invalidSuccession, "\(file) is not a public key of the curve P-256: \(error)")
        }
    }
}

extension KeyRotationReport {
    /// For a person.
    fileprivate var text: String {
        var lines = [
            isTrial
                ? "would sign \(path), nothing was written" : "signed \(path)",
            "  number \(sequence) of the \(signer.rawValue) key \(signerName)",
            "  keys of the role \(role.rawValue) from then on:",
        ]
        for key in keys {
            let until = key.validUntil.map { ", until \($0) (Unix seconds)" } ?? ""
            lines.append(
                "    \(key.name)\(key.isSpare ? ", spare" : "")\(until): SHA-256 \(fingerprint(key) ?? "of a key that is not made yet")"
            )
        }
        for name in dropped { lines.append("    no longer: \(name)") }
        if let newKeyFile { lines.append("  new private key: \(newKeyFile)") }
        lines.append(
            switchTime.map { "  the authority signs with it from \($0) (Unix seconds) on" }
                ?? "  the authority has no private half of the new key and goes on signing with the present one")
        return lines.joined(separator: "\n")
    }
}
