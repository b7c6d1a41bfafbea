// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import HTTPFields

/// The Corona-Warn-App's configuration (`ApplicationConfigurationAndroid`, `/version/v2/app_config_android`, or
/// `ApplicationConfigurationIOS`, `/version/v2/app_config_ios`), as far as this board uses it; the whole message is in
/// ``content``.
public struct AppConfiguration: Sendable, Hashable {
    /// The phones that a configuration is for: the same fields have other numbers, and some are missing.
    public enum Form: String, Sendable, CaseIterable {
        /// `ApplicationConfigurationAndroid`.
        case android
        /// `ApplicationConfigurationIOS`. It has no times for downloads and for matching, and neither ``mapping`` nor ``dailySummaries``: its weights are in
        /// another message, which the target RiskConfiguration reads.
        case ios

        fileprivate var message: String {
            switch self {
            case .android: "ApplicationConfigurationAndroid"
            case .ios: "ApplicationConfigurationIOS"
            }
        }
    }

    /// The maximum size of a message in bytes, inclusive; 1 MiB, where real ones have 2 to 10 KB. The number is this
    /// project's own.
    public static let maximumByteCount = 1 << 20

    /// A package of keys that must be forgotten and fetched again.
    public struct RevokedPackage: Sendable, Hashable {
        /// The country or region as in the package's path; empty when not stated. Foreign text, not checked.
        public let region: String
        /// The UTC day of the package; `nil` when it is not stated or not a date.
        public let day: CivilDate?
        /// The UTC hour of the package as published, 0 to 23 if valid, not checked; 0 also when a package of an hour
        /// does not state it. `nil` for a package of a whole day.
        public let hour: Int?
        /// The entity tag (`ETag`) of the package, without quotation marks and `W/`; 1 to 128 visible ASCII characters
        /// of the configuration.
        public let entityTag: String
    }

    /// The published mapping of onset days to infectiousness, in Google's numbers: 0 none, 1 standard, 2 high.
    public struct Mapping: Sendable, Hashable {
        /// The infectiousness (0 none, 1 standard, 2 high) for days since onset from -14 to 14; entries with another
        /// day or number were left out. May be empty.
        public let daysSinceOnsetToInfectiousness: [Int: Int]
        /// The infectiousness of keys without days since onset: 0 none, 1 standard or 2 high; 0 when it is not stated
        /// or another number.
        public let infectiousnessWhenMissing: Int
        /// The number of the report type that replaces a missing one, 1 to 4; 1 when it is not stated or another
        /// number.
        public let reportTypeWhenMissing: Int
    }

    /// Google's `DailySummariesConfig` as published: types were checked, but not ranges or counts, which
    /// ``ExposureRisk`` checks.
    public struct DailySummaries: Sendable, Hashable {
        /// The attenuation thresholds in dB, not checked; three in a correct configuration, empty when not stated.
        public let attenuationThresholds: [Int]
        /// The weights of time by attenuation, without unit, not checked; four in a correct configuration (immediate,
        /// near, medium, other), empty when not stated.
        public let attenuationWeights: [Double]
        /// The number of days before today beyond which windows are left out, not checked; 0 leaves none out, and is
        /// the value when not stated.
        public let daysSinceExposureThreshold: Int
        /// The weights, without unit, by the number of the infectiousness (1 standard, 2 high), as published: other
        /// numbers may occur, and those not stated are missing.
        public let infectiousnessWeights: [Int: Double]
        /// The minimum score of a window in weighted seconds, below which it is left out. Any finite number; 0 when
        /// not stated.
        public let minimumWindowScore: Double
        /// The weights, without unit, by the number of the report type (1 to 4 if valid), as published; those not
        /// stated are missing.
        public let reportTypeWeights: [Int: Double]
    }

    /// The whole message by the names of its fields, without fields that have their default; always of the kind
    /// ``ConfigValue/message(_:)``.
    public let content: ConfigValue
    /// The codes of the countries whose keys are in the authority's packages, as published; may be empty. Foreign
    /// texts.
    public let supportedCountries: [String]
    /// The values of features by label, as published; 0 for a label without a value. Of two features with the same
    /// label the later counts, and features without a label are left out.
    public let features: [String: Int64]
    /// The number that rises with each configuration; `nil` if the authority gives none (``ConfigurationNumber``).
    public let number: ConfigurationNumber?
    /// The revoked packages of days, then those of hours, each in the order of the message; entries without a usable
    /// entity tag are left out. May be empty.
    public let revokedPackages: [RevokedPackage]
    /// The entity tags of revoked packages of trace warnings, without quotation marks, 1 to 128 visible ASCII
    /// characters each; others are left out. May be empty.
    public let revokedTraceWarningTags: Set<String>
    /// The time for one download in seconds, 1 to 1,800; see ``ConfigRules/downloadTimeout(_:)``.
    public let downloadTimeoutSeconds: Int
    /// The time for all downloads of a run in seconds, 1 to 1,800; see ``ConfigRules/overallDownloadTimeout(_:)``.
    public let overallDownloadTimeoutSeconds: Int
    /// The number of times per day that keys are matched, and the interval between two: 6 a day if the message has no
    /// `exposureDetectionParameters`. If it has them, an absent number is 0 and switches matching off. See
    /// ``ConfigRules/detectionFrequency(_:)``.
    public let detectionFrequency: ConfigRules.DetectionFrequency
    /// The time for one matching in seconds, 1 to 3,600; see ``ConfigRules/detectionTimeout(_:)``.
    public let detectionTimeoutSeconds: Int
    /// The mapping of days since onset to infectiousness; `nil` when the message has no such part.
    public let mapping: Mapping?
    /// The weights of Google's and Apple's daily summaries; `nil` when the message has no such part.
    public let dailySummaries: DailySummaries?

    /// Reads a configuration of the form ``Form/android``, as ``init(_:form:)`` does.
    public init?(_ bytes: [UInt8]) { self.init(bytes, form: .android) }

    /// Reads export.bin of a configuration of this form whose signature was verified. Returns `nil` when it is malformed, has more
    /// than ``maximumByteCount`` bytes, 20,000 elements or 16 levels, has a number that is not finite, or a
    /// ``ConfigurationNumber`` that is none.
    public init?(_ bytes: [UInt8], form: Form) {
        guard bytes.count <= Self.maximumByteCount,
            let content = ConfigReader.read(bytes, as: form.message)
        else { return nil }
        self.content = content
        do throws(ConfigurationRefusal) { number = try ConfigurationNumber.read(content) } catch { return nil }
        supportedCountries = content["supportedCountries"]?.list.compactMap(\.string) ?? []
        features = Dictionary(
            (content["appFeatures"]?["appFeatures"]?.list ?? []).compactMap { feature in
                feature["label"]?.string.map { ($0, feature["value"]?.integer ?? 0) }
            }, uniquingKeysWith: { $1 })
        let download = content["keyDownloadParameters"]
        revokedPackages =
            (download?["revokedDayPackages"]?.list ?? []).compactMap { RevokedPackage($0, isHour: false) }
            + (download?["revokedHourPackages"]?.list ?? []).compactMap { RevokedPackage($0, isHour: true) }
        revokedTraceWarningTags = Set(
            (download?["revokedTraceWarningPackages"]?.list ?? []).compactMap {
                $0["etag"]?.string.flatMap(EntityTag.bare)
            })
        downloadTimeoutSeconds = ConfigRules.downloadTimeout(download?["downloadTimeoutInSeconds"]?.integer)
        overallDownloadTimeoutSeconds = ConfigRules.overallDownloadTimeout(download?["overallTimeoutInSeconds"]?.integer)
        let detection = content["exposureDetectionParameters"]
        // Without the message nothing was said; within it, an absent number is 0.
        detectionFrequency = ConfigRules.detectionFrequency(
            detection.map { $0["maxExposureDetectionsPerInterval"]?.integer ?? 0 })
        detectionTimeoutSeconds = ConfigRules.detectionTimeout(detection?["overallTimeoutInSeconds"]?.integer)
        mapping = content["diagnosisKeysDataMapping"].map(Mapping.init)
        dailySummaries = content["dailySummariesConfig"].map(DailySummaries.init)
    }

    /// The entity tags of all revoked packages of keys, without quotation marks; empty without any.
    public var revokedTags: Set<String> { Set(revokedPackages.map(\.entityTag)) }

    /// Whether the clock must be compared with the server's before matching; `false` only if the feature
    /// ``ConfigRules/noClockCheck`` has the value 1.
    public var checksClock: Bool { features[ConfigRules.noClockCheck] != 1 }
}

extension AppConfiguration.RevokedPackage {
    fileprivate init?(_ value: ConfigValue, isHour: Bool) {
        guard let tag = value["etag"]?.string.flatMap(EntityTag.bare) else { return nil }
        region = value["region"]?.string ?? ""
        day = value["date"]?.string.flatMap { CivilDate(isoText: $0) }
        hour = isHour ? Int(clamping: value["hour"]?.integer ?? 0) : nil
        entityTag = tag
    }
}

extension AppConfiguration.Mapping {
    fileprivate init(_ value: ConfigValue) {
        daysSinceOnsetToInfectiousness = Dictionary(
            (value["daysSinceOnsetToInfectiousness"]?.map ?? [:]).compactMap { day, level in
                guard let level = level.integer, (0...2).contains(level), (-14...14).contains(day) else { return nil }
                return (Int(day), Int(level))
            }, uniquingKeysWith: { $1 })
        let missing = value["infectiousnessWhenDaysSinceOnsetMissing"]?.integer ?? 0
        infectiousnessWhenMissing = (0...2).contains(missing) ? Int(missing) : 0
        let type = value["reportTypeWhenMissing"]?.integer ?? 0
        reportTypeWhenMissing = (1...4).contains(type) ? Int(type) : 1
    }
}

extension AppConfiguration.DailySummaries {
    fileprivate init(_ value: ConfigValue) {
        attenuationThresholds = (value["attenuationBucketThresholdDb"]?.list ?? []).compactMap {
            $0.integer.map { Int(clamping: $0) }
        }
        attenuationWeights = (value["attenuationBucketWeights"]?.list ?? []).compactMap(\.number)
        daysSinceExposureThreshold = Int(clamping: value["daysSinceExposureThreshold"]?.integer ?? 0)
        infectiousnessWeights = Self.weights(value["infectiousnessWeights"])
        minimumWindowScore = value["minimumWindowScore"]?.number ?? 0
        reportTypeWeights = Self.weights(value["reportTypeWeights"])
    }

    private static func weights(_ value: ConfigValue?) -> [Int: Double] {
        Dictionary(
            (value?.map ?? [:]).compactMap { key, weight in weight.number.map { (Int(clamping: key), $0) } },
            uniquingKeysWith: { $1 })
    }
}
