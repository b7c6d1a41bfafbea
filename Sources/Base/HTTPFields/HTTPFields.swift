// SPDX-License-Identifier: Apache-2.0

/// Reads `Retry-After` (RFC 9110 10.2.3), the wait for which a server asks.
public enum RetryAfter {
    /// Returns the seconds to wait, 0 or more, from a number of seconds or a date, which may end in `UTC` instead
    /// of `GMT`; a number too large for `Int64` becomes `Int64.max`. A date is compared with `date`, the answer's
    /// own `Date`, so that a wrong clock on this board has no effect; without one it is compared with `now`. Both
    /// are in Unix seconds. Returns `nil` if `text` is neither a number nor a date.
    public static func seconds(_ text: String, date: Int64?, now: Int64) -> Int64? {
        let text = text.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // More than fits is "as long as you can".
            return Int64(text) ?? .max
        }
        // Go's servers write their dates with UTC at the end, which means the same.
        let named = text.hasSuffix(" UTC") ? String(text.dropLast(3)) + "GMT" : text
        guard let until = HTTPDate.unixSeconds(named, now: now) else { return nil }
        return max(0, until - (date ?? now))
    }
}

/// Reads `ETag` (RFC 9110 8.8.3), the identifier of a version of a resource.
public enum EntityTag {
    /// Returns the tag without weakness mark and quotation marks, which some servers send and others do not. Returns `nil`
    /// if nothing is left, if the rest is longer than 128 bytes, or if it contains anything but visible ASCII without
    /// quotation marks.
    public static func bare(_ text: String) -> String? {
        var tag = text.trimmed
        // Until nothing is left to take off, so that a bare tag is its own.
        while true {
            let isQuoted = tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            if isQuoted {
                tag = String(tag.dropFirst().dropLast())
            } else if tag.hasPrefix("W/") {
                tag.removeFirst(2)
            } else {
                break
            }
        }
        guard (1...128).contains(tag.utf8.count), tag.utf8.allSatisfy({ (33...126).contains($0) && $0 != 34 }) else {
            return nil
        }
        return tag
    }
}

/// Reads `max-age` of `Cache-Control` (RFC 9111 5.2).
public enum CacheControl {
    /// Returns the seconds of the first `max-age`, 0 or more; a number too large for `Int64` becomes `Int64.max`. Returns
    /// `nil` if there is none or it is not a number.
    public static func maximumAge(_ text: String) -> Int64? {
        for directive in text.split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2, parts[0].lowercased() == "max-age" else { continue }
            let digits = parts[1].hasPrefix("\"") ? String(parts[1].dropFirst().dropLast()) : parts[1]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return Int64(digits) ?? .max
        }
        return nil
    }
}

extension String {
    /// Without the spaces and tabs around it.
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
