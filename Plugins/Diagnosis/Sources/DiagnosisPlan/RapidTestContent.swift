// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON

/// The JSON of a rapid test's code, checked. What is about the person exists in here only while its hash is checked.
struct RapidTestContent {
    /// As written, because the registration key is a hash of this text.
    let hash: String
    /// Unix seconds.
    let timestamp: Int64
    /// Of the person named in it; it goes no further than ``TestCode``'s check.
    let birth: CivilDate?

    /// The year 9999; what lies beyond is no time of a test.
    private static let latestTimestamp: Int64 = 253_402_300_799
    /// Salts have 32 digits; room for longer ones.
    private static let maximumSaltDigits = 128

    /// Reads Base64 or Base64url, padded or not, of a JSON object. Throws the first rule that is broken.
    init(encoded: ArraySlice<UInt8>) throws(DiagnosisPlanError) {
        guard let bytes = Self.decoded(encoded) else { throw DiagnosisPlanError(.malformedEncoding) }
        // The parser's own words could quote the content.
        guard let json = try? JSON(parsing: bytes, maximumDepth: 4), let object = json.object else {
            throw DiagnosisPlanError(.malformedContent)
        }
        func text(_ name: String) throws(DiagnosisPlanError) -> String? {
            switch object[name] {
            case nil, .null?: return nil
            // Empty means not given (cwa-app-android, `RapidQrCodeExtractor`).
            case .string(let value)?: return value.isEmpty ? nil : value
            default: throw DiagnosisPlanError(.malformedContent, "\u{201C}\(name)\u{201D} is not text")
            }
        }
        guard let hash = try text("hash"), hash.utf8.count == 64, hash.utf8.allSatisfy(\.isHexadecimal) else {
            throw DiagnosisPlanError(.malformedHash)
        }
        guard let timestamp = object["timestamp"]?.int, (1...Self.latestTimestamp).contains(timestamp) else {
            throw DiagnosisPlanError(.malformedTimestamp)
        }
        guard let salt = try text("salt"), salt.utf8.count <= Self.maximumSaltDigits,
            salt.utf8.allSatisfy(\.isHexadecimal)
        else { throw DiagnosisPlanError(.malformedSalt) }
        switch object["dgc"] {
        case nil, .null?, .bool?: break
        default: throw DiagnosisPlanError(.malformedContent, "\u{201C}dgc\u{201D} is neither true nor false")
        }
        let identifier = try text("testid")
        let hashed: String
        var date: CivilDate?
        switch (try text("dob"), try text("fn"), try text("ln")) {
        case (nil, nil, nil): hashed = "\(timestamp)#\(salt)"
        case (let birth?, let first?, let last?):
            date = CivilDate(isoText: birth)
            guard date != nil else { throw DiagnosisPlanError(.malformedDateOfBirth) }
            guard let identifier else { throw DiagnosisPlanError(.missingTestIdentifier) }
            hashed = "\(birth)#\(first)#\(last)#\(timestamp)#\(identifier)#\(salt)"
        default: throw DiagnosisPlanError(.incompletePersonalData)
        }
        guard SHA256.digest(of: Array(hashed.utf8)) == Hex.bytes(hash) else { throw DiagnosisPlanError(.hashMismatch) }
        self.hash = hash
        self.timestamp = timestamp
        birth = date
    }

    /// `nil` when it is not one of the two alphabets, or not exactly what an encoder writes in it.
    private static func decoded(_ encoded: ArraySlice<UInt8>) -> [UInt8]? {
        var text = encoded
        if text.count.isMultiple(of: 4) {
            if text.last == UInt8(ascii: "=") { text.removeLast() }
            if text.last == UInt8(ascii: "=") { text.removeLast() }
        }
        let isURL = !text.allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        var standard: [UInt8] = []
        standard.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                if isURL { return nil }
                standard.append(byte)
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case UInt8(ascii: "="): return nil
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return Base64.bytes(String(decoding: standard, as: UTF8.self))
    }
}
