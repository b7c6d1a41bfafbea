// SPDX-License-Identifier: Apache-2.0

import HTTPService
import JSON

/// What every route asks of a request before anybody reads its body.
enum RequestGate {
    /// The reason why not, or `nil`: 405 for other methods, 406 for chunked transfer and for more than `maximumBytes`, 415
    /// for another type (`cwa-protocols` section 4; the size is refused as **ver** `RequestSizeLimitFilter` does).
    static func refusal(_ request: HTTPRequest, type: String, maximumBytes: Int) -> UInt32? {
        if request.method != "POST" { return 405 }
        if request.headers["transfer-encoding"] != nil { return 406 }
        if let length = request.headers["content-length"] {
            guard let count = Int(length), count >= 0 else { return 400 }
            if count > maximumBytes { return 406 }
        }
        let named = request.headers["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
        return named.filter { $0 != " " } == type ? nil : 415
    }

    /// Whether the body is said to be so large that not even the end of it is waited for.
    static func isBoundless(_ request: HTTPRequest, maximumBytes: Int) -> Bool {
        guard let length = request.headers["content-length"], let count = Int(length) else { return false }
        return count > maximumBytes + HTTPLimits.droppedBytes
    }

    /// The members of a JSON object, all of them known. Throws `malformedRequest`.
    static func members(
        _ body: [UInt8], known: Set<String>, maximumDepth: Int = 2
    ) throws(VerificationError) -> JSON.Object {
        let json: JSON
        do { json = try JSON(parsing: body, maximumDepth: maximumDepth) } catch {
            throw VerificationError(.malformedRequest, "no JSON")
        }
        guard let object = json.object else { throw VerificationError(.malformedRequest, "no object") }
        guard object.members.allSatisfy({ known.contains($0.name) }) else {
            throw VerificationError(.malformedRequest, "an unknown member")
        }
        return object
    }

    static func text(_ object: JSON.Object, _ name: String) throws(VerificationError) -> String {
        guard let text = try optionalText(object, name) else { throw VerificationError(.malformedRequest, name) }
        return text
    }

    static func optionalText(_ object: JSON.Object, _ name: String) throws(VerificationError) -> String? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.string else { throw VerificationError(.malformedRequest, name) }
        return text
    }
}
