// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink

extension ControlSession {
    /// The most files of one call, as `ProvideDiagnosisKeys` of `org.vigil.exposure1` takes them.
    public static let mostFiles = 128

    /// Provides files of diagnosis keys, in their order: all of them take effect or none.
    /// - Parameters:
    ///   - files: Paths of 1 to ``mostFiles`` files.
    ///   - showsProgress: Whether progress is shown on standard error, as on a terminal; never with JSON, where each reply
    ///     is a line.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func provide(_ files: [String], showsProgress: Bool) throws(ControlFailure) {
        guard (1...Self.mostFiles).contains(files.count) else {
            throw ControlFailure(
                .badUsage,
                "A call takes 1 to \(Self.mostFiles) files, and these are \(files.count). Batches must stay together.")
        }
        try link.reach(.long)
        spool.removeAbandoned()
        let names = spool.freshNames(files.count, ending: ".zip")
        defer { spool.remove(names) }
        for (file, name) in zip(files, names) { try spool.copy(file, as: name) }
        let typed = Dictionary(zip(names, files)) { first, _ in first }
        var progress = ProvideProgress(fileCount: files.count, isShown: showsProgress && !isJSON)
        var result: Exposure1.ProvideResult?
        do throws(ControlFailure) {
            try link.follow(Exposure1.Method.provideDiagnosisKeys, Exposure1.Files(files: names), .long) { json in
                let reply = try json.read(Exposure1.ProvideReply.self)
                result = reply.result ?? result
                if isJSON {
                    try showJSON(Self.renamed(json, typed))
                } else if reply.result == nil {
                    progress.update(reply)
                }
                return true
            }
        } catch {
            progress.end()
            throw error.renamed(typed)
        }
        progress.end()
        guard var result else {
            throw ControlFailure(
                .notUnderstood,
                "The core ended the call without a result. Ask for the status, then provide the files again.")
        }
        for index in result.files.indices {
            result.files[index].name = typed[result.files[index].name] ?? result.files[index].name
        }
        if !isJSON { try show(ProvideView.text(result, screen)) }
    }

    /// Shows how many calls may still be made today.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func limit() throws(ControlFailure) {
        let reply = try link.ask(Exposure1.Method.getStatus)
        guard let limit = reply["status"]?["limit"] else {
            throw ControlFailure(.notUnderstood, "The core's answer has no limit. It may be of another version.")
        }
        try show(limit, as: Exposure1.Limit.self) { screen.paragraph(StateView.limit($0, now: now())) }
    }

    /// Shows the exposure windows, as callers of the interface see them.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func windows() throws(ControlFailure) {
        let reply = try link.askPages(Exposure1.Method.getExposureWindows, list: "windows")
        try show(reply, as: Exposure1.WindowsReply.self) { ExposureViews.windows($0.windows, screen) }
    }

    /// Shows a summary of each day with an exposure.
    /// - Parameter path: A file in the form of `DailySummariesConfiguration`; `nil` takes ``Configurations/daily``.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func daily(configuration path: String?) throws(ControlFailure) {
        var configuration = Configurations.daily
        if let path {
            configuration = try Configurations.read(
                path, type: "DailySummariesConfiguration", as: Exposure1.DailySummariesConfiguration.self)
        }
        let reply = try link.ask(
            Exposure1.Method.getDailySummaries, Exposure1.DailySummariesCall(configuration: configuration))
        try show(reply, as: Exposure1.DailySummariesReply.self) { ExposureViews.daily($0.dailySummaries, screen) }
    }

    /// Shows the summary of the first generation of the interface.
    /// - Parameter path: A file in the form of `ExposureConfiguration`; `nil` takes ``Configurations/first``.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func summary(configuration path: String?) throws(ControlFailure) {
        let reply = try link.ask(Exposure1.Method.getExposureSummary, try Self.firstGeneration(path))
        try show(reply, as: Exposure1.SummaryReply.self) { ExposureViews.summary($0.summary, screen) }
    }

    /// Shows the same as ``summary(configuration:)``, encounter by encounter, by the file at `path`; `nil` for Google's
    /// defaults.
    ///
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func information(configuration path: String?) throws(ControlFailure) {
        let reply = try link.askPages(
            Exposure1.Method.getExposureInformation, list: "information", try Self.firstGeneration(path))
        try show(reply, as: Exposure1.InformationReply.self) { ExposureViews.information($0.information, screen) }
    }

    /// Shows what the person is told about their risk, from encounters and visits together; with `explains`, also which
    /// encounters led to it (with JSON, as a second line). JSON is the core's answer, with `together` (``WholeRisk``) and, where
    /// visits can be entered, `visits` (``VisitWarnings/News``) beside it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func risk(explains: Bool) throws(ControlFailure) {
        let reply = try link.ask(Risk1.Method.getRisk)
        let visits = visitWarnings()
        var pages: JSON?
        if explains { pages = try link.askPages(Risk1.Method.explain, list: "contributions") }
        if isJSON {
            var object = reply.object ?? JSON.Object()
            // What this version does not understand is shown as it is.
            if let risk = try? reply.decode(Risk1.RiskReply.self).risk {
                object["together"] = .string(WholeRisk(risk, visits: visits).rawValue)
            }
            object["visits"] = visits.map { .string($0.news.rawValue) }
            // As ``show(_:as:_:)`` writes it; with the second line as it came.
            try showJSON(explains ? .object(object) : JSON.object(object).withDates)
            if let pages { try showJSON(pages) }
            return
        }
        let risk = try reply.read(Risk1.RiskReply.self).risk
        let parts = try pages?.read(Risk1.ContributionsReply.self).contributions
        try show(RiskView.text(risk, visits: visits, contributions: parts, today: Int(now() / 86_400), screen))
    }

    /// What visits add to the risk; `nil` where none can be entered.
    private func visitWarnings() -> VisitWarnings? {
        do throws(ControlFailure) {
            return VisitWarnings(try parts(Checkin1.Method.getNotices, "notices").read(Checkin1.NoticesReply.self))
        } catch {
            // Nobody serves it. Whoever does and fails may know of a warning.
            return error.code == .noCore ? nil : VisitWarnings(.unknown)
        }
    }

    /// Tells the core that the person has seen the news.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func riskWasSeen() throws(ControlFailure) {
        try say("Noted: you have seen it.", try link.ask(Risk1.Method.acknowledge))
    }

    /// Shows the diagnosis keys data mapping, and when it may be changed.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func mapping() throws(ControlFailure) {
        let reply = try link.ask(Exposure1.Method.getDiagnosisKeysDataMapping)
        try show(reply, as: Exposure1.MappingReply.self) { ExposureViews.mapping($0, screen, now: now()) }
    }

    /// Sets the diagnosis keys data mapping; the core permits a change once in seven days.
    /// - Parameter path: A file in the form of `DiagnosisKeysDataMapping`.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func setMapping(_ path: String) throws(ControlFailure) {
        let mapping = try Configurations.read(
            path, type: "DiagnosisKeysDataMapping", as: Exposure1.DiagnosisKeysDataMapping.self)
        let reply = try link.ask(
            Exposure1.Method.setDiagnosisKeysDataMapping, Exposure1.MappingCall(mapping: mapping))
        try say("The mapping holds. A change of it is possible once in seven days.", reply)
    }

    private static func firstGeneration(_ path: String?) throws(ControlFailure) -> Exposure1.ExposureConfigurationCall {
        guard let path else { return .init(configuration: Configurations.first) }
        return .init(
            configuration: try Configurations.read(
                path, type: "ExposureConfiguration", as: Exposure1.ExposureConfiguration.self))
    }

    /// The answer with the names that the person typed.
    private static func renamed(_ json: JSON, _ typed: [String: String]) -> JSON {
        guard var object = json.object, var result = json["result"]?.object, let files = result["files"]?.array else {
            return json
        }
        result["files"] = .array(
            files.map { file in
                guard var members = file.object, let name = file["name"]?.string, let other = typed[name] else {
                    return file
                }
                members["name"] = .string(other)
                return .object(members)
            })
        object["result"] = .object(result)
        return .object(object)
    }
}

extension ControlFailure {
    /// The same with the names that the person typed.
    func renamed(_ typed: [String: String]) -> ControlFailure {
        guard var reply else { return self }
        for member in reply.parameters.members {
            guard var text = member.value.string else { continue }
            for (name, other) in typed { text = PlainText.replacing(name, with: other, in: text) }
            reply.parameters[member.name] = .string(text)
        }
        return .answered(reply)
    }
}
