// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Cryptography
import DonationService
import ForeignText
import JSON
import SystemCalls

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
            "All of it is taken, or nothing. Devices that are not in the list stay as they are; the same list may come again."
    )

    @Argument(help: "Folder of the issuer.")
    var folder: String

    @Argument(help: "The list, a line `good KEY` or `revoked KEY` each; - reads standard input.")
    var list: String

    func run() throws {
        let store = try IssuerFolder(folder).store()
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try OperatorList.read(list, limit: 32 << 20) } catch {
            throw DonationServiceError(.invalidDevice, "\(ForeignText.line(list, limit: 200)): \(error.text)")
        }
        var devices: [(key: P256.VerificationKey, isGood: Bool)] = []
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() where !line.isEmpty {
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard parts.count == 2, ["good", "revoked"].contains(parts[0]),
                let key = try? DonationsDevicesCommand.key(String(parts[1]))
            else { throw DonationServiceError(.invalidDevice, "line \(index + 1)") }
            devices.append((key, parts[0] == "good"))
        }
        let taken = try store.take(devices)
        print("\(taken.added) added, \(taken.revoked) revoked")
        if taken.barred > 0 {
            print(
                "\(taken.barred) are good in the list and were revoked here, which is for good: they get no tokens with these keys"
            )
        }
    }
}

struct DonationsDevicesRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Gives a device no more tokens, for good.",
        discussion: """
            Tokens that it has already stay good, because nobody can tell which they are: for donations of up to 10 days to come, and with keys for error logs or \
            surveys until the day after the month that such a day is in, some 40 days at most.
            """)

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
