// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeyExport
import KeyIntake
import KeyStream
import TestKit
import Testing

extension IntakeTests {
    /// The program that unpacks may be gone, dead, slow, or somebody else's.
    @Suite(.serialized) struct ChildTests {
        private let scene: Scene

        init() throws {
            scene = try Scene()
            try scene.write(scene.zip(20_000, seed: 1), "a.zip")
        }

        @Test func everyForbiddenCallIsStopped() throws {
            let process = try Output(of: Programs.zip.path, "selftest")
            #expect(process.status == 0, "\(process.text)")
            #expect(process.text.split(separator: "\n").count >= 29 && !process.text.contains("NOT"))
        }

        @Test func withoutARoleItEnds() throws {
            #expect(try Output(of: Programs.zip.path, "").status == 2)
        }

        @Test func aMissingProgramIsNamed() throws {
            #expect(throws: IntakeFailure(.programMissing)) { try UnzipProgram(path: scene.path("none")) }
            let program = try scene.script("exit 0")
            unlink(program.path)
            #expect(try scene.failure(["a.zip"], program: program).code == .programMissing)
            try scene.write(Array("no program".utf8), "vigil-zip-text")
            let text = try UnzipProgram(path: scene.path("vigil-zip-text"))
            #expect(try scene.failure(["a.zip"], program: text).code == .programMissing)
        }

        @Test(arguments: [
            ("exit 0", IntakeFailure.Code.programMisbehaved), ("exit 7", .programMisbehaved),
            ("echo hello world", .programMisbehaved), ("cat", .programMisbehaved), ("kill -SEGV $$", .programDied),
            ("kill -SYS $$", .confinementViolated), ("cat /bin/sh", .programMisbehaved),
            ("exec yes", .programMisbehaved),
            // A greeting that says it is not confined, and one that stops there.
            ("printf '\\1\\2\\0\\0\\0\\1\\0'; exit 3", .notConfined),
            ("printf '\\1\\2\\0\\0\\0\\1\\1'", .programMisbehaved),
            // More than it announced; a claim of four gigabytes; content of nothing announced.
            ("printf '\\1\\2\\0\\0\\0\\1\\1\\2\\10\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0\\3\\2\\0\\0\\0xx'", .programMisbehaved),
            ("printf '\\1\\2\\0\\0\\0\\1\\1\\2\\377\\377\\377\\377'; exec yes", .programMisbehaved),
            // All well, but nobody signed it.
            (
                "printf '\\1\\2\\0\\0\\0\\1\\1\\2\\10\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0\\3\\1\\0\\0\\0x\\4\\0\\0\\0\\0'",
                .refused
            ),
            // It goes on after its end, or ends with an error after it.
            (
                "printf '\\1\\2\\0\\0\\0\\1\\1\\2\\10\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\4\\0\\0\\0\\0'; exit 1",
                .programMisbehaved
            ),
        ])
        func programsThatAreNotOurs(_ text: String, _ code: IntakeFailure.Code) throws {
            let failure = try scene.failure(["a.zip"], program: scene.script(text))
            #expect(failure.code == code, "\(failure)")
            #expect(failure.file == "a.zip")
        }

        @Test(arguments: [
            "exec sleep 1000", "printf '\\1'; exec sleep 1000", "exec >&-; exec sleep 1000",
            "trap '' TERM; while :; do :; done",
        ])
        func aStalledProgramIsGivenUp(_ text: String) throws {
            var limits = IntakeLimits()
            limits.stallTime = .milliseconds(300)
            let start = ContinuousClock.now
            #expect(try scene.failure(["a.zip"], program: scene.script(text), limits: limits).code == .stalled)
            // The programs would take a quarter of an hour.
            #expect(ContinuousClock.now - start < .seconds(300))
        }

        @Test func aDrippingProgramIsGivenUp() throws {
            var limits = IntakeLimits()
            limits.fileTime = .milliseconds(500)
            let program = try scene.script("printf '\\1\\2\\0\\0\\0\\1\\1'; exec sleep 100")
            #expect(try scene.failure(["a.zip"], program: program, limits: limits).code == .fileTookTooLong)
            limits = IntakeLimits()
            limits.totalTime = .milliseconds(200)
            #expect(try scene.failure(["a.zip"], program: program, limits: limits).code == .callTookTooLong)
        }

        /// One process is all it may be, unless it is root's.
        @Test(.enabled(if: getuid() != 0, "limits of processes do not bind root"))
        func theProgramStartsNoOther() throws {
            let program = try scene.script("sleep 100 || exit 0; exec sleep 100")
            #expect(try scene.failure(["a.zip"], program: program).code == .programMisbehaved)
        }

        /// The environment is empty, the folder is the root, and there are three descriptors.
        @Test(.enabled(if: getuid() == 0, "only root's programs may start others, which the script does to report"))
        func theProgramGetsNothingElse() throws {
            let report = scene.path("report")
            chmod(scene.folder, 0o777)
            // Bytes into files are forbidden to it, so it makes names.
            let program = try scene.script(
                """
                for fd in /proc/self/fd/*; do mkdir "\(report)-fd-${fd##*/}"; done
                mkdir "\(report)-pwd-$(pwd | tr / _)"; mkdir "\(report)-env-$VIGIL_SECRET"
                echo x > \(report)-file || mkdir "\(report)-nofile"
                """)
            setenv("VIGIL_SECRET", "seen", 1)
            defer { unsetenv("VIGIL_SECRET") }
            _ = try scene.failure(["a.zip"], program: program)
            let seen = try FileManager.default.contentsOfDirectory(atPath: scene.folder).filter { $0.hasPrefix("report") }
            // The shell itself has its script and the folder it lists.
            let descriptors = seen.filter { $0.hasPrefix("report-fd-") }
            #expect(descriptors.count <= 5, "\(seen)")
            #expect(seen.contains("report-env-") && seen.contains("report-pwd-_"), "\(seen)")
        }

        @Test func aProgramKilledAtAnyPointLeavesNothing() throws {
            try scene.write(scene.zip(20_000, seed: 1), "a.zip")
            var taken = 0
            for round in 0..<24 {
                let run = try scene.run(["a.zip"])
                var slices = 0
                let result = drive(
                    run,
                    each: { _ in
                        slices += 1
                        if slices == round { for process in Self.children where process > 1 { kill(process, SIGKILL) } }
                    })
                switch result {
                case .success: taken += 1
                case .failure(let failure): #expect(failure.code == .programDied, "\(failure)")
                }
                #expect(Leftovers.zombies == 0)
            }
            #expect(taken < 24)
        }

        @Test func nothingLeaksOverManyCalls() throws {
            try scene.write([1, 2, 3], "bad.zip")
            let programs = try [Programs.zip, scene.script("exec yes"), scene.script("exit 1", name: "vigil-zip-y")]
            _ = try scene.failure(["bad.zip"])
            let before = Leftovers.descriptors
            for round in 0..<45 {
                _ = try scene.failure(["bad.zip", "missing"], program: programs[round % 3])
                _ = drive(try scene.run(["a.zip"]))
            }
            // Tests of other suites open some of their own.
            #expect(Leftovers.descriptors < before + 30)
            #expect(Leftovers.zombies == 0)
        }

        private static var children: [pid_t] {
            let text = try? Data(contentsOf: URL(filePath: "/proc/thread-self/children"))
            let all = String(decoding: text ?? Data(), as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
            return all.filter { process in
                let name = try? Data(contentsOf: URL(filePath: "/proc/\(process)/comm"))
                return name.map { String(decoding: $0, as: UTF8.self).hasPrefix("vigil-zip") } ?? false
            }
        }
    }

    /// A program's output, whole.
    struct Output {
        let status: Int32
        let text: String

        init(of path: String, _ argument: String) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            defer { close(ends[0]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addclose(&actions, ends[0])
            let words = argument.isEmpty ? [path] : [path, argument]
            let values: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for value in values { free(value) } }
            var process: pid_t = 0
            let result = startProgram(&process, path, &actions, values)
            close(ends[1])
            try #require(result == 0)
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(ends[0], &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
            var state: Int32 = 0
            while waitpid(process, &state, 0) < 0, errno == EINTR {}
            status = state & 0x7f == 0 ? state >> 8 & 0xff : 128 + state & 0x7f
            text = String(decoding: bytes, as: UTF8.self)
        }
    }
}
