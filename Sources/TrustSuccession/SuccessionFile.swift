// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
public import Trust

/// A document with its signatures as one file (docs/schemas/signed-succession.schema.json). The document is in Base64, because the signatures are
/// over its very bytes.
extension Succession {
    /// What a file may weigh: the largest document in Base64, and all signatures.
    public static let maximumFileByteCount = 96 << 10
    /// A document needs one signature for each role it changes, and one of the operator's at most.
    public static let maximumSignatures = 8
    // ASN.1 DER of two numbers of 32 bytes has at most 72.
    private static let maximumSignatureByteCount = 80
    // As in the settings of the authority, with room.
    private static let maximumNameByteCount = 64

    /// The file, which ends with a line end.
    public func file() throws(TrustError) -> [UInt8] {
        let written = WrittenFile(
            format: WrittenFile.format, document: Base64.string(document),
            signatures: signatures.map {
                .init(
                    role: $0.role.rawValue, id: $0.name.id, version: $0.name.version,
                    signature: Base64.string($0.signature))
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(written), data.count < Self.maximumFileByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Self.maximumFileByteCount) bytes")
        }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// Reads a file; throws `malformedDocument`. The document and its signatures are not judged here.
    public init(file bytes: [UInt8]) throws(TrustError) {
        guard bytes.count <= Self.maximumFileByteCount else {
            throw TrustError(.malformedDocument, "the file is larger than \(Self.maximumFileByteCount) bytes")
        }
        guard let written = try? JSONDecoder().decode(WrittenFile.self, from: Data(bytes)),
            written.format == WrittenFile.format
        else { throw TrustError(.malformedDocument, "the file is not JSON of the format \(WrittenFile.format)") }
        guard let document = Base64.bytes(written.document), document.count <= Self.maximumByteCount else {
            throw TrustError(
                .malformedDocument, "document is not Base64 of at most \(Self.maximumByteCount) bytes")
        }
        guard written.signatures.count <= Self.maximumSignatures else {
            throw TrustError(.malformedDocument, "more than \(Self.maximumSignatures) signatures")
        }
        var signatures: [Signature] = []
        for (index, signature) in written.signatures.enumerated() {
            guard let role = KeyRole(rawValue: signature.role),
                signature.id.utf8.count <= Self.maximumNameByteCount,
                signature.version.utf8.count <= Self.maximumNameByteCount
            else { throw TrustError(.malformedDocument, "signatures[\(index)] names no key") }
            guard let bytes = Base64.bytes(signature.signature), bytes.count <= Self.maximumSignatureByteCount else {
                throw TrustError(
                    .malformedDocument,
                    "signatures[\(index)].signature is not Base64 of at most \(Self.maximumSignatureByteCount) bytes")
            }
            signatures.append(
                Signature(role: role, name: KeyName(id: signature.id, version: signature.version), signature: bytes))
        }
        self.init(document: document, signatures: signatures)
    }
}

private struct WrittenFile: Codable {
    static let format = "vigil-succession-1"

    struct Signature: Codable {
        let role: String
        let id: String
        let version: String
        let signature: String
    }

    let format: String
    let document: String
    let signatures: [Signature]
}
