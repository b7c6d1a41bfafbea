// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
public import Trust

/// One hour's warnings of an authority, reduced to those that may be about places that somebody has been to (`TraceWarningPackage`, spec
/// cwa-protocols 8.3).
public struct TraceWarningPackage: Sendable, Hashable {
    /// Limits on the cost of a package. A package beyond them is refused.
    public struct Limits: Sendable, Hashable {
        /// Bytes of export.bin after inflating, inclusive; 16 MiB. 100,000 encrypted warnings have 11 MB. Our own bound.
        public var maximumBytes = 16 << 20
        /// Most warnings, of both versions together. Real hours had some thousands. Our own bound. Not checked.
        public var maximumWarnings = 100_000

        /// Limits of 16 MiB and 100,000 warnings. Our own bounds.
        public static let standard = Limits()

        /// Limits of 16 MiB and 100,000 warnings, to be changed.
        public init() {}
    }

    /// A warning that everybody can read (first version).
    public struct Warning: Sendable, Hashable {
        /// SHA-256 of the venue's id, 32 bytes in a package that was read: what the warning is found by.
        public let locationIDHash: [UInt8]
        /// The stay of somebody infectious there, and how infectious they were.
        public let record: CheckInRecord

        /// A warning of these parts; the hash must have 32 bytes, which is not checked.
        public init(locationIDHash: [UInt8], record: CheckInRecord) {
            self.locationIDHash = locationIDHash
            self.record = record
        }
    }

    /// The hour that the package is for, in hours since 1970, UTC; 0 when absent. Unchecked where the package was only decoded.
    public let hour: UInt32
    /// The region as the package says, such as `DE`; perhaps empty. Foreign text: show it by `ForeignText`.
    public let region: String
    /// Plausible warnings of the first version that were asked for, in the order of the package; empty if none.
    public let warnings: [Warning]
    /// Plausible warnings of the second version that were asked for, in the order of the package, not decrypted; empty if none.
    public let reports: [ProtectedReport]
    /// The number of warnings in the package, of whatever place, ``implausible`` ones too; 0 to the limit.
    public let count: Int
    /// The number of warnings that can be about nothing: wrong lengths, no time, a level that there is not. They are passed over, or one slip of a
    /// server would cost everybody the others' warnings. 0 to ``count``.
    public let implausible: Int

    /// Verifies and reads a package: export.bin (a bare message, without the header of key files) with its signatures.
    ///
    /// The signature is judged first. Any signature by any key of role `export` that is valid at `time` (Unix seconds, `nil` when the clock is not
    /// trusted) is enough, as for the Corona-Warn-App's key files. `hour` is what the address said; `wanted` are the hashes of places to look for,
    /// `nil` for all. Throws `packageTooLarge`, `noTrustedSignature`, `malformedPackage`, `tooManyWarnings` or `wrongHour`.
    public init(
        exportBin: [UInt8], exportSig: [UInt8], trust: TrustStore, time: Int64?, hour: UInt32, wanted: Set<[UInt8]>?,
        limits: Limits = .standard
    ) throws(PresenceTracingError) {
        guard exportBin.count <= limits.maximumBytes else {
            throw PresenceTracingError(.packageTooLarge, "\(exportBin.count) bytes")
        }
        let signatures = (try? ExportSignatureList.read(exportSig)) ?? []
        let digest = SHA256.digest(of: exportBin)
        let isSigned = signatures.contains {
            trust.signer(of: digest, signature: $0.signature, role: .export, at: time) != nil
        }
        guard isSigned else { throw PresenceTracingError(.noTrustedSignature) }
        try self.init(decoding: exportBin, wanted: wanted, limits: limits)
        guard self.hour == hour else {
            throw PresenceTracingError(.wrongHour, "\(self.hour), where \(hour) is expected")
        }
    }

    /// Reads a message whose signature was verified, or need not be. `wanted` are the hashes of places to look for, `nil`
    /// for all. Throws `packageTooLarge`, `tooManyWarnings` or `malformedPackage`.
    public init(
        decoding bytes: [UInt8], wanted: Set<[UInt8]>?, limits: Limits = .standard
    ) throws(PresenceTracingError) {
        guard bytes.count <= limits.maximumBytes else {
            throw PresenceTracingError(.packageTooLarge, "\(bytes.count) bytes")
        }
        var reader = Reader(wanted: wanted, maximum: limits.maximumWarnings)
        let isWhole = bytes.withUnsafeBytes { reader.read($0) }
        guard reader.count <= limits.maximumWarnings else {
            throw PresenceTracingError(.tooManyWarnings, "more than \(limits.maximumWarnings)")
        }
        guard isWhole else { throw PresenceTracingError(.malformedPackage) }
        hour = reader.hour
        region = reader.region
        warnings = reader.warnings
        reports = reader.reports
        count = reader.count
        implausible = reader.implausible
    }

    private struct Reader {
        let wanted: Set<[UInt8]>?
        let maximum: Int
        var hour: UInt32 = 0
        var region = ""
        var warnings: [Warning] = []
        var reports: [ProtectedReport] = []
        var count = 0
        var implausible = 0

        init(wanted: Set<[UInt8]>?, maximum: Int) {
            self.wanted = wanted
            self.maximum = maximum
        }

        mutating func read(_ message: UnsafeRawBufferPointer) -> Bool {
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: return store(value.uint32, in: &hour)
                case 2: return store(value.text, in: &region)
                case 3, 4:
                    count += 1
                    guard count <= maximum, let entry = value.buffer else { return false }
                    return field == 3 ? readWarning(entry) : readReport(entry)
                default: return true
                }
            }
        }

        private func isWanted(_ hash: [UInt8]) -> Bool { wanted?.contains(hash) ?? true }

        /// `TraceTimeIntervalWarning`: a hash, and then the numbers of a record.
        private mutating func readWarning(_ message: UnsafeRawBufferPointer) -> Bool {
            var hash: [UInt8] = []
            var numbers = CheckInRecord.Numbers()
            let isWhole = ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: store(value.bytes, in: &hash)
                case 2: store(value.uint32, in: &numbers.start)
                case 3: store(value.uint32, in: &numbers.period)
                case 4: store(value.uint32, in: &numbers.level)
                default: true
                }
            }
            guard isWhole else { return false }
            guard hash.count == LocationID.byteCount, let record = numbers.record else {
                implausible += 1
                return true
            }
            if isWanted(hash) { warnings.append(Warning(locationIDHash: hash, record: record)) }
            return true
        }

        private mutating func readReport(_ message: UnsafeRawBufferPointer) -> Bool {
            guard let fields = ProtectedReport.fields(message) else { return false }
            let report = try? ProtectedReport(
                locationIDHash: fields[0], initializationVector: fields[1], encryptedRecord: fields[2],
                messageCode: fields[3])
            guard let report else {
                implausible += 1
                return true
            }
            if isWanted(report.locationIDHash) { reports.append(report) }
            return true
        }
    }

    /// Writes a package as protobuf (`TraceWarningPackage`), for servers and stand-ins; nothing is checked. `hour` is in hours since 1970, UTC; 0
    /// and an empty `region` are left out. Empty lists are the signed form of an hour without warnings.
    public static func encoded(
        hour: UInt32, region: String, warnings: [Warning] = [], reports: [ProtectedReport] = []
    ) -> [UInt8] {
        var writer = ProtobufWriter()
        if hour != 0 { writer.number(1, UInt64(hour)) }
        if !region.isEmpty { writer.text(2, region) }
        for warning in warnings {
            writer.message(3) { message in
                message.data(1, warning.locationIDHash)
                if warning.record.start != 0 { message.number(2, UInt64(warning.record.start)) }
                message.number(3, UInt64(warning.record.period))
                message.number(4, UInt64(warning.record.level))
            }
        }
        for report in reports { writer.data(4, report.encoded) }
        return writer.bytes
    }
}
