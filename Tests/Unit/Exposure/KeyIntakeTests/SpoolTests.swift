// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeyExport
import KeyIntake
import Matching
import Testing

extension IntakeTests {
    /// Whatever a caller may put into its folder, or call it.
    @Suite(.serialized) struct SpoolTests {
        private let scene: Scene

        init() throws {
            scene = try Scene()
            try scene.write(scene.zip(10, seed: 1), "good.zip")
        }

        @Test(arguments: [
            "", ".", "..", "/etc/passwd", "../good.zip", "a/good.zip", "good.zip/", "good\u{0}.zip", "good\n.zip", "\u{7f}",
            "\u{1b}[2J", String(repeating: "x", count: 256),
        ])
        func namesThatAreNoPlainNamesAreRefused(_ name: String) throws {
            let failure = try scene.failure([name])
            #expect(failure.code == .illegalName)
            #expect(failure.description.utf8.allSatisfy { (0x20...0x7e).contains($0) })
            // Before anything else was read.
            #expect(try scene.failure(["good.zip", name]).code == .illegalName)
        }

        @Test func linksAreNotFollowed() throws {
            symlink("good.zip", scene.path("link"))
            symlink("/etc/hostname", scene.path("away"))
            symlink("nowhere", scene.path("dangling"))
            symlink("/proc/self/fd/0", scene.path("magic"))
            for name in ["link", "away", "dangling", "magic"] {
                #expect(try scene.failure([name]).code == .symbolicLink)
            }
        }

        @Test func thingsThatAreNoFilesAreRefusedAtOnce() throws {
            mkfifo(scene.path("fifo"), 0o600)
            mkdir(scene.path("folder"), 0o700)
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = scene.path("socket")
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(isBound == 0)
            var names = ["fifo", "folder", "socket"]
            if mknod(scene.path("device"), S_IFCHR | 0o600, 1 << 8 | 5) == 0 { names.append("device") }
            let start = ContinuousClock.now
            for name in names { #expect(try scene.failure([name]).code == .notARegularFile, "\(name)") }
            // Opening a FIFO without a writer would wait for ever.
            #expect(ContinuousClock.now - start < .seconds(120))
            #expect(try scene.failure(["missing.zip"]).code == .noSuchFile)
        }

        @Test(.enabled(if: getuid() == 0, "only root can make files of others"))
        func aHardLinkToAnotherUsersFileIsRefused() throws {
            try scene.write(scene.zip(10, seed: 1), "theirs")
            chown(scene.path("theirs"), 12_345, 12_345)
            // Its only name: somebody put it here.
            #expect(try drive(scene.run(["theirs"])).get().files.count == 1)
            link(scene.path("theirs"), scene.path("second"))
            #expect(try scene.failure(["second"]).code == .anotherOwnersFile)
            link(scene.path("good.zip"), scene.path("mine"))
            #expect(try drive(scene.run(["mine"])).get().files.count == 1)
        }

        @Test func tenGigabytesOfNothingAreRefusedUnread() throws {
            let descriptor = open(scene.path("sparse"), O_WRONLY | O_CREAT, 0o600)
            try #require(ftruncate(descriptor, 10_000_000_000) == 0)
            close(descriptor)
            let start = threadTime()
            #expect(try scene.failure(["sparse"]).code == .fileTooLarge)
            // Reading them would take seconds of processor; the clock on the wall is everybody's.
            #expect(threadTime() - start < .milliseconds(200))
        }

        @Test func theFolderStaysTheOneItWas() throws {
            let moved = scene.folder + "-moved"
            rename(scene.folder, moved)
            defer { rename(moved, scene.folder) }
            #expect(try drive(scene.run(["good.zip"])).get().files.count == 1)
        }

        /// Renamed over, cut, grown and overwritten while it is read: what counts is what was read, or nothing.
        @Test(arguments: ["swap", "cut", "grow", "overwrite", "remove"])
        func filesChangedWhileTheyAreRead(_ change: String) throws {
            var outcomes: [String: Int] = [:]
            let good = try scene.zip(20_000, seed: 1)
            let other = try scene.zip(20_000, seed: 2)
            for round in 0..<6 {
                try scene.write(good, "a.zip")
                try scene.write(other, "b.zip")
                var slices = 0
                let run = try scene.run(["a.zip"])
                let result = drive(
                    run,
                    each: { _ in
                        slices += 1
                        guard slices == 2 + round * 3 else { return }
                        switch change {
                        case "swap": rename(scene.path("b.zip"), scene.path("a.zip"))
                        case "cut": truncate(scene.path("a.zip"), off_t(good.count / 2))
                        case "grow":
                            let end = open(scene.path("a.zip"), O_WRONLY | O_APPEND)
                            _ = good.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
                            close(end)
                        case "overwrite":
                            let middle = open(scene.path("a.zip"), O_WRONLY)
                            _ = other.withUnsafeBytes { write(middle, $0.baseAddress, $0.count) }
                            close(middle)
                        default: unlink(scene.path("a.zip"))
                        }
                    })
                switch result {
                case .success(let result):
                    outcomes["taken", default: 0] += 1
                    // Nothing but the one file or the other, whole.
                    #expect(result.files[0].summary?.keyCount == 20_000 && result.files[0].matches.count == 1)
                case .failure(let failure): outcomes[failure.ruleName, default: 0] += 1
                }
                #expect(Leftovers.zombies == 0)
            }
            if ["swap", "grow", "remove"].contains(change) { #expect(outcomes == ["taken": 6], "\(outcomes)") }
        }
    }
}
