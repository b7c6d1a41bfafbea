// SPDX-License-Identifier: Apache-2.0

import HTTPFields

/// A complete answer: 200 to 299, or 304.
public struct HTTPResponse: Sendable {
    public let status: Int
    /// The body of a request with sink `memory`; empty otherwise.
    public let body: [UInt8]
    public let bodyByteCount: Int
    /// Without quotation marks.
    public let entityTag: String?
    /// What the server thinks the time is, Unix seconds.
    public let date: Int64?
    /// `max-age`, seconds.
    public let maximumAge: Int64?
    /// Bytes received over the network for it, headers included.
    public let receivedByteCount: Int

    public var isNotModified: Bool { status == 304 }
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

    /// Takes one line with its end. A status line begins a new answer (after 1xx).
    mutating func take(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        guard line.count <= 1_024, let text = String(validating: line, as: UTF8.self) else { return }
        if text == "\r\n" || text == "\n" { isComplete = true }
        if text.hasPrefix("HTTP/") {
            isComplete = false
            entityTag = nil
            date = nil
            maximumAge = nil
            retryAfterText = nil
            return
        }
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        // "\r\n" is one Character.
        let end = value.lastIndex { !$0.isNewline && $0 != " " && $0 != "\t" }
        let trimmed = end.map { String(value[...$0]) } ?? ""
        switch text[..<colon].lowercased() {
        case "etag": entityTag = EntityTag.bare(trimmed)
        case "date": date = HTTPDate.unixSeconds(trimmed)
        case "cache-control": maximumAge = CacheControl.maximumAge(trimmed)
        case "retry-after": retryAfterText = trimmed
        default: break
        }
    }

    func retryAfter(now: Int64) -> Int64? {
        retryAfterText.flatMap { RetryAfter.seconds($0, date: date, now: now) }
    }
}
