// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import HTTPFields

/// Between libmicrohttpd's connections and our messages.
enum HTTPWire {
    /// Names in lower case; what came several times is one list (RFC 9110, 5.3).
    static func headers(_ connection: OpaquePointer) -> [String: String] {
        var result: [String: String] = [:]
        withUnsafeMutablePointer(to: &result) { result in
            vigil_http_each_header(
                connection,
                { result, _, name, value in
                    guard let result, let name else { return vigil_http_yes() }
                    let text = value.map { String(cString: $0) } ?? ""
                    let key = String(cString: name).lowercased()
                    let known = result.assumingMemoryBound(to: [String: String].self)
                    known.pointee[key] = known.pointee[key].map { "\($0), \(text)" } ?? text
                    return vigil_http_yes()
                }, result)
        }
        return result
    }

    static func query(_ connection: OpaquePointer) -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &result) { result in
            vigil_http_each_query(
                connection,
                { result, _, name, value in
                    guard let result, let name else { return vigil_http_yes() }
                    result.assumingMemoryBound(to: [(name: String, value: String)].self)
                        .pointee.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                    return vigil_http_yes()
                }, result)
        }
        return result
    }

    /// Sends `answer` with `time` (Unix seconds) as its Date.
    static func queue(_ answer: HTTPResponse, _ time: Int64, _ connection: OpaquePointer) -> MHD_Result {
        let response: OpaquePointer?
        switch answer.body {
        case .bytes(let bytes):
            response = vigil_http_copy(bytes, bytes.count)
        case .file(let descriptor, let byteCount):
            response = MHD_create_response_from_fd64(byteCount, descriptor)
            if response == nil { close(descriptor) }
        }
        return queue(response, answer, time, connection)
    }

    /// The same with a body that libmicrohttpd has already.
    static func queue(
        _ response: OpaquePointer?, _ answer: HTTPResponse, _ time: Int64, _ connection: OpaquePointer
    ) -> MHD_Result {
        guard let response else { return vigil_http_no() }
        defer { MHD_destroy_response(response) }
        // A server whose clock shows no date of this era sends none (RFC 9110, section 6.6.1).
        if let date = HTTPDate.text(unixSeconds: time) { MHD_add_response_header(response, "Date", date) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, answer.status, response)
    }
}

extension HTTPResponse {
    /// The bytes of the status's phrase and of ``headers`` on the wire. Two answers of one server are equally long if these and their bodies are together as long, and their bodies'
    /// lengths have as many digits.
    package var headByteCount: Int {
        String(cString: MHD_get_reason_phrase_for(status)).utf8.count
            + headers.reduce(0) { $0 + $1.0.utf8.count + ": ".utf8.count + $1.1.utf8.count + "\r\n".utf8.count }
    }
}
