// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import KeyArchive
import KeyExport
import LabKit
import Matching
import VirtualAir

/// Long proofs; CI runs a share of each.
struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Runs one long proof.",
        subcommands: [
            MatchingProof.self, FlipProof.self, CutProof.self, VaultProof.self, LedgerProof.self, RotationProof.self,
            BoardCutProof.self,
            KillProof.self, ExposureServiceProof.self, SyncProof.self, SyncKillProof.self, VenueKillProof.self,
            DonationKillProof.self, FleetProof.self,
            RiskProof.self,
            WarningProof.self, IdentityEncryptionProof.self, CaptureProof.self,
        ])

    struct MatchingProof: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "matching", abstract: "Random encounters: the fast matcher against the plain reference.")

        @Option(help: "Number of cases, spread over the kernels of this machine.")
        var cases = 100_000

        @Option(help: "Seed of the first case.")
        var seed: UInt64 = 1

        func run() throws {
            let kernels = MatchKernel.available
            var failures = 0
            var matched = 0
            do {
                var bar = ProgressBar("random encounters")
                for number in 0..<cases {
                    var generator = SplitMix64(seed: seed &+ UInt64(number))
                    let scenario = RandomScenario(using: &generator)
                    let kernel = kernels[number % kernels.count]
                    if let difference = scenario.difference(kernel: kernel) {
                        failures += 1
                        print("seed \(seed &+ UInt64(number)), \(kernel.name): \(difference)")
                    }
                    if !ReferenceMatcher.matches(scenario.keys, scenario.sightings, now: scenario.now).isEmpty {
                        matched += 1
                    }
                    bar.update(UInt64(number), of: UInt64(cases))
                }
            }
            print(
                "kernels: \(kernels.map(\.name).joined(separator: ", ")); \(Terminal.grouped(matched)) cases with a match")
            print("\(cases - failures) passed, \(failures) failed")
            if failures > 0 { throw ExitCode.failure }
        }
    }

    struct FlipProof: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "flips", abstract: "Flips every bit of export.bin and of the signature of a valid key file.")

        @Argument(help: "Key file (zip).")
        var file: String

        @Option(help: "Public key (PEM) as ID-VERSION=FILE.")
        var verify: String

        func run() throws {
            let trust = try VerificationKeys(arguments: [verify], anyKey: false).trust
            let bin = try UnsignedKeyFile.entry("export.bin", path: file)
            let sig = try UnsignedKeyFile.entry("export.sig", path: file)
            func verdict(_ bin: [UInt8], _ sig: [UInt8]) throws -> Bool {
                let zip = try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
                do {
                    _ = try KeyFileReader(bytes: zip).read(trust: trust, time: nil) { _ in }
                    return true
                } catch is KeyExportError {
                    return false
                }
            }
            guard try verdict(bin, sig) else { throw InputError(file: file, "is not valid as it is") }
            let signature = try ExportSignatureList.read(sig)[0].signature
            guard let start = sig.indices.first(where: { sig[$0...].starts(with: signature) }) else {
                throw InputError(file: file, "hides its signature")
            }
            var accepted = 0
            var total = 0
            var bar = ProgressBar("flipped bits")
            let bits = (bin.count + signature.count) * 8
            for bit in 0..<(bin.count * 8) {
                var changed = bin
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                if try verdict(changed, sig) { accepted += 1 }
                total += 1
                bar.update(UInt64(total), of: UInt64(bits))
            }
            for bit in (start * 8)..<((start + signature.count) * 8) {
                var changed = sig
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                if try verdict(bin, changed) { accepted += 1 }
                total += 1
                bar.update(UInt64(total), of: UInt64(bits))
            }
            print("\(total - accepted) passed, \(accepted) failed")
            if accepted > 0 { throw ExitCode.failure }
        }
    }

    struct CutProof: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cuts", abstract: "Cuts a valid key file, and its export.bin, at every byte.")

        @Argument(help: "Key file (zip).")
        var file: String

        @Option(help: "Public key (PEM) as ID-VERSION=FILE.")
        var verify: String

        func run() throws {
            let trust = try VerificationKeys(arguments: [verify], anyKey: false).trust
            let zip = try Files.read(file, limit: 64 << 20)
            let bin = try UnsignedKeyFile.entry("export.bin", path: file)
            let sig = try UnsignedKeyFile.entry("export.sig", path: file)
            var accepted = 0
            var slowest = Duration.zero
            let clock = ContinuousClock()
            func attempt(_ bytes: [UInt8]) {
                let elapsed = clock.measure {
                    if (try? KeyFileReader(bytes: bytes).read(trust: trust, time: nil) { _ in }) != nil { accepted += 1 }
                }
                slowest = max(slowest, elapsed)
            }
            for length in zip.indices { attempt(Array(zip[..<length])) }
            for length in bin.indices {
                attempt(try KeyArchiveWriter.archive(exportBin: Array(bin[..<length]), exportSig: sig))
            }
            print("slowest refusal: \(slowest)")
            print("\(zip.count + bin.count - accepted) passed, \(accepted) failed")
            if accepted > 0 { throw ExitCode.failure }
        }
    }
}

/// Power cuts and kills at every operation of the vault.
struct VaultProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vault", abstract: "Cuts the power and kills the process at random operations of the vault.")

    @Option(help: "Number of cuts.")
    var cuts = 15_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1

    private static let cutsPerTrial = 250

    func run() throws {
        var failures = 0
        let trials = max(1, cuts / Self.cutsPerTrial)
        do {
            var bar = ProgressBar("cuts")
            for number in 0..<UInt64(trials) {
                var trial = CutTrial(generator: SplitMix64(seed: seed &+ number))
                if let problem = trial.run(cuts: Self.cutsPerTrial) {
                    failures += 1
                    print("seed \(seed &+ number): \(problem)")
                }
                bar.update(number, of: UInt64(trials))
            }
        }
        print(
            "\(Terminal.grouped(trials * Self.cutsPerTrial)) cuts, half of them of the power and half of the process only")
        print("\(trials - failures) passed, \(failures) failed")
        if failures > 0 { throw ExitCode.failure }
    }
}
