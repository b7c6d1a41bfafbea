// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
import Testing
import Trust

/// Key files where several authorities are followed: whose a file is says its signature, and nothing else does.
@Suite struct SeveralAuthoritiesTests {
    private let first: P256.SigningKey
    private let second: P256.SigningKey
    /// Both call their key the same.
    private let name = KeyName(id: "262", version: "v1")

    init() throws {
        first = try P256.SigningKey.generate()
        second = try P256.SigningKey.generate()
    }

    private func authority(
        _ name: String, _ key: P256.SigningKey, region: String? = nil, policy: SignaturePolicy = .namedKeys
    ) throws -> ExportAuthority {
        ExportAuthority(
            name: name,
            trust: try TrustStore(keys: [TrustedKey(name: self.name, role: .export, key: key.verificationKey)]),
            policy: policy, region: region)
    }

    private func verdict(
        _ authorities: [ExportAuthority], wanted: String? = nil, by keys: [P256.SigningKey], region: String = "DE"
    ) throws -> VerifiedExport {
        let encoder = ExportEncoder(
            startTimestamp: 1, endTimestamp: 2, region: region,
            signatureInfos: keys.map { _ in ExportEncoder.signatureInfo(for: name) })
        let bin = encoder.exportBin([])
        let list = try ExportSignatureList.read(try encoder.exportSig(for: bin, keys: keys), limits: .standard)
        var decoder = ExportDecoder(limits: .standard)
        try bin.withUnsafeBytes { try decoder.decode($0) { _ in } }
        let summary = try decoder.finish { _ in }
        var verifier = ExportVerifier(signatures: list, authorities: authorities, wanted: wanted, time: nil)
        bin.withUnsafeBytes { verifier.update($0) }
        return try verifier.finish(summary)
    }

    @Test func theSignatureSaysWhoseItIs() throws {
        let both = try [authority("", first), authority("other", second)]
        let own = try verdict(both, by: [first])
        #expect(own.authorities == [""] && own.sources == ["262"] && own.contentMark == own.contentDigest)
        let foreign = try verdict(both, by: [second])
        #expect(foreign.authorities == ["other"] && foreign.sources == ["other/262"])
        // The same bytes by another one are another thing to remember.
        #expect(foreign.contentDigest == own.contentDigest && foreign.contentMark != own.contentMark)
        let shared = try verdict(both, by: [first, second])
        #expect(shared.authorities == ["", "other"] && shared.sources == ["262", "other/262"])
    }

    @Test func aFileOfAnotherAuthorityIsRefusedForTheNamedOne() throws {
        let both = try [authority("one", first), authority("other", second)]
        #expect(throws: KeyExportError(.anotherAuthority)) { try verdict(both, wanted: "one", by: [second]) }
        #expect(try verdict(both, wanted: "other", by: [second]).sources == ["other/262"])
        // Whoever signs besides is heard, too.
        #expect(try verdict(both, wanted: "one", by: [first, second]).authorities == ["one", "other"])
        let stranger = try P256.SigningKey.generate()
        #expect(throws: KeyExportError(.signatureMismatch)) { try verdict(both, wanted: "one", by: [stranger]) }
        #expect(throws: KeyExportError(.noTrustedSigner)) { try verdict(both, wanted: "nobody", by: [stranger]) }
        #expect(throws: KeyExportError(.noTrustedSigner)) { try verdict([], by: [first]) }
        do {
            _ = try verdict(both, wanted: "one", by: [second])
        } catch { #expect("\(error)".contains("key 262-v1 of other, for one")) }
    }

    @Test func theRegionMustBeTheSignedOne() throws {
        let mine = try [authority("one", first, region: "DE")]
        #expect(try verdict(mine, by: [first], region: "de").authorities == ["one"])
        for region in ["NL", ""] {
            #expect(throws: KeyExportError(.wrongRegion)) { try verdict(mine, by: [first], region: region) }
            #expect(throws: KeyExportError(.wrongRegion)) {
                try verdict(mine + [authority("other", second)], wanted: "one", by: [first, second], region: region)
            }
        }
    }

    /// A set that takes any name must not swallow another authority's files.
    @Test func anyNameOfOneIsNotAnyKeyOfAnother() throws {
        let both = try [authority("one", first, policy: .anyKey), authority("other", second)]
        #expect(try verdict(both, by: [second]).authorities == ["other"])
        #expect(throws: KeyExportError(.anotherAuthority)) { try verdict(both, wanted: "one", by: [second]) }
    }

    private let now: Int64 = 20_000 * 86_400 + 43_200
    private let day: Int64 = 86_400

    /// Two authorities, one region.
    @Test func eachAuthorityIsFreshByItsOwnFiles() throws {
        var freshness = KeyFreshness()
        freshness.want(
            [
                .init(name: "home", region: "EUR", isContinuous: false),
                .init(name: "other", region: "EUR", isContinuous: false, authority: "other"),
                .init(name: "third", region: nil, isContinuous: false, authority: "third"),
            ], by: "sync", at: now)
        let period = try #require(ExportPeriod(start: now - day, end: now, region: "EUR"))
        freshness.take(period, from: "other", by: "sync", at: now, of: ["other"])
        freshness.settle(at: now)
        #expect(freshness.verdict(at: now, of: "other") == .current(until: now))
        #expect(freshness.verdict(at: now) == .fetching(source: "home"))
        #expect(freshness.verdict(at: now, of: "third") == .fetching(source: "third"))
        #expect(freshness.verdict(at: now, of: "nobody") == .never)
        #expect(freshness.until("other", by: "sync", at: now) == now && freshness.until("home", by: "sync", at: now) == nil)
        freshness.take(period, from: "home", by: "sync", at: now)
        freshness.take(period, from: nil, by: "ctl", at: now, of: ["third", "unasked"])
        freshness.settle(at: now)
        let later = now + 2 * day
        for name in ["", "third", "unasked"] {
            #expect(freshness.verdict(at: now, of: name) == .current(until: now))
        }
        let next = try #require(ExportPeriod(start: now, end: later, region: "EUR"))
        freshness.take(next, from: "other", by: "sync", at: later, of: ["other"])
        freshness.settle(at: later)
        #expect(freshness.verdict(at: later) == .behind(until: now, source: "home"))
        #expect(freshness.verdict(at: later, of: "other") == .current(until: later))
        #expect(freshness.verdict(at: later, of: "unasked") == .behind(until: now, source: ""))
    }
}
