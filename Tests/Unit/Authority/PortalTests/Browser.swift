// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// One answer as it came over the socket.
struct Answer {
    let status: Int
    /// In order, names in lower case.
    let headers: [(name: String, value: String)]
    let text: String

    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
    func header(_ name: String) -> String? { values(name).first }

    /// The value of a hidden field, the first of that name.
    func field(_ name: String) -> String? {
        guard let start = text.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// The teleTAN on the page, groups joined.
    var teleTAN: String? {
        guard let start = text.firstRange(of: "<p class=\"teletan\" translate=\"no\">")?.upperBound,
            let end = text[start...].firstRange(of: "</p>")?.lowerBound
        else { return nil }
        var result = ""
        var isTag = false
        for character in text[start..<end] {
            if character == "<" { isTag = true }
            if !isTag, character != " " { result.append(character) }
            if character == ">" { isTag = false }
        }
        return result
    }
}

/// As much of a browser as the portal needs: cookies, forms, the language. Every exchange has a connection of its own.
final class Browser {
    let port: UInt16
    var language = "en"
    var cookies: [String: String] = [:]
    /// Every byte that came.
    var seen = ""

    init(port: UInt16) { self.port = port }

    func get(_ path: String = "/") throws -> Answer { try send("GET", path, nil, [:]) }

    func post(
        _ path: String, _ fields: [(String, String)], type: String = "application/x-www-form-urlencoded",
        headers: [String: String] = [:]
    ) throws -> Answer {
        let body = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        return try send("POST", path, body, ["Content-Type": type].merging(headers) { $1 })
    }

    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    func send(_ method: String, _ path: String, _ body: String?, _ headers: [String: String]) throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Language: \(language)\r\n"
        if !cookies.isEmpty {
            head +=
                "Cookie: \(cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))\r\n"
        }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
        if let body, headers["Transfer-Encoding"] == nil { head += "Content-Length: \(body.utf8.count)\r\n" }
        let answer = try Self.exchange(Array((head + "\r\n" + (body ?? "")).utf8), port: port)
        seen += answer.headers.map { "\($0.name): \($0.value)\n" }.joined() + answer.text
        for line in answer.values("set-cookie") {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            cookies[name] = line.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return answer
    }

    /// Signs in through the form of the first page.
    @discardableResult
    func signIn(_ name: String, _ password: String) throws -> Answer {
        let form = try #require(try get().field("form"))
        return try post("/sign-in", [("name", name), ("password", password), ("form", form)])
    }

    /// Presses the button of a page.
    func issue(_ kind: String = "TEST", from page: Answer? = nil) throws -> Answer {
        let page = try page ?? get()
        return try post(
            "/teletan",
            [("form", page.field("form") ?? ""), ("number", page.field("number") ?? ""), ("kind", kind)])
    }

    static func exchange(_ request: [UInt8], port: UInt16) throws -> Answer {
        let bytes = try WireAnswer.read(request, port: port)
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.firstRange(of: "\r\n\r\n"), "no answer")
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: parts[0].lowercased(), value: String(parts[1].drop { $0 == " " }))
        }
        return Answer(
            status: lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0,
            headers: headers, text: String(text[end.upperBound...]))
    }
}
