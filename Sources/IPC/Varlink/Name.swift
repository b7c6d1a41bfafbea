// SPDX-License-Identifier: Apache-2.0

/// The forms of names (varlink.org, Interface Definition).
enum Name {
    static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

    /// `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`
    static func isInterface(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, let first = name.utf8.first, isLetter(first) else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last, first != UInt8(ascii: "-"), last != UInt8(ascii: "-")
            else { return false }
            return part.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// `[A-Z][A-Za-z0-9]*`
    static func isMember(_ name: String) -> Bool {
        guard let first = name.utf8.first, isUpper(first) else { return false }
        return name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// `[A-Za-z](_?[A-Za-z0-9])*`
    static func isField(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    /// Interface and member of `interface.Member`; `nil` when it has another form.
    static func qualified(_ name: String) -> (interface: String, member: String)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let interface = String(name[..<dot])
        let member = String(name[name.utf8.index(after: dot)...])
        return isInterface(interface) && isMember(member) ? (interface, member) : nil
    }
}
