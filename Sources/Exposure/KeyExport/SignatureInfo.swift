// SPDX-License-Identifier: Apache-2.0

public import Trust

/// A signer that a key file names, and its algorithm (`SignatureInfo`; fields 1 and 2 are reserved today and occur in
/// old files). The texts are foreign and not verified; absent ones are `nil`.
public struct SignatureInfo: Hashable, Sendable {
    /// Field 1, `app_bundle_id`: the identifier of an iOS app, any text; `nil` when absent.
    public var appBundleID: String?
    /// Field 2, `android_package`: the package name of an Android app, any text; `nil` when absent.
    public var androidPackage: String?
    /// Field 3, `verification_key_version`, such as "v1". `nil` when absent.
    public var keyVersion: String?
    /// Field 4, `verification_key_id`, often the mobile country code. `nil` when absent.
    public var keyID: String?
    /// Field 5, `signature_algorithm`: an object identifier of ``SignatureAlgorithm`` in files that follow the rules. `nil`
    /// when absent.
    public var algorithm: String?

    /// Creates an info from these texts; `nil` leaves a text out.
    public init(
        keyID: String? = nil, keyVersion: String? = nil, algorithm: String? = nil, appBundleID: String? = nil,
        androidPackage: String? = nil
    ) {
        self.appBundleID = appBundleID
        self.androidPackage = androidPackage
        self.keyVersion = keyVersion
        self.keyID = keyID
        self.algorithm = algorithm
    }

    /// The name by which the key is looked up; absent parts are empty. Foreign text, as the file has it.
    public var keyName: KeyName { KeyName(id: keyID ?? "", version: keyVersion ?? "") }

    /// `nil` when malformed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var cursor = ProtobufCursor(bytes)
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return nil }
            if (1...5).contains(field) {
                guard type == .bytes, let text = cursor.string() else { return nil }
                switch field {
                case 1: appBundleID = text
                case 2: androidPackage = text
                case 3: keyVersion = text
                case 4: keyID = text
                default: algorithm = text
                }
            } else if !cursor.skip(type) {
                return nil
            }
        }
    }
}

/// The signature algorithms of key files, named by their object identifiers. Servers often write the algorithm's name
/// instead, which is an error (google/exposure-notifications-android issue 45).
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA with SHA-256 (RFC 5758): the only algorithm that key files use.
    case ecdsaSHA256 = "1.2.840.10045.4.3.2"
    /// ECDSA with SHA-512 (RFC 5758).
    case ecdsaSHA512 = "1.2.840.10045.4.3.4"
}

/// One entry of export.sig (`TEKSignature`): the signer, the number of the file in its batch, and the signature.
public struct ExportSignature: Hashable, Sendable {
    /// The signer that the file names.
    public var info: SignatureInfo
    /// The number of the file in its batch, as this entry states, truncated to 32 bits; `nil` when absent. Neither
    /// checked nor compared with that of export.bin.
    public var batchNumber: Int32?
    /// The number of files in the batch, as this entry states, truncated to 32 bits; `nil` when absent. Neither
    /// checked nor compared with that of export.bin.
    public var batchSize: Int32?
    /// The ECDSA signature in ASN.1 DER over the whole of export.bin, including its header of 16 bytes; not checked,
    /// empty when absent.
    public var signature: [UInt8]

    /// Creates an entry from these parts, which are not verified. `signature` is an ECDSA signature in DER; a number
    /// is `nil` when the entry lacks it.
    public init(info: SignatureInfo, batchNumber: Int32?, batchSize: Int32?, signature: [UInt8]) {
        self.info = info
        self.batchNumber = batchNumber
        self.batchSize = batchSize
        self.signature = signature
    }
}

/// The reader of export.sig (`TEKSignatureList`). ``ExportEncoder`` writes it.
public enum ExportSignatureList {
    /// Reads the list without verifying the signatures. Throws `malformedSignatureList` for malformed bytes, and
    /// for more signatures than ``ExportLimits/maximumSignatures`` of `limits`. The number of `bytes` is not
    /// checked.
    public static func read(
        _ bytes: [UInt8], limits: ExportLimits = .standard
    ) throws(KeyExportError) -> [ExportSignature] {
        let result: Result<[ExportSignature], KeyExportError> = bytes.withUnsafeBytes { buffer in
            var cursor = ProtobufCursor(buffer)
            var list: [ExportSignature] = []
            while !cursor.isAtEnd {
                let offset = UInt64(cursor.position)
                guard let (field, type) = cursor.tag() else { return .failure(.init(.malformedSignatureList, at: offset)) }
                if field == 1 {
                    guard type == .bytes, let entry = cursor.bytes(), let signature = Self.signature(entry) else {
                        return .failure(.init(.malformedSignatureList, at: offset))
                    }
                    list.append(signature)
                    guard list.count <= limits.maximumSignatures else {
                        let limit = "more than \(limits.maximumSignatures) signatures"
                        return .failure(.init(.malformedSignatureList, at: offset, limit))
                    }
                } else if !cursor.skip(type) {
                    return .failure(.init(.malformedSignatureList, at: offset))
                }
            }
            return .success(list)
        }
        return try result.get()
    }

    private static func signature(_ bytes: UnsafeRawBufferPointer) -> ExportSignature? {
        var cursor = ProtobufCursor(bytes)
        var result = ExportSignature(info: SignatureInfo(), batchNumber: nil, batchSize: nil, signature: [])
        while !cursor.isAtEnd {
            guard let (field, type) = cursor.tag() else { return nil }
            switch (field, type) {
            case (1, .bytes):
                guard let info = cursor.bytes().flatMap(SignatureInfo.init) else { return nil }
                result.info = info
            case (2, .varint):
                guard let number = cursor.varint() else { return nil }
                result.batchNumber = Int32(truncatingIfNeeded: number)
            case (3, .varint):
                guard let size = cursor.varint() else { return nil }
                result.batchSize = Int32(truncatingIfNeeded: size)
            case (4, .bytes):
                guard let signature = cursor.bytes() else { return nil }
                result.signature = Array(signature)
            case (1...4, _): return nil
            default: guard cursor.skip(type) else { return nil }
            }
        }
        return result
    }
}
