// SPDX-License-Identifier: Apache-2.0

import ForeignText
import HTTPFields

/// A complete answer with a status of 200 to 299 or, with ``HTTPRequest/keepsRefusals``, of 400 or more.
public struct HTTPResponse: Sendable {
    /// The HTTP status: 200 to 299 or, with ``HTTPRequest/keepsRefusals``, 400 or more.
    public let status: Int
    /// The body if the request's sink is `memory`, at most as long as the limits allow; empty with another sink.
    public let body: [UInt8]
    /// The number of bytes of the body, 0 or more, even if they went to a descriptor.
    public let bodyByteCount: Int
    /// The value of `ETag` without quotation marks and weakness mark, at most 128 visible ASCII characters; `nil` if there
    /// is none, or it has another form.
    public let entityTag: String?
    /// The value of `Date` in Unix seconds; `nil` if there is none, or it is not a date. The century of a year with two
    /// digits, an obsolete form, follows from this machine's clock (`HTTPDate`).
    public let date: Int64?
    /// The value of `max-age` in `Cache-Control`, in seconds, 0 or more; `nil` if there is none or it is not a
    /// number.
    public let maximumAge: Int64?
    /// The values of those ``HTTPRequest/answerHeaders`` that the server sent, by the names in the request. A
    /// header that came twice is left out. The text comes from the server; it is UTF-8, without white space at its
    /// ends, and otherwise unchecked.
    public let headers: [String: String]
    /// The wait in seconds that the server requests (`Retry-After`), 0 or more; `nil` if it requests none.
    public let retryAfter: Int64?
    /// The number of bytes received for this answer, headers included, 0 or more.
    public let receivedByteCount: Int
}

/// The header lines we understand, collected as they come.
struct HeaderCollector {
    private(set) var byteCount = 0
    /// Whether the empty line came that ends them: libcurl takes an answer that breaks off between two header lines for one without a body.
    private(set) var isComplete = false
    private(set) var entityTag: String?
    private(set) var date: Int64?
    private(set) var maximumAge: Int64?
    private var retryAfterText: String?
    private let wanted: [String]
    private let now: Int64
    private var found: [String: [String]] = [:]

    /// `wanted` are further headers to keep; `now`, in Unix seconds, tells the century of a year with two digits.
    init(wanted: [String] = [], now: Int64) {
        self.wanted = wanted
        self.now = now
    }

    /// The wanted ones that were sent once: of two with one name nobody knows which is meant.
    var headers: [String: String] { found.compactMapValues { $0.count == 1 ? $0[0] : nil } }

    /// Takes one line with its end. A status line begins a new answer (after 1xx).
    mutating func take(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        let longest = wanted.isEmpty ? 1_024 : HTTPRequest.maximumAnswerHeaderByteCount
        guard line.count <= longest, let text = StreamSafe.decode(line) else { return }
        if text == "\r\n" || text == "\n" { isComplete = true }
        if text.hasPrefix("HTTP/") {
            isComplete = false
            entityTag = nil
            date = nil
            maximumAge = nil
            retryAfterText = nil
            found = [:]
            return
        }
        // What comes behind a body in pieces is no header (RFC 9110 6.5.1), and replaces none.
        guard !isComplete, let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        // "\r\n" is one Character.
        let end = value.lastIndex { !$0.isNewline && $0 != " " && $0 != "\t" }
        let trimmed = end.map { String(value[...$0]) } ?? ""
        let name = text[..<colon].lowercased()
        if let asked = wanted.first(where: { $0.lowercased() == name }) { found[asked, default: []].append(trimmed) }
        switch name {
        case "etag": entityTag = EntityTag.bare(trimmed)
        case "date": date = HTTPDate.unixSeconds(trimmed, now: now)
        case "cache-control": maximumAge = CacheControl.maximumAge(trimmed)
        case "retry-after": retryAfterText = trimmed
        default: break
        }
    }

    func retryAfter(now: Int64) -> Int64? {
        retryAfterText.flatMap { RetryAfter.seconds($0, date: date, now: now) }
    }
}
