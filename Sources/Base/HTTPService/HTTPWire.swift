// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import ForeignText
import Glibc
import HTTPFields

/// Between libmicrohttpd's connections and our messages.
enum HTTPWire {
    /// The head of a request, and whether all of it is text (`StreamSafe`); what is not is left out. Names of headers are in lower case; what came
    /// several times is one list (RFC 9110, 5.3).
    static func head(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
    ) -> (request: HTTPRequest, isText: Bool) {
        let words = [String(cString: method), String(cString: path)]
        let isText = words.allSatisfy { StreamSafe.isSafe($0) }
        let (headers, query) = (headers(connection), query(connection))
        var request = HTTPRequest(
            method: isText ? words[0] : "", path: isText ? words[1] : "", headers: headers.fields)
        request.query = query.fields
        return (request, isText && headers.isText && query.isText)
    }

    private struct Fields<Value> {
        var fields: Value
        var isText = true
    }

    private static func headers(_ connection: OpaquePointer) -> Fields<[String: String]> {
        var result = Fields<[String: String]>(fields: [:])
        withUnsafeMutablePointer(to: &result) { result in
            vigil_http_each_header(
                connection,
                { result, _, name, value in
                    guard let result, let name else { return vigil_http_yes() }
                    let text = value.map { String(cString: $0) } ?? ""
                    let key = String(cString: name)
                    let known = result.assumingMemoryBound(to: Fields<[String: String]>.self)
                    // A name is ASCII (RFC 9110, 5.6.2).
                    guard key.utf8.allSatisfy({ $0 < 0x80 }), StreamSafe.isSafe(text) else {
                        known.pointee.isText = false
                        return vigil_http_yes()
                    }
                    let small = key.lowercased()
                    known.pointee.fields[small] = known.pointee.fields[small].map { "\($0), \(text)" } ?? text
                    return vigil_http_yes()
                }, result)
        }
        return result
    }

    private static func query(_ connection: OpaquePointer) -> Fields<[(name: String, value: String)]> {
        var result = Fields<[(name: String, value: String)]>(fields: [])
        withUnsafeMutablePointer(to: &result) { result in
            vigil_http_each_query(
                connection,
                { result, _, name, value in
                    guard let result, let name else { return vigil_http_yes() }
                    let known = result.assumingMemoryBound(to: Fields<[(name: String, value: String)]>.self)
                    let (key, text) = (String(cString: name), value.map { String(cString: $0) } ?? "")
                    if StreamSafe.isSafe(key), StreamSafe.isSafe(text) {
                        known.pointee.fields.append((key, text))
                    } else {
                        known.pointee.isText = false
                    }
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
