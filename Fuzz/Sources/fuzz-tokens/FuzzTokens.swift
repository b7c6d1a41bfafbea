// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import FuzzSupport
import PrivacyPass

/// What Privacy Pass reads: challenges, header fields, keys, requests, answers, tokens and directories; and what is donated with a token.
///
/// The first byte chooses: a challenge, `WWW-Authenticate`, `Authorization`, an issuer's key, a request, an issuer's answer, a token, a
/// directory, a donation that is padded first.
@_cdecl("LLVMFuzzerTestOneInput")
public func testTokens(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 9 {
    case 0: checkChallenge(bytes)
    case 1: checkChallenges(String(decoding: bytes, as: UTF8.self))
    case 2: checkAuthorization(String(decoding: bytes, as: UTF8.self))
    case 3: checkKey(bytes)
    case 4: checkRequest(bytes)
    case 5: checkAnswer(bytes)
    case 6: checkToken(bytes)
    case 7: checkDirectory(bytes)
    default: checkDonation(bytes)
    }
    return 0
}

private func checkChallenge(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        let challenge = try TokenChallenge(decoding: bytes)
        claim(challenge.encoded == bytes, "written it is another challenge")
        claim(challenge.digest == SHA256.digest(of: bytes), "the digest of something else")
        let field = PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: nil)
        claim(
            PrivateTokenScheme.challenges(inWWWAuthenticate: field).map(\.tokenChallenge) == [bytes],
            "lost in its own field")
    } catch { checkWords(error) }
}

private func checkChallenges(_ value: String) {
    let found = PrivateTokenScheme.challenges(inWWWAuthenticate: value)
    claim(found.count <= value.utf8.count / 20, "more challenges than there is room for")
    for challenge in found {
        checkChallenge(challenge.tokenChallenge)
        if let key = challenge.tokenKey { checkKey(key) }
        claim(challenge.maximumAge.map { $0 >= 0 } ?? true, "a negative age")
    }
    // What is well-formed stays what it is, with another challenge behind it.
    if !found.isEmpty, value.utf8.count < 8_000 {
        let more = PrivateTokenScheme.challenges(
            inWWWAuthenticate: "Basic x, \(PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: nil))")
        claim(more.count == 1, "a challenge behind another scheme is lost")
    }
}

private func checkAuthorization(_ value: String) {
    guard let token = PrivateTokenScheme.token(inAuthorization: value) else { return }
    let again = PrivateTokenScheme.token(inAuthorization: PrivateTokenScheme.authorization(token))
    claim(again == token, "written it is another token")
    checkToken(token.bytes)
}

private func checkKey(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        let key = try TokenKey(decoding: bytes)
        claim(key.encoded == bytes, "written it is another key")
        claim(key.id == SHA256.digest(of: bytes), "the name of another key")
        claim((key.id == issuer.id) == (key == issuer), "two keys with one name")
    } catch { checkWords(error) }
}

private func checkRequest(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        claim(try TokenRequest(decoding: bytes).encoded == bytes, "written it is another request")
    } catch { checkWords(error) }
}

private func checkAnswer(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        let token = try pending.finished(by: bytes)
        try token.verify(by: issuer, challengeDigest: challenge.digest)
    } catch { checkWords(error) }
}

private func checkToken(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        let token = try Token(decoding: bytes)
        claim(token.bytes == bytes, "written it is another token")
        claim("\(token)" == "Token", "a token that prints itself")
        try token.verify(by: issuer, challengeDigest: token.challengeDigest)
        claim((try? token.verify(by: issuer, challengeDigest: [])) == nil, "good for each challenge")
    } catch { checkWords(error) }
}

private func checkDirectory(_ bytes: [UInt8]) {
    do throws(PrivacyPassError) {
        let directory = try IssuerDirectory(decoding: bytes, directoryURL: "https://issuer.example/.well-known/d")
        claim(directory.requestURL.lowercased().hasPrefix("https://") && isShowable(directory.requestURL), "another scheme")
        for entry in directory.entries { checkKey(entry.key.encoded) }
        claim((directory.key(at: .max) == nil) == directory.entries.isEmpty, "a key that never begins")
    } catch { checkWords(error) }
}

private func checkDonation(_ bytes: [UInt8]) {
    guard let body = DonationPadding.padded(bytes) else { return }
    claim(body.count == DonationPadding.byteCount, "a donation of another length")
    guard let content = DonationBody.content(of: body) else { return }
    let again = needed("the donation padded again") { DonationPadding.padded(content) }
    claim(DonationBody.content(of: again) == content, "a donation with two contents")
}

private func checkWords(_ error: PrivacyPassError) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

/// The key of `type2-go-1` (RFC 9578, appendix B.2), which signed the tokens of the corpus.
private let issuer = needed("a key") {
    try TokenKey(BlindRSA.PublicKey(modulus: needed("hexadecimal digits") { Hex.bytes(modulus) }))
}
private let modulus =
    "cb1aed6b6a95f5b1ce013a4cfcab25b94b2e64a23034e4250a7eab43c0df3a8c12993af12b111908d4b471bec31d4b6c9ad9cdda"
    + "90612a2ee903523e6de5a224d6b02f09e5c374d0cfe01d8f529c500a78a2f67908fa682b5a2b430c81eaf1af72d7b5e794fc98a3"
    + "139276879757ce453b526ef9bf6ceb99979b8423b90f4461a22af37aab0cf5733f7597abe44d31c732db68a181c6cbbe607d8c0e"
    + "52e0655fd9996dc584eca0be87afbcd78a337d17b1dba9e828bbd81e291317144e7ff89f55619709b096cbb9ea474cead264c207"
    + "3fe49740c01f00e109106066983d21e5f83f086e2e823c879cd43cef700d2a352a9babd612d03cad02db134b7e225a5f"
private let challenge = needed("a challenge") {
    try TokenChallenge(issuerName: "issuer.example", redemptionContext: [], origins: ["donate.example"])
}
private let pending = needed("a request") {
    let wide = SecretBytes(copying: [UInt8](repeating: 3, count: 272))
    return try PendingToken(
        key: issuer, challengeDigest: challenge.digest,
        secrets: .init(
            nonce: SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
            salt: SecretBytes(copying: [UInt8](repeating: 2, count: 48)),
            blind: issuer.publicKey.factor(from: wide)))
}

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    checkChallenges(PrivateTokenScheme.wwwAuthenticate(challenge, tokenKey: issuer))
    checkAnswer([])
    checkAnswer([UInt8](repeating: 1, count: 256))
    checkToken([0, 2] + [UInt8](repeating: 0, count: 64) + issuer.id + [UInt8](repeating: 1, count: 256))
    checkRequest(pending.request.encoded)
    checkDirectory([])
    checkDonation([])
    return true
}()
