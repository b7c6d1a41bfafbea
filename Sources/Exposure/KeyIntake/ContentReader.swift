// SPDX-License-Identifier: Apache-2.0

package import KeyExport
package import Trust

/// Hashes and decodes the bytes of one export.bin as they come, and verifies the file at the end.
package struct ContentReader: ~Copyable {
    private var decoder: ExportDecoder
    private var verifier: ExportVerifier
    private var contentError: KeyExportError?

    /// Creates a reader for the files of one authority; `time` is in Unix seconds, `nil` when the clock is not
    /// trusted.
    package init(
        signatures: [ExportSignature], trust: TrustStore, policy: SignaturePolicy, time: Int64?, limits: ExportLimits
    ) {
        self.init(
            signatures: signatures, authorities: [ExportAuthority(trust: trust, policy: policy)], wanted: nil, time: time,
            limits: limits)
    }

    /// Creates a reader for the files of several authorities; the one named `wanted`, if it is not `nil`, must have
    /// signed. `time` is in Unix seconds, `nil` when the clock is not trusted.
    package init(
        signatures: [ExportSignature], authorities: [ExportAuthority], wanted: String?, time: Int64?,
        limits: ExportLimits
    ) {
        decoder = ExportDecoder(limits: limits)
        verifier = ExportVerifier(signatures: signatures, authorities: authorities, wanted: wanted, time: time)
    }

    /// Takes the next bytes and calls `keys` with the keys in them, in order; the buffer is valid only during the
    /// call.
    ///
    /// Errors of the content are kept until the end, when the signature tells who is at fault
    /// (docs/decisions/0005); after one, `keys` is not called again. Throws other ``KeyExportError``s, and what
    /// `keys` throws.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void
    ) throws {
        verifier.update(bytes)
        guard contentError == nil else { return }
        do {
            try decoder.decode(bytes, keys)
        } catch let error as KeyExportError where error.isAboutContent {
            contentError = error
        }
    }

    /// Calls `keys` with the last keys, verifies the file and returns the result. Throws ``KeyExportError`` when the
    /// content or the signature is bad, or what `keys` throws.
    package consuming func finish(_ keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void) throws -> VerifiedExport {
        let contentError = contentError
        let verifier = verifier
        if let contentError { throw verifier.refuse(contentError) }
        let summary: ExportSummary
        do {
            summary = try decoder.finish(keys)
        } catch let error as KeyExportError where error.isAboutContent {
            throw verifier.refuse(error)
        }
        return try verifier.finish(summary)
    }

    /// The same without a look at the signatures.
    consuming func finishUnverified(_ keys: (UnsafeBufferPointer<ExportedKey>) throws -> Void) throws -> ExportSummary {
        if let contentError { throw contentError }
        return try decoder.finish(keys)
    }
}
