// SPDX-License-Identifier: Apache-2.0

/// The settings of one source of keys: its address and its way of publishing. An operator can set 16 sources;
/// `plugin.json` limits the lengths of texts, which are not checked here.
public struct SourceSettings: Sendable, Hashable {
    /// The way in which a source publishes its files.
    public enum Kind: String, Sendable, CaseIterable {
        /// The Corona-Warn-App's distribution: day and hour packages behind JSON indexes (spec cwa-protocols 2).
        case cwa
        /// exposure-notifications-server: a list of relative paths, oldest first (spec gaen-core 9).
        case index
        /// NHS COVID-19: daily and two-hourly archives without an index (spec checkin-and-nhs B.4).
        case nhs
        /// Files that a person puts into a folder of the board.
        case folder
    }

    /// The name of the source for people and for the journal: 1 to 32 small letters, digits and dashes, unique among the
    /// sources. The plugin checks that when it reads its settings; nothing is checked here.
    public var name: String
    /// The way in which the source publishes its files.
    public var kind: Kind
    /// The address to which paths are appended, without a slash at the end, at most 500 characters by
    /// `plugin.json`; for a folder, its path on the board. Not checked here: the plugin demands `https`, or `http`
    /// where its settings permit that.
    public var base: String
    /// The country or region of a ``Kind/cwa`` source in the server's spelling; `EUR`, for federated keys, by
    /// default. At most 8 characters by `plugin.json`; not checked here.
    public var country: String
    /// The region that the source's files are signed for, at most 16 characters by `plugin.json`, compared without
    /// regard to case; `nil` if the operator has set none. ``Kind/cwa`` sources sign for their country, see
    /// ``signedRegion``.
    public var region: String?
    /// The path of the list of an ``Kind/index`` source, appended to ``base`` after a slash, at most 200 characters
    /// by `plugin.json` like the other paths; `index.txt` if not set.
    public var indexPath: String
    /// The path of the source's signed configuration of the Corona-Warn-App's kind, appended to ``base``; `nil` if
    /// there is none.
    public var configPath: String?
    /// The path of the region's own signed document (`VigilConfiguration`), appended to ``base``; `nil` if it
    /// publishes none.
    public var vigilConfigPath: String?
    /// The paths of the documents that are passed to the core, appended to ``base``; empty if there are none.
    public var carriedPaths: [CarriedDocument: String]
    /// The path of the source's list of signing keys' successions, appended to ``base``; `nil`, also after `init`,
    /// if it publishes none. Has no effect for a folder.
    public var successionsPath: String?
    /// The path of the configuration of the board's fleet, appended to ``base``; `nil`, also after `init`, if none is to be
    /// looked for there. Has no effect for a folder.
    public var fleetConfigurationPath: String?
    /// The form of the source's rules; `nil` for Vigil's own document of the device's own authority, for which the core is
    /// told no name.
    public var rulesForm: RulesForm?
    /// The path of the signed time, appended to ``base``, without the nonce, which is appended after a slash; `nil`
    /// if this source publishes none.
    public var timePath: String?
    /// The times at which the source is asked; by default every four hours for ``Kind/nhs``, and every hour for
    /// other kinds. The settings `intervalSeconds` and `spreadSeconds` replace ``SyncTiming/interval`` and
    /// ``SyncTiming/spread``.
    public var timing: SyncTiming
    /// The most bytes of a package that is fetched; 32 MiB by default, the size of the plugin's spool
    /// (`plugin.json`). A larger one is refused with ``FetchFailure/Scope/content``. Not checked.
    public var maximumPackageBytes: Int
    /// Whether a ``Kind/cwa`` source publishes a package for every hour, also without keys; `true`, also after `init`,
    /// unless the operator knows better. Has no effect for other kinds.
    public var publishesEmptyHours = true

    /// Creates settings of these values; the defaults are those of a Corona-Warn-App server. ``successionsPath`` is
    /// `nil` until it is set. Nothing is checked here: the plugin checks its settings when it reads them. See the
    /// properties for units and `nil`.
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

    /// The region that the source's files must be signed for: ``region``, else the country of a ``Kind/cwa`` source; `nil`
    /// if there is neither.
    public var signedRegion: String? { region ?? (kind == .cwa ? country : nil) }

    /// Whether the source publishes a file for every period, even without keys, so that a missing file means missing
    /// knowledge.
    public var isContinuous: Bool { kind == .cwa && publishesEmptyHours || kind == .nhs }

    /// Returns those of `sources` whose keys the risk has to wait for, in their order: all that are not folders, or all of
    /// them if there are only folders. Where there is a server, nothing waits for files from a folder.
    public static func awaited(_ sources: [SourceSettings]) -> [SourceSettings] {
        let servers = sources.filter { $0.kind != .folder }
        return servers.isEmpty ? sources : servers
    }

    /// The number of days in the past for which packages are fetched: 14, because matches are stored for as long (gaen-core
    /// 3).
    public static let historyDays: Int64 = 14
    /// Nobody takes away what was published less than so many days ago.
    static let publishedDays: Int64 = 7
}
