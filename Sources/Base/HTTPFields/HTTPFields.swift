// SPDX-License-Identifier: Apache-2.0

/// Reads `Retry-After` (RFC 9110 10.2.3): the wait that a server asks for.
public enum RetryAfter {
    /// Seconds to wait, 0 or more, from a number or a date. A date counts from the answer's own `Date` if it had one (`date`), so that a wrong
    /// clock of ours changes nothing, else from `now`; both in Unix seconds. `nil` when it is neither.
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

/// Reads `ETag` (RFC 9110 8.8.3): the name of a version of a resource.
public enum EntityTag {
    /// The tag without the weakness mark and the quotation marks, which some lists carry and others do not. `nil` when nothing is left, and
    /// for tags of more than 128 bytes or with anything but visible ASCII, which nobody needs.
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

/// Reads `Cache-Control` (RFC 9111 5.2), as far as its `max-age` goes.
public enum CacheControl {
    /// The seconds of the first `max-age`, 0 or more (more than `Int64` holds becomes its end); `nil` without one, or if it is no number.
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
