// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// A document with its signatures as one file (docs/schemas/signed-succession.schema.json). The document is in
/// Base64, because its exact bytes are signed.
extension Succession {
    /// The maximum size of a file in bytes, inclusive; 96 KiB, enough for the largest document in Base64 and all
    /// signatures. The number is this project's own.
    public static let maximumFileByteCount = 96 << 10
    /// The maximum size in bytes of a file that a device accepts and stores, inclusive; 8 KiB, enough for about 15
    /// keys. Files stored elsewhere may have ``maximumFileByteCount`` bytes. The number is this project's own.
    public static let maximumDeviceByteCount = 8 << 10
    /// The maximum number of signatures in a file. A document needs one for each role that it changes, and at most
    /// one of the operator's. The number is this project's own.
    public static let maximumSignatures = 8
    // ASN.1 DER of two numbers of 32 bytes has at most 72.
    private static let maximumSignatureByteCount = 80
    // As in the settings of the authority, with room.
    static let maximumNameByteCount = 64
    private static let fileFormat = "vigil-succession-1"

    /// Returns the file, which ends with a line feed. Throws `malformedDocument` when it has more than
    /// ``maximumFileByteCount`` bytes. The number of signatures is not checked.
    public func file() throws(TrustError) -> [UInt8] {
        let written: JSON = [
            "document": .string(Base64.string(document)), "format": .string(Self.fileFormat),
            "signatures": .array(
                signatures.map {
                    [
                        "id": .string($0.name.id), "role": .string($0.role.rawValue),
                        "signature": .string(Base64.string($0.signature)), "version": .string($0.name.version),
                    ]
                }),
        ]
        let bytes = written.bytes
        guard bytes.count < Self.maximumFileByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Self.maximumFileByteCount) bytes")
        }
        return bytes + [UInt8(ascii: "\n")]
    }

    /// Reads a file without judging the document or its signatures. Throws `malformedDocument` when the file has
    /// another form, or more bytes or signatures than allowed.
    public init(file bytes: [UInt8]) throws(TrustError) {
        guard bytes.count <= Self.maximumFileByteCount else {
            throw TrustError(.malformedDocument, "the file is larger than \(Self.maximumFileByteCount) bytes")
        }
        guard let json = try? JSON(parsing: bytes, maximumDepth: 8), json["format"]?.string == Self.fileFormat else {
            throw TrustError(.malformedDocument, "the file is not JSON of the format \(Self.fileFormat)")
        }
        guard let document = json["document"]?.string.flatMap(Base64.bytes), document.count <= Self.maximumByteCount else {
            throw TrustError(
                .malformedDocument, "document is not Base64 of at most \(Self.maximumByteCount) bytes")
        }
        guard let written = json["signatures"]?.array, written.count <= Self.maximumSignatures else {
            throw TrustError(.malformedDocument, "signatures is no list of at most \(Self.maximumSignatures)")
        }
        var signatures: [Signature] = []
        for (index, signature) in written.enumerated() {
            guard let role = signature["role"]?.string.flatMap(KeyRole.init), let id = signature["id"]?.string,
                let version = signature["version"]?.string, id.utf8.count <= Self.maximumNameByteCount,
                version.utf8.count <= Self.maximumNameByteCount
            else { throw TrustError(.malformedDocument, "signatures[\(index)] names no key") }
            guard let bytes = signature["signature"]?.string.flatMap(Base64.bytes),
                bytes.count <= Self.maximumSignatureByteCount
            else {
                throw TrustError(
                    .malformedDocument,
                    "signatures[\(index)].signature is not Base64 of at most \(Self.maximumSignatureByteCount) bytes")
            }
            signatures.append(Signature(role: role, name: KeyName(id: id, version: version), signature: bytes))
        }
        self.init(document: document, signatures: signatures)
    }
}
