// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON
import SQLiteFile
import Trust

extension HealthAuthority {
    /// Signs a change of one role's keys, which boards must receive *before* the authority signs with the new key, and
    /// creates the new private key unless `rotation` gives one. The present key is not touched. `now` is in Unix seconds.
    ///
    /// The document is checked as a board would check it before anything is written. The private key is written first, then
    /// the entry of the audit, then the document. So nothing is signed without an entry in the audit, wherever the process
    /// is killed, and the same call can be made again. A trial writes nothing. Waits for up to two minutes while another
    /// process holds the folder.
    ///
    /// Throws `invalidSuccession` when a board would refuse the change, or role, overlap, sequence, switch time, proof or
    /// key break the rules of ``KeyRotation``; `inUse` when the wait was in vain; `stateDamaged` when an earlier change
    /// cannot be read; `stateUnusable` or `full` when the disk refuses; and `cryptography` when the library does.
    public func rotate(
        _ rotation: KeyRotation, isTrial: Bool = false, now: Int64
    ) throws(AuthorityError) -> KeyRotationReport {
        let role = rotation.role
        guard StateFolder.roles.contains(role) else {
            throw AuthorityError(.invalidSuccession, "the authority has no key of the role \(role.rawValue)")
        }
        guard KeyRotation.overlapDays.contains(rotation.overlapDays) else {
            throw AuthorityError(.invalidSuccession, "the present key stays for 0 to 400 days")
        }
        let lock = isTrial ? nil : try StateLock(folder)
        defer { withExtendedLifetime(lock) {} }

        let before = try Successions(folder)
        let present = try presentKey(role, now: now)
        let store = try trust(before, rotation, present: present)
        try requirePresent(present, of: role, in: store, before, now: now)
        let newFile = rotation.newKey == nil ? folder.newKeyFile(role, rotation.name) : nil
        let new = try newKey(rotation, file: newFile)
        try requireNew(rotation, new.verificationKey, store, now: now)
        let switchTime = rotation.switchTime ?? rotation.standardSwitch(now: now)
        guard switchTime <= now + rotation.overlapDays * UTCDay.seconds else {
            throw AuthorityError(
                .invalidSuccession, "the authority must sign with the new key before the present one is out of force")
        }

        let signer =
            rotation.fleet.map { (role: KeyRole.operator, name: $0.name, key: $0.key) }
            ?? (role: role, name: present.name, key: present.key)
        let last = before.lastSequence(of: signer.role)
        let sequence = rotation.sequence ?? (last < KeyRotation.maximumSequence ? last + 1 : last)
        guard sequence <= KeyRotation.maximumSequence else {
            throw AuthorityError(.invalidSuccession, "the sequence is at most \(KeyRotation.maximumSequence)")
        }
        let keys = rotation.keys(new: new.verificationKey, present: present, now: now)
        let report = KeyRotationReport(
            role: role, signer: signer.role, signerName: signer.name, sequence: sequence, path: before.nextPath(role),
            newKeyFile: newFile, switchTime: newFile == nil ? nil : switchTime, keys: keys,
            dropped: before.last(changing: role)?.content.roles[role]?.map(\.name)
                .filter { name in !keys.contains { $0.name == name } } ?? [],
            isTrial: isTrial)
        let (file, digest) = try signed(
            report, rotation, proof: new.proof, by: signer.key, judgedBy: store, now: now)
        guard !isTrial else { return report }

        try FileWork.makeFolder(before.folder, mode: 0o755)
        if let newFile {
            if let made = new.made { try folder.write(made, to: newFile) }
            // Says nothing until the document is there.
            var plan = try SignerPlan(folder)
            plan.add(
                .init(
                    role: role, name: rotation.name, file: SignerPlan.lastPart(newFile), from: switchTime,
                    succession: SignerPlan.lastPart(report.path)))
            try plan.write(folder)
        }
        try database.transaction { () throws(AuthorityError) in
            try note(
                "succession-signed",
                [
                    "role": .string(role.rawValue), "sequence": .int(Int64(sequence)),
                    "signer": .string("\(signer.role.rawValue) \(signer.name)"), "newKey": .string("\(rotation.name)"),
                    "sha256": .string(Hex.string(digest)),
                ], now: now)
        }
        try FileWork.write(file, to: report.path, mode: 0o644)
        return report
    }

    private typealias PresentKey = (name: KeyName, key: P256.SigningKey)

    private func presentKey(_ role: KeyRole, now: Int64) throws(AuthorityError) -> PresentKey {
        let signer = try folder.signer(role, settings, now: now)
        return (signer.name, signer.key)
    }

    /// What a board believes that took every change so far.
    private func trust(
        _ before: Successions, _ rotation: KeyRotation, present: PresentKey
    ) throws(AuthorityError) -> TrustStore {
        let role = rotation.role
        var keys =
            before.last(changing: role)?.content.roles[role]
            ?? [TrustedKey(name: present.name, role: role, key: present.key.verificationKey)]
        var sequences = [role: before.lastSequence(of: role)]
        if let fleet = rotation.fleet {
            keys.append(TrustedKey(name: fleet.name, role: .operator, key: fleet.key.verificationKey))
            sequences[.operator] = before.lastSequence(of: .operator)
        }
        do throws(TrustError) { return try TrustStore(keys: keys, sequences: sequences) } catch {
            throw AuthorityError(.stateDamaged, "\(error)")
        }
    }

    private func requirePresent(
        _ present: PresentKey, of role: KeyRole, in store: TrustStore, _ before: Successions, now: Int64
    ) throws(AuthorityError) {
        guard let last = before.last(changing: role) else { return }
        guard let known = store.keys.first(where: { $0.role == role && $0.name == present.name }),
            known.key == present.key.verificationKey
        else {
            throw AuthorityError(
                .invalidSuccession,
                "\(folder.privateKeyFile(role)) is not the \(role.rawValue) key \(present.name) of \(last.path)")
        }
        guard known.isValid(at: now) || store.keys.contains(where: { $0.role == .operator }) else {
            throw AuthorityError(
                .invalidSuccession, "the present key \(present.name) is out of force since \(last.path); sign with another")
        }
    }

    private struct NewKey {
        let verificationKey: P256.VerificationKey
        /// The private one, if it has to be written.
        let made: P256.SigningKey?
        let proof: [UInt8]
    }

    /// The key that is to be told, and the private one if it has to be written.
    private func newKey(
        _ rotation: KeyRotation, file: String?
    ) throws(AuthorityError) -> NewKey {
        if let given = rotation.newKey {
            guard let proof = rotation.proof else {
                throw AuthorityError(
                    .invalidSuccession,
                    "a key that was made elsewhere comes with a proof (keys prove) that its holder means it")
            }
            return NewKey(verificationKey: given, made: nil, proof: proof)
        }
        // A run that was cut made it, or it was put there: it is this role's and this name's.
        var present: P256.SigningKey?
        if let file, FileWork.exists(file) { present = try folder.signingKey(in: file) }
        do throws(CryptographyError) {
            let key: P256.SigningKey
            if let present { key = present } else { key = try .generate() }
            let proof = try KeyProof.make(with: key, role: rotation.role, name: rotation.name)
            return NewKey(verificationKey: key.verificationKey, made: present == nil ? key : nil, proof: proof)
        } catch { throw AuthorityError(.cryptography, "\(error)") }
    }

    /// A new key is another one than all in force, of any role, and has a name of its own.
    private func requireNew(
        _ rotation: KeyRotation, _ key: P256.VerificationKey, _ store: TrustStore, now: Int64
    ) throws(AuthorityError) {
        guard !store.keys.contains(where: { $0.role == rotation.role && $0.name == rotation.name }) else {
            throw AuthorityError(
                .invalidSuccession, "there is a key called \(rotation.name) already; the new one needs another name")
        }
        var known: [(text: String, key: P256.VerificationKey)] = store.keys.map {
            ("the \($0.role.rawValue) key \($0.name)", $0.key)
        }
        for role in StateFolder.roles {
            known.append((role.rawValue, try folder.signer(role, settings, now: now).key.verificationKey))
        }
        let coming = [(rotation.name, key)] + rotation.spares.map { ($0.name, $0.key) }
        for (index, (name, key)) in coming.enumerated() {
            if let same = known.first(where: { $0.key == key }), index == 0 {
                throw AuthorityError(.invalidSuccession, "the new key is \(same.text), which is in use")
            }
            guard !coming[..<index].contains(where: { $0.1 == key }) else {
                throw AuthorityError(.invalidSuccession, "the key \(name) is given twice")
            }
        }
    }

    /// The file with its signature, and what was signed; refused if a board would refuse it.
    private func signed(
        _ report: KeyRotationReport, _ rotation: KeyRotation, proof: [UInt8], by key: any P256Signer,
        judgedBy store: TrustStore, now: Int64
    ) throws(AuthorityError) -> (file: [UInt8], digest: [UInt8]) {
        do {
            let document = try SuccessionContent(
                sequence: report.sequence, roles: [report.role: report.keys], source: rotation.source,
                proofs: Dictionary(uniqueKeysWithValues: report.keys.prefix(1).map { ($0, proof) })
            ).document()
            let digest = Succession.digest(of: document)
            let succession = Succession(
                document: document,
                signatures: [.init(role: report.signer, name: report.signerName, signature: try key.signature(of: digest))])
            let file = try succession.file()
            // As it will be read.
            _ = try store.applying(
                Succession(file: file), for: rotation.source ?? Succession.standardSource, at: now)
            guard file.count <= Succession.maximumDeviceByteCount else {
                throw TrustError(
                    .malformedDocument, "larger than the \(Succession.maximumDeviceByteCount) bytes a device takes")
            }
            return (file, digest)
        } catch let error as TrustError {
            throw AuthorityError(.invalidSuccession, "\(error)")
        } catch {
            throw AuthorityError(.cryptography, "\(error)")
        }
    }
}

extension KeyRotation {
    fileprivate func keys(
        new: P256.VerificationKey, present: (name: KeyName, key: P256.SigningKey), now: Int64
    ) -> [TrustedKey] {
        var keys = [TrustedKey(name: name, role: role, key: new)]
        if overlapDays > 0 {
            keys.append(
                TrustedKey(
                    name: present.name, role: role, key: present.key.verificationKey,
                    validUntil: now + overlapDays * UTCDay.seconds))
        }
        return keys + spares.map { TrustedKey(name: $0.name, role: role, key: $0.key, isSpare: true) }
    }
}
