// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CrowdNotifier
import Cryptography
import FuzzSupport
import Trust

/// Venues' codes, lists of trace keys, texts for visitors and uploads of CrowdNotifier: read, or refused with words that can be shown.
///
/// The first byte chooses: a link, the content of one, a list, a text for visitors, an upload, what a country adds, a list that is signed first.
@_cdecl("LLVMFuzzerTestOneInput")
public func testCrowdNotifier(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 7 {
    case 0: checkLink(String(decoding: bytes, as: UTF8.self))
    // Base64 would keep the fuzzer from ever reaching the rules behind it.
    case 1: checkLink("https://qr.swisscovid.ch?v=4#" + Base64URL.string(bytes))
    case 2: checkList(bytes)
    case 3: checkText(bytes)
    case 4: checkUpload(bytes)
    case 5: checkCountryData(bytes)
    default: checkSigned(bytes)
    }
    return 0
}

private let keys = VenueKeys(payload: Array("fuzz".utf8))

private func checkLink(_ text: String) {
    let code = CrowdNotifierCode.swissCovid
    do throws(CrowdNotifierError) {
        let venue = try code.decode(text)
        claim(text.utf8.count <= CrowdNotifierCode.maximumBytes, "a code longer than any")
        claim(
            venue.publicKey.count == 96 && venue.seed.count == 32 && venue.start <= venue.end,
            "a rule of content that is broken")
        claim(needed("the link again") { try code.decode(code.text(venue)) } == venue, "written it is another one")
        claim((try? code.read(text, at: Int64(venue.start))) == venue, "not valid when it begins to be")
        claim((try? code.read(text, at: Int64(venue.end) + 1)) == nil, "valid after its end")
        checkCountryData(venue.countryData)
    } catch {
        checkWords(error)
    }
}

private func checkList(_ bytes: [UInt8]) {
    do throws(CrowdNotifierError) {
        let list = try TraceKeyList(decoding: bytes, wanted: nil)
        claim(list.keys.count + list.implausible == list.count, "a key that is lost")
        let written = TraceKeyList.encoded(list.keys, version: list.version)
        let again = needed("the list again") { try TraceKeyList(decoding: written, wanted: nil) }
        claim(again.keys == list.keys && again.version == list.version, "written it is another one")
        let visit = needed("a visit") {
            CrowdNotifierVisit(number: 1, keys: keys, arrival: 1_620_140_400, departure: 1_620_150_000)
        }
        claim(IdentityMatcher([visit]).opened(list.keys).isEmpty, "a warning of nobody's opens")
    } catch {
        checkWords(error)
    }
}

/// Sealed as somebody with the venue's code could, for an hour that was visited.
private func checkText(_ bytes: [UInt8]) {
    let nonce = [UInt8](repeating: 3, count: 24)
    let hour: Int64 = 1_620_140_400
    let key = TraceKey(
        identity: keys.identity(start: hour), secretKey: [], day: 1_620_086_400,
        encryptedData: needed("sealed") { try SecretBox.seal(bytes, key: keys.notificationKey, nonce: nonce) }, nonce: nonce
    )
    let visit = needed("a visit") { CrowdNotifierVisit(number: 1, keys: keys, arrival: hour + 60, departure: hour + 120) }
    let matcher = IdentityMatcher([visit])
    guard let data = AssociatedData(decoding: bytes) else {
        claim(matcher.opened([key]).isEmpty, "a malformed text is one")
        return
    }
    claim(AssociatedData(decoding: data.encoded) == data, "written it is another one")
    claim(matcher.opened([key]).map(\.data) == [data], "sealed it is another one")
    let meets = max(data.start, hour + 60) <= min(data.end, hour + 120)
    claim(matcher.matches([key]).isEmpty != meets, "a warning of another time, or none of this")
}

private func checkUpload(_ bytes: [UInt8]) {
    do throws(CrowdNotifierError) {
        let upload = try UserUpload(decoding: bytes)
        claim(
            needed("the upload again") { try UserUpload(decoding: upload.encoded) } == upload, "written it is another one")
    } catch {
        checkWords(error)
    }
}

private func checkCountryData(_ bytes: [UInt8]) {
    guard let data = SwissCovidVenueData(bytes) else { return }
    claim(SwissCovidVenueData(data.encoded) == data, "what a country adds differs when written again")
    claim(data.automaticCheckOutMinutes >= 1, "a visit without length")
    claim(data.checkOutWarningMinutes ?? 0 < max(1, data.automaticCheckOutMinutes + 1), "a warning after the end")
    let reminders = data.reminderMinutes
    claim(reminders.count <= 3 && reminders == reminders.sorted(), "reminders in no order")
}

private func checkSigned(_ bytes: [UInt8]) {
    let token = needed("a token") {
        try ContentToken.text(body: bytes, issued: 1, expires: 2) { try TestKeys.export.sign($0) }
    }
    func list(_ body: [UInt8], _ token: [UInt8]) -> CrowdNotifierError.Code? {
        do throws(CrowdNotifierError) {
            _ = try TraceKeyList(body: body, token: token, trust: trust, time: 1, wanted: nil)
            return nil
        } catch { return error.code }
    }
    let refusal = list(bytes, token)
    claim(![.wrongSignature, .malformedSignature, .signatureExpired].contains(refusal), "signed, and not believed")
    claim(list(bytes + [0], token) == .wrongSignature, "changed, and believed")
    claim([.malformedSignature, .wrongSignature].contains(list([], bytes)), "nobody's token, and believed")
}

private let trust = needed("trust") {
    try TrustStore(keys: [
        TrustedKey(name: TestKeys.exportName, role: .config, key: TestKeys.export.verificationKey)
    ])
}

private func checkWords(_ error: CrowdNotifierError) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    _ = try? CrowdNotifierCode.swissCovid.decode("https://qr.swisscovid.ch?v=4#CAQ")
    checkText([0x08, 4])
    checkSigned([0x08, 3])
    return true
}()
