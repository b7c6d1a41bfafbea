// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// A caller that was taken over, against the real core: files that are not what they were, noise, floods, and what it was never granted.
@Suite(.serialized) final class HostileCallerTests {
    private let scene: HostileScene

    init() throws { scene = try HostileScene() }

    /// Something to offer, and the rules by which it may be refused.
    private struct Offer {
        let what: String
        var files: [String]
        let rules: Set<String>
        var prepare: () throws -> Void = {}
        /// Called again and again while the core is at it.
        var meanwhile: () -> Void = {}
        /// Whether that has come to something.
        var isDone: () -> Bool = { true }
    }

    @Test func nothingOfWhatItOffersIsTaken() throws {
        let before = try scene.kept()
        let sync = try scene.sync()
        for offer in plainOffers() + restlessOffers() {
            try offer.prepare()
            let start = ContinuousClock.now
            sync.send(CallClient.message(HostileScene.provide, HostileScene.files(offer.files)))
            var answer: String?
            while answer == nil, ContinuousClock.now - start < .seconds(240) {
                offer.meanwhile()
                answer = sync.receiveWaiting()
                usleep(200)
            }
            let time = ContinuousClock.now - start
            let text = answer ?? "no answer"
            #expect(text.member("error") == "org.vigil.exposure1.FileRefused", "\(offer.what): \(text)")
            #expect(offer.rules.contains(text.member("rule") ?? ""), "\(offer.what): \(text)")
            #expect((text.member("reason") ?? "").count > 10, "\(offer.what): \(text)")
            #expect(time < .seconds(240), "\(offer.what): \(time)")
            #expect(offer.isDone(), "\(offer.what): the core had read it before anything could be done to it")
            #expect(try scene.kept() == before, "\(offer.what) was kept")
            try scene.isWell(offer.what)
            print("\(offer.what): \(text.member("rule") ?? "?"), \(time), at most \(scene.core.mebibytes("VmHWM")) MiB")
        }
        // What is right is taken from the same caller by the same core, so none of the above was refused for another reason.
        try scene.copy(scene.good, "good.zip")
        let answer = try #require(sync.call(HostileScene.provide, HostileScene.files(["good.zip"])))
        #expect(answer.contains(#""outcome":"matched""#), "\(answer)")
        #expect(try scene.kept() != before)
    }

    private func plainOffers() -> [Offer] {
        let scene = scene
        var generator = SeededGenerator(seed: 1)
        let noise = generator.bytes(100_000)
        func made(_ what: String, _ rules: Set<String>, _ make: @escaping (String) -> Int32) -> Offer {
            Offer(what: what, files: ["x.zip"], rules: rules) {
                try? FileManager.default.removeItem(atPath: scene.path("x.zip"))
                try #require(make(scene.path("x.zip")) == 0, "\(what): \(String(cString: strerror(errno)))")
            }
        }
        func named(_ what: String, _ name: String) -> Offer { Offer(what: what, files: [name], rules: ["illegalName"]) }
        var offers = [
            Offer(what: "no file at all", files: [], rules: ["noFiles"]),
            Offer(what: "129 files", files: (0..<129).map { "\($0).zip" }, rules: ["tooManyFiles"]),
            Offer(what: "a file that is not there", files: ["gone.zip"], rules: ["noSuchFile"]),
            named("the folder above", ".."), named("a file above", "../callers.json"),
            named("an absolute name", "/etc/passwd"),
            named("an empty name", ""), named("a line feed", "a\nb"), named("an escape", "\u{1B}[2J"),
            named("300 letters", String(repeating: "a", count: 300)),
            made("a symbolic link to a good file", ["symbolicLink"]) { symlink(scene.good, $0) },
            made("a FIFO", ["notARegularFile"]) { mkfifo($0, 0o600) },
            made("a socket", ["notARegularFile"]) { mknod($0, mode_t(S_IFSOCK) | 0o600, 0) },
            made("a folder", ["notARegularFile"]) { mkdir($0, 0o700) },
            made("a sparse file of 10 GB", ["fileTooLarge"]) { path in
                rmdir(path)
                let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
                defer { close(descriptor) }
                return ftruncate(descriptor, 10_000_000_000)
            },
            Offer(
                what: "an empty file", files: ["empty.zip"], rules: ["notAZipArchive", "damagedArchive", "unreadableFile"]
            ) {
                try scene.write([], "empty.zip")
            },
            Offer(what: "noise", files: ["noise.zip"], rules: ["notAZipArchive", "damagedArchive", "unreadableFile"]) {
                try scene.write(noise, "noise.zip")
            },
            Offer(what: "a zip bomb", files: ["bomb.zip"], rules: ["suspiciousRatio", "entryTooLarge"]) {
                try Bomb.write(to: scene.path("bomb.zip"), megabytes: 150)
            },
            Offer(
                what: "\(HostileScene.keyCount) keys with a stranger's signature", files: ["large.zip"],
                rules: ["signatureMismatch"]
            ) {
                try scene.copy(scene.wronglySigned, "large.zip")
            },
            Offer(
                what: "a good file before one with a stranger's signature", files: ["good.zip", "large.zip"],
                rules: ["signatureMismatch"]
            ) {
                try scene.copy(scene.good, "good.zip")
            },
        ]
        if geteuid() == 0 {
            offers.append(
                made("a device", ["notARegularFile", "unreadable"]) { mknod($0, mode_t(S_IFCHR) | 0o600, 0x105) })
        }
        return offers
    }

    /// Files that change under the reader's hands.
    private func restlessOffers() -> [Offer] {
        let scene = scene
        var generator = SeededGenerator(seed: 2)
        let large = scene.path("large.zip")
        func size() -> Int { (try? FileManager.default.attributesOfItem(atPath: large)[.size] as? Int) ?? 0 }
        let wholeSize = (try? FileManager.default.attributesOfItem(atPath: scene.wronglySigned)[.size] as? Int) ?? 0
        func whole() throws {
            try scene.copy(scene.wronglySigned, "large.zip")
            try scene.copy(scene.good, "other.zip")
        }
        let damage: Set<String> = [
            "damagedArchive", "notAZipArchive", "unreadableFile", "signatureMismatch", "truncated", "malformedProtobuf",
            "wrongHeader",
            "malformedSignatureList", "wrongEntryCount", "illegalEntryName", "unexpectedEntry", "unsupportedCompression",
        ]
        return [
            Offer(
                what: "a file swapped with a good one while it is read", files: ["large.zip"], rules: ["signatureMismatch"],
                prepare: whole
            ) {
                // What was opened decides, and not what has its name by the time it is judged.
                if access(scene.path("other.zip"), F_OK) == 0, scene.isBeingRead("large.zip") {
                    rename(scene.path("other.zip"), large)
                }
            } isDone: {
                access(scene.path("other.zip"), F_OK) != 0
            },
            Offer(what: "a file cut off while it is read", files: ["large.zip"], rules: damage, prepare: whole) {
                if scene.isBeingRead("large.zip") { truncate(large, off_t(size() / 2)) }
            } isDone: {
                size() < wholeSize
            },
            Offer(what: "a file that grows while it is read", files: ["large.zip"], rules: damage, prepare: whole) {
                let descriptor = open(large, O_WRONLY | O_APPEND)
                defer { close(descriptor) }
                if size() < 60_000_000 {
                    _ = [UInt8](repeating: 0x50, count: 4_096).withUnsafeBytes {
                        Glibc.write(descriptor, $0.baseAddress, $0.count)
                    }
                }
            },
            Offer(what: "a file overwritten while it is read", files: ["large.zip"], rules: damage, prepare: whole) {
                let descriptor = open(large, O_WRONLY)
                defer { close(descriptor) }
                let noise = generator.bytes(64)
                let place = off_t.random(in: 0..<off_t(max(1, size() - 64)), using: &generator)
                _ = noise.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
            },
        ]
    }

    @Test func itGetsNothingItWasNotGranted() throws {
        let sync = try scene.sync()
        let methods = [
            "exposure1.GetExposureWindows", "exposure1.GetDailySummaries", "exposure1.Watch",
            "exposure1.GetExposureSummary",
            "exposure1.GetExposureInformation", "exposure1.SetDiagnosisKeysDataMapping", "device1.Enable",
            "device1.Disable",
            "device1.GiveConsent", "device1.SetRole", "device1.GetRadio", "device1.GetAudit", "device1.ExportMyData",
            "device1.SetTime",
            "device1.Reset", "device1.WritePairingFile", "release1.TakeDiagnosisKeys",
        ]
        for method in methods {
            let answer = try #require(sync.call("org.vigil." + method))
            #expect(answer.member("error") == "org.varlink.service.PermissionDenied", "\(method): \(answer)")
        }
        let core = scene.core
        #expect(core.waits { core.number("deniedCalls") == methods.count }, "\(core.state)")
        try scene.isWell("calls that were not granted")
    }

    @Test func noiseAndFloodsOnTheSocketStopNobodyElse() throws {
        let core = scene.core
        var generator = SeededGenerator(seed: 3)
        let noise = generator.bytes(50_000) + [0]
        for (what, bytes) in [
            ("noise", noise), ("NULs", [UInt8](repeating: 0, count: 10_000)),
            ("another protocol", Array("GET / HTTP/1.1\r\n\r\n\0".utf8)),
            ("a message without an end", [UInt8](repeating: 0x20, count: 1 << 20)),
            ("brackets", [UInt8](repeating: 0x5B, count: 60_000) + [0]),
            ("a list", Array("[]\0".utf8)), ("no method", Array("{}\0".utf8)),
            ("a name without end", CallClient.message(String(repeating: "a.", count: 20_000) + "B")),
        ] {
            let caller = try scene.sync()
            caller.send(bytes)
            let answer = caller.receive()
            #expect(answer == nil || answer?.member("error") != nil, "\(what): \(answer ?? "")")
            try scene.isWell(what)
        }
        #expect(core.waits { core.number("protocolErrors") >= 4 }, "\(core.state)")

        let halves = try (0..<8).map { _ in try scene.sync() }
        for caller in halves { caller.send(Array(CallClient.message(HostileScene.status).dropLast(20))) }
        try scene.isWell("half messages")

        let many = try (0..<300).map { _ in try scene.sync() }
        #expect(core.waits { core.number("refusedConnections") >= 200 }, "\(core.state)")
        try scene.isWell("\(many.count) connections")
        withExtendedLifetime((halves, many)) {}
    }

    @Test func whoAsksWithoutReadingLosesTheConnection() throws {
        let flood = Array(repeatElement(CallClient.message(HostileScene.status), count: 1_000).joined())
        let callers = try (0..<8).map { _ in try scene.sync() }
        let start = ContinuousClock.now
        var taken = 0
        for _ in 0..<50 {
            for caller in callers { taken += caller.send(flood, waits: false) }
            usleep(10_000)
        }
        try scene.isWell("a flood of calls")
        print(
            "flood: \(taken) bytes of calls taken in \(ContinuousClock.now - start), at most \(scene.core.mebibytes("VmHWM")) MiB"
        )
        withExtendedLifetime(callers) {}
        // Somebody who does read is served afterwards.
        let answer = try #require(try scene.sync().call(HostileScene.status))
        #expect(answer.member("state") == "active", "\(answer)")
    }
}

/// An archive of zeros.
enum Bomb {
    static func write(to path: String, megabytes: Int) throws {
        let outcome = try Program.run(
            "/bin/sh", ["-c", "head -c \(megabytes)000000 /dev/zero | gzip -9 -n > \(path).gz"])
        try #require(outcome.status == 0)
        let gzip = try Array(Data(contentsOf: URL(filePath: path + ".gz")))
        unlink(path + ".gz")
        // RFC 1952: ten bytes before the deflated data, then CRC-32 and length.
        let deflated = gzip[10..<(gzip.count - 8)]
        let sums = Array(gzip.suffix(8).prefix(4)) + little(UInt32(deflated.count)) + Array(gzip.suffix(4))
        func header(_ name: String, _ signature: [UInt8], _ after: [UInt8]) -> [UInt8] {
            signature + [0, 0, 8, 0, 0, 0, 0x21, 0x50] + sums + little(UInt16(name.utf8.count)) + [0, 0] + after
                + Array(name.utf8)
        }
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for name in ["export.bin", "export.sig"] {
            let offset = UInt32(bytes.count)
            bytes += header(name, [0x50, 0x4B, 3, 4, 20, 0], []) + deflated
            directory += header(name, [0x50, 0x4B, 1, 2, 20, 0, 20, 0], [UInt8](repeating: 0, count: 10) + little(offset))
        }
        let end =
            [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 2, 0, 2, 0] + little(UInt32(directory.count)) + little(UInt32(bytes.count)) + [
                0, 0,
            ]
        try Data(bytes + directory + end).write(to: URL(filePath: path))
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
