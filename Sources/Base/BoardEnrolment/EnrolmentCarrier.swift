// SPDX-License-Identifier: Apache-2.0

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
    /// The file of the certificate in PEM to show in TLS, and that of its key; `nil` to show none.
    package let identity: Identity?

    /// Files for TLS.
    package struct Identity: Sendable {
        /// The path of the certificate.
        package let certificate: String
        /// The path of the private key.
        package let key: String
    }
}

/// Whoever carries requests to the server and answers back. It decides nothing.
package protocol EnrolmentCarrier {
    /// Sends one request and waits for its answer, with a limit of its own. Throws `unreachable` when there is none, for any reason.
    func carry(_ request: ESTRequest) throws(EnrolmentError) -> ESTAnswer
}
