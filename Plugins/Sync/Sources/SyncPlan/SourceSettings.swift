// SPDX-License-Identifier: Apache-2.0

/// The settings of one source of keys: its address and its way of publishing.
public struct SourceSettings: Sendable, Hashable {
    /// The way in which a source publishes its files.
    public enum Kind: String, Sendable, CaseIterable {
        /// The Corona-Warn-App's distribution: day and hour packages behind JSON indexes (spec cwa-protocols 2).
        case cwa
        /// exposure-notifications-server: a list of relative paths, oldest first (spec gaen-core 9).
        case index
        /// NHS COVID-19: daily and two-hourly archives without an index (spec checkin-and-nhs B.4).
        case nhs
        /// Files that somebody puts into a folder of the board.
        case folder
    }

    /// The name of the source for people and for the journal: 1 to 32 small letters, digits and dashes, other than those of all other sources. The
    /// plugin's settings check that; nothing does here.
    public var name: String
    /// The way in which it publishes its files.
    public var kind: Kind
    /// The address that paths are appended to, without a slash at the end, not checked here. For a folder, its path.
    public var base: String
    /// Country or region of a ``Kind/cwa`` source (`EUR` where there is federation).
    public var country: String
    /// The region that the source's files are signed for; `nil` if the operator has set none. ``Kind/cwa`` sources sign
    /// their country.
    public var region: String?
    /// The path of the list of an ``Kind/index`` source, appended to ``base``; `index.txt` if not set.
    public var indexPath: String
    /// The path of the source's signed configuration of the Corona-Warn-App's kind; `nil` if there is none.
    public var configPath: String?
    /// The path of the region's own signed document; `nil` if it publishes none.
    public var vigilConfigPath: String?
    /// The paths of the documents that are carried to the core, appended to ``base``; empty for none.
    public var carriedPaths: [CarriedDocument: String]
    /// The path of the list of its successions of signing keys; `nil` when it publishes none.
    public var successionsPath: String?
    /// The form of its rules; `nil` for Vigil's own document of the device's own authority, of which the core is told no name.
    public var rulesForm: RulesForm?
    /// The path of the signed time, without the nonce; `nil` when this source gives none.
    public var timePath: String?
    /// The times at which to look; every four hours for ``Kind/nhs`` if not set, otherwise every hour.
    public var timing: SyncTiming
    /// The largest package that is fetched, in bytes; 32 MiB if not set. Not checked.
    public var maximumPackageBytes: Int

    /// Settings with these values; defaults are those of a Corona-Warn-App server. Nothing is checked here: the plugin's
    /// settings are checked where they are read. See the properties for units and for `nil`.
    public init(
        name: String, kind: Kind, base: String, country: String = "EUR", region: String? = nil,
        indexPath: String = "index.txt",
        configPath: String? = nil, vigilConfigPath: String? = nil, carriedPaths: [CarriedDocument: String] = [:],
        rulesForm: RulesForm? = nil, timePath: String? = nil, timing: SyncTiming? = nil,
        maximumPackageBytes: Int = 32 << 20
    ) {
        self.name = name
        self.kind = kind
        self.base = base
        self.country = country
        self.region = region
        self.indexPath = indexPath
        self.configPath = configPath
        self.vigilConfigPath = vigilConfigPath
        self.carriedPaths = carriedPaths
        self.rulesForm = rulesForm
        self.timePath = timePath
        // NHS: nothing is asked for within four hours of the last time.
        self.timing = timing ?? (kind == .nhs ? SyncTiming(interval: 14_400) : .hourly)
        self.maximumPackageBytes = maximumPackageBytes
    }

    /// The region that its files must be signed for: ``region``, else the country of a ``Kind/cwa`` source; `nil` without either.
    public var signedRegion: String? { region ?? (kind == .cwa ? country : nil) }

    /// Whether it publishes a file for every period, also when there are no keys.
    /// So a gap in what is here is a gap in what is known.
    public var isContinuous: Bool { kind == .cwa || kind == .nhs }

    /// The sources among these whose keys the risk must not lack, in their order: those that are no folders, or all if there are only folders. What
    /// a stick brings is welcome, and nothing waits for it where there is a server.
    public static func awaited(_ sources: [SourceSettings]) -> [SourceSettings] {
        let servers = sources.filter { $0.kind != .folder }
        return servers.isEmpty ? sources : servers
    }

    /// The number of days back for which packages are fetched: 14, as long as matches are kept (gaen-core 3).
    public static let historyDays: Int64 = 14
    /// Nobody takes away what was published less than so many days ago.
    static let publishedDays: Int64 = 7
}
