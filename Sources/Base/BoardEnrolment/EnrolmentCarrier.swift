// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import Enrolment

/// A request to an EST server.
package struct ESTRequest: Sendable {
    /// The whole address: POST.
    package let address: String
    /// The value of `Authorization`, which is secret; `nil` when the client's certificate counts.
    package let authorization: String?
    /// The body, of the type `application/pkcs10`.
    package let body: [UInt8]
    /// The certificates in PEM by which the server is checked in TLS, and no others.
    package let anchor: String
    /// The certificate to show in TLS, and its key; `nil` to show none.
    package let identity: Identity?

    /// What a board shows in TLS.
    package struct Identity: Sendable {
        /// The board's certificate.
        package let certificate: DeviceCertificate
        /// The private key of it in PEM.
        package let key: SecretBytes
    }
}

/// Whoever carries requests to the server and answers back. It decides nothing.
package protocol EnrolmentCarrier {
    /// Sends one request and waits for its answer, with a limit of its own. Throws `unreachable` when there is none, for any reason.
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer
}
