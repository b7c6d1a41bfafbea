// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import ForeignText
package import HTTPService

/// Answers EST (RFC 7030): `cacerts`, `simpleenroll`, `simplereenroll`, `csrattrs`, with or without a label in the path.
///
/// It speaks plain HTTP: a web server in front has the certificate. That server must set ``certificateHeader`` on each request: to the
/// client's certificate in PEM with percent signs, of which TLS has shown that the client has the key, or to nothing. Whoever can set the
/// header is taken for any board.
package final class RegistryHTTP: HTTPHandler {
    /// The header with the client's certificate, in small letters.
    package static let certificateHeader = "x-client-certificate"
    /// Where all paths begin.
    package static let root = "/.well-known/est/"
    /// The longest body, in bytes: a request has some hundred.
    private static let longestBody = 8_192

    private enum Operation: String {
        case cacerts, simpleenroll, simplereenroll, csrattrs
        /// By its label; no path has a part of this name.
        case evidence = "evidence/simpleenroll"
    }
    /// The label (RFC 7030, 3.2.2) under which boards enter their keys for evidence. Other labels mean nothing.
    package static let evidenceLabel = "evidence"

    private let registrar: Registrar
    private let now: () -> Int64
    /// After how many seconds a board that waits for its approval asks again.
    private static let patience = 600

    /// Creates a handler, used on the server's thread only. `now` returns Unix seconds.
    package init(registrar: Registrar, now: @escaping () -> Int64) { (self.registrar, self.now) = (registrar, now) }

    private static func operation(_ path: String) -> Operation? {
        guard path.hasPrefix(root) else { return nil }
        let parts = path.dropFirst(root.count).split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let last = parts.last, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        guard let operation = Operation(rawValue: String(last)) else { return nil }
        guard parts.count == 2, parts[0] == evidenceLabel else { return operation }
        return switch operation {
        case .simpleenroll: .evidence
        case .cacerts: .cacerts
        default: nil
        }
    }

    /// Returns the most bytes of a body; 404 for other paths, 405 for other methods.
    package func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        guard let operation = Self.operation(request.path) else {
            return .failure(HTTPRefusal(response: .text(404, "nothing is answered here")))
        }
        let method = operation == .cacerts || operation == .csrattrs ? "GET" : "POST"
        guard request.method == method else {
            return .failure(HTTPRefusal(response: .text(405, "this is asked with \(method)")))
        }
        return .success(method == "GET" ? 0 : Self.longestBody)
    }

    /// Returns the answer. Never throws: a failure of the database is answered with 503.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        switch Self.operation(request.path) {
        case .cacerts: return Self.certificates([registrar.authority])
        case .csrattrs: return HTTPResponse(status: 204)
        case .simpleenroll: return enrol(request)
        case .simplereenroll: return renew(request)
        case .evidence: return enterEvidenceKey(request)
        case nil: return .text(404, "nothing is answered here")
        }
    }

    private func enrol(_ request: HTTPRequest) -> HTTPResponse {
        guard let (name, claim) = Self.credentials(request.authorization) else { return Self.refused(.wrongClaim) }
        guard let wanted = Self.wanted(request.body) else { return Self.unreadable }
        return result { () throws(RegistryError) in
            try registrar.enrol(name, claimDigest: claim.digest, request: wanted, now: now())
        }
    }

    private func renew(_ request: HTTPRequest) -> HTTPResponse {
        guard let shown = Self.shown(request) else { return Self.refused(.unknownCertificate) }
        guard let wanted = Self.wanted(request.body) else { return Self.unreadable }
        return result { () throws(RegistryError) in
            try registrar.renew(by: shown.encoded, request: wanted, now: now())
        }
    }

    private func enterEvidenceKey(_ request: HTTPRequest) -> HTTPResponse {
        guard let shown = Self.shown(request) else { return Self.refused(.unknownCertificate) }
        guard let wanted = ESTText.decoded(request.body).flatMap({ try? EvidenceKeyRequest(der: $0) }) else {
            return .text(
                400, "the body is no request (PKCS#10, Base64) without a name, with a good signature by a key on P-256")
        }
        return result { () throws(RegistryError) in
            try registrar.enterEvidenceKey(by: shown.encoded, request: wanted, now: now())
        }
    }

    private static func shown(_ request: HTTPRequest) -> DeviceCertificate? {
        request.headers[certificateHeader].flatMap(unescaped).flatMap { try? DeviceCertificate(pem: $0) }
    }

    private func result(
        _ ask: () throws(RegistryError) -> Result<DeviceCertificate, Registrar.Refusal>
    ) -> HTTPResponse {
        do throws(RegistryError) {
            switch try ask() {
            case .success(let certificate): return Self.certificates([certificate])
            case .failure(let refusal): return Self.refused(refusal)
            }
        } catch {
            var answer = HTTPResponse.text(503, "the registration authority cannot work now [\(error.code.rawValue)]")
            answer.headers.append(("Retry-After", "60"))
            return answer
        }
    }

    private static func wanted(_ body: [UInt8]) -> CertificateRequest? {
        ESTText.decoded(body).flatMap { try? CertificateRequest(der: $0) }
    }

    private static let unreadable = HTTPResponse.text(
        400, "the body is no request (PKCS#10, Base64) with a good signature by a key on P-256, for a board")

    private static func certificates(_ list: [DeviceCertificate]) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/pkcs7-mime; smime-type=certs-only"), ("Cache-Control", "no-store")],
            body: .bytes(Array(ESTText.encoded(CertificateBag.encoded(list)).utf8)))
    }

    private static func refused(_ refusal: Registrar.Refusal) -> HTTPResponse {
        switch refusal {
        case .pending:
            var answer = HTTPResponse.text(202, "this board is not approved yet; ask again")
            answer.headers.append(("Retry-After", "\(patience)"))
            return answer
        case .wrongClaim:
            var answer = HTTPResponse.text(401, "there is no such board, or its claim is another")
            answer.headers.append(("WWW-Authenticate", "Basic realm=\"vigil\""))
            return answer
        case .unknownCertificate: return .text(401, "this takes a client certificate of this authority")
        case .usedClaim: return .text(403, "this claim has enrolled another key already")
        case .otherSubject: return .text(403, "the request is for another board")
        case .otherKey: return .text(403, "a board keeps its key: the request is for another")
        case .keyOfAnotherBoard: return .text(403, "this key is another board's")
        case .tooManyKeys: return .text(403, "this board has entered too many keys; it needs a new card")
        case .revoked: return .text(403, "this certificate is revoked")
        case .expired: return .text(403, "this certificate has ended too long ago; enrol anew with a new card")
        case .retired: return .text(410, "this board is retired")
        }
    }

    /// Name and claim out of `Authorization: Basic …` (RFC 7617).
    private static func credentials(_ header: String?) -> (BoardName, EnrolmentClaim)? {
        guard let header, header.utf8.count <= 300, header.lowercased().hasPrefix("basic "),
            let pair = Base64.bytes(String(header.dropFirst(6).drop { $0 == " " })), let colon = pair.firstIndex(of: 58),
            let text = String(validating: pair[..<colon], as: UTF8.self), let name = BoardName(text),
            let claim = EnrolmentClaim(SecretBytes(copying: pair[(colon + 1)...]))
        else { return nil }
        return (name, claim)
    }

    /// Text without percent signs; `nil` for an odd one.
    private static func unescaped(_ text: String) -> String? {
        guard text.utf8.count <= 65_536 else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 37 else {
                bytes.append(byte)
                continue
            }
            guard let code = Hex.bytes(String(decoding: rest.prefix(2), as: UTF8.self)), code.count == 1 else { return nil }
            bytes += code
            rest = rest.dropFirst(2)
        }
        return StreamSafe.decode(bytes)
    }
}
