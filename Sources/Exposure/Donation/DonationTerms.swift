// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography
import JSON
public import PrivacyPass

/// The region's signed document about data donation (`/version/v1/donation`): who issues tokens, who takes donations, and the keys of the
/// next days. Every device has the same document, so no device can be given a key of its own.
///
/// `export.bin` is JSON: `{"donation": 1, "version": 7, "issuer": {"name": "issuer.example", "address": "https://issuer.example"},
/// "server": {"origin": "donation.example", "address": "https://donation.example"}, "windowProbability": 1, "epsilon": 4,
/// "keys": [{"day": "2026-11-28", "key": "<SubjectPublicKeyInfo in Base64>"}], "log": {"keys": [{"month": "2026-11", "key": "…"}]}}`. A purpose that is not there
/// is not asked for. Beside the keys of a purpose can be who is responsible for it (``Responsible``): `"responsible": {"issuer": "…", "server": "…",
/// "recipients": "…", "keptDays": 90}`. A survey (``Survey``) always says that, and its part has `"link": "https://…", "about": "…", "invites": "increasedRisk"` besides. Unknown members are for later versions.
public struct DonationTerms: Sendable, Hashable {
    /// The most bytes of a document that are read: 64 KiB, our own bound.
    public static let maximumByteCount = 65_536
    /// The most keys of a document: two months of days, our own bound.
    public static let maximumKeys = 62
    /// The most keys of a monthly purpose: this month, the next one, and one to spare; our own bound.
    public static let maximumMonths = 3
    /// The longest name or address in bytes, our own bound.
    public static let maximumNameBytes = 253
    /// The largest ε, which is that of the randomised answers of Google's and Apple's analytics (specification donation 8). Above it an answer hides
    /// nothing: a device that is told more answers with this one.
    public static let largestEpsilon = 8.0

    /// A key, good for the tokens of one day, or of one month.
    public struct Key: Sendable, Hashable {
        /// The day of UTC; of a month the first.
        public let day: UTCDay
        /// The issuer's public key.
        public let key: TokenKey

        /// Creates a key of these parts.
        public init(day: UTCDay, key: TokenKey) {
            self.day = day
            self.key = key
        }
    }

    /// The version of the document, 1 or more, which rises with every change. This type does not compare versions.
    public let version: Int64
    /// The issuer's host as challenges name it, in lower case, perhaps with a port.
    public let issuerName: String
    /// The issuer's address, `https://…` without a slash at its end.
    public let issuerAddress: String
    /// The donation server's host as challenges name it, in lower case, perhaps with a port.
    public let origin: String
    /// The donation server's address, `https://…` without a slash at its end.
    public let serverAddress: String
    /// The probability with which encounters are in a donation, 0 to 1.
    public let windowProbability: Double
    /// The ε of the randomised answer about the risk level, above 0 and at most ``largestEpsilon``.
    public let epsilon: Double
    /// The keys, in the order of their days, one for each day.
    public let keys: [Key]
    /// The keys of purposes that have one for each month, in the order of the months.
    let monthlyKeys: [MonthlyPurpose: [Key]]
    /// Who is responsible for donations (`nil`), and with each other purpose, as far as the document says.
    let responsible: [MonthlyPurpose?: Responsible]
    /// The survey to which wearers are invited; `nil` if there is none.
    public let survey: Survey?

    /// Creates terms of these parts, with the keys in the order of their days. `nil` if a part is out of its range: a version below 1, a name that
    /// is not that of a server, an address that is not the name's, one host for both (two ports of it are one, but for this machine's own in tests), two keys of one day, two keys whose
    /// ``PrivacyPass/TokenKey/truncatedID`` is the same, more than ``maximumKeys``, a key of a month whose day is not the first of one, more than ``maximumMonths``,
    /// a survey without who is responsible for it, or for other days than ``Survey/days``, or the reverse, or keys for a survey without one.
    public init?(
        version: Int64, issuerName: String, issuerAddress: String, origin: String, serverAddress: String,
        windowProbability: Double = 1, epsilon: Double = largestEpsilon, keys: [Key],
        monthlyKeys: [MonthlyPurpose: [Key]] = [:], responsible: [MonthlyPurpose?: Responsible] = [:],
        survey: Survey? = nil
    ) {
        let months = monthlyKeys.values.flatMap { $0 }
        let names = keys.map(\.key.truncatedID) + months.map(\.key.truncatedID)
        guard version >= 1, Self.isAddress(issuerAddress, of: issuerName), Self.isAddress(serverAddress, of: origin),
            issuerName != origin, issuerAddress != serverAddress, Self.areApart(issuerName, origin),
            (0...1).contains(windowProbability), epsilon > 0, epsilon <= Self.largestEpsilon,
            keys.count <= Self.maximumKeys, Set(keys.map(\.day)).count == keys.count,
            // A request names its key by this byte alone.
            Set(names).count == names.count,
            monthlyKeys.values.allSatisfy({ $0.count <= Self.maximumMonths && Set($0.map(\.day)).count == $0.count }),
            months.allSatisfy({ $0.day.date.day == 1 }),
            (survey == nil) == (responsible[.survey] == nil), survey != nil || monthlyKeys[.survey] ?? [] == [],
            responsible[.survey].map({ Survey.days.contains($0.keptDays) }) ?? true,
            [issuerName, origin].allSatisfy({
                $0.utf8.count <= Self.maximumNameBytes && !$0.utf8.contains { (0x41...0x5A).contains($0) }
            }),
            (try? DonationEpoch.day(UTCDay(number: 0)).challenge(issuerName: issuerName, origin: origin)) != nil
        else { return nil }
        self.version = version
        self.issuerName = issuerName
        self.issuerAddress = issuerAddress
        self.origin = origin
        self.serverAddress = serverAddress
        self.windowProbability = windowProbability
        self.epsilon = epsilon
        self.keys = keys.sorted { $0.day < $1.day }
        self.responsible = responsible
        self.survey = survey
        self.monthlyKeys = monthlyKeys.filter { !$0.value.isEmpty }.mapValues { $0.sorted { $0.day < $1.day } }
    }

    /// Reads the JSON of an export.bin, from anywhere, whose signature the caller has verified. `nil` if it is longer than ``maximumByteCount``, a
    /// part is missing or has another form, or ``init(version:issuerName:issuerAddress:origin:serverAddress:windowProbability:epsilon:keys:monthlyKeys:responsible:survey:)``
    /// refuses the parts. An ε above ``largestEpsilon`` is read as that.
    public init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let json = try? JSON(parsing: bytes), json["donation"]?.int == 1,
            let version = json["version"]?.int, let list = json["keys"]?.array, list.count <= Self.maximumKeys,
            let issuerName = json["issuer"]?["name"]?.string, let issuerAddress = json["issuer"]?["address"]?.string,
            let origin = json["server"]?["origin"]?.string, let serverAddress = json["server"]?["address"]?.string,
            let windowProbability = Self.number(json["windowProbability"], absent: 1),
            let epsilon = Self.number(json["epsilon"], absent: Self.largestEpsilon)
        else { return nil }
        guard let keys = Self.keys(list, day: { $0["day"]?.string }) else { return nil }
        var monthlyKeys: [MonthlyPurpose: [Key]] = [:]
        var responsible: [MonthlyPurpose?: Responsible] = [:]
        func takeResponsible(_ part: JSON, _ purpose: MonthlyPurpose?) -> Bool {
            guard let said = part["responsible"] else { return true }
            responsible[purpose] = Responsible(said)
            return responsible[purpose] != nil
        }
        guard takeResponsible(json, nil) else { return nil }
        var survey: Survey?
        for purpose in MonthlyPurpose.allCases {
            guard let part = json[purpose.rawValue] else { continue }
            if purpose == .survey {
                guard let read = Self.survey(part) else { return nil }
                guard read.isKnown else { continue }
                survey = read.survey
            }
            guard takeResponsible(part, purpose) else { return nil }
            guard let list = part["keys"]?.array, list.count <= Self.maximumMonths,
                let keys = Self.keys(list, day: { $0["month"]?.string.map { $0 + "-01" } })
            else { return nil }
            monthlyKeys[purpose] = keys
        }
        self.init(
            version: version, issuerName: issuerName, issuerAddress: issuerAddress, origin: origin,
            serverAddress: serverAddress, windowProbability: windowProbability,
            epsilon: min(epsilon, Self.largestEpsilon), keys: keys, monthlyKeys: monthlyKeys, responsible: responsible,
            survey: survey)
    }

    /// The keys of a list, whose days `day` finds; `nil` if there is anything else in it.
    private static func keys(_ list: [JSON], day: (JSON) -> String?) -> [Key]? {
        var keys: [Key] = []
        for entry in list {
            guard let date = day(entry).flatMap({ CivilDate(isoText: $0) }),
                let bytes = entry["key"]?.string.flatMap({ Base64.bytes($0) }),
                let key = try? TokenKey(decoding: bytes)
            else { return nil }
            keys.append(Key(day: UTCDay(number: date.dayNumber), key: key))
        }
        return keys
    }

    /// The document as it is signed: the same terms give the same bytes. Cannot fail.
    public var encoded: [UInt8] {
        let list = keys.map { entry -> JSON in
            ["day": .string(entry.day.date.isoText), "key": .string(Base64.string(entry.key.encoded))]
        }
        var document: JSON.Object = [
            "donation": 1, "version": .int(version),
            "issuer": ["name": .string(issuerName), "address": .string(issuerAddress)],
            "server": ["origin": .string(origin), "address": .string(serverAddress)],
            "windowProbability": .double(windowProbability), "epsilon": .double(epsilon), "keys": .array(list),
        ]
        for purpose in MonthlyPurpose.allCases {
            let list = keys(for: purpose).map { entry -> JSON in
                [
                    "month": .string(DonationEpoch.month(of: entry.day).text),
                    "key": .string(Base64.string(entry.key.encoded)),
                ]
            }
            let said = responsible[purpose]?.json
            guard !list.isEmpty || said != nil else { continue }
            var part: JSON.Object = ["keys": .array(list)]
            part["responsible"] = said
            if purpose == .survey, let survey {
                part["link"] = .string(survey.link)
                part["about"] = Survey.json(survey.about)
                part["invites"] = .string(survey.invited.rawValue)
            }
            document[purpose.rawValue] = .object(part)
        }
        document["responsible"] = responsible[nil]?.json
        return JSON.object(document).bytes
    }

    /// The key of a day; `nil` if the document has none.
    public func key(of day: UTCDay) -> TokenKey? { keys.first { $0.day == day }?.key }

    /// The challenge that tokens of a day are for. Cannot fail: the names were checked.
    public func challenge(of day: UTCDay) throws(PrivacyPassError) -> TokenChallenge {
        try DonationEpoch.day(day).challenge(issuerName: issuerName, origin: origin)
    }

    private static func number(_ value: JSON?, absent: Double) -> Double? {
        switch value {
        case nil: absent
        case .double(let number)?: number
        case .int(let number)?: Double(number)
        default: nil
        }
    }

    /// Whether two names are of two hosts, whatever their ports: one host would have both halves of what shall stay apart. This machine itself, in tests, is two by two ports.
    private static func areApart(_ first: String, _ second: String) -> Bool {
        func host(_ name: String) -> Substring {
            let end = name.utf8.last == UInt8(ascii: "]") ? nil : name.lastIndex(of: ":")
            var host = name[..<(end ?? name.endIndex)]
            // The root of all names, which is the same without it.
            if host.utf8.last == UInt8(ascii: ".") { host = host.dropLast() }
            return host
        }
        return host(first) != host(second) || ["127.0.0.1", "[::1]", "localhost"].contains(String(host(first)))
    }

    /// `https://` and the name; or http to this machine, for tests.
    private static func isAddress(_ text: String, of name: String) -> Bool {
        if text == "https://" + name { return true }
        let port = ["http://127.0.0.1:", "http://[::1]:"].first(where: text.hasPrefix).map { text.dropFirst($0.count) }
        return port.map { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
    }
}
