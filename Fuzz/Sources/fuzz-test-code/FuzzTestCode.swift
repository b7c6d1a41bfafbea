// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import FuzzSupport

/// What people scan, paste and type when they were tested, what they send, and what a verification server says: read, or refused with
/// words that can be shown.
///
/// The first byte chooses: a code as scanned, pasted, a teleTAN, a submission, an answer, or the content of a rapid test's code.
@_cdecl("LLVMFuzzerTestOneInput")
public func testTestCode(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 6 {
    case 0: checkCode(bytes)
    case 1: checkPasted(String(decoding: bytes, as: UTF8.self))
    case 2: checkTeleTAN(String(decoding: bytes, as: UTF8.self))
    case 3: checkSubmission(bytes)
    case 4: checkAnswers(bytes)
    // Base64 would keep the fuzzer from ever reaching the rules behind it.
    default: checkCode(Array("https://s.coronawarn.app?v=1#".utf8) + base64URL(bytes))
    }
    return 0
}

private func checkCode(_ bytes: [UInt8]) {
    do throws(DiagnosisPlanError) {
        let code = try TestCode(scanned: bytes)
        claim(bytes.count <= TestCode.maximumBytes, "a code longer than any")
        claim(
            code.registrationKey.utf8.count == 64
                && code.registrationKey.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) },
            "a key of another form")
        claim(code.kind.isRapid == (code.created != nil), "a time of the wrong kind of test")
        claim((code.created ?? 1) > 0, "a time before 1970")
        let text = String(decoding: bytes, as: UTF8.self)
        claim(needed("pasted") { try TestCode(pasted: " \n\(text)\t") } == code, "pasted it is another one")
    } catch {
        checkWords(error)
    }
}

private func checkPasted(_ text: String) {
    do throws(DiagnosisPlanError) {
        let code = try TestCode(pasted: text)
        claim(needed("pasted again") { try TestCode(pasted: text) } == code, "read twice it is another one")
    } catch {
        checkWords(error)
        if let code = try? TestCode(scanned: text) { claim(false, "scanned but not pasted: \(code)") }
    }
}

private func checkTeleTAN(_ text: String) {
    let problems = TeleTAN.problems(in: text)
    for problem in problems { claim(isShowable(problem.description), "a problem that cannot be shown") }
    let early = TeleTAN.problemsWhileTyping(text)
    claim(early.allSatisfy(problems.contains) || problems == [.empty], "a problem that goes away with more characters")
    do throws(DiagnosisPlanError) {
        let tan = try TeleTAN(typed: text)
        claim(problems.isEmpty, "read although there are problems")
        claim(TeleTAN.lengths.contains(tan.text.utf8.count), "a teleTAN of another length")
        claim(needed("groups") { try TeleTAN(typed: tan.grouped) } == tan, "in groups it is another one")
        claim(TeleTAN(body: tan.text.utf8.dropLast()) == tan, "its body makes another one")
    } catch {
        claim(!problems.isEmpty, "refused without a problem")
        claim(isShowable(error.description), "a refusal that cannot be shown")
    }
}

private func checkSubmission(_ bytes: [UInt8]) {
    do throws(DiagnosisPlanError) {
        let payload = try SubmissionPayload(decoding: bytes)
        checkRules(payload)
        checkWriting(payload, as: SubmissionShape(bytes: 1_024 + bytes.count % 256))
    } catch {
        checkWords(error)
    }
}

private func checkRules(_ payload: SubmissionPayload) {
    do throws(DiagnosisPlanError) {
        try payload.check()
        claim((1...SubmissionPayload.maximumKeys).contains(payload.keys.count), "a wrong number of keys is right")
    } catch {
        checkWords(error)
    }
}

private func checkWriting(_ payload: SubmissionPayload, as shape: SubmissionShape) {
    var random = Constant()
    do throws(DiagnosisPlanError) {
        let again = try payload.encoded(as: shape, using: &random)
        claim(again.count == shape.bytes, "another size")
        claim(needed("written") { try SubmissionPayload(decoding: again) } == payload, "written and read it is another one")
    } catch {
        claim(error.code == .doesNotFit, "not written: \(error)")
    }
}

private func checkAnswers(_ bytes: [UInt8]) {
    do throws(DiagnosisPlanError) {
        let report = try VerificationAnswer.report(bytes)
        claim(report.result.code <= 9 && (report.sampleCollected ?? 1) > 0, "a result out of range")
    } catch {
        checkWords(error)
    }
    do throws(DiagnosisPlanError) {
        let token = try VerificationAnswer.registrationToken(bytes)
        claim(token.text.utf8.count == ServerToken.length, "a token of another length")
        claim(ServerToken(token.text) == token, "a token that is none")
    } catch {
        checkWords(error)
    }
    if let tan = try? VerificationAnswer.tan(bytes) { claim(ServerToken(tan.text) == tan, "a TAN that is none") }
}

private func checkWords(_ error: DiagnosisPlanError) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

private func isShowable(_ text: String) -> Bool {
    text.utf8.count < 200_000 && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
}

private func base64URL(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for digit in 0...group.count { text.append(alphabet[word >> (18 - 6 * digit) & 63]) }
    }
    return text
}

/// Padding is thrown away; drawing it well would only cost time.
private struct Constant: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0x1234_5678_9ABC_DEF0 }
}

// The tables live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    _ = try? TestCode(scanned: "https://s.coronawarn.app?v=1#e30=")
    _ = TeleTAN.problems(in: "0")
    _ = try? SubmissionPayload(decoding: [0x0A, 0])
    return true
}()
