// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON

/// The device file of a card (`device.json`): it names the board and, with their hashes, the other files of the folder that are not
/// secret. `device.sig` is the operator's signature over its exact bytes (ECDSA with P-256 and SHA-256, DER), as
/// `openssl dgst -sha256 -sign` makes it. Nothing in it is secret (docs/fleet.md).
public struct DeviceFile: Sendable, Hashable {
    /// The name of the device file in a card's folder.
    public static let name = "device.json"
    /// The name of its signature.
    public static let signatureName = "device.sig"
    /// The name of the operator's public key, which a board that knows no key yet takes with its first signed card.
    public static let keyName = "operator.pem"
    /// The longest device file in bytes, and the longest signature; our own bounds.
    public static let (maximumByteCount, maximumSignatureByteCount) = (65_536, 80)
    /// The files that are not listed: these two themselves, and the secrets, which the board erases.
    public static let unlisted: Set<String> = [name, signatureName, "first-secrets", "enrolment-claim", "wifi"]

    /// The board that the card is for, such as `vg-7k3m-q0r1x`.
    public let serial: BoardName
    /// The kind of board that the card is for, as boards' own files name it; `nil` for every kind.
    public let boardType: String?
    /// Who the board is for, `person` or `place`; `nil` if the file does not say.
    public let use: String?
    /// The number by which a newer card of one board is known: Unix seconds, higher for each card; `nil` for cards of
    /// before there were such numbers.
    public let issued: Int64?
    /// The hashes of the two secrets, as ``hash(_:)`` writes them: the first code and the enrolment claim.
    public let (labelCodeHash, claimHash): (String?, String?)
    /// The listed files with their hashes, in the order of the document.
    let files: [Entry]

    struct Entry: Sendable, Hashable {
        let path: String
        let hash: String?
    }

    /// Reads a device file without looking at its signature: for one that a board verified as it took it. Throws `malformed` for anything that is
    /// longer than ``maximumByteCount``, is not JSON, names no board or lists no files.
    public init(parsing bytes: [UInt8]) throws(DeviceFileFault) {
        guard bytes.count <= Self.maximumByteCount, let json = try? JSON(parsing: bytes),
            let serial = json["serial"]?.string.flatMap({ BoardName($0) }), let files = json["files"]?.object
        else { throw .malformed }
        self.serial = serial
        boardType = json["boardType"]?.string
        use = json["use"]?.string
        if let number = json["issued"] {
            guard case .int(let seconds) = number, seconds >= 0 else { throw .malformed }
            issued = seconds
        } else {
            issued = nil
        }
        labelCodeHash = json["labelCodeHash"]?.string
        claimHash = json["claimHash"]?.string
        self.files = files.members.map { Entry(path: $0.name, hash: $0.value.string) }
    }

    /// A hash as device files and inventories write it: `sha256:` and 64 hexadecimal digits.
    public static func hash(_ bytes: [UInt8]) -> String { "sha256:\(Hex.string(SHA256.digest(of: bytes)))" }
}

/// What a board knows when it judges a card.
public struct CardJudge: Sendable {
    /// The public keys of the fleet's operator, any of which may have signed; empty if the board knows none.
    public var keys: [P256.VerificationKey]
    /// The device file of the card that holds now, as its exact bytes, and its signature; `nil` if it has none. It counts only while one of ``keys`` has signed it: what
    /// nobody verified, or another fleet signed, neither names this board nor shuts a card out.
    public var held: [UInt8]?, heldSignature: [UInt8]?
    /// The kind of board that this is; `nil` if the board does not know.
    public var boardType: String?
    /// Whether a card without a verified device file is refused.
    public var takesSignedOnly: Bool

    /// Creates a judge that knows this much.
    public init(
        keys: [P256.VerificationKey], held: [UInt8]? = nil, heldSignature: [UInt8]? = nil, boardType: String? = nil,
        takesSignedOnly: Bool = false
    ) {
        (self.keys, self.boardType, self.takesSignedOnly) = (keys, boardType, takesSignedOnly)
        (self.held, self.heldSignature) = (held, heldSignature)
    }

    /// What a card is that may be taken.
    public enum Verdict: Sendable, Hashable {
        /// A card by hand, without a device file.
        case unsigned
        /// It has a device file, and nobody knows a key to verify it by: it counts as a card by hand.
        case unverified
        /// The operator signed this device file, and the folder is as it says.
        case verified(DeviceFile)
    }

    /// Judges a card's folder; `files` holds the contents by path below it, with or without the secrets, which are not looked at here.
    ///
    /// Throws the first reason in this order: there is no device file or only half of it, the signature, the form, the board, its kind, the
    /// number, and then one file that was added, changed or is missing. Takes time proportional to the bytes; nothing is kept.
    public func verdict(_ files: [String: [UInt8]]) throws(DeviceFileFault) -> Verdict {
        try verdict(paths: Dictionary(uniqueKeysWithValues: files.map { (Array($0.utf8), $1) }))
    }

    /// As ``verdict(_:)``, with the bytes of each path. Names that look alike are different files on a disk, and equal as strings: an umlaut has two
    /// forms, and the sign for kelvin is a K.
    public func verdict(paths files: [[UInt8]: [UInt8]]) throws(DeviceFileFault) -> Verdict {
        func content(_ path: String) -> [UInt8]? { files[Array(path.utf8)] }
        let (text, signature) = (content(DeviceFile.name), content(DeviceFile.signatureName))
        if text == nil, signature == nil {
            guard !takesSignedOnly else { throw .missing }
            return .unsigned
        }
        guard let text, let signature else {
            throw .half(missing: text == nil ? DeviceFile.name : DeviceFile.signatureName)
        }
        guard !keys.isEmpty else {
            guard !takesSignedOnly else { throw .noKey }
            return .unverified
        }
        guard text.count <= DeviceFile.maximumByteCount, signature.count <= DeviceFile.maximumSignatureByteCount else {
            throw .tooLong
        }
        let digest = SHA256.digest(of: text)
        guard isSigned(digest, signature) else {
            // Whose it is says only the card itself: good for a sentence, and for nothing else.
            if let own = content(DeviceFile.keyName).flatMap({ try? P256.VerificationKey(pemOrDER: $0) }),
                own.isValid(signature: signature, over: digest)
            {
                throw .otherKey
            }
            throw .changed
        }
        let device = try DeviceFile(parsing: text)
        if let held, let former = formerCard() {
            guard device.serial == former.serial else {
                throw .otherBoard(card: device.serial.text, board: former.serial.text)
            }
            if let number = former.issued, held != text {
                guard let mine = device.issued, mine > number else { throw .older }
            }
        }
        if let kind = device.boardType, let boardType, kind != boardType {
            throw .otherType(card: kind, board: boardType)
        }
        let known = Set(device.files.map { Array($0.path.utf8) } + DeviceFile.unlisted.map { Array($0.utf8) })
        let added = files.keys.filter { !known.contains($0) }
        if let path = added.min(by: { $0.lexicographicallyPrecedes($1) }) {
            throw .added(String(decoding: path, as: UTF8.self))
        }
        for file in device.files {
            guard let bytes = content(file.path) else { throw .removed(file.path) }
            guard DeviceFile.hash(bytes) == file.hash else { throw .altered(file.path) }
        }
        return .verified(device)
    }

    private func isSigned(_ digest: [UInt8], _ signature: [UInt8]) -> Bool {
        keys.contains { $0.isValid(signature: signature, over: digest) }
    }

    /// The card that holds, as far as it counts.
    private func formerCard() -> DeviceFile? {
        guard let held, let heldSignature, held.count <= DeviceFile.maximumByteCount,
            heldSignature.count <= DeviceFile.maximumSignatureByteCount,
            isSigned(SHA256.digest(of: held), heldSignature)
        else { return nil }
        return try? DeviceFile(parsing: held)
    }
}
