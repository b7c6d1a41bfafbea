// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Testing
import Verification

/// The handle by which a warning is found when it has to be taken back.
@Suite struct WarningHandleTests {
    private let printed = "123456-12345678-1234-4DA7-B166-B86D85475064"
    private var registered: String { Hex.string(SHA256.digest(of: Array(printed.utf8))) }

    private func warned(
        _ scene: VerificationScene, _ key: String, _ type: String
    ) throws -> (tan: String, handle: WarningHandle) {
        let token = try scene.server.register(VerificationServer.key(key, type: type, birth: nil), now: scene.now)
        let tan = try scene.server.tan(token: token, now: scene.now)
        return (tan, try #require(try scene.server.confirm(tan, type: .test, request: [7], now: scene.now)))
    }

    @Test func aTANBringsTheHandleOfItsTestAndNobodyElses() throws {
        let scene = try VerificationScene()
        let identity = try #require(TestIdentity(key: registered))
        _ = try scene.results.take([.init(identity, TestResult(.positive))], now: scene.now)
        let (tan, handle) = try warned(scene, registered, "GUID")
        for code in [
            printed, printed.lowercased(), " \(printed)\n", "https://localhost/?\(printed)", registered,
            registered.uppercased(),
        ] {
            #expect(try scene.server.warningHandles(code).contains(handle), "\(code)")
        }
        // Repeated after a crash, the same.
        #expect(try scene.crash().server.confirm(tan, type: .test, request: [7], now: scene.now) == handle)
        #expect(code { _ = try scene.server.confirm(tan, type: .test, request: [8], now: scene.now) } == .invalidTAN)
        let other = try VerificationScene()
        #expect(try !other.server.warningHandles(printed).contains(handle))
    }

    @Test func aTeleTANHasOneToo() throws {
        let scene = try VerificationScene()
        let teleTAN = try scene.server.issueTeleTAN(.test, now: scene.now)
        let (_, handle) = try warned(scene, teleTAN, "TELETAN")
        #expect(try scene.server.warningHandles(teleTAN) == [handle])
        let grouped = "\(teleTAN.prefix(3)) \(teleTAN.dropFirst(3).prefix(3))-\(teleTAN.dropFirst(6))".lowercased()
        #expect(try scene.server.warningHandles(grouped) == [handle])
        // Asking does not say whether there is anything.
        #expect(try scene.server.warningHandles(scene.server.issueTeleTAN(.test, now: scene.now)).count == 1)
    }

    @Test(arguments: [
        "", "1", "123456-12345678-1234-4DA7-B166-B86D8547506", "123456-12345678-1234-4DA7-B166-B86D8547506G", "ABCDEFGHJ2",
        String(repeating: "a", count: 63), String(repeating: "g", count: 64), String(repeating: "1", count: 5_000),
        "https://localhost/?", "{\"code\": 1}",
    ])
    func whatIsNoCodeIsRefused(_ text: String) throws {
        let scene = try VerificationScene()
        #expect(code { _ = try scene.server.warningHandles(text) } == .malformedRequest)
        #expect(throws: WarningRefusal(.invalidCode)) { try scene.server.handles(text) }
    }

    /// The database alone gives no handle: what is stored is masked by the TAN.
    @Test func theDatabaseDoesNotHoldTheHandle() throws {
        let scene = try VerificationScene()
        let identity = try #require(TestIdentity(key: registered))
        _ = try scene.results.take([.init(identity, TestResult(.positive))], now: scene.now)
        let (_, handle) = try warned(scene, registered, "GUID")
        let bytes = try #require(Hex.bytes(handle.hexadecimal))
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.path) {
            let stored = FileManager.default.contents(atPath: scene.path + "/" + name) ?? Data()
            #expect(!stored.contains(bytes) && !stored.contains(Array(handle.hexadecimal.utf8)), "\(name)")
        }
    }
}
