// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The certificate by which a client shows itself in TLS, and the key of it. Both stay in memory: no file of a key is written for libcurl.
public struct HTTPIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    /// The certificate in PEM, followed by those of intermediate authorities if there are any; 1 byte or more.
    public let certificate: [UInt8]
    /// The private key in PEM, without a password. Secret.
    public let key: SecretBytes

    /// Pairs both. Nothing is checked: a request with a pair that does not fit fails with `tlsFailed`.
    public init(certificate: [UInt8], key: SecretBytes) { (self.certificate, self.key) = (certificate, key) }

    /// The name of the type.
    public var description: String { "HTTPIdentity" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
