// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import ForeignText
import JSON

/// The device file of a card: `board.json` as the board gets it, and the operator's signature over its exact bytes (ECDSA with P-256 and SHA-256, DER), as
/// `openssl dgst -sha256 -sign` makes it. It names the board and every other file of the folder by its hash; nothing in it is secret. No board verifies it yet.
public enum DeviceFile {
    /// The reason why a folder differs from the one that was signed.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The folder has no device file, or no signature.
        case missing
        /// The device file was changed, was signed by somebody else, or lists no files.
        case badSignature
        /// The file of this path in the folder is not the one that was signed, is missing, or was added.
        case otherFile(String)

        /// A sentence for the operator that says what differs and what to do. Cannot fail.
        public var description: String {
            switch self {
            case .missing: "There is no signed device file in this folder. Make the card with --key."
            case .badSignature:
                "The device file was changed after it was signed, or another key has signed it. Make the card anew."
            case .otherFile(let path):
                "\(ForeignText.line(path, limit: 200)) was changed, added or removed after the device file was signed. Make the card anew."
            }
        }
    }

    static let name = "device.json"
    static let signatureName = "device.sig"
    /// Files that are not listed: these themselves, and the secrets, which the board erases.
    static let unlisted: Set<String> = [name, signatureName, "first-secrets", "enrolment-claim"]

    /// As an inventory writes a hash.
    static func hash(_ bytes: [UInt8]) -> String { "sha256:\(Hex.string(SHA256.digest(of: bytes)))" }

    /// Returns if the folder's device file was signed by `key` and the folder has just the files that it names, unchanged; the two files with
    /// secrets count neither way. `files` has contents by path below the folder. Throws `missing`, `badSignature` or `otherFile` with the first
    /// such file.
    public static func check(_ files: [String: [UInt8]], by key: P256.VerificationKey) throws(Fault) {
        guard let text = files[name], let signature = files[signatureName] else { throw .missing }
        guard key.isValid(signature: signature, over: SHA256.digest(of: text)),
            let said = try? JSON(parsing: text)["files"]?.object
        else {
            throw .badSignature
        }
        for path in files.keys.sorted() where !unlisted.contains(path) && said[path] == nil { throw .otherFile(path) }
        for member in said.members where files[member.name].map(hash) != member.value.string {
            throw .otherFile(member.name)
        }
    }
}
