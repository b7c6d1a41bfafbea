// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Cryptography
import Enrolment
import FleetRegistry
import ForeignText
import Glibc
import JSON
import SecurityToken
import SystemCalls

/// A fleet's registration authority, and what its operator does.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Certifies the boards of a fleet by EST (RFC 7030).",
        discussion: """
            Boards on its list enrol by the claim on their card, once, and renew their certificates themselves. docs/enrolment.md has the rest.

              vigil-authority fleet init registry --title "Fleet 1"
              vigil-fleet claims fleet.sqlite > claims.txt
              vigil-authority fleet import registry claims.txt
              vigil-authority fleet serve registry --port 8085
            """,
        subcommands: [
            FleetInitCommand.self, FleetImportCommand.self, FleetApproveCommand.self, FleetServeCommand.self,
            FleetListCommand.self, FleetStatusCommand.self, FleetRevokeCommand.self, FleetRestoreCommand.self,
            FleetRetireCommand.self, FleetExportDevicesCommand.self, FleetRenewAuthorityCommand.self,
            FleetBackupCommand.self,
        ])
}

/// The folder, which nearly every command takes.
struct RegistryOption: ParsableArguments {
    @Argument(help: "Folder of the registration authority.")
    var folder: String

    func store() throws -> RegistryStore { try RegistryStore(path: RegistryFolder(folder).database) }

    /// The folder with its key, by the PIN in the file if that is in a token.
    func signing(_ pinFile: String?) throws -> RegistryFolder {
        let notes = TokenNotes()
        let found = try RegistryFolder(folder, pin: pinFile.map { try PINFile.read($0) }, report: { notes.tell($0) })
        guard (found.token == nil) == (pinFile == nil) else {
            throw RegistryError(
                .tokenUnusable,
                found.token == nil
                    ? "this folder has a key of its own, and needs no --pin-file" : "its PIN is missing: --pin-file")
        }
        return found
    }
}

/// A folder and a board.
struct RegisteredBoardOption: ParsableArguments {
    @OptionGroup var registry: RegistryOption

    @Argument(help: "The board's name, such as vg-7k3m-q0r1x.")
    var board: String

    func name() throws -> BoardName { try Self.parsed(board) }

    static func parsed(_ text: String) throws(RegistryError) -> BoardName {
        guard let name = BoardName(text) else { throw RegistryError(.unknownBoard, ForeignText.line(text, limit: 80)) }
        return name
    }
}

struct FleetInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes the folder of a registration authority, with a new key.",
        discussion: """
            The folder's authority.pem is public: what checks boards in TLS trusts it. A key, a certificate and a \
            database that are there already stay as they are. `fleet backup` makes a copy.

            With --pkcs11 the key is in a security token, and the folder has none:

              vigil-authority fleet init registry --title "Fleet 1" \
                  --pkcs11 /usr/lib/softhsm/libsofthsm2.so --token fleet --pin-file pin
            """)

    @Argument(help: "Folder of the registration authority; made if it is not there.")
    var folder: String

    @Option(help: "Name in its certificate, 1 to 64 bytes.")
    var title: String

    @Option(help: "Lifetime of a board's certificate, such as 397d, 12h or 90s.")
    var lifetime = "397d"

    @Option(help: "How long after its end a certificate may still be renewed, such as 90d.")
    var grace = "90d"

    @OptionGroup var token: NewTokenKeyOptions

    func run() throws {
        let settings = try RegistrySettings(lifetime: seconds(lifetime), grace: seconds(grace))
        let made = try RegistryFolder.make(
            folder, title: title, settings: settings, now: RegistryService.machineTime(), token: token.key())
        let place = made.token.map { ", its key “\($0.name)” in the token “\($0.label)”" } ?? ""
        print("made a registration authority in \(made.path)\(place)")
    }

    private func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (0...1_000_000_000).contains(number)
        else {
            throw RegistryError(
                .invalidSettings, "\(ForeignText.line(text, limit: 40)) is no time such as 397d, 12h or 90s")
        }
        return number * unit
    }
}

struct FleetImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Takes a list of boards that may enrol, as `vigil-fleet claims` writes it.",
        discussion: """
            All of it is taken, or nothing. A board that is known with the same claim is left as it is; one with another claim has a new card, \
            and enrols anew. A list that is older than what is known, and a new card of a revoked or retired board that --return does not name, \
            are refused.
            """)

    @OptionGroup var registry: RegistryOption

    @Argument(help: "The list; - reads standard input.")
    var list: String

    @Flag(help: "New boards wait until each is approved.")
    var hold = false

    @Option(
        name: .customLong("return"),
        help: "A revoked or retired board that may come back with the new card in the list; may be given several times.")
    var returning: [String] = []

    func run() throws {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try OperatorList.read(list, limit: ClaimList.maximumByteCount) } catch {
            throw RegistryError(.invalidList, "\(ForeignText.line(list, limit: 200)): \(error.text)")
        }
        let names = try returning.map { try RegisteredBoardOption.parsed($0) }
        var generator = SystemRandomNumberGenerator()
        let taken = try registry.store().take(
            ClaimList.parse(bytes), held: hold, returning: Set(names), using: &generator)
        print("\(taken.added) added, \(taken.replaced) with a new card, \(taken.unchanged) unchanged")
    }
}

struct FleetApproveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Lets a board enrol that was imported with --hold.")
    @OptionGroup var option: RegisteredBoardOption

    func run() throws {
        try option.registry.store().approve(option.name())
        print("approved")
    }
}

struct FleetRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Gives a board no more certificates.",
        discussion:
            "What it has stays good until its end wherever nobody asks this authority. Hand `export-devices` to the issuer again."
    )
    @OptionGroup var option: RegisteredBoardOption

    func run() throws {
        try option.registry.store().revoke(option.name())
        print("revoked")
    }
}

struct FleetRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Takes a revocation back that was a mistake.",
        discussion:
            "The board goes on with its key and its certificate; one that had not enrolled yet waits for `fleet approve`. An issuer of donation tokens that was told of the revocation gives the board's key none any more."
    )
    @OptionGroup var option: RegisteredBoardOption

    func run() throws {
        let state = try option.registry.store().restore(option.name(), now: RegistryService.machineTime())
        print("restored: \(state.word)")
    }
}

struct FleetRetireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Takes a board out of use; it is told so when it asks.")
    @OptionGroup var option: RegisteredBoardOption

    func run() throws {
        try option.registry.store().retire(option.name())
        print("retired")
    }
}

struct FleetListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists boards: name, state, end of the certificate.",
        discussion: """
            Behind a board by whose claim another key has asked stands how often, and when last: a copy of its card is about, or it was reset. A new card ends that.
            """)

    @OptionGroup var registry: RegistryOption

    @Flag(help: "JSON for scripts.")
    var json = false

    func run() throws {
        let boards = try registry.store().boards()
        guard !json else {
            let list = boards.map { board -> JSON in
                [
                    "name": .string(board.name.text), "state": .string(board.state.word),
                    "key": board.key.map { .string(Base64.string($0)) } ?? .null,
                    "notAfter": board.notAfter.map { .int($0) } ?? .null,
                    "usedClaim": board.usedClaim.map { ["count": .int($0.count), "last": .int($0.last)] } ?? .null,
                ]
            }
            return print(jsonText(.array(list)))
        }
        for board in boards {
            let used = board.usedClaim.map {
                "  another key has asked with its claim: \($0.count), last \(moment($0.last))"
            }
            print("\(board.name)  \(board.state.word)  \(board.notAfter.map(moment) ?? "no certificate")\(used ?? "")")
        }
    }
}

struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Tells how often what was answered and refused, and when last; it names nobody.")
    @OptionGroup var registry: RegistryOption

    func run() throws {
        let counts = try registry.store().counts()
        let folder = try RegistryFolder(registry.folder)
        let registrar = Registrar(store: try registry.store(), signer: folder.signer, settings: folder.settings)
        do throws(RegistryError) {
            if let ending = try registrar.ending(RegistryService.machineTime()) { say("vigil-authority: \(ending)") }
        } catch { say("vigil-authority: \(error)") }
        for entry in counts { print("\(entry.event)  \(entry.count)  last \(moment(entry.last))") }
        if counts.isEmpty { print("nothing was asked yet") }
    }
}

struct FleetExportDevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-devices", abstract: "Writes the boards' keys for `donations devices import`.",
        discussion:
            "A line `good KEY` or `revoked KEY` each, in the order of the keys. It names no board. The key of a board that waits for its new card is not in it, nor are those of one that has entered two with one card: it is named on standard error."
    )
    @OptionGroup var registry: RegistryOption

    func run() throws {
        let store = try registry.store()
        for name in try store.contested() {
            say(
                "vigil-authority: \(name) has entered another key for evidence without a new card, and none of its keys is in the list"
            )
        }
        for device in try store.deviceKeys() {
            print("\(device.isGood ? "good" : "revoked") \(Base64.string(device.key))")
        }
    }
}

struct FleetRenewAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-authority", abstract: "Makes a new certificate of the authority itself, with the same key.",
        discussion: """
            It is good for ten years. Certificates of boards stay good; they are renewed beyond the end of the former one once `fleet serve` is \
            started again. Whatever checks boards in TLS gets the new authority.pem.
            """)
    @OptionGroup var registry: RegistryOption
    @Option(help: "File with the PIN of the token that has the key, such as /dev/fd/3.")
    var pinFile: String?

    func run() throws {
        let made = try registry.signing(pinFile).renewAuthority(now: RegistryService.machineTime())
        print("good until \(moment(made.signer.certificate.validity.notAfter)); start `fleet serve` again")
    }
}

struct FleetBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies the folder into a new one, while `fleet serve` may go on.",
        discussion: """
            The copy is a folder of the same kind, with the key unless that is in a token: keep it as safe. Copying registry.db by other means \
            misses what is in its log. docs/enrolment.md says what to do after a copy was taken back.
            """)
    @OptionGroup var registry: RegistryOption
    @Argument(help: "The new folder; must not be there.")
    var copy: String

    func run() throws {
        try RegistryFolder(registry.folder).backUp(to: copy)
        print("copied")
    }
}

struct FleetServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answers EST until it is told to stop (SIGTERM).",
        discussion: """
            It speaks plain HTTP: a web server in front has the certificate, and must set X-Client-Certificate on each request, to the client's \
            certificate or to nothing. Whoever reaches this port without that server can pass for any board.
            """)

    @OptionGroup var registry: RegistryOption
    @Option(help: "IP address for the web server in front.")
    var address = "127.0.0.1"
    @Option(help: "Port (0: any free one).")
    var port: UInt16 = 0
    @Option(help: "File with the PIN of the token that has the key, such as /dev/fd/3.")
    var pinFile: String?

    func run() throws {
        let stop = try StopSignal()
        let folder = try registry.signing(pinFile)
        let refusals = RefusalCounts()
        let registrar = Registrar(
            store: try RegistryStore(path: folder.database), signer: folder.signer, settings: folder.settings,
            refusals: refusals)
        var said = try warnings(of: registrar)
        for warning in said { say("vigil-authority: \(warning)") }
        let service = try RegistryService(registrar, address: address, port: port)
        print("ready port=\(service.port)")
        fflush(nil)
        // The registrar's own is the service's thread's.
        let store = try RegistryStore(path: folder.database)
        let looking = Registrar(store: store, signer: folder.signer, settings: folder.settings)
        stop.wait(every: Int32(Registrar.refusalPeriod)) {
            do throws(RegistryError) { try refusals.write(to: store, now: RegistryService.machineTime()) } catch {
                say("vigil-authority: \(error)")
            }
            // A service runs for years. What is new is said, once.
            let now: [String]
            do throws(RegistryError) { now = try warnings(of: looking) } catch { now = ["\(error)"] }
            for warning in now where !said.contains(warning) { say("vigil-authority: \(warning)") }
            said = now
        }
        try refusals.write(to: store, now: RegistryService.machineTime())
        withExtendedLifetime(service) {}
    }

    /// What an operator should know: the authority's own certificate ends, this clock does not fit, or a card was copied. Throws `authorityEnded` once it is over.
    private func warnings(of registrar: Registrar) throws(RegistryError) -> [String] {
        let now = RegistryService.machineTime()
        return [try registrar.ending(now), try registrar.doubt(of: now)].compactMap { $0 } + (try registrar.copies())
            + (try registrar.contests())
    }
}

/// A moment in Unix seconds, for people.
private func moment(_ seconds: Int64) -> String { UTCDay.text(time: UInt64(clamping: seconds)) }
