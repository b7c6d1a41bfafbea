// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPService
import JSON
import VenueNotices

/// Answers boards: signed time, and the public tree for those who have no web server in front.
final class PublicHandler: HTTPHandler {
    private let folder: StateFolder
    private let time: TimeService
    private let clock: AuthorityClock
    private let registration: RegistrationRoute?
    private var generation: Int?
    private var objects: [String: Object] = [:]
    private var tags = TraceTags(names: [])

    private struct Object {
        let file: String
        let type: String
        let tag: String
    }

    /// Devices register with `registration`, if there is one.
    init(folder: StateFolder, time: TimeService, clock: AuthorityClock, registration: RegistrationRoute?) {
        self.folder = folder
        self.time = time
        self.clock = clock
        self.registration = registration
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> {
        if let registration, request.path == RegistrationRoute.path {
            return registration.refusal(request).map { .failure($0) } ?? .success(PushRegistrationMessage.maximumBytes)
        }
        if request.method == "POST", request.path == NHSCircuitBreaker.venuePath { return .success(Self.questionBytes) }
        guard request.method == "GET" || request.method == "HEAD" else {
            var refusal = HTTPResponse.text(405, "only GET and HEAD are answered here")
            refusal.headers.append(("Allow", "GET, HEAD"))
            return .failure(HTTPRefusal(response: refusal))
        }
        return .success(0)
    }

    private static let timePath = "/version/v1/time/"

    /// Bytes of a question before a notice; real ones have two.
    private static let questionBytes = 1_000

    func refuseTooLarge(_ request: HTTPRequest) -> HTTPResponse {
        if let registration, request.path == RegistrationRoute.path { return registration.refuse() }
        return .text(413, "the body is larger than anything that is taken here; nothing of it was")
    }

    func outcome(of request: HTTPRequest) -> HTTPOutcome {
        guard let registration, request.path == RegistrationRoute.path else { return .answer(answer(request)) }
        return registration.outcome(request.body, now: clock.seconds())
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        if request.method == "POST" { return approval() }
        if request.path.hasPrefix(Self.timePath) {
            return signedTime(nonce: request.path.dropFirst(Self.timePath.count))
        }
        return object(request)
    }

    /// NHS COVID-19's devices ask before they tell anybody of a venue. Whoever lists one here means it, so the answer is yes to everybody.
    private func approval() -> HTTPResponse {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        let token = String((0..<50).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
        let body: JSON = ["approvalToken": .string(token), "approval": "yes"]
        return HTTPResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(body.bytes))
    }

    /// Bytes of a file of headers at most; real ones have some hundred.
    private static let headerBytes = 8_192

    /// What is signed by headers has them in a file beside it.
    private func signature(of path: String) -> [(String, String)] {
        guard let file = objects[path + HealthAuthority.headersSuffix]?.file,
            let lines = try? FileWork.read(file, limit: Self.headerBytes)
        else { return [] }
        return String(decoding: lines, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
    }

    private func signedTime(nonce text: Substring) -> HTTPResponse {
        guard let nonce = TimeService.nonce(text) else {
            return .text(400, "a nonce has 32 hexadecimal digits in lower case")
        }
        do throws(AuthorityError) {
            var response = HTTPResponse.text(200, "")
            response.body = .bytes(try time.document(nonce: nonce))
            return response
        } catch {
            return .text(503, "\(error)")
        }
    }

    /// What is not in the manifest is not there, whatever the path says.
    private func object(_ request: HTTPRequest) -> HTTPResponse {
        refresh()
        let path = path(of: request)
        guard let object = objects[path] else { return .text(404, "nothing is published here") }
        let headers =
            [("Content-Type", object.type), ("ETag", "\"\(object.tag)\""), ("Cache-Control", "public,max-age=300")]
            + signature(of: path)
        if let known = request.ifNoneMatch, Self.matches(known, object.tag) {
            return HTTPResponse(status: 304, headers: headers)
        }
        let descriptor = open(object.file, O_RDONLY | O_CLOEXEC)
        var information = stat()
        guard descriptor >= 0, fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            return .text(503, "the published file cannot be read; try again")
        }
        return HTTPResponse(
            status: 200, headers: headers,
            body: .file(descriptor: descriptor, byteCount: UInt64(clamping: information.st_size)))
    }

    /// The list of trace keys since a tag is an object of its own; all others are where they are asked for.
    private func path(of request: HTTPRequest) -> String {
        guard request.path == "/" + TraceTags.path, let tag = TraceTags.tag(of: request.query),
            let list = tags.list(since: tag, now: clock.seconds())
        else { return request.path }
        return "/\(TraceTags.path)/\(list)"
    }

    /// RFC 9110, 13.1.2: a list of tags, weak ones count, "*" is any.
    static func matches(_ header: String, _ tag: String) -> Bool {
        if header == "*" { return true }
        return header.split(separator: ",").contains { part in
            var text = part.drop { $0 == " " || $0 == "\t" }
            while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
            if text.hasPrefix("W/") { text = text.dropFirst(2) }
            return text == "\"\(tag)\""
        }
    }

    /// Reads the list of what is public when the link moved.
    private func refresh() {
        guard let number = Generation.currentNumber(folder), number != generation,
            let current = try? Generation.current(folder)
        else { return }
        var objects: [String: Object] = [:]
        for line in current.manifest.split(separator: 0x0A) {
            let parts = line.split(separator: 0x09, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 4 else { continue }
            let type = Self.type(parts[0], kind: parts[1])
            let name = parts[1].isEmpty ? parts[0] : "\(parts[0])/index.\(parts[1])"
            objects["/" + parts[0]] = Object(
                file: "\(folder.generations)/\(current.number)/tree/\(name)", type: type, tag: parts[2])
        }
        self.objects = objects
        tags = TraceTags(
            names: objects.keys.compactMap { path in
                path.hasPrefix("/\(TraceTags.path)/") ? String(path.dropFirst(TraceTags.path.utf8.count + 2)) : nil
            })
        generation = current.number
    }

    private static func type(_ path: String, kind: String) -> String {
        if kind == "json" { return "application/json" }
        guard kind.isEmpty else { return "application/zip" }
        if path.hasPrefix(TraceTags.path + "/") { return "application/x-protobuf" }
        return path.hasSuffix(".txt") ? "text/plain" : "application/zip"
    }
}
