// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
import JSON

/// The rules by which a board judges encounters, and whether it judges at all.
public struct RiskConfiguration: Hashable, Sendable {
    /// The maximum size of a document in bytes, inclusive; 64 KiB, where one with all models has 7 KB. The number is
    /// this project's own.
    public static let maximumByteCount = 65_536
    /// The versions that a configuration may have: 1 to 2³¹ - 1. The numbers are this project's own.
    public static let versions: ClosedRange<Int64> = 1...Int64(Int32.max)

    /// The version of the rules, one of ``versions``, which ``problems`` checks. It rises with every change, and
    /// ``RiskConfigurationSlot`` refuses an older one.
    public var version: Int64
    /// The time from which the configuration is valid, in Unix seconds; 0 to the end of the year 9999 in a document.
    /// `nil` means at once.
    public var validFrom: Int64?
    /// The models in order of preference (``choose(for:)``): at least one, each at most once, which ``problems``
    /// checks.
    public var models: [RiskModelParameters]
    /// The mapping by which the values published with a key are interpreted.
    public var mapping: DiagnosisKeyMapping
    /// The state of the authority's service: running, paused or ended.
    public var service: RiskService
    /// The meaning of the report types of the authority's keys.
    public var reportTypes: ReportTypeMeaning

    /// Creates a configuration from any parts; ``problems`` states whether it may be used. `validFrom` is in Unix
    /// seconds, `nil` for at once.
    public init(
        version: Int64, validFrom: Int64? = nil, models: [RiskModelParameters], mapping: DiagnosisKeyMapping,
        service: RiskService = .running, reportTypes: ReportTypeMeaning = .stated
    ) {
        self.version = version
        self.validFrom = validFrom
        self.models = models
        self.mapping = mapping
        self.service = service
        self.reportTypes = reportTypes
    }

    /// Reads Vigil's own document (docs/risk-configuration.md) without verifying a signature. Throws `tooLarge`
    /// beyond ``maximumByteCount``, `malformed` when it is not JSON or has more than 16 levels, or `outOfRange` and
    /// `invalid` with all problems.
    public init(parsing bytes: [UInt8]) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: Self.maximumByteCount)
        self = try DocumentReading.value(json, DocumentForm.document)
    }

    /// The configuration as Vigil's own document, with every value written out. The same configuration always results
    /// in the same bytes. Reading the document returns an equal configuration if it has no ``problems``.
    public var document: [UInt8] { DocumentForm.document.write(self).bytes }

    /// All problems, with the paths of ``document``, at most ``RiskConfigurationError/mostProblems``; empty when the
    /// configuration may be used.
    public var problems: [RiskProblem] {
        do throws(RiskConfigurationError) {
            _ = try RiskConfiguration(parsing: document)
            return []
        } catch {
            return error.problems.isEmpty ? [RiskProblem("", error.description)] : error.problems
        }
    }

    /// Whether the configuration is valid at `time` (Unix seconds). While the time is not known (`nil`), only one
    /// without ``validFrom`` is.
    public func isValid(at time: Int64?) -> Bool {
        guard let validFrom else { return true }
        return time.map { $0 >= validFrom } ?? false
    }
}

/// The meaning of the report types of the authority's keys.
public enum ReportTypeMeaning: Hashable, Sendable {
    /// The way in which the infection was established. Types change as on phones, where a confirmed test never does.
    case stated
    /// Codes for something else, such as the transmission risk level that the Corona-Warn-App's server publishes as
    /// report type and onset. How the infection was established is not known, and a revocation is accepted whatever
    /// the code was.
    case codes
}

/// From bytes to a value or everything that is wrong.
enum DocumentReading {
    // Documents have up to eight levels.
    private static let maximumDepth = 16

    static func json(_ bytes: [UInt8], limit: Int) throws(RiskConfigurationError) -> JSON {
        guard bytes.count <= limit else { throw RiskConfigurationError(.tooLarge, "more than \(limit) bytes") }
        do { return try JSON(parsing: bytes, maximumDepth: maximumDepth) } catch {
            throw RiskConfigurationError(.malformed, problems: [RiskProblem("", "\(error)")])
        }
    }

    static func value<Value>(_ json: JSON, _ form: Form<Value>) throws(RiskConfigurationError) -> Value {
        var problems = ProblemList()
        let value = form.read(json, JSONPath(), &problems)
        guard problems.problems.isEmpty else {
            throw RiskConfigurationError(
                problems.areAllOutOfRange ? .outOfRange : .invalid, problems: problems.problems)
        }
        return value
    }
}
