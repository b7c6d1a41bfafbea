// SPDX-License-Identifier: Apache-2.0

public import JSON
import KeyLevels
public import Trust

extension AuthoritySettings {
    /// Reads the settings from the bytes of `settings.json`. A missing member gets its default. Throws
    /// `invalidSettings` with the first 100 faults, each with its path, and the number of the others; an unknown
    /// member is a fault.
    public init(parsing bytes: [UInt8]) throws(AuthorityError) {
        let json: JSON
        do { json = try JSON(parsing: bytes, maximumDepth: 8) } catch {
            throw AuthorityError(.invalidSettings, "\(error)")
        }
        let problems = Problems()
        self.init()
        var top = ObjectReader(json, path: "settings", problems: problems)
        regions = top.texts(
            "regions", default: regions, count: 1...16, rule: "two or three capital letters", isValid: Self.isRegion)
        var names = top.reader("keyNames")
        exportKeyName = Self.name(&names, "export", exportKeyName)
        configKeyName = Self.name(&names, "config", configKeyName)
        timeKeyName = Self.name(&names, "time", timeKeyName)
        names.finish()
        appBundleID = top.optionalText("appBundleID", maximum: 200)
        publishing = PublishingRules(top.reader("publishing"))
        var checkIns = top.reader("checkIns")
        self.checkIns.areReadableOnesTaken = checkIns.bool(
            "publishReadable", default: self.checkIns.areReadableOnesTaken)
        self.checkIns.maximumWarnings = checkIns.integer(
            "maximumWarnings", in: 1...100_000, default: self.checkIns.maximumWarnings)
        checkIns.finish()
        if top.has("swissCovid") { swissCovid = SwissCovidRules(top.reader("swissCovid")) }
        var time = top.reader("time")
        self.time.uncertaintyMilliseconds = time.integer(
            "uncertaintyMilliseconds", in: 1...600_000, default: self.time.uncertaintyMilliseconds)
        self.time.requireSynchronisedClock = time.bool(
            "requireSynchronisedClock", default: self.time.requireSynchronisedClock)
        time.finish()
        var http = top.reader("http")
        self.http.address = http.text("address", default: self.http.address, maximum: 45, rule: "an IP address")
        self.http.port = UInt16(http.integer("port", in: 0...65_535, default: Int64(self.http.port)))
        self.http.adminPort = UInt16(http.integer("adminPort", in: 0...65_535, default: Int64(self.http.adminPort)))
        http.finish()
        if top.has("wake") { wake = WakeRules(top.reader("wake")) }
        top.finish()
        guard problems.isEmpty else { throw AuthorityError(.invalidSettings, "\n  \(problems.text)") }
    }

    static func isRegion(_ text: String) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// "262-v1". Readers split at the last dash.
    private static func name(_ reader: inout ObjectReader, _ role: String, _ standard: KeyName) -> KeyName {
        let text = reader.text(role, default: "\(standard)", maximum: 60, rule: "ID-VERSION, for example 262-v1") {
            keyName($0) != nil
        }
        return keyName(text) ?? standard
    }

    /// Returns the key name that `text` spells, such as "262-v1": 3 to 60 printable ASCII characters without blanks, split
    /// into identifier and version at the last dash. Returns `nil` for any other text.
    public static func keyName(_ text: String) -> KeyName? {
        guard text.utf8.count <= 60, let dash = text.lastIndex(of: "-"), dash != text.startIndex,
            text.index(after: dash) != text.endIndex, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return KeyName(id: String(text[..<dash]), version: String(text[text.index(after: dash)...]))
    }

    /// The settings as a JSON object that ``init(parsing:)`` reads and people can edit. It has every member, defaults
    /// included, except those that are `nil`.
    public var json: JSON {
        var object: JSON.Object = [
            "regions": .array(regions.map { .string($0) }),
            "keyNames": [
                "export": .string("\(exportKeyName)"), "config": .string("\(configKeyName)"),
                "time": .string("\(timeKeyName)"),
            ],
            "publishing": publishing.json,
            "checkIns": [
                "publishReadable": .bool(checkIns.areReadableOnesTaken),
                "maximumWarnings": .int(checkIns.maximumWarnings),
            ],
            "time": [
                "uncertaintyMilliseconds": .int(time.uncertaintyMilliseconds),
                "requireSynchronisedClock": .bool(time.requireSynchronisedClock),
            ],
            "http": [
                "address": .string(http.address), "port": .int(Int64(http.port)), "adminPort": .int(Int64(http.adminPort)),
            ],
        ]
        object["appBundleID"] = appBundleID.map { .string($0) }
        object["swissCovid"] = swissCovid?.json
        object["wake"] = wake?.json
        return .object(object)
    }
}

extension PublishingRules {
    init(_ reader: ObjectReader) {
        var reader = reader
        self.init()
        expiryMinutes = reader.integer("expiryMinutes", in: 0...1_440, default: expiryMinutes)
        shiftingThreshold = reader.integer("shiftingThreshold", in: 0...100_000, default: shiftingThreshold)
        holdHours = reader.integer("holdHours", in: 0...168, default: holdHours)
        paddingMultiplier = reader.integer("paddingMultiplier", in: 1...100, default: paddingMultiplier)
        paddingExtra = reader.integer("paddingExtra", in: 0...10_000, default: paddingExtra)
        maximumKeys = reader.integer("maximumKeys", in: 1_000...5_000_000, default: maximumKeys)
        minimumLevel = reader.integer("minimumLevel", in: 1...8, default: minimumLevel)
        encodesLevels = reader.bool("encodeLevels", default: encodesLevels)
        if reader.has("levelEncoding") { levelEncoding = LevelEncoding(reader.reader("levelEncoding")) }
        daysToPublish = reader.integer("daysToPublish", in: 1...14, default: daysToPublish)
        retentionDays = reader.integer("retentionDays", in: 1...14, default: max(retentionDays, daysToPublish))
        hourDays = reader.integer("hourDays", in: 1...14, default: hourDays)
        delaySeconds = reader.integer("delaySeconds", in: 0...3_000, default: delaySeconds)
        isOfferedAsBatches = reader.bool("offerBatches", default: isOfferedAsBatches)
        if daysToPublish > retentionDays { reader.problem("daysToPublish", "must not be more than retentionDays") }
        if hourDays > daysToPublish { reader.problem("hourDays", "must not be more than daysToPublish") }
        // A key that waits until it is too old is never published, so waiting longer would lose it.
        if holdHours > (daysToPublish - 1) * 24 { reader.problem("holdHours", "must be less than daysToPublish") }
        reader.finish()
    }

    var json: JSON {
        [
            "expiryMinutes": .int(expiryMinutes), "shiftingThreshold": .int(shiftingThreshold),
            "holdHours": .int(holdHours), "paddingMultiplier": .int(paddingMultiplier),
            "paddingExtra": .int(paddingExtra), "maximumKeys": .int(maximumKeys), "minimumLevel": .int(minimumLevel),
            "encodeLevels": .bool(encodesLevels), "levelEncoding": levelEncoding.json,
            "daysToPublish": .int(daysToPublish), "retentionDays": .int(retentionDays),
            "hourDays": .int(hourDays), "delaySeconds": .int(delaySeconds), "offerBatches": .bool(isOfferedAsBatches),
        ]
    }
}

extension AuthoritySettings.SwissCovidRules {
    init(_ reader: ObjectReader) {
        var reader = reader
        self.init()
        codeHost = reader.text("codeHost", default: codeHost, maximum: 253, rule: "a host's name") { !$0.isEmpty }
        codeVersion = reader.text("codeVersion", default: codeVersion, maximum: 20, rule: "a version") { !$0.isEmpty }
        message = reader.text("message", default: message, maximum: VenueWarning.maximumMessageBytes)
        isUrgent = reader.bool("urgent", default: isUrgent)
        reader.finish()
    }

    var json: JSON {
        [
            "codeHost": .string(codeHost), "codeVersion": .string(codeVersion), "message": .string(message),
            "urgent": .bool(isUrgent),
        ]
    }
}

extension AuthoritySettings.WakeRules {
    init(_ reader: ObjectReader) {
        var reader = reader
        self.init()
        host = reader.text("host", default: "", maximum: 253, rule: "a host's name") { !$0.isEmpty }
        if host.isEmpty { reader.problem("host", "is required") }
        port = UInt16(reader.integer("port", in: 1...65_535, default: Int64(port)))
        caFile = reader.optionalText("caFile")
        certificateFile = reader.optionalText("certificateFile")
        keyFile = reader.optionalText("keyFile")
        username = reader.optionalText("username")
        passwordFile = reader.optionalText("passwordFile")
        clientIdentifier = reader.text("clientIdentifier", default: clientIdentifier, maximum: 64)
        topicPrefix = reader.text(
            "topicPrefix", default: topicPrefix, maximum: 200, rule: "a topic without +, # and empty levels",
            isValid: Self.isTopic)
        isSentWithoutKeys = reader.bool("sendWithoutKeys", default: isSentWithoutKeys)
        if (certificateFile == nil) != (keyFile == nil) {
            reader.problem("keyFile", "certificateFile and keyFile belong together")
        }
        if caFile == nil, certificateFile != nil || passwordFile != nil {
            reader.problem("caFile", "is required: without TLS the certificate or password would protect nothing")
        }
        reader.finish()
    }

    private static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains(0)
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { level in
                !level.isEmpty && !level.contains("+") && !level.contains("#")
            }
    }

    var json: JSON {
        var object: JSON.Object = ["host": .string(host), "port": .int(Int64(port))]
        let texts = [
            ("caFile", caFile), ("certificateFile", certificateFile), ("keyFile", keyFile), ("username", username),
            ("passwordFile", passwordFile), ("clientIdentifier", clientIdentifier), ("topicPrefix", topicPrefix),
        ]
        for (name, text) in texts { object[name] = text.map { .string($0) } }
        object["sendWithoutKeys"] = .bool(isSentWithoutKeys)
        return .object(object)
    }
}
