// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import ForeignText
import Glibc
import JSON
import WiFi

/// One board is a fleet of one.
struct OneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "one", abstract: "Makes the card of one board out of five answers.",
        discussion: """
            Asks what is not given as an option, one question a line, on standard input. Writes a new folder with `provision`, which goes \
            onto the card's boot partition, `label.txt`, which is to be printed, and `board.json`, which has nothing secret in it and is \
            for your records. Each board gets secrets of its own: never copy one board's folder to a second card.

              vigil-fleet one board-1
              vigil-fleet one board-2 --wifi-name Library --wifi-password-file password.txt --country DE
              vigil-fleet one hall-3 --use place --language de --network automatic --authority authority.json --technician ~/.ssh/id_ed25519.pub

            No secret is shown here: the code for the label is in label.txt.
            """)

    @Argument(help: "The board's new folder.")
    var folder: String

    @Option(help: "person or place.")
    var use: String?

    @Option(help: "Language that the page starts in: en, de, fr or de-simple.")
    var language: String?

    @Option(help: "automatic, or ADDRESS/LENGTH GATEWAY NAMESERVER as one word in quotation marks.")
    var network: String?

    @Option(help: "File of the health authority's profile, or none.")
    var authority: String?

    @Option(help: "File of the technician's public SSH key, or none.")
    var technician: String?

    @Option(help: "Wireless network that the board joins; no Wi-Fi if not given. Not asked for.")
    var wifiName: String?

    @Option(help: "File with the password of that network, in one line.")
    var wifiPasswordFile: String?

    @Option(help: "Country where the board is, two capital letters, because each has its own rules for Wi-Fi.")
    var country: String?

    @Flag(help: "The wireless network does not say its name.")
    var wifiHidden = false

    @Option(help: "What the head of each page calls the board, 1 to 60 characters; nothing if not given.")
    var title: String?

    @Option(
        help:
            "Make a label to print, too, of 50x25, 62x29 or 89x36 mm: label.svg, label.pdf, label-code.png."
    )
    var label: String?

    @Option(
        help:
            "Make the card of this board anew, with new secrets, where its folder is already. The old card must not be used any more."
    )
    var replace: String?

    @Flag(help: "Take a profile whose servers are in your own network.")
    var localAuthority = false

    @Flag(help: "Check everything and say what would be written; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        var replaced: BoardSerial?
        if let replace {
            guard let serial = BoardSerial(replace) else {
                throw InputError(
                    file: "--replace",
                    "\(ForeignText.line(replace, limit: 40)) is no serial number of a board; it stands in board.json, such as vg-7k3m-q0r1x"
                )
            }
            replaced = serial
        }
        let size = try label.map { text throws(LabelFault) in try LabelSize(parsing: text) }
        let existing = try CardFolder.existing(at: folder)
        if replaced != nil, existing == nil { throw FolderFault.nothingToReplace(path: folder) }
        try CardFolder.admit(folder, replacing: replaced)
        if let name = existing?.record["name"]?.string, let replaced {
            throw InputError(
                file: folder,
                "this is the card of the board “\(ForeignText.line(name, limit: 100))” of a table. Make it anew with vigil-fleet plan and --remake \(replaced), so that the inventory has it"
            )
        }
        // The title is no question, so whoever makes a card anew would lose it.
        let title = title ?? existing?.record["title"]?.string
        if let title {
            do throws(AnswerFault) { try BoardAnswers.check(title: title) } catch {
                throw InputError(file: "--title", error.description)
            }
        }
        // Before the questions: nobody answers five of them in vain.
        let password = try wifiPassword()
        let answers = try answers(title)
        let wifi = try password.map { try network(password: $0, isPlace: answers.use == .place) }
        var generator = SystemRandomNumberGenerator()
        let secrets = CardSecrets(using: &generator)
        var card = try Card(answers, serial: replaced ?? BoardSerial(using: &generator), secrets: secrets, wifi: wifi)
        let problems = card.problems
        guard problems.isEmpty else {
            throw InputError(file: Card.folder, "a board would not take it: \(problems.joined(separator: "; "))")
        }
        if let size { card = try card.labelled(size) }
        if !dryRun {
            try WorkLock.holding(folder: CardFolder.parent(of: folder)) {
                try CardFolder.write(card, to: folder, replacing: replaced)
            }
        }
        report(card)
    }

    // MARK: Wi-Fi

    /// The password in the file, without the end of its line; `nil` if the board has no Wi-Fi. The network is judged with it, for a person.
    private func wifiPassword() throws -> String? {
        guard wifiName != nil || wifiPasswordFile != nil || country != nil || wifiHidden else { return nil }
        guard wifiName != nil, let wifiPasswordFile, country != nil else {
            throw InputError(
                file: "Wi-Fi",
                "give --wifi-name, --wifi-password-file and --country together, or none of them for a board with a cable")
        }
        var bytes = try Files.read(wifiPasswordFile, limit: 1_000, isOrdinary: true)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            throw InputError(file: wifiPasswordFile, "it has more than one line; write the password alone")
        }
        let password = String(decoding: bytes, as: UTF8.self)
        _ = try network(password: password, isPlace: false)
        return password
    }

    /// A place always shows its network the same address, and a person's board a new one each time.
    private func network(password: String, isPlace: Bool) throws -> WiFiNetwork {
        do throws(WiFiNetwork.Fault) {
            return try WiFiNetwork(
                name: wifiName ?? "", password: password, country: country ?? "", isHidden: wifiHidden,
                hasFixedAddress: isPlace)
        } catch { throw InputError(file: "Wi-Fi", "\(error)") }
    }

    // MARK: Questions

    private func answers(_ title: String?) throws -> BoardAnswers {
        let use = try answer(.use, given: use) { text throws(AnswerFault) in try BoardAnswers.use(text) }
        let language = try answer(.language, given: language) { text throws(AnswerFault) in try BoardAnswers.language(text)
        }
        let network = try answer(.network, given: network) { text throws(AnswerFault) in try NetworkAnswer(parsing: text) }
        let authority = try answer(.authority, given: authority) { text throws(AnswerFault) in try readAuthority(text) }
        let technicians = try answer(.technician, given: technician) { text throws(AnswerFault) in try readTechnicians(text)
        }
        return try BoardAnswers(
            use: use, language: language, network: network, authority: authority, technicians: technicians, title: title)
    }

    /// From the option, or from standard input. At a terminal a wrong answer is explained, and the question asked again; from a file or a pipe it ends
    /// the program, because the lines after it answer other questions.
    private func answer<Value>(
        _ question: Question, given: String?, read: (String) throws(AnswerFault) -> Value
    ) throws -> Value {
        if let given { return try read(try BoardAnswers.trimmed(given, to: question)) }
        while true {
            Terminal.error("\(question.text)\n> ")
            guard let line = readLine() else {
                throw AnswerFault.inputEnded(question)
            }
            do throws(AnswerFault) { return try read(try BoardAnswers.trimmed(line, to: question)) } catch {
                guard isatty(0) == 1 else {
                    throw InputError(file: "Answer \(question.number) (--\(question.rawValue))", error.description)
                }
                Terminal.error("\(error)\n")
            }
        }
    }

    private func readAuthority(_ text: String) throws(AnswerFault) -> BoardAnswers.Authority? {
        try AnswerFiles.authority(text, isLocal: localAuthority)
    }

    private func readTechnicians(_ text: String) throws(AnswerFault) -> TechnicianKeys? {
        try AnswerFiles.technicians(text)
    }

    // MARK: What was done

    private func report(_ card: Card) {
        if json {
            let report: JSON = [
                "serial": .string("\(card.serial)"), "folder": .string(folder), "written": .bool(!dryRun),
                "files": .array(
                    card.files.map { file in
                        var entry: JSON.Object = ["path": .string(file.path)]
                        // The size of a wireless network's file gives the length of its password.
                        if !file.isSecret { entry["bytes"] = .int(Int64(file.byteCount)) }
                        entry["secret"] = .bool(file.isSecret)
                        return .object(entry)
                    }),
                "notes": .array(card.notes.map(JSON.string)),
            ]
            return print(report)
        }
        print(
            dryRun
                ? "Nothing was written. This would be the card of a board such as \(card.serial):"
                : "The card of the board \(card.serial):")
        for file in card.files { print("  \(folder)/\(file.path)\(file.isSecret ? "  (secret)" : "")") }
        for note in card.notes { print("Note: \(note)") }
        guard !dryRun else { return }
        let labels = card.files.map(\.path).filter { $0.hasPrefix("label") }
        print(
            """
            Next:
              1. Copy the folder \(folder)/\(Card.folder) onto the card's disk VIGIL, and eject it.
              2. Print \(labels.contains("label.pdf") ? "\(folder)/label.pdf" : "\(folder)/label.txt"); its code opens the page the first time.
              3. Delete what is secret on this computer: \((labels + [Card.folder]).joined(separator: ", ")) in \(folder).
              4. Keep \(folder)/board.json; it has nothing secret in it.
            """)
        if replace != nil {
            print("The old card and the old label of \(card.serial) are void: overwrite the card, and destroy the label.")
        }
    }
}
