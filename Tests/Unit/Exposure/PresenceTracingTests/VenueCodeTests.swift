// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PresenceTracing
import Testing

@Suite struct VenueCodeTests {
    private static func code(_ bytes: [UInt8]) -> String { "https://e.coronawarn.app?v=1#" + Base64URL.string(bytes) }

    @Test func aPlaceComesBack() throws {
        let location = try Samples.location(start: 1_614_847_200, end: 1_614_850_800, kind: .temporaryCulturalEvent)
        let text = VenueCode.text(location)
        #expect(text.hasPrefix("https://e.coronawarn.app?v=1#"))
        #expect(try VenueCode.read(text) == location)
        #expect(try VenueCode.read("\r\n " + text + "\t\n") == location)
        #expect(location.kind.isTemporary)
        #expect(location.publicKey == Samples.publicKey && location.seed == Samples.seed)
    }

    @Test func nothingOfThePlaceIsPrinted() throws {
        let location = try Samples.location(name: "Canary", address: "Canary Street")
        for text in ["\(location)", String(reflecting: location), "\(location.id)", "\([location])"] {
            #expect(!text.contains("Canary") && !text.contains("90"), "\(text)")
        }
    }

    @Test func linksOfEitherCaseAndForm() throws {
        let location = try Samples.location()
        let encoded = Base64URL.string(location.payload)
        for prefix in [
            "https://e.coronawarn.app?v=1#", "https://e.coronawarn.app/?v=1#", "HTTPS://E.CORONAWARN.APP?V=1#",
            "https://app.luca-app.de/webapp/1234#e30/CWA1/", "https://app.luca-app.de/webapp/#/x/CWA1/CWA2/y/cwa1/",
        ] {
            #expect(try VenueCode.read(prefix + encoded) == location, "\(prefix)")
        }
        // The standard alphabet, padded, as some scanners hand it on.
        #expect(try VenueCode.read("https://e.coronawarn.app?v=1#" + Base64.string(location.payload)) == location)
    }

    @Test func linksThatAreNone() throws {
        let encoded = Base64URL.string(try Samples.location().payload)
        let table: [(String, PresenceTracingError.Code)] = [
            ("", .notAVenueCode), ("https://e.coronawarn.app", .notAVenueCode),
            ("https://e.coronawarn.app?v=1", .notAVenueCode),
            ("https://e.coronawarn.app?v=1#", .notAVenueCode), ("https://e.coronawarn.app?v=#" + encoded, .notAVenueCode),
            ("https://e.coronawarn.app//?v=1#" + encoded, .notAVenueCode),
            ("https://e.coronawarn.app?w=1#" + encoded, .notAVenueCode),
            ("https://e.coronawarn.app?v=1&x=2#" + encoded, .notAVenueCode),
            ("http://e.coronawarn.app?v=1#" + encoded, .notAVenueCode),
            ("https://e.coronawarn.app.example?v=1#" + encoded, .notAVenueCode),
            ("https://s.coronawarn.app?v=1#" + encoded, .notAVenueCode),
            ("e.coronawarn.app?v=1#" + encoded, .notAVenueCode),
            ("x https://e.coronawarn.app?v=1#" + encoded, .notAVenueCode),
            ("https://app.luca-app.de/webapp/x/CWA1/" + encoded, .notAVenueCode),
            ("https://app.luca-app.de/webapp/#CWA1/" + encoded, .notAVenueCode),
            ("https://app.luca-app.de/webapp/#/CWA/" + encoded, .notAVenueCode),
            ("https://app.luca-app.de/webapp/#/CWA1/", .notAVenueCode),
            ("https://e.coronawarn.app?v=2#" + encoded, .unsupportedVersion),
            ("https://e.coronawarn.app?v=11#" + encoded, .unsupportedVersion),
            ("https://e.coronawarn.app?v=99999999999999999999999#" + encoded, .unsupportedVersion),
            ("https://e.coronawarn.app?v=1#" + encoded + "*", .malformedEncoding),
            ("https://e.coronawarn.app?v=1#" + encoded.dropLast(), .malformedEncoding),
            ("https://e.coronawarn.app?v=1# " + encoded, .malformedEncoding),
            ("https://e.coronawarn.app?v=1#A", .malformedEncoding),
            (String(repeating: "a", count: 4_097), .codeTooLong),
            ("https://e.coronawarn.app?v=1#" + String(repeating: "A", count: 4_068), .codeTooLong),
        ]
        for (text, code) in table {
            #expect(Samples.refusal { _ = try VenueCode.read(text) } == code, "\(text.prefix(60))")
        }
    }

    /// An authority whose configuration says so writes Base32; a code of the other alphabet is none then.
    @Test func base32OnlyWhereTheConfigurationSaysSo() throws {
        // RFC 4648, section 10: "foobar"; a message with field 12 that nobody knows would be malformed, so only the refusal shows it was read.
        let base32 = [VenueCode.Descriptor(form: .coronaWarnApp, encoding: .base32)]
        func refusal(_ text: String) -> PresenceTracingError.Code? {
            Samples.refusal { _ = try VenueCode.read("https://e.coronawarn.app?v=1#" + text, as: base32) }
        }
        for text in ["MZXW6YTBOI", "MZXW6YTBOI======", "mzxw6ytboi"] {
            #expect(refusal(text) == .malformedContent, "\(text)")
        }
        for text in [
            "M", "MZX", "MZXW6Y", "MZXW6YTBOJ", "MZXW6YTBOI=", "MZXW6YTB========", "MZXW6YT1", "MZXW6YTBO0", "MZ=W6YTB",
        ] {
            #expect(refusal(text) == .malformedEncoding, "\(text)")
        }
        // A version and an otherwise empty place, 08 01, are a message.
        #expect(refusal("BAAQ") == .invalidName)
    }

    @Test func contentIsJudged() throws {
        let long = String(repeating: "n", count: 255)
        #expect(try VenueCode.read(VenueCode.text(try Samples.location(name: long, address: long))).name == long)
        // 128 characters of two UTF-16 units each are too many, 127 and one are not.
        let wide = String(repeating: "\u{1F37A}", count: 127)
        _ = try Samples.location(name: wide + "n")
        let table: [(PresenceTracingError.Code, () throws -> TraceLocation)] = [
            (.invalidName, { try Samples.location(name: "") }), (.invalidName, { try Samples.location(name: long + "n") }),
            (.invalidName, { try Samples.location(name: wide + "\u{1F37A}") }),
            (.invalidName, { try Samples.location(name: "a\nb") }),
            (.invalidName, { try Samples.location(name: "a\r\nb") }),
            (.invalidName, { try Samples.location(name: "a\u{2028}b") }),
            (.invalidAddress, { try Samples.location(address: "") }),
            (.invalidAddress, { try Samples.location(address: long + "n") }),
            (.invalidAddress, { try Samples.location(address: "a\rb") }),
            (.invalidTimes, { try Samples.location(start: 2, end: 1) }),
            (.invalidTimes, { try Samples.location(start: 1, end: 0) }),
            (.invalidTimes, { try Samples.location(start: 1, end: .max) }),
            (.invalidSeed, { try Samples.location(seed: [1, 2, 3, 4]) }),
            (.invalidSeed, { try Samples.location(seed: [UInt8](repeating: 1, count: 17)) }),
        ]
        for (index, (code, make)) in table.enumerated() {
            #expect(Samples.refusal { _ = try make() } == code, "row \(index)")
        }
        for (start, end) in [(0, 0), (0, 5), (5, 5), (5, 6)] as [(UInt64, UInt64)] {
            _ = try Samples.location(start: start, end: end)
        }
    }

    @Test func versionsCanBeWithdrawn() throws {
        let text = VenueCode.text(try Samples.location())
        #expect(Samples.refusal { _ = try VenueCode.read(text, revoked: [1]) } == .revokedVersion)
        #expect(Samples.refusal { _ = try VenueCode.read(text, revoked: [0, 2]) } == nil)
        // A link that says 1 around content that says 2.
        #expect(Samples.refusal { _ = try VenueCode.read(Self.code([0x08, 2])) } == .unsupportedVersion)
    }

    @Test func malformedContent() throws {
        let whole = try Samples.location().payload
        for (index, bytes) in [
            Array(whole.dropLast()), whole + [0x0A], [0x08], [0x0A, 1, 0], [0x12, 1], [0x12, 2, 0x08, 0x80], [0x00, 1],
            // Known fields of another type, text that is not UTF-8.
            [0x10, 1], [0x18, 1], [0x20, 1], [0x12, 2, 0x10, 1], [0x12, 3, 0x12, 1, 0xFF], [0x1A, 2, 0x10, 1],
            [0x22, 1, 0xFF],
            [0x22, 2, 0x12, 0],
        ].enumerated() {
            #expect(Samples.refusal { _ = try VenueCode.decode(Self.code(bytes)) } == .malformedContent, "row \(index)")
        }
        // Unknown fields are passed over, also within; the id is still that of all bytes.
        let more = whole + [0x7A, 2, 1, 2, 0x7D, 1, 2, 3, 4]
        let location = try VenueCode.read(Self.code(more))
        #expect(location.name == "Cafe am Ring")
        #expect(location.id == LocationID(payload: more) && location.id != LocationID(payload: whole))
    }

    /// Whatever a code is changed to, it is read or refused, and read it gives the same again.
    @Test func changedCodesAreReadOrRefused() throws {
        let payload = try Samples.location(start: 1_614_847_200, end: 1_614_850_800).payload
        var accepted = 0
        for index in payload.indices {
            for bit in 0..<8 {
                var bytes = payload
                bytes[index] ^= 1 << UInt8(bit)
                guard let location = try? VenueCode.read(Self.code(bytes)) else { continue }
                accepted += 1
                #expect(location.payload == bytes)
                #expect(location.id != LocationID(payload: payload))
                #expect(try VenueCode.read(VenueCode.text(location)) == location)
            }
        }
        // Key, seed and the letters of texts may change; lengths and tags may not.
        #expect(accepted > 900)
    }
}
