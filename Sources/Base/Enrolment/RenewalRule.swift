// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// When a certificate is renewed: from two thirds of its lifetime on, and not by all boards of a day at once.
public enum RenewalRule {
    /// The first moment at which a server gives a new certificate, in Unix seconds: two thirds of the lifetime.
    public static func earliest(_ validity: CertificateValidity) -> Int64 {
        let lifetime = max(0, validity.notAfter.subtractingReportingOverflow(validity.notBefore).partialValue)
        return validity.notBefore + lifetime / 3 * 2
    }

    /// The moment at which this board asks for a new one, in Unix seconds: up to a tenth of the lifetime later, by its name.
    public static func due(_ validity: CertificateValidity, _ name: BoardName) -> Int64 {
        let lifetime = max(0, validity.notAfter.subtractingReportingOverflow(validity.notBefore).partialValue)
        let digest = SHA256.digest(of: Array("renewal \(name.text)".utf8))
        let share = Int64(digest[0]) << 8 | Int64(digest[1])
        return earliest(validity) + lifetime / 10 / 65_536 * share + lifetime / 10 % 65_536 * share / 65_536
    }
}
