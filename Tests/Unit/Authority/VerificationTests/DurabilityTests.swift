// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Synchronization
import Testing
import Verification

@Suite struct DurabilityTests {
    /// A test from registration to confirmed TAN, the server killed after every step and every answer lost: whatever was answered holds,
    /// whatever is asked again is answered alike.
    @Test func aKillBetweenAnyTwoStepsLosesNothing() throws {
        var scenes = [try VerificationScene()]
        func crash() throws -> VerificationScene {
            let next = try #require(try scenes.last?.crash())
            scenes.append(next)
            return next
        }
        let (first, second) = (VerificationScene.name(1), VerificationScene.name(2))
        let token = try scenes[0].register(0, request: first)
        var scene = try crash()
        #expect(try scene.register(0, request: first) == token)
        #expect(code { _ = try scene.register(0, request: second) } == .keyAlreadyUsed)
        scene = try crash()
        try scene.report(0, 2)
        scene = try crash()
        #expect(try scene.server.result(token: token, now: scene.now).finding == .positive)
        let tan = try scene.server.tan(token: token, request: second, now: scene.now)
        scene = try crash()
        #expect(try scene.server.tan(token: token, request: second, now: scene.now) == tan)
        #expect(code { _ = try scene.server.tan(token: token, request: first, now: scene.now) } == .tanAlreadyIssued)
        scene = try crash()
        #expect(try scene.server.confirmTAN(tan, request: [1], now: scene.now) == .test)
        scene = try crash()
        #expect(try scene.server.confirmTAN(tan, request: [1], now: scene.now) == .test)
        #expect(code { _ = try scene.server.confirmTAN(tan, request: [2], now: scene.now) } == .invalidTAN)
        scene = try crash()
        _ = try scene.server.clean(now: scene.now + 22 * VerificationScene.day)
        scene = try crash()
        #expect(code { _ = try scene.server.result(token: token, now: scene.now) } == .unknownToken)
        #expect(code { _ = try scene.register(0, request: first) } == .keyAlreadyUsed)
        #expect(code { _ = try scene.server.confirmTAN(tan, request: [1], now: scene.now) } == .invalidTAN)
    }

    /// Two processes' worth of connections to the same file from two threads, each trying everything the other does.
    @Test func twoAtOnceGiveOneRegistrationOneTANAndOneConfirmation() throws {
        let scene = try VerificationScene()
        let count = 40
        for number in 0..<count { try scene.report(number, 2) }
        let path = scene.path
        func race<Result: Sendable>(_ body: @escaping @Sendable (VerificationServer, Int) -> Result?) -> [[Result]] {
            var threads: [pthread_t] = []
            let box = Box<Result>(count: count)
            for _ in 0..<2 {
                let work = Work {
                    guard let server = try? VerificationScene.open(path, VerificationRules()).0 else { return }
                    for number in 0..<count {
                        if let result = body(server, number) { box.add(result, at: number) }
                    }
                }
                var thread = pthread_t()
                pthread_create(
                    &thread, nil,
                    { context in
                        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                        return nil
                    }, Unmanaged.passRetained(work).toOpaque())
                threads.append(thread)
            }
            for thread in threads { pthread_join(thread, nil) }
            return box.all
        }
        let now = scene.now
        let tokens = race { server, number in try? server.register(VerificationScene.test(number), now: now) }
        #expect(tokens.allSatisfy { $0.count == 1 })
        let known = tokens.map(\.first)
        let tans = race { server, number in known[number].flatMap { try? server.tan(token: $0, now: now) } }
        #expect(tans.allSatisfy { $0.count == 1 })
        let issued = tans.map(\.first)
        let confirmed = race { server, number in issued[number].flatMap { try? server.confirmTAN($0, now: now) } }
        #expect(confirmed.allSatisfy { $0.count == 1 })
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private final class Box<Value: Sendable>: Sendable {
        private let values: Mutex<[[Value]]>
        init(count: Int) { values = Mutex((0..<count).map { _ in [] }) }
        func add(_ value: Value, at index: Int) { values.withLock { $0[index].append(value) } }
        var all: [[Value]] { values.withLock { $0 } }
    }

    @Test func secretsOthersMayReadAreRefused() throws {
        let scene = try VerificationScene()
        let path = scene.path + "/verification-secret"
        var information = stat()
        #expect(stat(path, &information) == 0 && information.st_mode & 0o777 == 0o600 && information.st_size == 32)
        #expect(stat(scene.path + "/verification.db", &information) == 0 && information.st_mode & 0o777 == 0o600)
        #expect(chmod(path, 0o640) == 0)
        #expect(code { _ = try scene.another() } == .storageUnusable)
        #expect(chmod(path, 0o600) == 0 && truncate(path, 31) == 0)
        #expect(code { _ = try scene.another() } == .storageUnusable)
    }

    @Test func aDamagedFileIsSaidToBe() throws {
        let scene = try VerificationScene()
        let path = scene.path + "/other.db"
        #expect(FileManager.default.createFile(atPath: path, contents: Data(repeating: 0x41, count: 8_192)))
        #expect(code { _ = try SQLiteVerificationStore(path: path) } == .storageDamaged)
        #expect(code { _ = try TestResultServer(path: scene.path + "/nowhere/results.db") } == .storageUnusable)
    }
}
