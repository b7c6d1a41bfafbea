// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Cryptography
import DeviceEvidence
import DonationService
import JSON

struct DonationsDevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Adds, revokes and lists the devices that may have tokens.",
        subcommands: [
            DonationsDevicesAddCommand.self, DonationsDevicesImportCommand.self, DonationsDevicesRevokeCommand.self,
            DonationsDevicesListCommand.self,
        ])

    /// The key in Base64.
    static func key(_ text: String) throws -> P256.VerificationKey {
        guard let bytes = Base64.bytes(text), let key = try? P256.VerificationKey(pemOrDER: bytes),
            key.subjectPublicKeyInfo == bytes
        else { throw DonationServiceError(.invalidDevice) }
        return key
    }
}

struct DonationsDevicesAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Adds a device.")

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Argument(help: "The device's P-256 key: Base64 of its SubjectPublicKeyInfo.")
    var key: String

    func run() throws {
        let isNew = try IssuerFolder(folder).store().add(DonationsDevicesCommand.key(key))
        print(isNew ? "added" : "this device is known already; nothing was changed")
    }
}

struct DonationsDevicesImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Adds and revokes the devices of a list, as `fleet export-devices` writes it.",
        discussion:
            "All lines are checked before the first is taken. Devices that are not in the list stay as they are; the same list may come again."
    )

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Argument(help: "The list, a line `good KEY` or `revoked KEY` each; - reads standard input.")
    var list: String

    func run() throws {
        let store = try IssuerFolder(folder).store()
        var devices: [(isGood: Bool, key: P256.VerificationKey)] = []
        for (index, line) in try boardList(list).split(separator: 10).enumerated() {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard parts.count == 2, ["good", "revoked"].contains(parts[0]),
                let key = try? DonationsDevicesCommand.key(String(parts[1]))
            else { throw DonationServiceError(.invalidDevice, "line \(index + 1)") }
            devices.append((parts[0] == "good", key))
        }
        var (added, revoked) = (0, 0)
        for device in devices {
            if device.isGood {
                if try store.add(device.key) { added += 1 }
            } else {
                let id = DeviceEvidence.keyID(of: device.key)
                // A key that was never added is added as revoked: it never gets a token.
                _ = try store.add(device.key)
                if try store.device(keyID: id)?.isRevoked == false, try store.revoke(keyID: id) { revoked += 1 }
            }
        }
        print("\(added) added, \(revoked) revoked")
    }
}

struct DonationsDevicesRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Gives a device no more tokens, for good.",
        discussion: "Tokens that it has already, for 10 days at most, stay good: nobody can tell which they are.")

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Argument(help: "The name of its key as `devices list` has it: 16 hexadecimal digits.")
    var device: String

    func run() throws {
        guard let id = Hex.bytes(device), try IssuerFolder(folder).store().revoke(keyID: id) else {
            throw DonationServiceError(.invalidDevice, "no device has a key of this name")
        }
        print("revoked")
    }
}

struct DonationsDevicesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists devices: name of the key, state, day of the last evidence.")

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Flag(help: "JSON for scripts.")
    var json = false

    func run() throws {
        let devices = try IssuerFolder(folder).store().devices()
        guard !json else {
            let list = devices.map { device -> JSON in
                [
                    "device": .string(Hex.string(device.keyID)),
                    "key": .string(Base64.string(device.subjectPublicKeyInfo)), "revoked": .bool(device.isRevoked),
                    "lastSeen": device.lastSeen.map { .string($0.date.isoText) } ?? .null,
                ]
            }
            return print(jsonText(.array(list)))
        }
        for device in devices {
            print(
                "\(Hex.string(device.keyID))  \(device.isRevoked ? "revoked" : "good   ")  \(device.lastSeen?.date.isoText ?? "never")"
            )
        }
    }
}

private func jsonText(_ json: JSON) -> String { String(decoding: json.bytes, as: UTF8.self) }

/// The counts of a donation server.
private func statistics(_ folder: String) throws -> DonationStatistics {
    let folder = try DonationFolder(folder, role: .server)
    return try DonationStatistics(
        DonationStore(path: folder.database), today: UTCDay(containing: DonationService.machineTime()))
}

struct DonationsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Prints the counts of whole days, without any below 5.",
        discussion: "A count that could be found by subtracting the others is left out, too. Donations are kept 14 days.")

    @Argument(help: "Folder of the donation server.")
    var folder: String

    @Flag(help: "The form: --csv (if neither is given) or --json.")
    var form = Form.csv

    enum Form: String, EnumerableFlag { case csv, json }

    func run() throws {
        let statistics = try statistics(folder)
        print(form == .csv ? statistics.csv : jsonText(statistics.json) + "\n", terminator: "")
    }
}

struct DonationsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the counts of `export` as bars.")

    @Argument(help: "Folder of the donation server.")
    var folder: String

    func run() throws { print(try statistics(folder).bars(), terminator: "") }
}
