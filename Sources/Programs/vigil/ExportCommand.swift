// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Cryptography
import Glibc
import KeyExport
import KeyIntake

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Makes diagnosis key files and looks into them.",
        subcommands: [Keygen.self, Create.self, Inspect.self, Verify.self])

    struct Keygen: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a key pair for signing key files.",
            discussion: "For trials and tests. A health authority's key is made and kept in hardware.")

        @Option(help: "Where the private key goes (PEM, readable by you only; must not exist).")
        var privateKey: String

        @Option(help: "Where the public key goes (PEM).")
        var publicKey: String

        func run() throws {
            guard access(privateKey, F_OK) != 0 else {
                throw InputError(
                    file: privateKey, "exists already, and a private key is never overwritten; remove it first")
            }
            let key = try P256.SigningKey.generate()
            let pem = try key.verificationKey.pem()
            try key.withEncoded { bytes in
                // Without the NUL that ends the library's text.
                try Files.write(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), to: privateKey, mode: 0o600)
            }
            try Files.write(Array(pem.utf8), to: publicKey)
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Packs keys into signed files, as a health authority publishes them.")

        @Option(help: "Keys (CSV: \(KeysFile.header)).")
        var keys: String

        @Option(help: "Private key that signs (PEM).")
        var signingKey: String

        @Option(help: "What receivers know the signing key as: ID-VERSION, for example 262-v1.")
        var keyName: String

        @Option(help: "Region the keys are relevant for, for example a country code.")
        var region: String

        @Option(help: "Start of the period, Unix seconds.")
        var start: UInt64

        @Option(help: "End of the period, Unix seconds.")
        var end: UInt64

        @Option(help: "Most keys of one file; more become a batch of several files, numbered before the ending.")
        var maximumKeys = 500_000

        @Option(help: "Where the file goes (zip).")
        var output: String

        func validate() throws {
            guard end > start else { throw ValidationError("--end must be after --start") }
            guard (1...5_000_000).contains(maximumKeys) else {
                throw ValidationError("--maximum-keys must be between 1 and 5,000,000")
            }
        }

        func run() throws {
            let all = try KeysFile.read(path: keys)
            let privateKey = try SecretBytes(copying: Files.read(signingKey, limit: 16 << 10))
            let key: P256.SigningKey
            do {
                key = try P256.SigningKey(pemOrDER: privateKey)
            } catch {
                throw InputError(file: signingKey, "\(error)")
            }
            let name = Files.keyName(keyName)
            let program = try Unpacking.program()
            // At least one file: an authority without news publishes a signed empty one.
            let parts = max(1, (all.count + maximumKeys - 1) / maximumKeys)
            for part in 0..<parts {
                let slice = all[min(part * maximumKeys, all.count)..<min((part + 1) * maximumKeys, all.count)]
                let encoder = ExportEncoder(
                    startTimestamp: start, endTimestamp: end, region: region, batchNumber: Int32(part + 1),
                    batchSize: Int32(parts), signatureInfos: [ExportEncoder.signatureInfo(for: name)])
                let bin = encoder.exportBin(Array(slice))
                let zip = try ConfinedArchive.archive(
                    exportBin: bin, exportSig: encoder.exportSig(for: bin, keys: [key]), program: program)
                let path = parts == 1 ? output : numbered(output, part + 1)
                try Files.write(zip, to: path)
                print("\(path): \(Terminal.grouped(slice.count)) keys, \(Terminal.grouped(zip.count)) bytes")
            }
        }

        private func numbered(_ path: String, _ number: Int) -> String {
            guard path.hasSuffix(".zip") else { return "\(path)-\(number)" }
            return "\(path.dropLast(4))-\(number).zip"
        }
    }

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what is in a key file. Does not check the signature; `verify` does.")

        @Argument(help: "Key file (zip).")
        var file: String

        @Flag(help: "Print the keys as CSV instead.")
        var keys = false

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            if keys { print(KeysFile.header) }
            let report = try ExportCommand.report(file, verify: [], anyKey: false) { batch in
                if keys { for key in batch { print(KeysFile.line(key)) } }
            }
            if keys { return }
            print(json ? try report.json() : report.text(), terminator: json ? "\n" : "")
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a key file as a receiver would: shape, limits, content, signature.")

        @Argument(help: "Key file (zip).")
        var file: String

        @Option(parsing: .upToNextOption, help: "Public keys (PEM) that may sign, as ID-VERSION=FILE or FILE.")
        var verify: [String]

        @Flag(help: "Accept a signature by any given key, whatever the file calls it.")
        var anyKey = false

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let report = try ExportCommand.report(file, verify: verify, anyKey: anyKey) { _ in }
            print(json ? try report.json() : report.text(), terminator: json ? "\n" : "")
        }
    }

    /// Reads a whole file, with its signature checked when there are keys to check it with; a refusal ends the command.
    private static func report(
        _ path: String, verify: [String], anyKey: Bool, keys: (UnsafeBufferPointer<ExportedKey>) -> Void
    ) throws -> ExportReport {
        do {
            let trusted = try VerificationKeys(arguments: verify, anyKey: anyKey)
            let reader = try ConfinedKeyFile(path: path, program: Unpacking.program())
            Unpacking.mention(isConfined: reader.isConfined)
            let signatures = reader.signatures
            var census = KeyCensus()
            func take(_ batch: UnsafeBufferPointer<ExportedKey>) {
                for key in batch { census.add(key) }
                keys(batch)
            }
            if verify.isEmpty {
                let summary = try reader.readUnverified(keys: take)
                return ExportReport(path: path, summary: summary, signatures: signatures, census: census)
            }
            let file = try reader.read(
                trust: trusted.trust, policy: trusted.policy, time: Int64(time(nil)), keys: take)
            return ExportReport(path: path, file: file, signatures: signatures, census: census)
        } catch let error as KeyExportError {
            Terminal.error("vigil: \(path): \(error)\n")
            throw ExitStatus.refused
        } catch let error as IntakeFailure {
            throw InputError(file: path, "\(error)")
        }
    }
}
