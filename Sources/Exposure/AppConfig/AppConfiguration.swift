// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import HTTPFields

/// The Corona-Warn-App's configuration (`ApplicationConfigurationAndroid`, `/version/v2/app_config_android`), as far as this board acts on it; the
/// rest is in ``content``.
public struct AppConfiguration: Sendable, Hashable {
    /// Bytes of the largest message that is read, inclusive, 1 MiB; real ones have 2 to 10 KB. Our own bound.
    public static let maximumByteCount = 1 << 20

    /// A package of keys that must be forgotten and fetched again.
    public struct RevokedPackage: Sendable, Hashable {
        /// Country or region, as in the package's path; empty when it was not said. Foreign text, not checked.
        public let region: String
        /// Day of the package, UTC; `nil` when it was not said or is no date.
        public let day: CivilDate?
        /// Hour of the package, UTC, as published: 0 to 23 when it makes sense, not checked; 0 too when a package of an
        /// hour does not say it. `nil` for a package of a whole day.
        public let hour: Int?
        /// The entity tag (`ETag`) of the package, without quotation marks and `W/`; 1 to 128 visible ASCII characters
        /// of the configuration.
        public let entityTag: String
    }

    /// The published mapping of onset days to infectiousness, in Google's numbers: 0 none, 1 standard, 2 high.
    public struct Mapping: Sendable, Hashable {
        /// Days since onset, -14 to 14, to 0 none, 1 standard or 2 high; entries with another day or number were left
        /// out. Empty when none is left.
        public let daysSinceOnsetToInfectiousness: [Int: Int]
        /// The infectiousness of keys without days since onset: 0 none, 1 standard or 2 high; 0 when it was not said or is
        /// another number.
        public let infectiousnessWhenMissing: Int
        /// Number of the report type that keys without one count as, 1 to 4; 1 when it was not said or is another
        /// number.
        public let reportTypeWhenMissing: Int
    }

    /// Google's `DailySummariesConfig` as it was published: only types were checked, not ranges or counts. ``ExposureRisk``
    /// judges it.
    public struct DailySummaries: Sendable, Hashable {
        /// Attenuations in dB, not checked; three in a configuration that is right, none when they were not said.
        public let attenuationThresholds: [Int]
        /// Weights of time by attenuation, without unit, not checked. Four in a configuration that is right: immediate,
        /// near, medium, other. Empty when they were not said.
        public let attenuationWeights: [Double]
        /// Days before today beyond which windows are left out, not checked; 0 leaves none out, and is the value when
        /// it was not said.
        public let daysSinceExposureThreshold: Int
        /// Weights of the infectiousness, without unit, by its number: 1 standard and 2 high. As published: other
        /// numbers occur, and what is missing was not said.
        public let infectiousnessWeights: [Int: Double]
        /// Weighted seconds; windows that score less are left out. Any finite number; 0 when it was not said.
        public let minimumWindowScore: Double
        /// Weights, without unit, by number of the report type (1 to 4 when they make sense), as published; what is
        /// missing was not said.
        public let reportTypeWeights: [Int: Double]
    }

    /// The whole message by the names of its fields, fields with their default absent; always of the kind
    /// ``ConfigValue/message(_:)``.
    public let content: ConfigValue
    /// Codes of countries whose keys the authority's packages hold, as published; empty when none were. Foreign texts.
    public let supportedCountries: [String]
    /// Values of features by their label, as published; 0 for a label without one. Of two with one label the later
    /// counts, and features without a label are left out.
    public let features: [String: Int64]
    /// Packages of days first, then those of hours, each in the order of the message; entries without an entity tag that
    /// can be used are left out. Empty without any.
    public let revokedPackages: [RevokedPackage]
    /// Entity tags of revoked packages of trace warnings, without quotation marks; 1 to 128 visible ASCII characters
    /// each, other ones left out. Empty without any.
    public let revokedTraceWarningTags: Set<String>
    /// Seconds for one download: 1 to 1,800, see ``ConfigRules/downloadTimeout(_:)``.
    public let downloadTimeoutSeconds: Int
    /// Seconds for all downloads of a run: 1 to 1,800, see ``ConfigRules/overallDownloadTimeout(_:)``.
    public let overallDownloadTimeoutSeconds: Int
    /// The number of looks for matches in a day, and the time between two: 6 a day if the message has no
    /// `exposureDetectionParameters`; with them, a number that is absent is 0 and switches detection off. See
    /// ``ConfigRules/detectionFrequency(_:)``.
    public let detectionFrequency: ConfigRules.DetectionFrequency
    /// Seconds for one look for matches: 1 to 3,600, see ``ConfigRules/detectionTimeout(_:)``.
    public let detectionTimeoutSeconds: Int
    /// The mapping of days since onset to infectiousness; `nil` when the message has no such part.
    public let mapping: Mapping?
    /// The weights of Google's and Apple's daily summaries; `nil` when the message has no such part.
    public let dailySummaries: DailySummaries?

    /// Reads export.bin of a configuration whose signature was verified. `nil` when it is malformed, has more than
    /// ``maximumByteCount`` bytes, 20,000 elements or 16 levels, or has a number that is not finite.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount,
            let content = ConfigReader.read(bytes, as: "ApplicationConfigurationAndroid")
        else { return nil }
        self.content = content
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

    /// Whether the clock must be compared with the server's before matching; false only if the feature
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
