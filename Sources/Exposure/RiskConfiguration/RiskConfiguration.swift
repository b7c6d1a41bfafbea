// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
public import GAEN
import JSON

/// The rules that a board judges encounters by, and whether it judges at all.
public struct RiskConfiguration: Hashable, Sendable {
    /// Bytes of the largest document that is read, inclusive, 64 KiB; one with all models has 7 KB. Our own bound.
    public static let maximumByteCount = 65_536
    /// Versions that a configuration may have: 1 to 2³¹ - 1. Our own bound.
    public static let versions: ClosedRange<Int64> = 1...Int64(Int32.max)

    /// Version of the rules, one of ``versions``, which ``problems`` checks; it rises with every change, and an older one is not taken again.
    public var version: Int64
    /// The time when the configuration begins to hold, Unix seconds; in a document from 0 to the end of the year 9999. `nil` is at once.
    public var validFrom: Int64?
    /// The models, in order of preference (``choose(for:)``): at least one, each once, which ``problems`` checks.
    public var models: [RiskModelParameters]
    /// The mapping by which the data published with a key are read.
    public var mapping: DiagnosisKeyMapping
    /// The state of the authority's service: it warns people now, pauses, or has ended.
    public var service: RiskService
    /// The meaning of the report types of the authority's keys.
    public var reportTypes: ReportTypeMeaning

    /// A configuration of any parts can be made; ``problems`` says whether it may be used. `validFrom` is in Unix seconds,
    /// `nil` for at once.
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

    /// Reads Vigil's own document (docs/risk-configuration.md); says nothing about its signature. Throws `tooLarge`,
    /// `malformed`, or `outOfRange` and `invalid` with everything that is wrong.
    public init(parsing bytes: [UInt8]) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: Self.maximumByteCount)
        self = try DocumentReading.value(json, DocumentForm.document)
    }

    /// Vigil's own document, everything written out. The same configuration always gives the same bytes. Reading it gives the
    /// configuration back if it has no ``problems``.
    public var document: [UInt8] { DocumentForm.document.write(self).bytes }

    /// All problems, with the paths of ``document``, at most ``RiskConfigurationError/mostProblems``; empty when it may be
    /// used.
    public var problems: [RiskProblem] {
        do throws(RiskConfigurationError) {
            _ = try RiskConfiguration(parsing: document)
            return []
        } catch {
            return error.problems.isEmpty ? [RiskProblem("", error.description)] : error.problems
        }
    }

    /// Whether it holds at `time` (Unix seconds). While no time is known, only one that holds at once does.
    public func isValid(at time: Int64?) -> Bool {
        guard let validFrom else { return true }
        return time.map { $0 >= validFrom } ?? false
    }
}

/// The meaning of the report types of the authority's keys.
public enum ReportTypeMeaning: Hashable, Sendable {
    /// How the infection was established. They move as in phones, and confirmed tests never do.
    case stated
    /// Codes for something else, as the Corona-Warn-App's server publishes a transmission risk level as report type and onset. How the
    /// infection was established is not known, and a revocation is believed whatever the code was.
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
