// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeyArchive
import KeyExport
import KeyIntake
import RandomValues
import Testing

extension IntakeTests {
    /// Hostile archives through the real program: the verdict is the one this process would come to by itself.
    @Suite(.serialized) struct ArchiveTests {
        private let scene: Scene

        init() throws { scene = try Scene() }

        private func verdict(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "taken"
            } catch let error as KeyExportError {
                return "\(error.code.rawValue) at \(error.offset.map { "\($0)" } ?? "-")"
            } catch let error as IntakeFailure {
                return error.rule == nil ? "\(error)" : "\(error.ruleName) at \(error.offset.map { "\($0)" } ?? "-")"
            } catch {
                return "\(error)"
            }
        }

        /// Three ways to the same answer: in process, through the program while waiting, and in slices.
        private func agree(_ bytes: [UInt8], _ name: String) throws {
            try scene.write(bytes, "x.zip")
            let path = scene.path("x.zip")
            let own = verdict { _ = try KeyFileReader(path: path).read(trust: scene.trust, time: Scene.time) { _ in } }
            let program = try Programs.zip
            let waited = verdict {
                _ = try ConfinedKeyFile(path: path, program: program).read(trust: scene.trust, time: Scene.time) { _ in }
            }
            let sliced = verdict { _ = try drive(scene.run(["x.zip"])).get() }
            #expect(waited == own, "\(name)")
            #expect(sliced == own || sliced.hasPrefix("incompleteBatch"), "\(name)")
        }

        @Test func theCorporaGetTheSameVerdicts() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            var count = 0
            for folder in [root + "/Tests/Vectors/gaen/export", root + "/Fuzz/corpus/fuzz-zip"] {
                for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
                    try agree(bytes, name)
                    count += 1
                }
            }
            #expect(count > 15)
        }

        @Test func cutsAndNoiseGetTheSameVerdicts() throws {
            let zip = try scene.zip(3, seed: 1)
            for length in stride(from: 0, to: zip.count, by: 17) { try agree(Array(zip[..<length]), "cut at \(length)") }
            var generator = SeededGenerator(seed: 1)
            for _ in 0..<60 {
                var noisy = zip
                let position = Int.random(in: zip.indices, using: &generator)
                noisy[position] = UInt8.random(in: 0...255, using: &generator)
                try agree(noisy, "byte \(position) is \(noisy[position])")
            }
        }

        @Test func bombsDoNotGoOff() throws {
            let (bin, sig) = try scene.export(Scene.keys(10, seed: 1))
            let zeros = [UInt8](repeating: 0, count: 30 << 20)
            func refused(_ rule: String, _ bytes: [UInt8], line: Int = #line) throws {
                try agree(bytes, "line \(line)")
                #expect(try scene.failure(["x.zip"]).ruleName == rule, "line \(line)")
            }
            try refused("suspiciousRatio", KeyArchiveWriter.archive(exportBin: zeros, exportSig: sig))
            try refused(
                "suspiciousRatio", KeyArchiveWriter.archive(exportBin: bin, exportSig: Array(zeros.prefix(1 << 20))))
            // Both names for the same bytes.
            try agree(
                RawZip(entries: [.init("export.bin", bin), .init("export.sig", bin, claimedOffset: 0)]).bytes, "overlap")
            #expect(throws: (any Error).self) { try drive(scene.run(["x.zip"])).get() }
            let many = (0..<60_000).map { RawZip.Entry("f\($0)", []) }
            try refused("unexpectedEntry", RawZip(entries: many).bytes)
            try refused(
                "entryTooLarge",
                RawZip(entries: [.init("export.bin", bin), .init("export.sig", Array(zeros.prefix(70_000)))]).bytes)
            try refused(
                "suspiciousRatio",
                RawZip(entries: [.init("export.bin", bin, claimedSize: 0x0500_0000), .init("export.sig", sig)]).bytes)
        }

        @Test func whatIsPackedThroughTheProgramIsTheSameArchive() throws {
            let (bin, sig) = try scene.export(Scene.keys(30_000, seed: 1))
            let zip = try ConfinedArchive.archive(exportBin: bin, exportSig: sig, program: Programs.zip)
            #expect(try zip == KeyArchiveWriter.archive(exportBin: bin, exportSig: sig))
        }

        /// What is packed is larger than what the kernel holds for a reader that does not read.
        @Test(arguments: ["exec sleep 1000", "head -c 100 > /dev/null; exec sleep 1000"])
        func aProgramThatTakesNothingIsGivenUp(_ text: String) throws {
            let (bin, sig) = try scene.export(Scene.keys(100_000, seed: 2))
            var limits = IntakeLimits()
            limits.stallTime = .milliseconds(300)
            #expect(throws: IntakeFailure(.stalled)) {
                try ConfinedArchive.archive(exportBin: bin, exportSig: sig, program: scene.script(text), limits: limits)
            }
        }
    }
}
