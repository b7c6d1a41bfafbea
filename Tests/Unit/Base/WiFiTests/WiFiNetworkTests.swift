// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WiFi

@Suite struct WiFiNetworkTests {
    private static let plain = "name=Library\npassword=correct horse\ncountry=DE\n"

    private static func long(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let wrong: [(String, WiFiNetwork.Fault)] = [
        ("", .missing(.name)), ("\n \r\n", .missing(.name)), (long("\n", 513), .tooLong),
        ("password=12345678\ncountry=DE", .missing(.name)), ("name=\npassword=12345678\ncountry=DE", .missing(.name)),
        ("name=a\ncountry=DE", .missing(.password)), ("name=a\npassword= \ncountry=DE", .missing(.password)),
        ("name=a\npassword=12345678", .missing(.country)), (plain + "ssid=a", .line(4)), ("Library", .line(1)),
        ("name=a\ncorrect horse\ncountry=DE", .line(2)), ("Name=a", .line(1)), ("# a\nname=a", .line(1)),
        (plain + "name=b", .twice(.name)), (plain + "password=b", .twice(.password)),
        ("name=\(long("ä", 17))\npassword=12345678\ncountry=DE", .nameLength(34)),
        ("name=a\u{7}b\npassword=12345678\ncountry=DE", .nameCharacters),
        ("name=a\npassword=1234567\ncountry=DE", .passwordLength(7)),
        ("name=a\npassword=\(long("a", 64))\ncountry=DE", .passwordLength(64)),
        ("name=a\npassword=pässwörter\ncountry=DE", .passwordCharacters),
        ("name=a\npassword=1234\t5678\ncountry=DE", .passwordCharacters),
        ("name=a\npassword=12345678\ncountry=de", .country), ("name=a\npassword=12345678\ncountry=UK", .country),
        ("name=a\npassword=12345678\ncountry=00", .country), ("name=a\npassword=12345678\ncountry=D\u{212A}", .country),
        ("name=a\npassword=12345678\ncountry=\u{212A}R", .country),
        ("name=a\npassword=12345678\ncountry=Germany", .country),
        (plain + "hidden=true", .word(.hidden)), (plain + "hidden=", .missing(.hidden)),
        (plain + "address=aa:bb:cc:dd:ee:ff", .word(.address)), ("name=a\0b", .encoding),
    ]

    private func network(_ text: String) throws(WiFiNetwork.Fault) -> WiFiNetwork {
        try WiFiNetwork(parsing: Array(text.utf8))
    }

    @Test(arguments: [
        plain, "\u{FEFF}name=Library\r\npassword=correct horse\r\ncountry=DE\r\n",
        "\n\n country = DE \npassword=correct horse\t\n\nname =  Library",
        plain + "hidden=no\naddress=random\n",
    ])
    func oneNetworkWrittenInManyWays(_ text: String) throws {
        let read = try network(text)
        #expect(read == (try WiFiNetwork(name: "Library", password: "correct horse", country: "DE")))
        #expect(read.text == Self.plain && !read.isHidden && !read.hasFixedAddress)
    }

    @Test func everyFieldIsRead() throws {
        let text = "name=Café = Süd\npassword=a\\b=c#d 12\ncountry=FR\nhidden=yes\naddress=fixed\n"
        let read = try network(text)
        #expect(read.name == "Café = Süd" && read.password == "a\\b=c#d 12" && read.country == "FR")
        #expect(read.isHidden && read.hasFixedAddress && read.text == text)
        #expect(read.profileName == "=436166c3a9203d2053c3bc64.psk")
        #expect(
            read.profile
                == "[Security]\nPassphrase=a\\\\b=c#d 12\n\n[Settings]\nAutoConnect=true\nHidden=true\n")
        #expect(read.settings.hasSuffix("Country=FR\n"))
    }

    /// iwd takes no file of a known network under another name, and a name must not lead out of its folder.
    @Test func theFileIsCalledAsIwdCallsIt() throws {
        for (name, file) in [
            ("Library", "Library.psk"), ("a-b_c 9", "a-b_c 9.psk"), ("../../x", "=2e2e2f2e2e2f78.psk"), (".", "=2e.psk"),
            ("a=b", "=613d62.psk"), ("ß", "=c39f.psk"),
        ] {
            #expect(try WiFiNetwork(name: name, password: "12345678", country: "DE").profileName == file)
        }
    }

    /// The address of a person's radio is drawn for each connection unless the file says that it is not.
    @Test func anAddressIsDrawnUnlessItIsFixed() throws {
        #expect(try network(Self.plain).profile.hasSuffix("AlwaysRandomizeAddress=true\n"))
        #expect(try !network(Self.plain + "address=fixed").profile.hasSuffix("AlwaysRandomizeAddress=true\n"))
        #expect(try network(Self.plain).settings.split(separator: "\n").contains("AddressRandomization=network"))
        #expect(try network(Self.plain).settings.split(separator: "\n").contains("EnableNetworkConfiguration=false"))
    }

    @Test func whatIsJustShortOrLongEnoughIsTaken() throws {
        for (name, password) in [(1, 8), (32, 63)] {
            let (name, password) = (String(repeating: "n", count: name), String(repeating: "~", count: password))
            let read = try network("name=\(name)\npassword=\(password)\ncountry=US")
            #expect(read.name == name && read.password == password)
        }
    }

    @Test(arguments: wrong)
    func whatIsNoNetworkIsRefusedWithItsReason(_ text: String, _ fault: WiFiNetwork.Fault) {
        #expect(throws: fault) { try network(text) }
        #expect(!fault.description.unicodeScalars.contains { $0.value < 32 })
    }

    @Test func textThatIsNotUTF8IsRefused() {
        // As Windows writes "name=a" when it is told Unicode.
        let wide: [UInt8] = [0xFF, 0xFE] + "name=a".utf8.flatMap { [$0, 0] }
        #expect(throws: WiFiNetwork.Fault.encoding) { try WiFiNetwork(parsing: wide) }
        #expect(throws: WiFiNetwork.Fault.encoding) { try WiFiNetwork(parsing: Array("name=".utf8) + [0xFC]) }
    }

    /// Reasons are logged, and a password may stand in the wrong place.
    @Test func noReasonSaysAPassword() {
        let secret = "Zq7-secret-Zq7"
        for text in [
            "\(secret)\n", "name=a\n\(secret)=1", "name=a\npassword=\(secret)\u{1}\ncountry=DE", "name=\(secret)\u{1}",
            "name=a\npassword=\(secret)\(String(repeating: "x", count: 60))\ncountry=DE",
            "name=a\npassword=\(secret)\npassword=\(secret)",
            "hidden=\(secret)", "address=\(secret)", "name=a\npassword=12345678\ncountry=\(secret)",
        ] {
            do {
                _ = try network(text)
                Issue.record("taken")
            } catch {
                #expect(!error.description.contains("Zq7"))
            }
        }
    }

    /// What Windows, editors and copies make of the name, in any case of letters; and names that are somebody else's.
    @Test func filesThatSomebodyMeantAreTold() {
        for name in ["wifi.txt", "WiFi.TXT", "wifi~", "wifi - Copy", "WIFI1", "wifi.", "wifiä", "wifi/a"] {
            #expect(WiFiNetwork.strayProblem(ofFileNamed: name) != nil, "\(name)")
        }
        for name in ["", "w", "wifi", "WiFi", "WIFI", "my-wifi", "name", "w\u{131}fi.txt"] {
            #expect(WiFiNetwork.strayProblem(ofFileNamed: name) == nil, "\(name)")
        }
    }

    @Test func countriesAreTwoLetters() {
        #expect(WiFiNetwork.countries.count == 181)
        #expect(WiFiNetwork.countries.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) } })
    }
}
