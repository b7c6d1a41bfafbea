// SPDX-License-Identifier: Apache-2.0

import PrivacyPass
import Testing

@Suite struct EvidenceSchemeTests {
    private let nonce = (0..<32).map { UInt8($0) }

    @Test func whatIsWrittenIsRead() {
        let field = EvidenceScheme.wwwAuthenticate(nonce: nonce, maximumAge: 600)
        #expect(field == "VigilEvidence nonce=\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\", max-age=600")
        #expect(EvidenceScheme.nonce(inWWWAuthenticate: field) == nonce)
        #expect(EvidenceScheme.nonce(inWWWAuthenticate: "Basic realm=\"x\", " + field) == nonce)
        #expect(EvidenceScheme.nonce(inNextNonce: EvidenceScheme.nextNonce(nonce)) == nonce)
        for count in [0, 1, 230, 900] {
            let evidence = [UInt8](repeating: 7, count: count)
            #expect(
                EvidenceScheme.evidence(inAuthorization: EvidenceScheme.authorization(evidence)) == evidence)
        }
    }

    @Test func otherFieldsHaveNone() {
        let field = EvidenceScheme.wwwAuthenticate(nonce: nonce, maximumAge: 600)
        for text in [
            "", "VigilEvidence", "PrivateToken nonce=\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"",
            field + ", " + field,
            "VigilEvidence nonce=\"AAEC\"", "VigilEvidence nonce=\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"",
            "VigilEvidence nonce=\"\u{E4}\"",
        ] { #expect(EvidenceScheme.nonce(inWWWAuthenticate: text) == nil, "\(text)") }
        let good = EvidenceScheme.authorization([1, 2, 3])
        for text in [
            "", "VigilEvidence", good + ", " + good, good + ", Basic x=\"y\"", "PrivateToken token=\"AQID\"",
            "VigilEvidence token=\"AQID\", more=\"1\"", "VigilEvidence token=\"AQI\"", "VigilEvidence token=\"AQID",
        ] { #expect(EvidenceScheme.evidence(inAuthorization: text) == nil, "\(text)") }
        #expect(EvidenceScheme.nonce(inNextNonce: "AAEC") == nil)
    }
}
