// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Testing

struct ESTTests {
    private func code(_ status: Int, _ body: [UInt8], _ lab: Lab, now: Int64 = Lab.now) -> EnrolmentError.Code? {
        do throws(EnrolmentError) {
            _ = try ESTAnswer(status: status, body: body).certificate(
                for: lab.name, key: lab.key.verificationKey, now: now)
            return nil
        } catch { return error.code }
    }

    private func body(_ certificates: DeviceCertificate...) -> [UInt8] {
        Array(ESTText.encoded(CertificateBag.encoded(certificates)).utf8)
    }

    @Test func bodiesEndInALineFeed() {
        for count in [1, 47, 48, 49, 96, 300] {
            let bytes = [UInt8](repeating: 0x31, count: count)
            let text = ESTText.encoded(bytes)
            #expect(text.hasSuffix("\n") && text.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
            #expect(ESTText.decoded(Array(text.utf8)) == bytes)
        }
    }

    @Test func theBodiesOfOtherServersAreRead() throws {
        let lab = try Lab()
        let bag = CertificateBag.encoded([lab.signer.certificate, try lab.certificate()])
        let line = Base64.string(bag)
        let text = ESTText.encoded(bag)
        for body in [
            text, line, line + "\n", text.replacing("\n", with: "\r\n"), " " + text + "\n\n",
            "-----BEGIN PKCS7-----\n\(text)-----END PKCS7-----\n",
        ] {
            #expect(code(200, Array(body.utf8), lab) == nil)
        }
        #expect(code(200, bag, lab) == nil)
    }

    @Test func eachWrongAnswerHasACodeOfItsOwn() throws {
        let lab = try Lab()
        let good = body(try lab.certificate())
        #expect(code(200, good, lab) == nil)
        #expect(code(202, good, lab) == .pending)
        #expect(code(429, [], lab) == .pending)
        #expect(code(401, [], lab) == .refused)
        #expect(code(403, [], lab) == .refused)
        #expect(code(410, [], lab) == .retired)
        #expect(code(404, [], lab) == .badRequest)
        #expect(code(503, [], lab) == .serverFailed)
        #expect(code(204, [], lab) == .badAnswer)
        #expect(code(302, good, lab) == .badAnswer)
        for garbage in ["", "<html>", "AAAA", "====", "-----BEGIN PKCS7-----"] {
            #expect(code(200, Array(garbage.utf8), lab) == .badAnswer)
        }
        #expect(code(200, good.dropLast(80) + [], lab) == .badAnswer)
        #expect(code(200, body(try lab.certificate(key: .generate())), lab) == .otherKey)
        #expect(code(200, body(try lab.certificate(BoardName("vg-other"))), lab) == .otherSubject)
        #expect(code(200, good, lab, now: Lab.now - 3_601) == .notValidNow)
        #expect(code(200, good, lab, now: Lab.now - 3_600) == nil)
        #expect(code(200, good, lab, now: Lab.now + 398 * Lab.day) == .notValidNow)
        #expect(code(200, [UInt8](repeating: 65, count: ESTText.maximumByteCount + 4), lab) == .badAnswer)
    }

    @Test func aServerMayAskForPatience() {
        let wait = { (seconds: Int64?) in EnrolmentError(.pending, retryAfter: seconds).retryAfter }
        #expect(wait(nil) == nil && wait(-5) == 1 && wait(30) == 30 && wait(.max) == 86_400)
    }

    @Test func eachCodeHasASentence() {
        let sentences = Set(EnrolmentError.Code.allCases.map { "\(EnrolmentError($0))" })
        #expect(sentences.count == EnrolmentError.Code.allCases.count)
    }
}
