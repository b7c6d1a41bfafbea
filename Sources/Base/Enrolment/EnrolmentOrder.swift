// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import ForeignText
import JSON

/// What a card's signed device file says about enrolment.
public struct EnrolmentOrder: Sendable, Hashable {
    /// The longest device file that is read, in bytes.
    public static let maximumByteCount = 65_536

    /// The board that the file is for.
    public let name: BoardName
    /// The address of the EST server without a slash at its end, like `https://ra.example/.well-known/est`.
    public let address: String
    /// The certificates in PEM by which the server is known, and no others.
    public let anchor: String
    /// ``EnrolmentClaim/digest`` of the claim that belongs to the file.
    public let claimDigest: String

    /// Reads a device file (`device.json`) with its signature (`device.sig`). Throws `noDeviceFile` if either is empty,
    /// `changedDeviceFile` unless `operatorKey` has signed exactly these bytes, `noServer` if it names none, and `otherBoard` if it names no
    /// board or claim.
    public init(
        file: [UInt8], signature: [UInt8], operatorKey: P256.VerificationKey
    ) throws(EnrolmentError) {
        guard !file.isEmpty, !signature.isEmpty else { throw EnrolmentError(.noDeviceFile) }
        guard file.count <= Self.maximumByteCount, signature.count <= 80,
            operatorKey.isValid(signature: signature, over: SHA256.digest(of: file)), let json = try? JSON(parsing: file)
        else { throw EnrolmentError(.changedDeviceFile) }
        guard let name = json["serial"]?.string.flatMap({ BoardName($0) }), let claim = json["claimHash"]?.string else {
            throw EnrolmentError(.otherBoard)
        }
        guard let place = json["enrolment"], let address = place["address"]?.string, let anchor = place["anchor"]?.string
        else {
            throw EnrolmentError(.noServer)
        }
        if let fault = Self.fault(address: address, anchor: anchor) { throw EnrolmentError(.noServer, fault) }
        (self.name, self.address, self.anchor, claimDigest) = (name, address, anchor, claim)
    }

    /// Takes what a card says from whoever has read it. Throws `noServer` if the address or the anchor cannot be used.
    public init(name: BoardName, address: String, anchor: String, claimDigest: String) throws(EnrolmentError) {
        if let fault = Self.fault(address: address, anchor: anchor) { throw EnrolmentError(.noServer, fault) }
        (self.name, self.address, self.anchor, self.claimDigest) = (name, address, anchor, claimDigest)
    }

    /// What is wrong with an address and its anchor; `nil` if nothing is. `anchor` must have a certificate in PEM.
    public static func fault(address: String, anchor: String) -> String? {
        guard address.hasPrefix("https://"), address.utf8.count <= 200, !address.hasSuffix("/"),
            address.utf8.dropFirst(8).first.map({ $0 != 47 }) == true,
            address.utf8.allSatisfy({ (33...126).contains($0) && !"\"\\<>?#@".utf8.contains($0) })
        else { return "“\(ForeignText.line(address, limit: 100))” is no address like https://ra.example/.well-known/est" }
        guard anchor.utf8.count <= 32_768, !CertificateValidity.all(pem: anchor).isEmpty else {
            return "the anchor is no certificate in PEM"
        }
        return nil
    }
}
