// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import ForeignText
import JSON

/// Checks the device file of a card: `board.json` as the board gets it, with the operator's signature over its exact bytes
/// (ECDSA with P-256 and SHA-256, DER), as `openssl dgst -sha256 -sign` makes it. It names the board and, with their
/// hashes, the other files of the folder that are not secret; nothing in it is secret. No board verifies it yet.
public enum DeviceFile {
    /// The reason why a folder differs from the one that was signed.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The folder has no device file, or no signature.
        case missing
        /// The device file was changed, was signed with another key, or is not JSON with an object `files`.
        case badSignature
        /// The file with this path was changed, removed or added after signing.
        case otherFile(String)

        /// An English sentence for the operator: what differs, and what to do. Cannot fail.
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

    /// Checks that `key` signed the folder's device file, and that the folder has exactly the files that it names,
    /// unchanged. The two files with secrets are not checked. `files` holds contents by path below the folder.
    /// Throws `missing` when the device file or its signature is not there, `badSignature` when the signature does
    /// not fit or the file is not JSON with an object `files`, and `otherFile` with one file that differs: first
    /// files that were added, in the order of their paths, then those that were changed or removed, in the order of
    /// the list.
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
