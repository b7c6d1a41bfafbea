// SPDX-License-Identifier: Apache-2.0

import Cryptography
import RandomValues
import TestKit
import Testing

@testable import SecurityToken

struct TokenURITests {
    private static let good = "pkcs11:token=fleet;object=operator?module-path=/usr/lib/m.so&pin-source=file:/run/pin"

    @Test func allFourPartsAreRead() throws {
        let place = TokenKey.Place(module: "/usr/lib/m.so", label: "fleet", name: "operator")
        for text in [
            Self.good, "PKCS11:object=operator;token=fleet?pin-source=/run/pin&module-path=/usr/lib/m.so",
            "pkcs11:type=private;token=fleet;object=operator?module-path=/usr/lib/m.so&pin-source=file:///run/pin",
            "pkcs11:token=%66l%65et;object=operator?module-path=%2Fusr%2flib/m.so&pin-source=file:%2Frun/pin",
        ] {
            let uri = try TokenURI(text)
            #expect(uri.place == place && uri.pinFile == "/run/pin", "\(text)")
        }
        let odd = try TokenURI("pkcs11:token=T%C3%B6ken%3B%20%3D1;object=a%3Fb=c?module-path=/m&pin-source=/dev/fd/3")
        #expect(odd.place.label == "Töken; =1" && odd.place.name == "a?b=c" && odd.pinFile == "/dev/fd/3")
        #expect(TokenURI.isMeant(by: "pkcs11:") && TokenURI.isMeant(by: "PKCS11:x"))
        #expect(!TokenURI.isMeant(by: "pkcs11") && !TokenURI.isMeant(by: "./pkcs11:x") && !TokenURI.isMeant(by: ""))
    }

    /// A part that is passed over would choose another key than was meant.
    @Test(arguments: [
        "", "pkcs11:", "file:/key", "operator.pem", "pkcs11:token=fleet", "pkcs11:token=fleet;object=operator",
        "pkcs11:token=;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator?module-path=m.so&pin-source=/p",
        "pkcs11:token=fleet;object=operator?module-path=/m&pin-source=p",
        "pkcs11:token=fleet;object=operator?module-path=/m&pin-source=|/bin/pin",
        "pkcs11:token=fleet;object=operator?module-path=/m&pin-source=file://host/pin",
        "pkcs11:token=fleet;object=operator?module-name=m&pin-source=/p",
        "pkcs11:token=fleet;object=operator;id=%01?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator;serial=1?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator;type=public?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;token=fleet;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator;?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator?module-path=/m&pin-source=/p&pin-source=/p",
        "pkcs11:token=fleet;object=operator?module-path=/m;pin-source=/p",
        "pkcs11:token=fl%e;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fl%0;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet%00;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet%0A;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=%ff;object=operator?module-path=/m&pin-source=/p",
        "pkcs11:token=fleet;object=operator?module-path=/m&pin-source=/" + String(repeating: "p", count: 2_048),
    ])
    func whatCannotBeUsedIsRefused(text: String) {
        #expect(throws: TokenError(.unusableURI)) { try TokenURI(text) }
    }

    @Test func aPINInItIsRefusedAndNotRepeated() throws {
        for text in [Self.good + "&pin-value=4711081516", "pkcs11:pin-value=4711081516;" + Self.good.dropFirst(7)] {
            let error = try #require(throws: TokenError.self) { try TokenURI(text) }
            #expect(error == TokenError(.unusableURI) && "\(error)".contains("pin-source") && !"\(error)".contains("4711"))
        }
    }

    @Test func anyBytesAreAnsweredAndNothingIsGuessed() throws {
        var random = SeededGenerator(seed: 7_512)
        let alphabet = Array("pkcs11:tokenobjectype=;?&%/.-apin-sourcemodule-path\u{0}\u{fc}\u{20AC}|".unicodeScalars)
        for round in 0..<20_000 {
            var scalars = Array(Self.good.unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<scalars.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: scalars[place] = alphabet.randomElement(using: &random) ?? "a"
                case 1: scalars.remove(at: place)
                default: scalars.insert(alphabet.randomElement(using: &random) ?? "a", at: place)
                }
            }
            let text = String(String.UnicodeScalarView(scalars))
            guard let uri = try? TokenURI(text) else { continue }
            #expect(uri.place.module.hasPrefix("/") && uri.pinFile.hasPrefix("/"), "round \(round): \(text)")
            #expect(!uri.place.label.isEmpty && !uri.place.name.isEmpty, "round \(round): \(text)")
        }
    }
}
