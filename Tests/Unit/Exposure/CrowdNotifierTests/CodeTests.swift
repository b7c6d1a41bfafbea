// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import Testing

@Suite struct CodeTests {
    private let now: Int64 = 1_650_000_000
    private let code = CrowdNotifierCode.swissCovid

    private func refusal(_ text: String, at now: Int64? = nil) -> CrowdNotifierError.Code? {
        Samples.refusal { _ = try code.read(text, at: now ?? self.now) }
    }

    @Test func aVenueComesBack() throws {
        let venue = try Samples.venue()
        let text = code.text(venue)
        #expect(text.hasPrefix("https://qr.swisscovid.ch?v=4#"))
        #expect(try code.read(text, at: now) == venue)
        #expect(try code.read("\n " + text + "\r\n", at: now) == venue)
        #expect(venue.publicKey == Samples.publicKey && venue.seed == Samples.seed && venue.version == 4)
        #expect(
            !"\(venue)".contains("Adler") && !String(reflecting: venue).contains("Adler") && "\(venue.keys)" == "VenueKeys")
    }

    @Test func links() throws {
        let encoded = Base64URL.string(try Samples.venue().payload)
        let table: [(String, CrowdNotifierError.Code?)] = [
            ("https://qr.swisscovid.ch?v=4#", nil), ("https://qr.swisscovid.ch/?v=4#", nil),
            ("http://qr.swisscovid.ch?v=4#", nil),
            ("qr.swisscovid.ch?v=4#", nil), ("qr.swisscovid.ch/?a=b&v=4&c#", nil),
            ("https://qr.swisscovid.ch/a/b?v=4#", nil),
            ("https://qr.swisscovid.ch?v=3#", .unsupportedVersion), ("https://qr.swisscovid.ch?v=44#", .unsupportedVersion),
            ("https://qr.swisscovid.ch?v=#", .unsupportedVersion), ("https://qr.swisscovid.ch#", .unsupportedVersion),
            ("https://qr.swisscovid.ch?w=4#", .unsupportedVersion),
            ("https://qr.swisscovid.ch?v=4&v=5#", .unsupportedVersion),
            ("https://qr.swisscovid.ch/v=4#", .unsupportedVersion),
            ("https://www.qr.swisscovid.ch?v=4#", .notAVenueCode),
            ("https://qr.swisscovid.ch.example?v=4#", .notAVenueCode),
            ("https://qr.swisscovid.ch:443?v=4#", .notAVenueCode),
            ("https://qr.swisscovid.ch@example?v=4#", .notAVenueCode),
            ("https://a@qr.swisscovid.ch?v=4#", .notAVenueCode), ("https://example/qr.swisscovid.ch?v=4#", .notAVenueCode),
            ("ftp://qr.swisscovid.ch?v=4#", .notAVenueCode), ("https://https://qr.swisscovid.ch?v=4#", .notAVenueCode),
            ("https://qr.notify-me.ch?v=4#", .notAVenueCode), ("https://qr.swisscovid.ch?v=4", .notAVenueCode),
            ("https://qr.swisscovid.ch?v=4#=", .malformedEncoding), ("https://qr.swisscovid.ch?v=4# ", .malformedEncoding),
        ]
        for (prefix, expected) in table { #expect(refusal(prefix + encoded) == expected, "\(prefix)") }
        for (text, expected): (String, CrowdNotifierError.Code) in [
            ("", .notAVenueCode), ("https://qr.swisscovid.ch?v=4", .notAVenueCode),
            ("https://qr.swisscovid.ch?v=4#", .notAVenueCode),
            (String(repeating: "a", count: 4_097), .codeTooLong),
            ("https://qr.swisscovid.ch?v=4#" + String(repeating: "A", count: 4_068), .codeTooLong),
            ("https://qr.swisscovid.ch?v=4#" + String(repeating: "A", count: 4_000), .malformedContent),
        ] { #expect(refusal(text) == expected, "\(text.prefix(40))") }
        #expect(
            try CrowdNotifierCode.notifyMe.read("https://qr.notify-me.ch?v=3#" + encoded, at: now).name == "Bar zum Adler")
    }

    @Test func timesOfValidity() throws {
        let text = code.text(try Samples.venue(start: 100, end: 200))
        let table: [(Int64, CrowdNotifierError.Code?)] = [
            (99, .notYetValid), (100, nil), (200, nil), (201, .expired), (.min, .notYetValid), (.max, .expired),
        ]
        for (now, expected) in table { #expect(refusal(text, at: now) == expected, "\(now)") }
    }

    @Test func contentIsJudged() throws {
        let hundred = String(repeating: "n", count: 100)
        _ = try Samples.venue(name: hundred, address: hundred)
        _ = try Samples.venue(name: "", address: "")
        let table: [(CrowdNotifierError.Code, () throws -> CrowdNotifierVenue)] = [
            (.invalidText, { try Samples.venue(name: hundred + "n") }),
            (.invalidText, { try Samples.venue(address: hundred + "n") }),
            (.invalidKey, { try Samples.venue(publicKey: []) }),
            (.invalidKey, { try Samples.venue(publicKey: [UInt8](repeating: 1, count: 95)) }),
            (.invalidSeed, { try Samples.venue(seed: [UInt8](repeating: 1, count: 16)) }),
            (.invalidTimes, { try Samples.venue(start: 2, end: 1) }),
            (.invalidTimes, { try Samples.venue(start: 0, end: .max) }),
        ]
        for (index, (expected, make)) in table.enumerated() {
            #expect(Samples.refusal { _ = try make() } == expected, "row \(index)")
        }
        let payload = try Samples.venue().payload
        for version: UInt8 in 0...9 {
            var changed = payload
            changed[1] = version
            let expected: CrowdNotifierError.Code? = (3...4).contains(version) ? nil : .unsupportedVersion
            #expect(Samples.refusal { _ = try CrowdNotifierVenue(payload: changed) } == expected, "\(version)")
        }
        // Times in the fields of the other protocol are no times of this one.
        #expect(try CrowdNotifierVenue(payload: payload + [0x12, 2, 0x30, 5]).end == 1_700_000_000)
        // Swapped: a name of bytes that are no text, a key where the place should be.
        for bytes: [UInt8] in [
            [0x12, 3, 0x12, 1, 0xFF], [0x12, 2, 0x10, 1], [0x1A, 2, 0x20, 0x80], [0x22], [0x20, 1], [0x12, 96],
        ] {
            #expect(
                Samples.refusal { _ = try CrowdNotifierVenue(payload: payload + bytes) } == .malformedContent, "\(bytes)")
        }
    }

    @Test func changedCodesAreReadOrRefused() throws {
        let payload = try Samples.venue().payload
        var accepted = 0
        for index in payload.indices {
            for bit in 0..<8 {
                var bytes = payload
                bytes[index] ^= 1 << UInt8(bit)
                guard let venue = try? CrowdNotifierVenue(payload: bytes) else { continue }
                accepted += 1
                #expect(venue.payload == bytes)
                #expect(try code.decode(code.text(venue)) == venue)
                // Whatever changed, it is another venue.
                #expect(venue.keys.preID != VenueKeys(payload: payload).preID)
            }
        }
        #expect(accepted > 1_000)
    }

    @Test func delays() {
        func data(_ warning: Int64, _ checkOut: Int64, _ reminders: [Int64]) throws -> SwissCovidVenueData {
            var data = SwissCovidVenueData()
            data.checkOutWarningDelay = warning
            data.automaticCheckOutDelay = checkOut
            data.reminderDelays = reminders
            return try #require(SwissCovidVenueData(data.encoded))
        }
        let hour: Int64 = 3_600_000
        let table: [(Int64, Int64, [Int64], Int, Int?, [Int])] = [
            (0, 0, [], 720, 480, [30, 60, 120]), (hour, 4 * hour, [], 240, 60, [30, 60, 120]),
            (4 * hour, 4 * hour, [], 240, nil, [30, 60, 120]), (0, hour, [], 60, nil, [30]),
            (hour, 4 * hour, [5 * hour, 3 * hour, hour, hour, 2 * hour, 60_000], 240, 60, [60, 120, 180]),
            (0, 0, [60_000, 119_999, 120_000, 60_001, 180_000], 720, 480, [1, 2, 3]),
            (hour, 4 * hour, [59_999, -1, 4 * hour], 240, 60, [30, 60, 120]), (0, 59_999, [60_000], 720, 480, [1]),
            (.min, .min, [.min, .max], 720, 480, [30, 60, 120]), (.max, .max, [.max], 720, nil, [30, 60, 120]),
        ]
        for (warning, checkOut, reminders, minutes, warns, offers) in table {
            guard let data = try? data(warning, checkOut, reminders) else {
                Issue.record("\(warning) cannot be read again")
                continue
            }
            #expect(data.automaticCheckOutMinutes == minutes, "\(warning) \(checkOut)")
            #expect(data.checkOutWarningMinutes == warns, "\(warning) \(checkOut)")
            #expect(data.reminderMinutes == offers, "\(warning) \(checkOut)")
        }
        // One by one or packed, and never more than can be meant.
        #expect(SwissCovidVenueData([0x30, 5, 0x30, 6])?.reminderDelays == [5, 6])
        #expect(SwissCovidVenueData([0x32, 2, 5, 6])?.reminderDelays == [5, 6])
        #expect(SwissCovidVenueData([0x32, 1, 0x80]) == nil)
        #expect(SwissCovidVenueData([0x32, 101] + [UInt8](repeating: 1, count: 101)) == nil)
        #expect(SwissCovidVenueData(Array(repeatElement([0x30, 1], count: 101).joined())) == nil)
    }
}
