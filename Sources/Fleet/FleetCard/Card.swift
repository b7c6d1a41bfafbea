// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Cryptography
import Glibc
import JSON
import PluginManifest

/// What is written for one board: the folder `provision` for its card, the text of its label, and a record for whoever keeps an inventory.
public struct Card: Sendable {
    /// One file.
    public struct File: Sendable {
        /// Below the board's folder, such as `provision/vigil.json`.
        public let path: String
        /// Whether there is a secret in it.
        public let isSecret: Bool
        let content: SecretBytes

        /// Bytes of it.
        public var byteCount: Int { content.count }

        init(_ path: String, _ text: String, isSecret: Bool = false) {
            self.path = path
            self.isSecret = isSecret
            content = SecretBytes(copying: text.utf8)
        }
    }

    /// The name of the folder that goes onto the card.
    public static let folder = "provision"
    /// Where the board keeps the folder, and so how files in it name each other (docs/image.md).
    static let place = "/data/provision"
    /// The file that says which board a folder is for.
    static let record = "board.json"

    /// Which board this is.
    public let serial: BoardSerial
    /// In the order of writing.
    public let files: [File]
    /// What the operator should know, in sentences.
    public let notes: [String]

    /// Makes the files for one board; writes nothing.
    public init(_ answers: BoardAnswers, serial: BoardSerial, secrets: CardSecrets) throws(AnswerFault) {
        let (grants, notes) = try CardGrants.make(answers)
        var vigil: JSON.Object = ["profile": .string(answers.use.profile), "language": .string(answers.language)]
        if answers.authority != nil { vigil["authorities"] = [.string("\(Self.place)/authority.json")] }
        var files = [
            File("\(Self.folder)/vigil.json", JSON.object(vigil).indentedText),
            File("\(Self.folder)/grants.json", grants.indentedText),
            File("\(Self.folder)/ports", "\(CardGrants.pagePort)\n"),
        ]
        if let authority = answers.authority {
            files.append(File("\(Self.folder)/authority.json", String(decoding: authority.bytes, as: UTF8.self)))
        }
        if let technicians = answers.technicians {
            files.append(File("\(Self.folder)/authorized_keys", technicians.keys.map { $0.line + "\n" }.joined()))
        }
        if let network = answers.network.file { files.append(File("\(Self.folder)/network/20-wired.network", network)) }
        let code = secrets.labelCode.withBytes { String(decoding: $0, as: UTF8.self) }
        let claim = secrets.claim.withBytes { String(decoding: $0, as: UTF8.self) }
        let first: JSON = .object([answers.use.role: .string(code)])
        files += [
            File("\(Self.folder)/first-secrets", String(decoding: first.bytes, as: UTF8.self) + "\n", isSecret: true),
            File("\(Self.folder)/enrolment-claim", "\(claim)\n", isSecret: true),
            File("label.txt", Self.label(answers, serial, code), isSecret: true),
            File(Self.record, Self.record(answers, serial, secrets).indentedText),
        ]
        self.serial = serial
        self.files = files
        self.notes = notes
    }

    /// What a board would refuse of the folder, a sentence each. Empty, unless answers contradict each other in a way that no question finds.
    public var problems: [String] {
        var contents: [String: [UInt8]] = [:]
        for file in files where file.path.hasPrefix("\(Self.folder)/") {
            contents[String(file.path.dropFirst(Self.folder.utf8.count + 1))] = file.content.withBytes { Array($0) }
        }
        return CardCheck.problems(in: contents)
    }

    private static func label(_ answers: BoardAnswers, _ serial: BoardSerial, _ code: String) -> String {
        let address: String
        switch answers.network {
        case .automatic: address = "ADDRESS"
        case .manual(let place, _, _): address = String(place.prefix { $0 != "/" })
        }
        return """
            Vigil \(serial)
            Page  https://\(address):\(CardGrants.pagePort)
            Code  \(code)
            The first sign-in, as \(answers.use == .person ? "the wearer" : "a technician"). Choose another secret then.

            """
    }

    /// What an inventory keeps: of the secrets only what proves them.
    private static func record(_ answers: BoardAnswers, _ serial: BoardSerial, _ secrets: CardSecrets) -> JSON {
        var record: JSON.Object = [
            "format": 1, "serial": .string("\(serial)"), "use": .string(answers.use.rawValue),
            "language": .string(answers.language),
            "network": .string(answers.network.text), "claimHash": .string(CardSecrets.digest(secrets.claim)),
            "labelCodeHash": .string(CardSecrets.digest(secrets.labelCode)),
        ]
        if let title = answers.title { record["title"] = .string(title) }
        if let authority = answers.authority {
            record["authority"] = .string(authority.profile.name)
            record["authorityHash"] = .string("sha256:\(Hex.string(SHA256.digest(of: authority.bytes)))")
        }
        record["technicians"] = .array((answers.technicians?.keys ?? []).map { .string($0.fingerprint) })
        return .object(record)
    }
}
