// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import TestKit
import Testing

@testable import SecurityToken

/// Keys in a real token of SoftHSM, and behind modules that do wrong.
@Suite(.serialized, .enabled(if: SoftToken.missing == nil, "\(SoftToken.missing ?? "")")) struct TokenKeyTests {
    private let digest = SHA256.digest(of: Array("text".utf8))

    @Test func aKeyIsMadeOnceAndSigns() throws {
        let place = try SoftToken.place("made once")
        #expect(throws: TokenError(.noKey)) { try TokenKey(place, pin: SoftToken.pin) }
        let key = try TokenKey(place, pin: SoftToken.pin, makes: true)
        for _ in 0..<20 {
            let signature = try key.signature(of: digest)
            #expect(key.verificationKey.isValid(signature: signature, over: digest))
        }
        #expect(try TokenKey(place, pin: SoftToken.pin, makes: true).verificationKey == key.verificationKey)
        #expect(try TokenKey(place, pin: SoftToken.pin).verificationKey == key.verificationKey)
        #expect(
            try TokenKey(SoftToken.place("another"), pin: SoftToken.pin, makes: true).verificationKey != key.verificationKey
        )
    }

    /// What a wrong PIN, a missing token and the like are called. Nothing else is logged in here.
    @Test func eachFaultOfAnOperatorHasItsName() throws {
        let place = try SoftToken.place("names")
        #expect(throws: TokenError(.wrongPIN)) { try TokenKey(place, pin: SecretBytes(copying: "0000000".utf8)) }
        #expect(throws: TokenError(.noToken)) { try TokenKey(SoftToken.place("names", label: "flee"), pin: SoftToken.pin) }
        #expect(throws: TokenError(.noToken)) { try TokenKey(SoftToken.place("names", label: ""), pin: SoftToken.pin) }
        #expect(throws: TokenError(.twoTokens)) {
            try TokenKey(SoftToken.place("names", label: "twins"), pin: SoftToken.pin)
        }
        for module in ["/nowhere.so", "libsofthsm2.so", "/etc/passwd", "/usr/lib/x86_64-linux-gnu/libc.so.6"] {
            let other = TokenKey.Place(module: module, label: "fleet", name: "names")
            #expect(throws: TokenError(.moduleUnusable)) { try TokenKey(other, pin: SoftToken.pin) }
        }
        let codes = TokenError.Code.allCases.map { TokenError($0).description }
        #expect(Set(codes).count == codes.count && codes.allSatisfy { $0.count > 30 })
    }

    /// Before a key can be used: whatever the module says is refused.
    @Test(arguments: [
        ("PIN locked", TokenError.Code.pinLocked), ("no PIN", .pinNotSet), ("many slots", .badAnswer),
        ("more slots than asked for", .badAnswer), ("more objects than asked for", .badAnswer),
        ("long attribute", .badAnswer),
        ("no point of the curve", .badAnswer), ("another curve", .otherKey), ("can leave", .keyCanLeave),
        ("no list", .moduleUnusable),
    ])
    func aModuleThatLiesOpensNoKey(fault: String, code: TokenError.Code) throws {
        _ = try TokenKey(SoftToken.place("lies"), pin: SoftToken.pin, makes: true)
        let place = try SoftToken.place("lies", fault: fault)
        #expect(throws: TokenError(code)) { try TokenKey(place, pin: SoftToken.pin) }
    }

    @Test(arguments: [
        ("wrong signature", TokenError.Code.badSignature), ("long signature", .badAnswer), ("short signature", .badAnswer),
        ("zeros", .badSignature), ("removed for good", .tokenRemoved), ("no such mechanism", .unsupported),
        ("unknown", .failed),
        ("missing function", .moduleUnusable),
    ])
    func noWrongSignatureGoesOut(fault: String, code: TokenError.Code) throws {
        _ = try TokenKey(SoftToken.place("wrong"), pin: SoftToken.pin, makes: true)
        let key = try TokenKey(SoftToken.place("wrong", fault: fault), pin: SoftToken.pin)
        #expect(throws: TokenError(code)) { try key.sign(digest) }
        #expect(throws: TokenError.self) { try key.signature(of: digest) }
    }

    @Test(arguments: ["session lost once", "removed once"])
    func itLogsInAgainOnce(fault: String) throws {
        _ = try TokenKey(SoftToken.place("again"), pin: SoftToken.pin, makes: true)
        let key = try TokenKey(SoftToken.place("again", fault: fault), pin: SoftToken.pin)
        for _ in 0..<4 { _ = try key.sign(digest) }
    }

    /// A token counts wrong PINs, and locks.
    @Test func aRefusedPINIsNotTriedAgain() throws {
        _ = try TokenKey(SoftToken.place("refused"), pin: SoftToken.pin, makes: true)
        let key = try TokenKey(SoftToken.place("refused", fault: "PIN changed"), pin: SoftToken.pin)
        _ = try key.sign(digest)
        // The module would take the PIN at its third login, and signs no more.
        for _ in 0..<3 { #expect(throws: TokenError(.wrongPIN)) { try key.sign(digest) } }
    }

    @Test func aPINIsReadFromAFile() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/pin"
        for text in ["1234567", "1234567\n", "1234567\r\n"] {
            try SoftToken.write(text, path)
            #expect(try PINFile.read(path) == SoftToken.pin)
        }
        for text in ["", "\n", String(repeating: "1", count: 300)] {
            try SoftToken.write(text, path)
            #expect(throws: TokenError(.noPIN)) { try PINFile.read(path) }
        }
        #expect(throws: TokenError(.noPIN)) { try PINFile.read("\(folder.path)/nothing") }
    }
}
