// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The handle by which a warning is found when it must be taken back: 32 bytes that only the verification server can
/// compute, and only from the code that the warning began with (the number of a test, or a teleTAN).
///
/// It is stored nowhere. The verification server stores it masked by the TAN, which it does not have; the publishing
/// authority stores a mark for each key that can be computed only from the handle. So the two databases, even together,
/// tell neither which keys belong to one person nor who that is; docs/decisions/0028 states the remaining cost.
public struct WarningHandle: Hashable, Sendable {
    /// The number of bytes of a handle: 32, as HMAC-SHA256 has.
    public static let byteCount = 32

    private let bytes: [UInt8]

    /// Reads a handle from 64 hexadecimal digits in any case; `nil` for any other text.
    public init?(hexadecimal: String) {
        guard hexadecimal.utf8.count == 2 * Self.byteCount, let bytes = Hex.bytes(hexadecimal.lowercased()) else {
            return nil
        }
        self.bytes = bytes
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The handle in 64 hexadecimal digits of lower case, to be sent between servers; secret, so it must not be logged.
    public var hexadecimal: String { Hex.string(bytes) }

    /// Returns a mark of `content` that only this handle can produce: the first 16 bytes of HMAC-SHA256 over `purpose`, a
    /// zero byte and `content`, with the handle as key. `purpose` separates kinds of content and must have no zero byte.
    /// Throws `operationFailed` when the cryptographic library refuses.
    public func mark(_ purpose: StaticString, _ content: [UInt8] = []) throws(CryptographyError) -> [UInt8] {
        let message = purpose.withUTF8Buffer { Array($0) } + [0] + content
        return Array(try HMACSHA256.code(for: message, key: SecretBytes(copying: bytes)).prefix(16))
    }

    /// The handle under a mask of the same length, or out of it.
    func masked(by mask: [UInt8]) -> [UInt8] { zip(bytes, mask).map { $0 ^ $1 } }
}

/// What a person types to say which warning is meant.
enum WarningCode: Hashable {
    case teleTAN(String)
    /// One or more tests: it does not show from a hash which kind of test it is of.
    case tests([TestIdentity])

    /// Reads a teleTAN, the number of a test's code as printed, the whole code of a laboratory test, or the 64 digits that laboratories
    /// report under. A token for hours at venues stands for the teleTAN that it names. Blanks do not matter. `nil` for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * CheckInToken.maximumBytes else { return nil }
        if let teleTAN = CheckInToken.teleTAN(in: text.filter { !$0.isWhitespace }) {
            self = .teleTAN(teleTAN)
            return
        }
        guard text.utf8.count <= 200 else { return nil }
        var code = String(text.filter { !$0.isWhitespace })
        let prefix = "https://localhost/?"
        if code.lowercased().hasPrefix(prefix) { code = String(code.dropFirst(prefix.count)) }
        let teleTAN = code.uppercased().filter { $0 != "-" }
        if TeleTANIssuing.isValid(teleTAN) {
            self = .teleTAN(teleTAN)
            return
        }
        if code.utf8.count == 64 {
            let found = [TestIdentity(key: code), TestIdentity(rapidKey: code), TestIdentity(rapidKey: code.lowercased())]
            guard found.first != nil, let known = Self.unique(found) else { return nil }
            self = .tests(known)
            return
        }
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [6, 8, 4, 4, 4, 12],
            parts.allSatisfy({ $0.utf8.allSatisfy(Array("0123456789abcdefABCDEF".utf8).contains) }),
            let known = Self.unique(
                [code, code.uppercased(), code.lowercased()].map {
                    TestIdentity(key: Hex.string(SHA256.digest(of: Array($0.utf8))))
                })
        else { return nil }
        self = .tests(known)
    }

    /// Boards hash a code as it is printed, in whatever case that is.
    private static func unique(_ tests: [TestIdentity?]) -> [TestIdentity]? {
        let found = tests.compactMap { $0 }.reduce(into: [TestIdentity]()) { if !$0.contains($1) { $0.append($1) } }
        return found.isEmpty ? nil : found
    }
}

extension VerificationServer {
    /// Returns the handles that a warning begun with this code may have: one for a teleTAN; one to three for a
    /// test, since the code tells neither its kind nor its case. `code` is a teleTAN (in any case, with or without
    /// hyphens), the number of a test as printed (groups of 6, 8, 4, 4, 4 and 12 hexadecimal digits with hyphens),
    /// the whole code of a laboratory test (`https://localhost/?` and that number), the 64 hexadecimal digits
    /// under which laboratories report, or a ``CheckInToken``, used and expired or not; blanks are ignored. Nothing is looked up, so the answer tells nothing about
    /// anybody.
    ///
    /// Throws `malformedRequest` for any other text, and `cryptography` when the
    /// library refuses.
    public func warningHandles(_ code: String) throws(VerificationError) -> [WarningHandle] {
        try counted { () throws(VerificationError) in
            switch WarningCode(code) {
            case .teleTAN(let text):
                return [try handle(teleTAN: try secret.code(.storedTeleTAN, [Array(text.utf8)]))]
            case .tests(let tests):
                var handles: [WarningHandle] = []
                for test in tests { handles.append(try handle(test: test)) }
                return handles
            case nil: throw VerificationError(.malformedRequest, "a test's code or a teleTAN")
            }
        }
    }

    private func handle(test: TestIdentity) throws(VerificationError) -> WarningHandle {
        WarningHandle(try secret.code(.warning, [[0], test.bytes]))
    }

    private func handle(teleTAN code: [UInt8]) throws(VerificationError) -> WarningHandle {
        WarningHandle(try secret.code(.warning, [[1], code]))
    }

    /// The handle of a registration, masked by a TAN that is issued for it.
    func maskedHandle(of registration: Registration, tan: String) throws(VerificationError) -> [UInt8] {
        let handle =
            if let test = registration.test { try handle(test: test) } else {
                try handle(teleTAN: registration.teleTAN ?? [])
            }
        return handle.masked(by: try mask(tan))
    }

    /// The handle that comes with a TAN; `nil` for a TAN of before there were any.
    func handle(_ masked: [UInt8]?, tan: String) throws(VerificationError) -> WarningHandle? {
        guard let masked, masked.count == WarningHandle.byteCount else { return nil }
        return WarningHandle(WarningHandle(masked).masked(by: try mask(tan)))
    }

    private func mask(_ tan: String) throws(VerificationError) -> [UInt8] {
        try secret.code(.warningMask, [Array(tan.lowercased().utf8)])
    }
}
