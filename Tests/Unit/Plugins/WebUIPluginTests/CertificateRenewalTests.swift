// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import PluginKit
import RandomValues
import Testing

@testable import WebUIPlugin

/// The page's own certificate is made anew in time, and only then.
@Suite struct CertificateRenewalTests {
    /// 2026-11-22, 2035-11-18 and 2035-11-22: Unix seconds at 00:00 UTC.
    private static let today: Int64 = 1_795_305_600
    private static let justBefore: Int64 = 2_078_956_800
    private static let soEarly: Int64 = 2_079_302_400

    private func end(_ now: Int64) throws -> Int64 {
        let text = try TransportCertificate.make(
            .generate(), names: [.host("vigil.local")], serial: [UInt8](1...15), now: now)
        return try #require(CertificateValidity.all(pem: text).first).notAfter
    }

    /// 2035-12-31, 2045-12-31 and 2055-12-31, 23:59:59 UTC: the last in the other form of time.
    @Test func itIsGoodForYearsWhateverTheClockSays() throws {
        for now in [0, -1, 946_684_800, Self.today, .min] { #expect(try end(now) == 2_082_758_399) }
        #expect(try end(Self.soEarly) == 2_398_377_599)
        #expect(try end(2_398_000_000) == 2_713_910_399)
        #expect(try end(.max) > Self.today)
    }

    @Test func itIsMadeAnewSixWeeksBeforeItsEnd() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/vigil-page-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = Keys(try KeyValueStore(folder: folder))
        let place = ListenerPlace(address: [192, 0, 2, 7], port: 8_443)
        let first = try keys.transport(place, names: [], now: Self.today)
        // The same as long as it lasts, with a clock that is behind as well.
        for now in [Self.today + 1, 0, Self.justBefore] {
            #expect(try keys.transport(place, names: [], now: now).certificate == first.certificate)
        }
        let second = try keys.transport(place, names: [], now: Self.soEarly)
        #expect(second.certificate != first.certificate && second.key == first.key)
        // And it stays: not another one with each start.
        #expect(try keys.transport(place, names: [], now: Self.soEarly + 1).certificate == second.certificate)
        // A clock that comes back finds it good.
        #expect(try keys.transport(place, names: [], now: Self.today).certificate == second.certificate)
    }
}
