// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import GAEN
import KeyExport
import KeyIntake
import Matching
import Testing

extension IntakeTests {
    @Suite(.serialized) struct GoodFiles {
        private let scene: Scene

        init() throws { scene = try Scene() }

        @Test func whatWasMetIsFoundFileByFile() throws {
            try scene.write(scene.zip(5_000, seed: 1), "a.zip")
            try scene.write(scene.zip(1, seed: 2), "b.zip")
            try scene.write(scene.zip(0, seed: 3), "empty.zip")
            let run = try scene.run(["a.zip", "b.zip", "empty.zip"])
            let result = try drive(run).get()
            #expect(result.files.map(\.name) == ["a.zip", "b.zip", "empty.zip"])
            #expect(result.files.map(\.matches.count) == [1, 1, 0])
            #expect(result.files[0].matches[0].sightings.count == 3)
            #expect(result.files.map(\.summary?.keyCount) == [5_000, 1, 0])
            #expect(result.files.allSatisfy { $0.outcome == .matched && $0.contentDigest?.count == 32 })
            #expect(result.statistics.keys == 5_001)
            #expect(run.progress.filesDone == 3 && run.descriptor == nil && run.deadline == nil)
            #expect(Leftovers.zombies == 0)
        }

        @Test func excludedKeysAreAskedForAtAHitOnly() throws {
            try scene.write(scene.zip(5_000, seed: 1), "a.zip")
            let own = Scene.keys(1, seed: 1)[0].data
            var questions = 0
            let run = try scene.run(
                ["a.zip"],
                isExcluded: { block in
                    questions += 1
                    return block == own
                })
            let result = try drive(run).get()
            #expect(result.files[0].matches.isEmpty && result.statistics.excluded > 0)
            #expect(questions < 10)
        }

        /// The second time nothing is unpacked; signed anew, the content is recognised; and twice in one call is once.
        @Test func knownFilesBringNothing() throws {
            let keys = Scene.keys(3_000, seed: 1)
            let (bin, sig) = try scene.export(keys)
            try scene.write(scene.zip(3_000, seed: 1), "a.zip")
            let first = try drive(scene.run(["a.zip"])).get()
            let digest = try #require(first.files[0].contentDigest)
            let again = try scene.run(["a.zip"], isKnown: { $0 == .signatureList(first.files[0].signatureListDigest) })
            let repeated = try drive(again).get()
            #expect(repeated.files[0].outcome == .repeated && repeated.files[0].export == nil)
            #expect(again.progress.bytes == 0 && repeated.statistics.keys == 0)
            let anew = try drive(scene.run(["a.zip"], isKnown: { $0 == .content(digest) })).get()
            #expect(anew.files[0].outcome == .repeated && anew.files[0].matches.isEmpty)
            #expect(anew.files[0].contentDigest == digest)
            try scene.write(scene.zip(3_000, seed: 1), "b.zip")
            let twice = try drive(scene.run(["a.zip", "b.zip"])).get()
            #expect(twice.files.map(\.outcome) == [.matched, .repeated])
            #expect(bin.count > 0 && sig.count > 0 && Leftovers.zombies == 0)
        }

        @Test func batchesAreTakenWholeOrNotAtAll() throws {
            try scene.write(scene.zip(100, seed: 1, batch: (1, 2)), "1.zip")
            try scene.write(scene.zip(100, seed: 2, batch: (2, 2)), "2.zip")
            try scene.write(scene.zip(100, seed: 3, batch: (2, 2)), "other.zip")
            #expect(try drive(scene.run(["2.zip", "1.zip"])).get().files.map(\.matches.count) == [1, 1])
            #expect(try scene.failure(["1.zip"]).ruleName == "incompleteBatch")
            let failure = try scene.failure(["1.zip", "2.zip", "other.zip"])
            #expect(failure.ruleName == "inconsistentBatch" && failure.file == "other.zip")
            // Known by its signatures, a file of a larger batch is read all the same: the other half needs it.
            let first = try drive(scene.run(["1.zip", "2.zip"])).get().files[0]
            let half = try drive(
                scene.run(
                    ["1.zip", "2.zip"],
                    isKnown: {
                        $0 == .signatureList(first.signatureListDigest) || $0 == .content(first.contentDigest ?? [])
                    })
            ).get()
            #expect(half.files.map(\.outcome) == [.repeated, .matched])
        }

        @Test func oneRefusedFileTakesTheCallWithIt() throws {
            try scene.write(scene.zip(100, seed: 1), "good.zip")
            let (whole, sig) = try scene.export(Scene.keys(100, seed: 2))
            var bin = whole
            bin[bin.count / 2] ^= 1
            try scene.write(RawZip(entries: [.init("export.bin", bin), .init("export.sig", sig)]).bytes, "bad.zip")
            let failure = try scene.failure(["good.zip", "bad.zip"])
            #expect(failure.ruleName == "signatureMismatch" && failure.file == "bad.zip")
            #expect(
                failure.description.contains("bad.zip") && failure.description.contains("Nothing of this call was kept"))
        }

        @Test func limitsOfTheCallAreKept() throws {
            try scene.write(scene.zip(100, seed: 1), "a.zip")
            var limits = IntakeLimits()
            limits.maximumFiles = 2
            #expect(try scene.failure(["a.zip", "a.zip", "a.zip"], limits: limits).code == .tooManyFiles)
            #expect(try scene.failure([]).code == .noFiles)
            limits = IntakeLimits()
            limits.maximumTotalBytes = 100
            #expect(try scene.failure(["a.zip"], limits: limits).code == .tooManyBytes)
            limits = IntakeLimits()
            limits.maximumFileBytes = 100
            #expect(try scene.failure(["a.zip"], limits: limits).code == .fileTooLarge)
            limits = IntakeLimits()
            limits.export.maximumExportBytes = 100
            #expect(try scene.failure(["a.zip"], limits: limits).ruleName == "entryTooLarge")
            limits = IntakeLimits()
            limits.export.maximumKeys = 99
            #expect(try scene.failure(["a.zip"], limits: limits).ruleName == "tooManyKeys")
        }

        @Test func aCancelledCallLeavesNothing() throws {
            try scene.write(scene.zip(50_000, seed: 1), "a.zip")
            for slices in 0..<30 {
                let run = try scene.run(["a.zip"])
                var count = 0
                let result = drive(
                    run,
                    each: { run in
                        if count == slices { run.cancel() }
                        count += 1
                    })
                #expect(throws: IntakeFailure(.cancelled)) { try result.get() }
                #expect(Leftovers.zombies == 0)
            }
        }

        /// A published key that was heard, again and again: the run must end before it fills the memory.
        @Test func theSameKeyOverAndOverIsRefused() throws {
            let key = Scene.keys(1, seed: 1)
            let (bin, sig) = try scene.export(Array(repeating: key[0], count: 200_000))
            try scene.write(RawZip(entries: [.init("export.bin", bin), .init("export.sig", sig)]).bytes, "same.zip")
            #expect(try scene.failure(["same.zip"]).code == .tooManyMatches)
        }

        /// Too many by the last keys of the file.
        @Test func whatIsTooMuchAtTheEndIsRefused() throws {
            let (bin, sig) = try scene.export(Array(repeating: Scene.keys(1, seed: 1)[0], count: 500))
            try scene.write(RawZip(entries: [.init("export.bin", bin), .init("export.sig", sig)]).bytes, "same.zip")
            #expect(try scene.failure(["same.zip"]).code == .tooManyMatches)
            var command = try command()
            #expect(throws: IntakeFailure(.tooManyMatches)) { try command.add(path: scene.path("same.zip")) }
        }

        private func command() throws -> MatchRun {
            MatchRun(
                index: SightingIndex(try Scene.sightings([1, 2, 3])), trust: scene.trust, policy: .namedKeys,
                time: Scene.time, program: try Programs.zip)
        }

        /// `vigil match`, with files of the same content under two signatures.
        @Test func theCommandCountsContentOnce() throws {
            let (bin, sig) = try scene.export(Scene.keys(1_000, seed: 1))
            // The list of signatures is another one by a member that nobody knows.
            for (name, sig) in [("a.zip", sig), ("b.zip", sig + [0x78, 1])] {
                try scene.write(RawZip(entries: [.init("export.bin", bin), .init("export.sig", sig)]).bytes, name)
            }
            var run = try command()
            guard case .matched = try run.add(path: scene.path("a.zip")), case let once = run.statistics,
                case .repeated = try run.add(path: scene.path("b.zip"))
            else {
                Issue.record("not as files of the same content")
                return
            }
            #expect(once.keys == 1_000 && once.heard > 0 && run.statistics == once)
            #expect(try run.finish().matches.count == 1)
        }
    }
}
