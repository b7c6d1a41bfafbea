// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import KeyArchive
import KeyExport
public import Trust
public import Verification

/// Reads what is submitted to an authority: keys, from a key file (zip), an `export.bin` or a JSON object with a list
/// of keys; from such an object also check-ins and the handle of the warning.
public enum KeySubmission {
    /// The most bytes of one submission: 64 MiB. A key file of 600,000 keys has 19 MB. Our own bound.
    public static let maximumBytes = 64 << 20
    /// Bytes of a JSON list at most: about 100,000 keys. Read, it takes some twenty times as much.
    static let maximumListBytes = 16 << 20
    /// Keys of one submission at most.
    static let maximumKeys = 1_200_000

    /// Returns the keys in `bytes`, not yet checked; revised keys are left out. The form of the JSON object is in
    /// docs/authority.md; an unknown member of a key is refused. With `trust`, the bytes must be a key file that
    /// one of its keys has signed; with `nil` no signature is checked, and the caller answers for where the bytes
    /// came from.
    ///
    /// Throws `submissionTooLarge` for more than ``maximumBytes``, a JSON list of more than 16 MiB, or more than
    /// 1,200,000 keys; `unreadableSubmission` for bytes that are in none of the forms, or with `trust` are not a
    /// signed key file. The detail says what is wrong.
    public static func keys(in bytes: [UInt8], trust: TrustStore? = nil) throws(AuthorityError) -> [SubmittedKey] {
        guard bytes.count <= maximumBytes else {
            throw AuthorityError(.submissionTooLarge, "\(bytes.count) bytes, at most \(maximumBytes)")
        }
        if bytes.starts(with: [0x50, 0x4B]) { return try archive(bytes, trust) }
        guard trust == nil else {
            throw AuthorityError(.unreadableSubmission, "only a key file (zip) is signed, and a signature is asked for")
        }
        if bytes.starts(with: ExportDecoder.header) { return try export(bytes) }
        return try list(bytes)
    }

    /// Returns the handle of the warning that a JSON list belongs to: its member `"warning"`, 64 hexadecimal digits.
    /// Returns `nil` when that member is absent or `null`, and for bytes that are not a JSON object of at most 16 MiB.
    /// Throws `unreadableSubmission` when the member is anything else.
    public static func warning(in bytes: [UInt8]) throws(AuthorityError) -> WarningHandle? {
        guard bytes.first == UInt8(ascii: "{"), bytes.count <= maximumListBytes,
            let member = (try? JSON(parsing: bytes, maximumDepth: 8))?["warning"], member != .null
        else { return nil }
        guard let handle = member.string.flatMap(WarningHandle.init(hexadecimal:)) else {
            throw AuthorityError(.unreadableSubmission, "\"warning\" must be 64 hexadecimal digits")
        }
        return handle
    }

    /// Returns the check-ins of a JSON object: its members `"checkIns"` and `"checkInProtectedReports"`, lists of
    /// messages in Base64. Returns none when these members are absent, and for bytes that are not a JSON object of
    /// at most 16 MiB. Throws `unreadableSubmission` when a member is not such a list, `null` included, and, with the
    /// flaw as detail, for check-ins that ``SubmittedCheckIns/init(plain:reports:)`` refuses.
    public static func checkIns(in bytes: [UInt8]) throws(AuthorityError) -> SubmittedCheckIns {
        guard bytes.first == UInt8(ascii: "{"), bytes.count <= maximumListBytes,
            let list = try? JSON(parsing: bytes, maximumDepth: 8)
        else { return SubmittedCheckIns() }
        let (plain, reports) = (try messages("checkIns", of: list), try messages("checkInProtectedReports", of: list))
        do throws(SubmissionRules.FlawFound) { return try SubmittedCheckIns(plain: plain, reports: reports) } catch {
            throw AuthorityError(.unreadableSubmission, error.flaw.rawValue)
        }
    }

    /// Returns the hours at venues of a JSON object: its member `"venueHours"`, a list of messages `UploadVenueInfo` in
    /// Base64. Returns none when it is absent, and for bytes that are not a JSON object of at most 16 MiB. Throws
    /// `unreadableSubmission` when the member is not such a list, `null` included, and, with the flaw as detail, for hours
    /// that ``VenueHours/init(messages:)`` refuses.
    public static func venueHours(in bytes: [UInt8]) throws(AuthorityError) -> VenueHours {
        guard bytes.first == UInt8(ascii: "{"), bytes.count <= maximumListBytes,
            let list = try? JSON(parsing: bytes, maximumDepth: 8), list["venueHours"] != nil
        else { return VenueHours() }
        let messages = try messages("venueHours", of: list)
        do throws(VenueHoursFlaw) { return try VenueHours(messages: messages) } catch {
            throw AuthorityError(.unreadableSubmission, "venueHours: \(error.rawValue)")
        }
    }

    /// None when the member is absent.
    private static func messages(_ name: String, of list: JSON) throws(AuthorityError) -> [[UInt8]] {
        guard let member = list[name] else { return [] }
        let messages = member.array?.map { $0.string.flatMap(Base64.bytes) } ?? [nil]
        guard !messages.contains(nil) else {
            throw AuthorityError(.unreadableSubmission, "\"\(name)\" must be a list of messages in Base64")
        }
        return messages.compactMap(\.self)
    }

    private static func collect(_ read: (inout [SubmittedKey]) throws -> Void) throws(AuthorityError) -> [SubmittedKey] {
        var keys: [SubmittedKey] = []
        do { try read(&keys) } catch let error as AuthorityError { throw error } catch {
            throw AuthorityError(.unreadableSubmission, "\(error)")
        }
        return keys
    }

    private static func append(_ batch: UnsafeBufferPointer<ExportedKey>, to keys: inout [SubmittedKey]) throws {
        guard keys.count + batch.count <= maximumKeys else {
            throw AuthorityError(.submissionTooLarge, "more than \(maximumKeys) keys")
        }
        // A revised key belongs to another authority's history; here it would be a second name for the same.
        for key in batch where !key.isRevised { keys.append(SubmittedKey(key)) }
    }

    private static func archive(_ bytes: [UInt8], _ trust: TrustStore?) throws(AuthorityError) -> [SubmittedKey] {
        try collect { keys in
            let reader = try KeyFileReader(bytes: bytes)
            if let trust {
                _ = try reader.read(trust: trust, policy: .anyKey, time: nil) { try append($0, to: &keys) }
            } else {
                _ = try reader.readUnverified { try append($0, to: &keys) }
            }
        }
    }

    private static func export(_ bytes: [UInt8]) throws(AuthorityError) -> [SubmittedKey] {
        try collect { keys in
            var decoder = ExportDecoder()
            try bytes.withUnsafeBytes { chunk in try decoder.decode(chunk) { try append($0, to: &keys) } }
            _ = try decoder.finish { try append($0, to: &keys) }
        }
    }

    /// `{"temporaryExposureKeys": [{"key", "rollingStartNumber", "rollingPeriod"?, "transmissionRisk"?, "reportType"?,
    /// "daysSinceOnset"?, "variantOfConcern"?, "regions"?}]}`: the names of exposure-notifications-server's publish call, and
    /// ours where that has none.
    private static func list(_ bytes: [UInt8]) throws(AuthorityError) -> [SubmittedKey] {
        guard bytes.count <= maximumListBytes else {
            throw AuthorityError(.submissionTooLarge, "a list of \(bytes.count) bytes, at most \(maximumListBytes)")
        }
        let json: JSON
        do { json = try JSON(parsing: bytes, maximumDepth: 8) } catch {
            throw AuthorityError(.unreadableSubmission, "neither a key file nor JSON: \(error)")
        }
        guard let elements = json["temporaryExposureKeys"]?.array else {
            throw AuthorityError(.unreadableSubmission, "the list \"temporaryExposureKeys\" is missing")
        }
        guard elements.count <= maximumKeys else {
            throw AuthorityError(.submissionTooLarge, "more than \(maximumKeys) keys")
        }
        let problems = Problems()
        var keys: [SubmittedKey] = []
        keys.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            keys.append(key(element, path: "temporaryExposureKeys[\(index)]", problems))
        }
        guard problems.isEmpty else { throw AuthorityError(.unreadableSubmission, "\n  \(problems.text)") }
        return keys
    }

    private static let number: ClosedRange<Int64> = Int64(Int32.min)...Int64(Int32.max)

    private static func key(_ element: JSON, path: String, _ problems: Problems) -> SubmittedKey {
        var reader = ObjectReader(element, path: path, problems: problems)
        var key = ExportedKey()
        let data = reader.value("key")?.string.flatMap(Base64.bytes)
        if let data {
            key.dataByteCount = UInt32(clamping: data.count)
            if let block = Block(data) { key.data = block }
        } else {
            reader.problem("key", "must be Base64")
        }
        if !reader.has("rollingStartNumber") { reader.problem("rollingStartNumber", "is required") }
        key.rollingStart = Int32(reader.integer("rollingStartNumber", in: number, default: 0))
        key.rollingPeriod = Int32(reader.integer("rollingPeriod", in: number, default: 144))
        key.transmissionRiskLevel = Int32(reader.integer("transmissionRisk", in: number, default: 0))
        key.reportType = Int32(reader.integer("reportType", in: number, default: 1))
        key.hasOnset = reader.has("daysSinceOnset")
        key.daysSinceOnset = Int32(reader.integer("daysSinceOnset", in: number, default: 0))
        key.hasVariant = reader.has("variantOfConcern")
        key.variantOfConcern = Int32(reader.integer("variantOfConcern", in: number, default: 0))
        var regions: [String]?
        if reader.has("regions") {
            regions = reader.texts(
                "regions", default: [], count: 1...16, rule: "two or three capital letters",
                isValid: AuthoritySettings.isRegion)
        }
        reader.finish()
        return SubmittedKey(key, regions: regions)
    }
}
