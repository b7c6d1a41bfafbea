// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Core
public import Cryptography
import Enrolment
import Glibc
import JSON
import PluginManifest
import Poster
public import WiFi

/// The files for one board: the folder `provision` for its memory card, the text of its label, and a record for the
/// operator's inventory.
public struct Card: Sendable {
    /// A file of the card: its path and its content.
    public struct File: Sendable {
        /// The file's path below the board's folder, such as `provision/vigil.json`.
        public let path: String
        /// Whether the file holds a secret.
        public let isSecret: Bool
        let content: SecretBytes

        /// The number of bytes of the file, 0 or more.
        public var byteCount: Int { content.count }

        init(_ path: String, _ text: String, isSecret: Bool = false) {
            self.init(path, Array(text.utf8), isSecret: isSecret)
        }

        init(_ path: String, _ bytes: [UInt8], isSecret: Bool) {
            self.path = path
            self.isSecret = isSecret
            content = SecretBytes(copying: bytes)
        }
    }

    /// The name of the folder that is copied onto the memory card.
    public static let folder = "provision"
    /// Where the board keeps the folder, and so how files in it name each other (docs/image.md).
    static let place = "/data/provision"
    /// The file that says which board a folder is for.
    static let record = "board.json"

    /// Every file that a card can have, below the board's folder.
    static let paths = Set(
        [
            record, "label.txt", "label.svg", "label.pdf", "label-code.png", "\(folder)/vigil.json",
            "\(folder)/grants.json",
            "\(folder)/ports", "\(folder)/name", "\(folder)/authority.json", "\(folder)/authorized_keys",
            "\(folder)/\(NetworkAnswer.place)",
            "\(folder)/first-secrets", "\(folder)/enrolment-claim", "\(folder)/wifi", "\(folder)/\(DeviceFile.name)",
            "\(folder)/\(DeviceFile.signatureName)", "\(folder)/\(DeviceFile.keyName)",
        ] + FleetMembership.spareFiles.map { "\(folder)/\($0)" })

    /// The board's serial number.
    public let serial: BoardSerial
    /// The files, in the order in which they are written.
    public private(set) var files: [File]
    /// The notes for the operator, an English sentence each, about what the plugins will not do with this board's
    /// authority, or what a person must do; empty if there are none.
    public let notes: [String]
    private let labelCode: SecretBytes
    /// Where the page is.
    private let page: String
    private let title: String?

    /// Makes the files for one board in memory; writes nothing. `name` is the board's name in the table of a fleet, `nil`
    /// for a board without a table; `enrolment` is where it enrols, `nil` if it does not; `wifi` is the wireless network
    /// that it joins, `nil` for a board with a cable, and its password is in a file of its own and nowhere else; `fleet` is what a signed card says of its
    /// fleet, `nil` for one that is not signed. Throws `badProfile` when the settings of plugins cannot be made from the authority's
    /// profile.
    public init(
        _ answers: BoardAnswers, serial: BoardSerial, secrets: CardSecrets, name: String? = nil,
        enrolment: EnrolmentPlace? = nil, wifi: WiFiNetwork? = nil, fleet: FleetMembership? = nil
    ) throws(AnswerFault) {
        let (grants, notes) = try CardGrants.make(
            answers, localName: Self.localName(answers, serial, secrets),
            enrolment: enrolment.map { CardGrants.enrolment($0, serial, secrets) }, configuration: fleet?.configurationPath)
        var vigil: JSON.Object = [
            "profile": .string(answers.use.profile), "language": .string(answers.language),
            "network": NetworkAnswer.permission, "reboot": true,
        ]
        if answers.authority != nil { vigil["authorities"] = [.string("\(Self.place)/authority.json")] }
        if let fleet {
            vigil["operatorKeys"] = .array(fleet.keys.map { .string("\($0.name)=\(Self.place)/\($0.file)") })
            vigil["fleet"] = fleet.json(serial)
        }
        var files = [
            File("\(Self.folder)/vigil.json", JSON.object(vigil).indentedText),
            File("\(Self.folder)/grants.json", grants.indentedText),
            File("\(Self.folder)/ports", "\(CardGrants.pagePort)\n"),
            File(
                "\(Self.folder)/name",
                Self.localName(answers, serial, secrets) + (answers.use == .person ? " setup\n" : "\n")),
        ]
        if let authority = answers.authority {
            files.append(File("\(Self.folder)/authority.json", String(decoding: authority.bytes, as: UTF8.self)))
        }
        if let technicians = answers.technicians {
            files.append(File("\(Self.folder)/authorized_keys", technicians.keys.map { $0.line + "\n" }.joined()))
        }
        if let network = answers.network.file { files.append(File("\(Self.folder)/\(NetworkAnswer.place)", network)) }
        files += (fleet?.keys ?? []).map { File("\(Self.folder)/\($0.file)", $0.text) }
        let code = secrets.labelCode.withBytes { String(decoding: $0, as: UTF8.self) }
        let claim = secrets.claim.withBytes { String(decoding: $0, as: UTF8.self) }
        let first: JSON = .object([answers.use.role: .string(code)])
        files += [
            File("\(Self.folder)/first-secrets", String(decoding: first.bytes, as: UTF8.self) + "\n", isSecret: true),
            File("\(Self.folder)/enrolment-claim", "\(claim)\n", isSecret: true),
        ]
        if let wifi { files.append(File("\(Self.folder)/wifi", wifi.text, isSecret: true)) }
        files += [
            File("label.txt", Self.label(answers, serial, secrets, code, name), isSecret: true),
            File(Self.record, Self.record(answers, serial, secrets, files, name, enrolment, fleet).indentedText),
        ]
        self.serial = serial
        self.files = files
        self.notes = notes
        labelCode = secrets.labelCode
        page = Self.pages(answers, serial, secrets)[0]
        title = answers.title
    }

    /// Returns the same card with a label to print, as SVG and PDF, and its QR code alone as PNG. The code says
    /// `VIGIL:1;ID:SERIAL;K:CODE`, and is read back to check that.
    ///
    /// Must not be called twice on one card, whose folder could then not be written. Throws `noCode` when the code
    /// cannot be drawn, or says something else when it is read back.
    public func labelled(_ size: LabelSize) throws(LabelFault) -> Card {
        // It is printed beside the code, so a text of it cannot be avoided.
        let printed = labelCode.withBytes { String(decoding: $0, as: UTF8.self) }
        var card = self
        card.files += try Self.labelFiles(serial, printed, title: title, page: page, size)
        return card
    }

    private static func labelFiles(
        _ serial: BoardSerial, _ printed: String, title: String?, page: String?, _ size: LabelSize
    ) throws(LabelFault) -> [File] {
        let label = try label(serial, printed, title: title, page: page, size)
        return [
            File("label.svg", label.sheet.svg, isSecret: true), File("label.pdf", label.sheet.pdf, isSecret: true),
            File("label-code.png", label.code.png, isSecret: true),
        ]
    }

    /// Draws a label. Throws `noCode` when the code cannot be drawn, or says something else when it is read back.
    static func label(
        _ serial: BoardSerial, _ printed: String, title: String?, page: String?, _ size: LabelSize
    ) throws(LabelFault) -> Label {
        let code: QRCode
        do throws(PosterError) { code = try QRCode("VIGIL:1;ID:\(serial);K:\(printed)", level: .quartile) } catch {
            throw .noCode(error)
        }
        let lines = (title.map { [$0] } ?? []) + ["\(serial)"] + (page.map { ["https://", $0] } ?? []) + [printed]
        return Label(size, code: code, lines: lines)
    }

    /// Returns the files of a label for a code that a board has made itself (`vigil ctl access make`), without a card: `typed`
    /// is the code, alone on a line or in the board's answer as JSON (`secret`). Throws `noSecret` for anything else, and
    /// `noCode` when the code cannot be drawn, or says something else when it is read back.
    public static func labelFiles(
        serial: BoardSerial, typed: [UInt8], page: String?, size: LabelSize
    ) throws(LabelFault) -> [File] {
        let text = (try? JSON(parsing: typed))?["secret"]?.string ?? String(decoding: typed, as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard let letters = PrintedSecret.normalized(line) else { throw .noSecret }
        if let page, !(1...60).contains(page.utf8.count) || !page.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
            throw .noPage
        }
        // As it is printed everywhere: in groups of four.
        let groups = stride(from: 0, to: letters.count, by: 4).map {
            String(decoding: letters[$0..<min($0 + 4, letters.count)], as: UTF8.self)
        }
        return try labelFiles(serial, groups.joined(separator: "-"), title: nil, page: page, size)
    }

    /// The faults that ``CardCheck/problems(in:plugins:)`` finds in the folder `provision`, an English sentence
    /// each; empty unless the answers contradict each other in a way that no question notices.
    public var problems: [String] {
        var contents: [String: [UInt8]] = [:]
        for file in files where file.path.hasPrefix("\(Self.folder)/") {
            contents[String(file.path.dropFirst(Self.folder.utf8.count + 1))] = file.content.withBytes { Array($0) }
        }
        return CardCheck.problems(in: contents)
    }

    /// Returns the same card with a device file for the board, signed by the operator's `key`. Must not be called
    /// twice on one card, whose folder could then not be written. Throws what the library or a token says when it
    /// cannot sign.
    public func signed(by key: any P256Signer) throws -> Card {
        let text = Array(recordText.utf8)
        var card = self
        card.files += [
            File("\(Self.folder)/\(DeviceFile.name)", text, isSecret: false),
            File(
                "\(Self.folder)/\(DeviceFile.signatureName)", try key.signature(of: SHA256.digest(of: text)),
                isSecret: false),
        ]
        return card
    }

    /// The text of `board.json`, a JSON object without secrets.
    public var recordText: String {
        files.first { $0.path == Self.record }?.content.withBytes { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func label(
        _ answers: BoardAnswers, _ serial: BoardSerial, _ secrets: CardSecrets, _ code: String, _ name: String?
    ) -> String {
        """
        Vigil \(serial)
        \(name.map { "Name  \($0)\n" } ?? "")Page  \(pages(answers, serial, secrets).map { "https://\($0)" }.joined(separator: "\n      "))
        \(answers.use == .person ? "The name works while the board is being set up: for an hour after it is switched on.\n" : "")Code  \(code)
        The first sign-in, as \(answers.use == .person ? "the wearer" : "a technician"). Choose another secret then.

        """
    }

    /// Where the page is: at the address, if that is known beforehand, and at the name.
    private static func pages(_ answers: BoardAnswers, _ serial: BoardSerial, _ secrets: CardSecrets) -> [String] {
        ((answers.network.address.map { [$0] } ?? []) + ["\(localName(answers, serial, secrets)).local"]).map {
            "\($0):\(CardGrants.pagePort)"
        }
    }

    /// The name on the network: in a place the serial number, which is on the label for everybody; a person's says nothing.
    private static func localName(_ answers: BoardAnswers, _ serial: BoardSerial, _ secrets: CardSecrets) -> String {
        answers.use == .person ? secrets.localName : "\(serial)"
    }

    /// What an inventory keeps: of the secrets only what proves them.
    private static func record(
        _ answers: BoardAnswers, _ serial: BoardSerial, _ secrets: CardSecrets, _ files: [File], _ name: String?,
        _ enrolment: EnrolmentPlace?, _ fleet: FleetMembership?
    ) -> JSON {
        var record: JSON.Object = [
            "format": 1, "serial": .string("\(serial)"), "use": .string(answers.use.rawValue),
            "language": .string(answers.language),
            "network": .string(answers.network.text), "claimHash": .string(CardSecrets.digest(secrets.claim)),
            "labelCodeHash": .string(CardSecrets.digest(secrets.labelCode)),
        ]
        if let name { record["name"] = .string(name) }
        if let fleet {
            record["issued"] = .int(fleet.issued)
            if let group = fleet.group { record["group"] = .string(group) }
            if let kind = fleet.boardType { record["boardType"] = .string(kind) }
        }
        if let enrolment {
            record["enrolment"] = ["address": .string(enrolment.address), "anchor": .string(enrolment.anchor)]
        }
        if let title = answers.title { record["title"] = .string(title) }
        if let authority = answers.authority {
            record["authority"] = .string(authority.profile.name)
            record["authorityHash"] = .string(DeviceFile.hash(authority.bytes))
        }
        var hashes = JSON.Object()
        for file in files where file.path.hasPrefix("\(folder)/") && !file.isSecret {
            hashes[String(file.path.dropFirst(folder.utf8.count + 1))] = .string(
                file.content.withBytes { DeviceFile.hash(Array($0)) })
        }
        record["files"] = .object(hashes)
        record["technicians"] = .array((answers.technicians?.keys ?? []).map { .string($0.fingerprint) })
        return .object(record)
    }
}
