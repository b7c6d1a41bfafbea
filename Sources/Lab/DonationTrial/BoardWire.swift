// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import Donation
import HTTPFields
import HTTPService
import JSON

/// The messages between boards and servers as they go over the line, without TLS. `DonationPluginTests` hold the requests against what the plugin sends.
package enum BoardWire {
    /// A request.
    package struct Request: Sendable {
        /// The path.
        package let path: String
        /// The header lines in their order, as the plugin's HTTP client sends them.
        package let headers: [(name: String, value: String)]
        /// The body.
        package let body: [UInt8]

        /// Everything before the body, without the empty line.
        package var head: String {
            (["POST \(path) HTTP/1.1"] + headers.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n")
        }

        /// As a server takes it.
        var received: HTTPRequest {
            HTTPRequest(
                method: "POST", path: path,
                headers: Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }, body: body)
        }

        var byteCount: Int { head.utf8.count + 4 + body.count }

        var json: JSON {
            ["path": .string(path), "headers": BoardWire.json(headers), "body": .string(Base64.string(body))]
        }
    }

    /// An answer.
    struct Answer {
        let status: UInt32
        let headers: [(name: String, value: String)]
        let body: [UInt8]
        /// The bytes of the status's phrase.
        private let phraseByteCount: Int

        /// As it leaves a server at `time`, Unix seconds.
        init(_ response: HTTPResponse, at time: Int64) {
            status = response.status
            var bare = response
            bare.headers = []
            phraseByteCount = bare.headByteCount
            if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
            headers =
                [("Date", HTTPDate.text(unixSeconds: time) ?? "")] + response.headers.map { (name: $0.0, value: $0.1) }
                + [("Content-Length", "\(body.count)")]
        }

        subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

        var byteCount: Int {
            "HTTP/1.1 \(status) \r\n\r\n".utf8.count + phraseByteCount
                + headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
                + body.count
        }

        var json: JSON {
            [
                "status": .int(Int64(status)), "headers": BoardWire.json(headers), "body": .string(Base64.string(body)),
            ]
        }
    }

    /// A request for a token, with the evidence in `authorization` or without.
    package static func tokenRequest(host: String, body: [UInt8], authorization: String?) -> Request {
        request(
            host, "/token-request", accept: "application/private-token-response", type: "application/private-token-request",
            authorization, body)
    }

    /// A donation, or what is sent in its place for `purpose`.
    package static func donation(
        host: String, body: [UInt8], authorization: String, purpose: MonthlyPurpose? = nil
    ) -> Request {
        request(
            host, purpose?.path ?? "/version/v1/device/dat", accept: "*/*", type: "application/x-protobuf", authorization,
            body)
    }

    private static func request(
        _ host: String, _ path: String, accept: String, type: String, _ authorization: String?, _ body: [UInt8]
    ) -> Request {
        var headers = [(name: "Host", value: host), (name: "Accept", value: accept), (name: "Content-Type", value: type)]
        if let authorization { headers.append((name: "Authorization", value: authorization)) }
        headers.append((name: "Content-Length", value: "\(body.count)"))
        return Request(path: path, headers: headers, body: body)
    }

    /// What an observer counts for a message: records of TLS 1.3 have 16 KiB at most, and 22 bytes of their own.
    static func lineBytes(_ count: Int) -> Int { count + (count + 16_383) / 16_384 * 22 }

    private static func json(_ headers: [(name: String, value: String)]) -> JSON {
        var object = JSON.Object()
        for (name, value) in headers { object[name] = .string(value) }
        return .object(object)
    }
}
