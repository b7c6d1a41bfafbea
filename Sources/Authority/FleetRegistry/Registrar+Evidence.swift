// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import Enrolment
import SQLiteFile

extension Registrar {
    /// The most keys for evidence that a board may enter with one card. A core makes a new one after its disk was damaged; whoever has taken over a
    /// board's plugin would want one after the other, because the issuer gives each a token a day.
    package static let mostEvidenceKeys: Int64 = 8

    /// The answer to `simpleenroll` with the label `evidence`, by whoever has shown in TLS that the key of `certificate` (DER) is theirs. From then on the
    /// key of `request` is the board's key for evidence. If it has entered another one with the same card, the issuer is told of neither from then on. It is in the database for good before this returns. `now` is in
    /// Unix seconds.
    package func enterEvidenceKey(
        by certificate: [UInt8], request: EvidenceKeyRequest, now: Int64
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        try deciding(now, by: certificate) { (shown, name) throws(RegistryError) in
            guard now <= shown.validity.notAfter else { return (.failure(.expired), .expired) }
            let key = request.key.subjectPublicKeyInfo
            // The key by which it speaks TLS is at the mercy of a plugin.
            guard try store.database.first("SELECT 1 FROM certificate WHERE spki = ? LIMIT 1", [.blob(key)]) == nil else {
                return (.failure(.otherKey), .otherKey)
            }
            let owner = try store.database.first("SELECT board FROM evidence WHERE spki = ?", [.blob(key)])?.text
            guard owner == nil || owner == name.text else { return (.failure(.keyOfAnotherBoard), .keyOfAnotherBoard) }
            if owner == nil {
                let count = try store.database.first(
                    "SELECT count(*) FROM evidence WHERE board = ? AND counts = 1", [.text(name.text)])?.integer
                guard (count ?? 0) < Self.mostEvidenceKeys else { return (.failure(.tooManyKeys), .tooManyKeys) }
            }
            try store.database.run("UPDATE evidence SET current = 0 WHERE board = ?", [.text(name.text)])
            try store.database.run(
                """
                INSERT INTO evidence (spki, board, current, counts) VALUES (?1, ?2, 1, 1)
                ON CONFLICT (spki) DO UPDATE SET current = 1, counts = 1, revoked = 0
                """,
                [.blob(key), .text(name.text)])
            let validity = try validity(now)
            let made = try signature { [signer] () throws(EnrolmentError) in
                try signer.certify(request, of: name, serial: Self.serial(), validity: validity)
            }
            return (.success(made), owner == nil ? .evidence : .evidenceAgain)
        }
    }

    /// What the operator is to know of boards whose key for evidence changed without a new card, a sentence each.
    package func contests() throws(RegistryError) -> [String] {
        try store.contested().map { name in
            "\(name) has entered another key for evidence without a new card: its disk was damaged, or its plugin Enrolment was taken over, or a copy of its card is about. The issuer is told of none of its keys until it has a new card (`vigil-fleet plan --remake`, `fleet import`)"
        }
    }
}
