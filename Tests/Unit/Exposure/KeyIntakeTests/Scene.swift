// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import KeyArchive
import KeyExport
import KeyIntake
import Matching
import RandomValues
import TestKit
import Testing
import Trust

/// Everything here starts real children and counts what is left of them, one test at a time.
@Suite(.serialized) struct IntakeTests {}

/// A spool with signed files of random keys, and a board that met the first key of each.
final class Scene {
    let folder: String
    let spool: Spool
    let trust: TrustStore
    private let signer: P256.SigningKey
    private let name = KeyName(id: "1", version: "v1")
    static let day: UInt32 = 20_000
    static let time = Int64((day + 1) * 86_400)

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/vigil-intake-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        spool = try Spool(path: folder)
        signer = try .generate()
        trust = try TrustStore(keys: [TrustedKey(name: name, role: .export, key: signer.verificationKey)])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    static func keys(_ count: Int, seed: UInt64) -> [DiagnosisKey] {
        (0..<UInt64(count)).compactMap { number in
            // Spread like real keys over 14 days; never equal for different seeds.
            DiagnosisKey(
                data: Block(
                    low: (seed << 32 | number) &* 0x9e37_79b9_7f4a_7c15, high: seed &* 0xbf58_476d_1ce4_e5b9 ^ number),
                rollingStart: ENIN((day - UInt32(number % 14)) * ENIN.perDay), transmissionRiskLevel: 3,
                reportType: .confirmedTest)
        }
    }

    /// Three sightings of the first key of each seed, which is of ``day``.
    static func sightings(_ seeds: [UInt64]) throws -> [Sighting] {
        try seeds.flatMap { seed -> [Sighting] in
            let key = try #require(keys(1, seed: seed).first)
            let identifiers = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
            return (0..<3).map { count in
                let time = day * 86_400 + 36_000 + 300 * UInt32(count)
                let identifier = identifiers.identifier(for: ENIN(time / 600))
                return Sighting(
                    identifier: identifier,
                    metadata: identifiers.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier),
                    time: time, previousScan: time - 240, rssi: -60)
            }
        }
    }

    func export(_ keys: [DiagnosisKey], batch: (number: Int32, size: Int32) = (1, 1)) throws -> (bin: [UInt8], sig: [UInt8])
    {
        let encoder = ExportEncoder(
            startTimestamp: UInt64(Self.time) - 86_400, endTimestamp: UInt64(Self.time), region: "DE",
            batchNumber: batch.number,
            batchSize: batch.size, signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        let bin = encoder.exportBin(keys.map { ExportedKey($0) })
        return (bin, try encoder.exportSig(for: bin, keys: [signer]))
    }

    func zip(_ count: Int, seed: UInt64, batch: (number: Int32, size: Int32) = (1, 1)) throws -> [UInt8] {
        let (bin, sig) = try export(Self.keys(count, seed: seed), batch: batch)
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: sig)
    }

    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(filePath: path(name))) }

    /// A program in place of the real one.
    func script(_ text: String, name: String = "vigil-zip-x") throws -> UnzipProgram {
        try ProgramFile.write("#!/bin/sh\n\(text)\n", to: path(name))
        return try UnzipProgram(path: path(name))
    }

    func run(
        _ files: [String], seeds: [UInt64] = [1, 2, 3], program: UnzipProgram? = nil, limits: IntakeLimits = .standard,
        isExcluded: @escaping (Block) -> Bool = { _ in false }, isKnown: @escaping (FileMark) -> Bool = { _ in false }
    ) throws -> IntakeRun {
        IntakeRun(
            files: files, spool: spool, index: SightingIndex(try Self.sightings(seeds)), time: Self.time, trust: trust,
            policy: .namedKeys, isExcluded: isExcluded, isKnown: isKnown, limits: limits,
            program: try program ?? Programs.zip)
    }

    /// The failure a run must end with.
    func failure(
        _ files: [String], program: UnzipProgram? = nil, limits: IntakeLimits = .standard
    ) throws -> IntakeFailure {
        let result = drive(try run(files, program: program, limits: limits))
        switch result {
        case .success: throw IntakeFailure(.cancelled, "a result although there should be none")
        case .failure(let failure):
            #expect(Leftovers.zombies == 0)
            return failure
        }
    }
}

/// What an owner does: poll, advance, until it is over. `each` comes before every slice.
@discardableResult
func drive(
    _ run: IntakeRun, each: (IntakeRun) -> Void = { _ in }, slice: (Duration) -> Void = { _ in }
) -> Result<
    IntakeResult, IntakeFailure
> {
    let clock = ContinuousClock()
    let start = clock.now
    while true {
        if let result = run.result { return result }
        let wait = (run.deadline ?? .zero) - (clock.now - start)
        if let descriptor = run.descriptor {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = wait.components.seconds * 1_000 + wait.components.attoseconds / 1_000_000_000_000_000 + 1
            _ = poll(&waiting, 1, Int32(clamping: max(0, milliseconds)))
        } else if run.deadline == nil {
            Issue.record("neither a descriptor nor a deadline nor a result")
            return .failure(IntakeFailure(.cancelled))
        }
        each(run)
        let before = clock.now
        run.advance(at: before - start)
        slice(clock.now - before)
    }
}

enum Programs {
    /// Folder of the test bundle, or the build folder of the tree.
    static var zip: UnzipProgram {
        get throws {
            if let own = try? UnzipProgram.besideThisProgram() { return own }
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            // The package these tests belong to may be another than the tree's own.
            let folders = [FileManager.default.currentDirectoryPath, root.path]
            for folder in folders {
                if let program = try? UnzipProgram(path: folder + "/.build/debug/vigil-zip") { return program }
            }
            return try UnzipProgram(path: root.path + "/.build/debug/vigil-zip")
        }
    }
}

/// What this thread has had of a processor.
func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// What a run must not leave behind.
enum Leftovers {
    static var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    /// Children of this process that ended and were not waited for, or still run; by their name, for other tests have children too.
    static var zombies: Int {
        let own = "\(getpid())"
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.lazy.filter { process in
            guard process.first?.isNumber == true,
                let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/stat"))
            else { return false }
            let text = String(decoding: data, as: UTF8.self)
            guard let close = text.lastIndex(of: ")"), text.contains("(vigil-zip") || text.contains("(sleep)") else {
                return false
            }
            let fields = text[text.index(after: close)...].split(separator: " ")
            return fields.count > 1 && fields[1] == own
        }.count
    }
}
