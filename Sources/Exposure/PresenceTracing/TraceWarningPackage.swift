// SPDX-License-Identifier: Apache-2.0

import Cryptography
import KeyExport
public import Trust

/// An authority's warnings for one hour, reduced to those that can be about places that the wearer visited
/// (`TraceWarningPackage`, spec cwa-protocols 8.3).
public struct TraceWarningPackage: Sendable, Hashable {
    /// The limits on the size of a package. A package beyond them is refused.
    public struct Limits: Sendable, Hashable {
        /// The maximum size of export.bin after decompression in bytes, inclusive; 16 MiB, where 100,000 encrypted
        /// warnings have 11 MB. The number is this project's own.
        public var maximumBytes = 16 << 20
        /// The maximum number of warnings of both versions together; real hours had some thousands. The number is
        /// this project's own and not checked.
        public var maximumWarnings = 100_000

        /// The limits of 16 MiB and 100,000 warnings, which are this project's own.
        public static let standard = Limits()

        /// Creates limits of 16 MiB and 100,000 warnings.
        public init() {}
    }

    /// A warning that everybody can read (first version).
    public struct Warning: Sendable, Hashable {
        /// The SHA-256 of the venue's id, by which the warning is found; 32 bytes in a package that was read.
        public let locationIDHash: [UInt8]
        /// The time of the infectious person's stay, and the person's level of transmission risk.
        public let record: CheckInRecord

        /// Creates a warning; the hash must have 32 bytes, which is not checked.
        public init(locationIDHash: [UInt8], record: CheckInRecord) {
            self.locationIDHash = locationIDHash
            self.record = record
        }
    }

    /// The hour of the package, in hours since 1970, UTC; 0 when absent. Not checked in a package that was only
    /// decoded.
    public let hour: UInt32
    /// The region as the package states, such as `DE`; may be empty. It is foreign text: show it with `ForeignText`.
    public let region: String
    /// The plausible warnings of the first version for the wanted places, in the order of the package; empty if there
    /// are none.
    public let warnings: [Warning]
    /// The plausible warnings of the second version for the wanted places, not decrypted, in the order of the
    /// package; empty if there are none.
    public let reports: [ProtectedReport]
    /// The number of warnings in the package for any place, including ``implausible`` ones; 0 to the limit.
    public let count: Int
    /// The number of warnings that were left out because they have a wrong length, no duration, or an invalid level;
    /// 0 to ``count``. The other warnings are used, so that one error of a server does not lose them all.
    public let implausible: Int

    /// Verifies and reads a package: export.bin (a bare message, without the header of key files) with its
    /// signatures.
    ///
    /// The signature is verified first. One signature by any key of role `export` that is valid at `time` (Unix
    /// seconds, `nil` when the clock is not trusted) is enough, as for the Corona-Warn-App's key files. `hour` is the
    /// hour that the address states; `wanted` are the hashes of places to look for, `nil` for all.
    ///
    /// - Throws: `packageTooLarge` or `tooManyWarnings` beyond `limits`; `noTrustedSignature` when no trusted key
    ///   signed or export.sig cannot be read; `malformedPackage` when export.bin is not the message; `wrongHour` when
    ///   it is for another hour.
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

    /// Reads a message without verifying a signature. `wanted` are the hashes of places to look for, `nil` for all.
    /// Throws `packageTooLarge` or `tooManyWarnings` beyond `limits`, and `malformedPackage` when it is not the
    /// message.
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

    /// Returns a package as protobuf (`TraceWarningPackage`), for servers and test servers; nothing is checked.
    /// `hour` is in hours since 1970, UTC; 0 and an empty `region` are left out. Empty lists make the package that is
    /// signed for an hour without warnings.
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
