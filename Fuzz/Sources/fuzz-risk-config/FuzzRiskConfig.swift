// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ExposureRisk
import FuzzSupport
import KeyExport
import RiskConfiguration
import Trust

/// What an authority says boards shall judge by, in each of the forms there are: read as a configuration that can be written and read
/// again, or refused with reasons that can be shown.
///
/// The first byte chooses: Vigil's own document, the Corona-Warn-App's two messages, the NHS's document, Google's, what was stored; the
/// Corona-Warn-App's for iOS, SwissCovid's, a profile's, the NHS's days; the two kinds of proof; or what somebody signed, in the form of
/// the next byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func testRiskConfig(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 13 {
    case 0: check { () throws(RiskConfigurationError) in try RiskConfiguration(parsing: bytes) }
    case 1: check { () throws(RiskConfigurationError) in try RiskConfiguration(cwaConfiguration: bytes, version: 1) }
    case 2: check { () throws(RiskConfigurationError) in try RiskConfiguration(cwaFirstConfiguration: bytes, version: 1) }
    case 3: check { () throws(RiskConfigurationError) in try RiskConfiguration(nhsConfiguration: bytes, version: 1) }
    case 4:
        check { () throws(RiskConfigurationError) in
            try RiskConfiguration(dailySummaries: bytes, measure: .sum, increasedFrom: 900, version: 1)
        }
    case 6: check { () throws(RiskConfigurationError) in try RiskConfiguration(cwaIOSConfiguration: bytes, version: 1) }
    case 7: check { () throws(RiskConfigurationError) in try RiskConfiguration(swissCovidConfiguration: bytes, version: 1) }
    case 8: check { () throws(RiskConfigurationError) in try RiskConfiguration(profileDocument: bytes) }
    case 9:
        _ = NHSIsolation.daysToBookATest(bytes)
        if let days = NHSIsolation(bytes) {
            claim((0...365).contains(days.legacy?.contactCase ?? 0), "days without an end")
        }
    case 10:
        guard let proof = NHSSignature(lines: bytes) else { break }
        let header = NHSSignature.header(keyID: proof.keyID, signature: proof.signature)
        claim(NHSSignature.lines(header: header, date: proof.dateText) == bytes, "read and written it is another one")
        claim(proof.signer(of: bytes, trust: anybody, time: nil) == nil, "a signature that nobody made")
    case 11:
        guard let token = ContentToken(bytes) else { break }
        claim(token.issued < token.expires && token.contentHash.count == SHA256.byteCount, "a token that makes no sense")
        claim(token.signer(of: bytes, trust: anybody, time: nil) == nil, "a token that nobody signed")
    case 12: checkSigned(bytes)
    default:
        // Nobody signed anything here, so only an empty slot can be read, and nothing is ever taken.
        if let slot = try? RiskConfigurationSlot(encoded: bytes, trust: nobody) {
            claim(slot == RiskConfigurationSlot() && slot.encoded == bytes, "something unsigned was read from storage")
        }
        var slot = RiskConfigurationSlot()
        let result = slot.offer(document: bytes, signatures: bytes, trust: nobody, time: nil)
        claim((try? result.get()) == nil && slot == RiskConfigurationSlot(), "something unsigned was taken")
    }
    return 0
}

/// Signed rubbish: taken whole, stored and read again as the same; or refused, and nothing is different.
private func checkSigned(_ input: [UInt8]) {
    let forms: [RuleForm] = [.vigil, .cwa, .cwaIOS, .nhs, .swissCovid]
    guard let choice = input.first else { return }
    let form = forms[Int(choice) % forms.count]
    let document = Array(input.dropFirst())
    let key = TestKeys.operator
    let proof: [UInt8]
    switch form {
    case .nhs:
        let date = "Fri, 20 Nov 2026 12:00:00 UTC"
        let signature = needed("signature") {
            try key.sign(SHA256.digest(of: NHSSignature.content(date: date, body: document)))
        }
        proof = NHSSignature.lines(header: NHSSignature.header(keyID: "fuzz", signature: signature), date: date)
    case .swissCovid:
        proof = needed("token") { try ContentToken.text(body: document, issued: 1, expires: 2) { try key.sign($0) } }
    default:
        let info = ExportEncoder.signatureInfo(for: TestKeys.exportName)
        let encoder = ExportEncoder(startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [info])
        proof = needed("signature") { try encoder.exportSig(for: document, keys: [key]) }
    }
    let authority = RuleAuthority(form: form, trust: anybody, country: "DE")
    var slot = RiskConfigurationSlot()
    switch slot.offer(document: document, signatures: proof, authority: authority, time: nil) {
    case .success:
        let again = needed("what was stored") { try RiskConfigurationSlot(encoded: slot.encoded, authority: authority) }
        claim(again == slot, "stored and read it is another one")
        claim(slot.version >= 1, "a version that is none")
        let other = RuleAuthority(form: form, trust: nobody, country: "DE")
        claim((try? RiskConfigurationSlot(encoded: slot.encoded, authority: other)) == nil, "believed without a key")
    case .failure(let error):
        claim(slot == RiskConfigurationSlot(), "a refused one left something")
        claim(![.notSigned, .otherSigner, .malformedProof].contains(error.code), "its own signature is not believed")
    }
}

private func check(_ read: () throws(RiskConfigurationError) -> RiskConfiguration) {
    do throws(RiskConfigurationError) {
        let configuration = try read()
        claim(!configuration.models.isEmpty, "a configuration without a model")
        claim(configuration.choose(for: [])?.shares.first?.model == configuration.models.first, "nobody judges")
        let written = configuration.document
        let again = needed("what was written") { try RiskConfiguration(parsing: written) }
        claim(again == configuration, "written and read it is another one")
        claim(again.document == written, "written twice the bytes differ")
    } catch {
        claim(error.problems.count <= RiskConfigurationError.mostProblems, "problems without an end")
        claim(error.code == .tooLarge || !error.problems.isEmpty, "refused without a reason")
        for problem in error.problems {
            let text = problem.description
            claim(text.utf8.count < 1_000, "a problem without an end")
            claim(
                text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) },
                "a problem that cannot be shown")
        }
    }
}

// The tables live to the end, in enumerations and closures whose pointers LeakSanitizer does not find.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let nobody = needed("trust") { try TrustStore(keys: []) }
private let anybody = needed("trust") {
    try TrustStore(keys: [
        TrustedKey(name: TestKeys.exportName, role: .config, key: TestKeys.operator.verificationKey)
    ])
}

private let tables = {
    lookAway()
    defer { lookAgain() }
    for bytes in [[], Array("{}".utf8)] {
        _ = try? RiskConfiguration(parsing: bytes)
        _ = try? RiskConfiguration(cwaConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(cwaFirstConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(nhsConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(dailySummaries: bytes, measure: .sum, increasedFrom: 1, version: 1)
        _ = try? RiskConfiguration(cwaIOSConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(swissCovidConfiguration: bytes, version: 1)
        _ = try? RiskConfiguration(enExpress: bytes, version: 1)
        _ = NHSIsolation(bytes)
    }
    return RiskConfiguration.schema
}()
