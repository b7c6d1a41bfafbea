// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Cryptography
import FleetCard
import ForeignText
import Glibc
import JSON
import PluginManifest
import Trust

/// A configuration for running boards, signed.
struct ConfigureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Signs a configuration for the running boards of a fleet.",
        discussion: """
            The document says in stages (fleet, group, board) what changes: grants and settings of plugins, addresses of interfaces. It is judged as boards \
            judge it, as far as that can be known here. The signed file may travel any way; boards of the inventory that it reaches are counted, and with \
            --json listed. Widen a wave by signing a newer version with a larger share: the boards of a smaller share are in each larger one. A version is \
            at most a day above the present time in Unix seconds, so `date +%s` always gives one that is high enough. docs/fleet.md has the document.
            """)

    @Argument(help: "The document: a JSON file (docs/schemas/fleet-configuration.schema.json).")
    var document: String

    @Option(
        help:
            "File of the operator's private key (P-256, PEM), or its PKCS#11 URI in a security token (vigil-fleet key). Up to 4, while a key is being replaced: the old and the new."
    )
    var key: [String] = []

    @Option(help: "The signed file to be written. One of a version that is not older is never replaced.")
    var out: String

    @Option(help: "The inventory, to say which boards are reached.")
    var inventory: String?

    @Flag(help: "Check everything, and say which boards are reached; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let bytes = try Files.read(document, limit: SignedConfiguration.maximumByteCount)
        let wish: FleetConfiguration
        do throws(FleetConfigurationError) { wish = try FleetConfiguration(parsing: bytes) } catch {
            throw InputError(file: document, error.description)
        }
        guard !key.isEmpty else {
            throw InputError(file: "--key", "give the operator's private key: boards take nothing that is not signed")
        }
        let keys = try key.map(AnswerFiles.signingKey)
        let signed: SignedConfiguration
        do { signed = try SignedConfiguration(signing: bytes, with: keys) } catch {
            throw InputError(file: document, "it cannot be signed: \(error)")
        }
        let now = Int64(time(nil))
        let limit = now + SignedConfiguration.secondsAhead
        guard wish.version <= limit else {
            throw InputError(
                file: document,
                "version is \(wish.version), more than a day above the present time in Unix seconds: boards refuse it, because all later ones would have to be higher still. Set version to \(now), or to anything above the last one and at most \(limit)"
            )
        }
        // One that no board takes shuts out none.
        if let former = try former(), former <= limit, former >= wish.version {
            throw InputError(
                file: out,
                "the file there has version \(former), and this one is version \(wish.version): boards take newer ones only. Raise version in \(ForeignText.line(document)); the present time, \(now), is always high enough"
            )
        }
        let warnings = Self.warnings(wish)
        for warning in warnings { Terminal.error("vigil-fleet: \(warning)\n") }
        let reached = try reached(by: wish)
        if !dryRun { try Files.write(signed.file, to: out) }
        if json {
            var object: JSON.Object = [
                "version": .int(wish.version), "written": .bool(!dryRun), "bytes": .int(Int64(signed.file.count)),
                "trialSeconds": .int(wish.trial), "warnings": .array(warnings.map { .string($0) }),
            ]
            if let reached {
                object["boards"] = .int(Int64(reached.all))
                object["reached"] = .array(reached.boards.map { .string("\($0)") })
            }
            return print(JSON.object(object))
        }
        print(
            dryRun
                ? "Nothing was written. \(out) would have \(signed.file.count) bytes."
                : "\(out) has the version \(wish.version), \(signed.file.count) bytes.")
        if let reached {
            print("It changes something on \(reached.boards.count) of \(reached.all) boards with a signed card.")
        }
    }

    /// A board that tries a configuration looks for it again within eight minutes (`SyncTiming.backoff`), at random, and what comes within the first 20 seconds does not
    /// count: three looks fit into this. Our choice.
    private static let fewSeconds: Int64 = 1_800

    /// What is right and may be meant otherwise.
    private static func warnings(_ wish: FleetConfiguration) -> [String] {
        guard wish.trial < fewSeconds else { return [] }
        return [
            "the trial is \(wish.trial) s, and a board looks for the configuration again within 480 s, later if its server asks it to wait: some boards will take it back although nothing is wrong. \(fewSeconds) s or more leave three looks"
        ]
    }

    /// The version of the file that is there; `nil` if none is.
    private func former() throws -> Int64? {
        guard access(out, F_OK) == 0 else { return nil }
        let bytes = try Files.read(out, limit: SignedConfiguration.maximumFileByteCount)
        guard let file = try? SignedConfiguration(file: bytes),
            let version = (try? JSON(parsing: file.document))?["version"]?.int
        else { throw InputError(file: out, "this is no signed configuration; it was left as it is") }
        return version
    }

    private func reached(by wish: FleetConfiguration) throws -> (boards: [BoardSerial], all: Int)? {
        guard let inventory else { return nil }
        guard access(inventory, F_OK) == 0, Inventory.canBe(inventory) else {
            throw InputError(file: inventory, "this is no inventory of vigil-fleet; vigil-fleet plan makes one")
        }
        let known = try Inventory(path: inventory)
        var (boards, all): ([BoardSerial], Int) = ([], 0)
        for board in try known.boards() where board.hasCard {
            guard let serial = BoardSerial(board.serial), let record = try known.record(of: serial), record["issued"] != nil
            else { continue }
            all += 1
            let change = wish.change(
                board: "\(serial)", group: record["group"]?.string,
                lot: FleetConfiguration.lot(ofDigest: SHA256.digest(of: Array("\(serial)".utf8))))
            if !change.isEmpty { boards.append(serial) }
        }
        return (boards, all)
    }
}
