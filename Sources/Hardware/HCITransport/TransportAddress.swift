// SPDX-License-Identifier: Apache-2.0

/// The address of a controller, in one of four forms for configuration and command line (docs/transports.md):
/// `h4:unix:PATH`, `h4:serial:DEVICE[@BAUD]`, `hci:N`, `fd:N`.
public enum TransportAddress: Hashable, Sendable {
    /// H4 over a UNIX stream socket on which a program listens: a virtual controller, or a program that owns the real one.
    /// The path has 1 to 107 bytes without control characters.
    case unix(path: String)
    /// H4 over a serial line with 8N1 and RTS/CTS. The device's path has 1 to 4,095 bytes (`PATH_MAX` without the
    /// final zero) without control characters; `baud` is in bits per second, not 0.
    case serial(device: String, baud: UInt32)
    /// The kernel's adapter hciN, for exclusive use; 0 to 65534 (65535 is the kernel's "none").
    case userChannel(index: UInt16)
    /// A socket or serial line that was opened before this process started: an open descriptor, 3 or more. Negative
    /// numbers are malformed; 0 to 2 are refused with `notATransport` when the address is opened.
    case inherited(descriptor: Int32)

    /// The speed of controllers after power-on in bits per second, by a convention of manufacturers, until firmware or a
    /// vendor command changes it.
    public static let defaultBaud: UInt32 = 115_200
    /// The longest path of a UNIX socket, in bytes: the 108 of `sun_path` without the final zero (unix(7)).
    public static let maximumSocketPathByteCount = 107

    /// Reads an address in one of the four forms.
    ///
    /// Numbers are plain decimal digits; `hci:hciN` is read as `hci:N`. A device whose name contains `@` needs an explicit
    /// speed. Throws ``TransportFailure/Code/malformedAddress`` for any other text, and for paths and numbers outside the
    /// limits of the form.
    public init(parsing text: String) throws(TransportFailure) {
        if let path = text.suffix(after: "h4:unix:") {
            self = .unix(path: String(path))
        } else if let line = text.suffix(after: "h4:serial:") {
            self = try Self.serial(line, in: text)
        } else if let number = text.suffix(after: "hci:") {
            self = .userChannel(index: try Self.number(number.suffix(after: "hci") ?? number, in: text))
        } else if let number = text.suffix(after: "fd:") {
            self = .inherited(descriptor: try Self.number(number, in: text))
        } else {
            throw TransportFailure(malformed: text, "it has none of the four forms")
        }
        try check()
    }

    private static func serial(_ line: Substring, in text: String) throws(TransportFailure) -> Self {
        guard let mark = line.lastIndex(of: "@") else { return .serial(device: String(line), baud: defaultBaud) }
        let baud: UInt32 = try number(line[line.index(after: mark)...], in: text)
        return .serial(device: String(line[..<mark]), baud: baud)
    }

    private static func number<Number: FixedWidthInteger>(
        _ digits: Substring, in text: String
    ) throws(TransportFailure) -> Number {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Number(digits)
        else { throw TransportFailure(malformed: text, "its number is missing, no number, or out of range") }
        return number
    }

    /// Refuses what the forms cannot say: for addresses that were not parsed, too.
    func check() throws(TransportFailure) {
        switch self {
        case .unix(let path):
            guard Self.isUsable(path) else { throw malformed("its path is empty or holds control characters") }
            guard path.utf8.count <= Self.maximumSocketPathByteCount else {
                throw malformed("its path is longer than \(Self.maximumSocketPathByteCount) bytes; use a shorter one")
            }
        case .serial(let device, let baud):
            guard Self.isUsable(device) else { throw malformed("its device is empty or holds control characters") }
            guard device.utf8.count < 4_096 else { throw malformed("its device's path is longer than 4095 bytes") }
            guard baud > 0 else { throw malformed("a speed of 0 would hang up") }
        case .userChannel(let index):
            guard index < .max else { throw malformed("adapters are numbered from 0 to 65534") }
        case .inherited(let descriptor):
            guard descriptor >= 0 else { throw malformed("descriptors are not negative") }
        }
    }

    private func malformed(_ why: String) -> TransportFailure { TransportFailure(malformed: description, why) }

    /// A zero would cut the path short in C, a line feed would forge lines of a log.
    private static func isUsable(_ path: String) -> Bool {
        !path.isEmpty && path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension TransportAddress: CustomStringConvertible {
    /// The address in its canonical form, which ``init(parsing:)`` reads as the same address if its path or number is
    /// within the limits.
    public var description: String {
        switch self {
        case .unix(let path): "h4:unix:\(path)"
        case .serial(let device, let baud): "h4:serial:\(device)@\(baud)"
        case .userChannel(let index): "hci:\(index)"
        case .inherited(let descriptor): "fd:\(descriptor)"
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate func suffix(after prefix: String) -> Substring? {
        // By bytes: a combining mark after the prefix must not make it another prefix.
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...]
    }
}
