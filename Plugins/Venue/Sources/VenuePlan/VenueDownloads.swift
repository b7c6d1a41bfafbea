// SPDX-License-Identifier: Apache-2.0

public import AppConfig
import CivilTime
public import JSON
public import VenueNotices

/// The progress of comparing warnings with the visits of the diary. It is written to disk together with the matches, so
/// that after a power cut nothing is compared twice or left out.
public struct VenueDownloads: Sendable, Hashable {
    /// The hours, as numbers since 1970, whose packages of the Corona-Warn-App were compared for good (``settles(_:at:)``); at most ``maximumHours``. They
    /// stay although a list does not name them: a list may be an old one, and what is compared twice counts twice.
    public internal(set) var hours: Set<Int64> = []
    /// Which packages of the Corona-Warn-App were withdrawn when the hours were compared, as a text that is equal for equal
    /// ones; empty if none was.
    public internal(set) var withdrawnPackages = ""
    /// The version of packages of the Corona-Warn-App that was compared, `v1` or `v2`; empty before the first (``notePackages(version:withdrawn:isNumbered:at:)``).
    public internal(set) var packageVersion = ""
    /// When a configuration without a number last had hours compared anew, in Unix seconds; `nil` if none did.
    public internal(set) var begunAnew: Int64?
    /// What is remembered of the newest configuration of the Corona-Warn-App with a number (``ConfigurationMemory``); `nil` before the first. It stays when the last
    /// visit goes: otherwise an older configuration would be believed with the next one.
    public var configuration: ConfigurationMemory?
    /// The hours for which the server said on ``unprovenDay``, without a signature, that there is nothing to
    /// compare; at most ``maximumHours``. They are asked for again on another day, so that a server cannot hold a
    /// warning back for longer by one such answer.
    public internal(set) var unproven: Set<Int64> = []
    /// The day of ``unproven``, in days since 1970; 0 before the first.
    public internal(set) var unprovenDay: Int64 = 0
    /// The tag of SwissCovid's last list that was compared, in milliseconds since 1970, as its signature has it: everything before is known. `nil` asks for all that the server
    /// has, each time where signatures do not say what a list answers.
    public internal(set) var tag: Int64?
    /// How many trace keys a server had that does not sign what its lists answer (``TraceKeyCounts``).
    public internal(set) var traceKeys = TraceKeyCounts()
    /// How much of a long list of SwissCovid's was compared with hidden visits, in parts of ``hiddenParts``; 0 before the first part, and once all were. What begins an identity says
    /// which part a key is in.
    public internal(set) var hiddenDone = 0
    /// The earliest signed tag with which these parts came: what was published since is compared after them. `nil` unless ``hiddenDone`` is 1 or more, and where a list had none.
    public internal(set) var hiddenTag: Int64?
    /// The parts of a long list: 16, our choice.
    public static let hiddenParts = 16
    /// When the NHS's newest list that was compared was signed, in Unix seconds; `nil` if none was, or it did not say so.
    public internal(set) var newestList: Int64?
    /// The notices of the NHS that wait until the operators answer, one for each visit; at most
    /// ``VisitDiary/maximumVisits``.
    public internal(set) var held: [HeldNotice] = []
    /// The server's token for the question that the operators are thinking about; `nil` if there is none. There is a
    /// question whether a notice waits or not (``question``); a notice with the same token is part of it.
    public internal(set) var questionToken: String?
    /// When ``questionToken`` was given, in Unix seconds; meaningless without one.
    public internal(set) var questionTime: Int64 = 0
    /// How long a token is kept, in seconds: a day, our choice. A server that always says "not yet" would know the board
    /// again by it, and notices of later would wait for ever.
    public static let questionLife: Int64 = 86_400
    /// The time from which the next run is due, in Unix seconds; `nil` before the first. Runs are ``rhythm`` apart,
    /// whatever starts the plugin in between.
    public internal(set) var nextRun: Int64?
    /// Seconds between two runs, as the manifest's schedule has it.
    public static let rhythm: Int64 = 7_200
    /// The time at which a run that came to nothing is tried again, in Unix seconds; `nil` if none is. The grid of
    /// ``nextRun`` stays as it is.
    public internal(set) var retry: Int64?
    /// How often the last run of the grid was put off, 0 to ``maximumRetries``.
    public internal(set) var retries = 0
    /// Seconds until a run is tried again: ten minutes, our choice.
    public static let retryPause: Int64 = 600
    /// How often a run is tried again before the next one of the grid: 3, our choice, or somebody who never answers would be
    /// asked all day.
    public static let maximumRetries = 3
    /// The time at which the last run was due, in Unix seconds, whether there was anything to ask for or not; `nil` before the
    /// first.
    public internal(set) var lastRun: Int64?
    /// The time of a run that somebody has asked for, in Unix seconds; `nil` if nobody has. The grid of ``nextRun`` stays as it
    /// is.
    public internal(set) var wished: Int64?
    /// Seconds from the beginning of a run until one that is asked for: a quarter of an hour, as between two syncs that the
    /// broker causes (``wishRun(at:)``).
    public static let wishPause: Int64 = 900
    /// The time at which all of a system's warnings were last known, in Unix seconds; absent if they never were, or there
    /// was no visit of the system since.
    public internal(set) var checked: [VenueSystem: Int64] = [:]
    /// Where a system's warnings were compared from, as a text that is equal for equal sources; absent before the first run, and once there is no visit of the
    /// system (``noteOrigin(_:_:)``).
    public internal(set) var origins: [VenueSystem: String] = [:]
    /// The latest problem with a system, an English sentence of at most 250 characters; absent if there was none since all
    /// its warnings were known.
    public internal(set) var problems: [VenueSystem: String] = [:]
    /// The time at which the last run began, in Unix seconds; `nil` if there was none.
    public var attempted: Int64?
    /// The number of changes of visits that made comparisons invalid, from 0: a run that began with another number must not
    /// add its results.
    public internal(set) var generation = 0

    /// The most hours that are stored, the latest ones: 480, our choice; 20 days, longer than servers keep packages.
    public static let maximumHours = 480
    static let problemBytes = 1_000

    /// Creates the progress before the first comparison.
    public init() {}

    /// Notes that comparisons with the former times of a visit to this system are invalid: everything of the system
    /// is compared again, and a run that has begun must not add its results (``generation``). Notices that wait for
    /// the operators stay. Cannot fail.
    public mutating func startOver(_ system: VenueSystem) {
        generation += 1
        switch system {
        case .coronaWarnApp: (hours, unproven) = ([], [])
        case .swissCovid: forgetTag()
        case .nhs: break
        }
    }

    private mutating func forgetTag() { (tag, hiddenDone, hiddenTag) = (nil, 0, nil) }

    /// Notes where a system's warnings come from, as a text of at most ``originBytes`` bytes that is equal for equal sources. If they came from another
    /// one before, nothing of it counts as compared: all is compared anew, a question to the operators is put anew, and the caller has to forget matches of the
    /// Corona-Warn-App. Notices stay. Returns whether that is so. Call it before a run's records are read.
    public mutating func noteOrigin(_ system: VenueSystem, _ origin: String) -> Bool {
        let origin = String(origin.prefix(Self.originBytes))
        guard origins[system] != origin else { return false }
        origins[system] = origin
        checked[system] = nil
        switch system {
        case .coronaWarnApp: (hours, unproven, withdrawnPackages, begunAnew) = ([], [], "", nil)
        case .swissCovid:
            forgetTag()
            traceKeys = TraceKeyCounts()
        case .nhs:
            held = held.map { HeldNotice(visit: $0.visit, advice: $0.advice) }
            endQuestion()
            newestList = nil
        }
        return true
    }

    /// The most bytes of an origin: 64, a digest in Base64.
    public static let originBytes = 64

    /// Notes that all of a system's warnings are known at `now`, in Unix seconds, and removes its problem. Cannot fail.
    public mutating func noteComplete(_ system: VenueSystem, at now: Int64) {
        checked[system] = now
        problems[system] = nil
    }

    /// Notes that a system's warnings are not all known: `sentence` gives the reason in English, of which 250 characters
    /// replace the earlier one. Cannot fail.
    public mutating func noteProblem(_ system: VenueSystem, _ sentence: String) {
        problems[system] = String(sentence.prefix(Self.problemBytes / 4))
    }

    /// Notes that there is no visit of a system: its servers are not asked, and all that is stored of it is removed.
    public mutating func noteNothingToAsk(_ system: VenueSystem) {
        checked[system] = nil
        problems[system] = nil
        origins[system] = nil
        switch system {
        case .coronaWarnApp: (hours, unproven) = ([], [])
        case .swissCovid:
            forgetTag()
            traceKeys = TraceKeyCounts()
        case .nhs: (held, questionToken, questionTime, newestList) = ([], nil, 0, nil)
        }
    }

    /// Whether a comparison at `now` (Unix seconds) with the package of this hour (a number since 1970) is the last one: from an hour after the hour's end on.
    /// A report reaches at most 40 minutes past the moment at which it is handed in (cwa-protocols 8.2: half an hour more, and whole intervals). So before, a visit that is
    /// open, or one that begins later, can have more in common with it; from then on everything that it is about is past.
    public static func settles(_ hour: Int64, at now: Int64) -> Bool { now / 3_600 - hour >= 2 }

    /// The first hour (a number since 1970) whose package can be about a visit that begins at `start` (Unix seconds), for the same reason: the one before.
    public static func firstHour(of start: Int64) -> Int64 { start / 3_600 - 1 }

    /// Seconds of trace keys before ``tag`` that are asked for again: a day, since an authority may warn of times that are still to come (ours, until a day ahead). Whoever
    /// arrives after a list was compared meets the key in the next one, and what is asked for does not depend on visits.
    public static let tagOverlap: Int64 = 86_400

    /// The tag from which on trace keys are asked for, in milliseconds since 1970: ``tagOverlap`` before ``tag``, so a full hour where that is one; 0 for all.
    public var firstTag: Int64 { max(0, (tag ?? 0) - Self.tagOverlap * 1_000) }

    /// Returns the hours, as numbers since 1970, that need not be asked for on `day` (in days since 1970): those
    /// that were compared, and those of ``unproven`` on their own day. Cannot fail.
    public func known(on day: Int64) -> Set<Int64> { unprovenDay == day ? hours.union(unproven) : hours }

    /// Notes the hours of the Corona-Warn-App that need not be asked for again. Cannot fail.
    /// - Parameters:
    ///   - compared: The hours that were compared, as numbers since 1970.
    ///   - said: The hours for which the server said, without a signature, that there is nothing to compare; those
    ///     of an earlier day are forgotten.
    ///   - day: The day of that answer, in days since 1970.
    ///   - listed: The hours that the server has; of `said`, others are forgotten. Of more than ``maximumHours`` the
    ///     earliest are.
    public mutating func noteHours(
        _ compared: Set<Int64>, unproven said: Set<Int64> = [], on day: Int64, listed: ClosedRange<Int64>
    ) {
        hours = Set(hours.union(compared).sorted().suffix(Self.maximumHours))
        if unprovenDay != day { unproven = [] }
        unprovenDay = day
        unproven = Set(unproven.union(said).subtracting(hours).filter(listed.contains).sorted().suffix(Self.maximumHours))
    }

    /// The earliest hour that may be asked for where the latest one that the server lists is `latest`, as numbers since 1970:
    /// earlier ones may have been compared and forgotten.
    public func earliestHour(latest: Int64) -> Int64 { max(latest, hours.max() ?? latest) - Int64(Self.maximumHours) + 1 }

    /// Notes which packages of the Corona-Warn-App count by its configuration. Returns whether others did before: then nothing of that counts as compared, and
    /// the caller has to forget what was found.
    ///
    /// Whoever runs a web server can give two configurations without a number by turns. So by one without, nothing changes within ``anewPause`` after it has had
    /// hours asked for anew: what counted before goes on until then.
    /// - Parameters:
    ///   - version: The version of packages, `v1` or `v2`.
    ///   - withdrawn: The packages that were withdrawn, as a text that is equal for equal ones.
    ///   - isNumbered: Whether an older configuration would have been refused, or the operator's settings say so.
    ///   - now: The time in Unix seconds.
    public mutating func notePackages(version: String, withdrawn: String, isNumbered: Bool, at now: Int64) -> Bool {
        guard version != packageVersion || withdrawn != withdrawnPackages else { return false }
        if !isNumbered, !hours.isEmpty || !unproven.isEmpty {
            if let begunAnew, begunAnew <= now, now - begunAnew < Self.anewPause { return false }
            begunAnew = now
        }
        // All is of another version then.
        if version != packageVersion { checked[.coronaWarnApp] = nil }
        (packageVersion, withdrawnPackages) = (version, withdrawn)
        (hours, unproven) = ([], [])
        return true
    }

    /// Seconds between two times that a configuration without a number has all hours compared anew: a day, our choice. A comparison has some hundred requests.
    public static let anewPause: Int64 = UTCDay.seconds

    /// Notes that a list of SwissCovid with this signed tag was compared; the tag is not checked.
    public mutating func noteTag(_ new: Int64) { (tag, hiddenDone, hiddenTag) = (new, 0, nil) }

    /// Notes how many keys a list of SwissCovid's had at `now`, in Unix seconds; none of one whose signature says what it answers. Cannot fail.
    public mutating func noteTraceKeys(_ counts: TraceKeyCounts, at now: Int64) { traceKeys = counts.recent(at: now) }

    /// Notes that one more part of a long list, which came with this signed tag, was compared with hidden visits; `nil` for a list without a tag of use. After the last one
    /// the earliest of these tags counts as that of the list that was compared last, if all had one.
    public mutating func noteHiddenPart(_ new: Int64?) {
        hiddenTag = hiddenDone == 0 ? new : hiddenTag.flatMap { first in new.map { min(first, $0) } }
        hiddenDone += 1
        guard hiddenDone >= Self.hiddenParts else { return }
        tag = hiddenTag ?? tag
        (hiddenDone, hiddenTag) = (0, nil)
    }

    /// Whether a list of the NHS's that was signed at `signed` (Unix seconds, `nil` when it does not say so) is older than one that was compared: nothing is compared with it, since
    /// it may not have what was added since, or still have what was taken away. Otherwise it is noted as the newest one. What was said to be signed more than a day
    /// after `now` is not kept and does not count, or one wrong date would end all lists.
    public mutating func takesList(signed: Int64?, at now: Int64) -> Bool {
        let latest = now + 86_400
        if let newest = newestList, newest <= latest, signed ?? .min < newest { return false }
        newestList = signed.flatMap { $0 <= latest ? $0 : nil }
        return true
    }

    /// The question to the operators, one in every run with a visit, so that its requests do not show whether a notice
    /// waits. It is about the place of nobody (visit 0) and says as little as one about a place.
    public var question: HeldNotice { HeldNotice(visit: 0, advice: .inform, token: questionToken) }

    /// The notices that the next answer is about: those that waited when the question was first asked, or all if it
    /// was not asked yet. Others wait for the next question.
    public var asked: [HeldNotice] { held.filter { $0.token == questionToken } }

    /// Notes what came of the question: `next`, as it is after the answer, with a token if it is to be asked again.
    /// Until then the notices of ``asked`` are part of it. Without a token they are not part of any, and wait.
    /// A question that got no answer of use with a token, or whose token is older than ``questionLife`` at `now`, in Unix
    /// seconds, is asked anew from the beginning.
    public mutating func noteQuestion(_ question: HeldNotice, isUsable: Bool = true, at now: Int64) {
        let members = asked
        let isOld = questionToken != nil && (!isUsable || now < questionTime || now - questionTime >= Self.questionLife)
        let next = HeldNotice(visit: 0, advice: .inform, token: isOld ? nil : question.token)
        questionTime = next.token == nil ? 0 : questionToken == nil ? now : questionTime
        questionToken = next.token
        for notice in members { hold(HeldNotice(visit: notice.visit, advice: notice.advice, token: next.token)) }
    }

    /// Whether a run is due at `now`, in Unix seconds: of the grid, one that was put off, or one that was asked for; then the
    /// next one is planned, on the same grid. A clock that was set back by more than ``rhythm`` begins a grid anew.
    public mutating func takesRun(at now: Int64) -> Bool {
        guard let planned = nextRun, planned <= now || planned - now <= Self.rhythm else {
            (retry, retries, wished) = (nil, 0, nil)
            (nextRun, lastRun) = (now + Self.rhythm, now)
            return true
        }
        // One that is farther away than it can be was said by a clock that was ahead.
        let isRetry = retry.map { $0 <= now || $0 - now > Self.retryPause } ?? false
        let isWished = wished.map { $0 <= now || $0 - now > Self.wishPause } ?? false
        // One run serves both. A wish for later stays: what it is about may be newer than what this run finds.
        if isRetry { retry = nil }
        if isWished { wished = nil }
        guard isRetry || isWished || planned <= now else { return false }
        lastRun = now
        guard planned <= now else { return true }
        (retry, retries) = (nil, 0)
        nextRun = now + Self.rhythm - (now - planned) % Self.rhythm
        return true
    }

    /// Notes that the run that was due at `now`, in Unix seconds, came to nothing for a reason that may pass. It is tried
    /// again after ``retryPause``, at most ``maximumRetries`` times; then the next one of the grid is waited for. Returns whether it is tried again. Cannot fail.
    @discardableResult
    public mutating func putOffRun(at now: Int64) -> Bool {
        retry = retries < Self.maximumRetries ? now + Self.retryPause : nil
        retries = min(retries + 1, Self.maximumRetries)
        return retry != nil
    }

    /// Notes that a run was asked for at `now`, in Unix seconds: it is due at once, or ``wishPause`` after the last one was
    /// due, so that whoever asks all the time has no server asked all the time. Several wishes are one run, and the time of it
    /// is the same with visits and without. Cannot fail.
    public mutating func wishRun(at now: Int64) {
        let earliest = lastRun.flatMap { $0 <= now ? $0 + Self.wishPause : nil }
        wished = max(now, earliest ?? now)
    }

    /// The time from which on ``takesRun(at:)`` is `true`, in Unix seconds; `nil` before the first run.
    public var nextStart: Int64? { [nextRun, retry, wished].compactMap(\.self).min() }

    /// Notes that the question was answered for good: the next one begins anew. Cannot fail.
    public mutating func endQuestion() { (questionToken, questionTime) = (nil, 0) }

    /// Notes that a notice waits for the operators' answer; it replaces one for the same visit. If
    /// ``VisitDiary/maximumVisits`` notices of other visits wait already, the new one is dropped. Cannot fail.
    public mutating func hold(_ notice: HeldNotice) {
        if let index = held.firstIndex(where: { $0.visit == notice.visit }) {
            held[index] = notice
        } else if held.count < VisitDiary.maximumVisits {
            held.append(notice)
        }
    }

    /// Notes that the operators have answered about the notice for this visit: it does not wait any more. Has no effect if
    /// there is none.
    public mutating func release(_ visit: Int) { held.removeAll { $0.visit == visit } }

    // MARK: On disk

    /// The progress as JSON, to be written to disk; ``init(_:)`` reads it.
    public var json: JSON {
        var object: JSON.Object = [
            "hours": .array(hours.sorted().map(JSON.int)), "generation": .int(Int64(generation)),
            "held": .array(
                held.map { notice in
                    var entry: JSON.Object = [
                        "visit": .int(Int64(notice.visit)), "advice": .string(notice.advice.rawValue),
                    ]
                    entry["question"] = notice.token.map(JSON.string)
                    return .object(entry)
                }),
        ]
        if !packageVersion.isEmpty { object["packageVersion"] = .string(packageVersion) }
        if !withdrawnPackages.isEmpty { object["withdrawnPackages"] = .string(withdrawnPackages) }
        object["begunAnew"] = begunAnew.map(JSON.int)
        object["configuration"] = configuration.map { .string($0.text) }
        if !unproven.isEmpty { object["unproven"] = .array(unproven.sorted().map(JSON.int)) }
        if unprovenDay != 0 { object["unprovenDay"] = .int(unprovenDay) }
        object["question"] = questionToken.map(JSON.string)
        if questionToken != nil { object["questionTime"] = .int(questionTime) }
        object["nextRun"] = nextRun.map(JSON.int)
        object["retry"] = retry.map(JSON.int)
        if retries > 0 { object["retries"] = .int(Int64(retries)) }
        object["wished"] = wished.map(JSON.int)
        object["lastRun"] = lastRun.map(JSON.int)
        var lists = JSON.Object()
        lists["tag"] = tag.map(JSON.int)
        if hiddenDone > 0 { lists["hiddenDone"] = .int(Int64(hiddenDone)) }
        lists["hiddenTag"] = hiddenTag.map(JSON.int)
        if traceKeys != TraceKeyCounts() { lists["keys"] = traceKeys.json }
        if !lists.isEmpty { object["traceLists"] = .object(lists) }
        object["newestList"] = newestList.map(JSON.int)
        object["attempted"] = attempted.map(JSON.int)
        var systems = JSON.Object()
        for system in VenueSystem.allCases {
            var entry = JSON.Object()
            entry["checked"] = checked[system].map(JSON.int)
            entry["problem"] = problems[system].map(JSON.string)
            entry["origin"] = origins[system].map(JSON.string)
            systems[system.rawValue] = .object(entry)
        }
        object["systems"] = .object(systems)
        return .object(object)
    }

    /// Reads a progress that ``json`` has produced. Cannot fail: parts that cannot be read count as not compared
    /// yet; they are compared again, without repeating notices that the wearer has got.
    public init(_ json: JSON) {
        hours = Set((json["hours"]?.array ?? []).prefix(Self.maximumHours).compactMap(\.int))
        unproven = Set((json["unproven"]?.array ?? []).prefix(Self.maximumHours).compactMap(\.int))
        unprovenDay = json["unprovenDay"]?.int ?? 0
        packageVersion = json["packageVersion"]?.string ?? ""
        withdrawnPackages = json["withdrawnPackages"]?.string ?? ""
        begunAnew = json["begunAnew"]?.int
        configuration = json["configuration"]?.string.flatMap(ConfigurationMemory.init(text:))
        // Another name than before: then nobody had signed the tag, and whoever ran the web server could have said it.
        let lists = json["traceLists"]
        tag = lists?["tag"]?.int
        hiddenDone = Int(min(max(lists?["hiddenDone"]?.int ?? 0, 0), Int64(Self.hiddenParts - 1)))
        hiddenTag = hiddenDone > 0 ? lists?["hiddenTag"]?.int : nil
        traceKeys = TraceKeyCounts(lists?["keys"] ?? .null)
        newestList = json["newestList"]?.int
        attempted = json["attempted"]?.int
        generation = Int(clamping: min(max(json["generation"]?.int ?? 0, 0), Int64(Int32.max)))
        questionToken = HeldNotice(visit: 0, advice: .inform, token: json["question"]?.string).token
        questionTime = questionToken == nil ? 0 : json["questionTime"]?.int ?? 0
        nextRun = json["nextRun"]?.int
        retry = json["retry"]?.int
        retries = Int(min(max(json["retries"]?.int ?? 0, 0), Int64(Self.maximumRetries)))
        wished = json["wished"]?.int
        lastRun = json["lastRun"]?.int
        for entry in (json["held"]?.array ?? []).prefix(VisitDiary.maximumVisits) {
            guard let visit = entry["visit"]?.int,
                let advice = entry["advice"]?.string.flatMap(RiskyVenue.Advice.init(rawValue:))
            else { continue }
            // One of another question, as of an earlier release, is asked about anew.
            let token = entry["question"]?.string
            hold(HeldNotice(visit: Int(clamping: visit), advice: advice, token: token == questionToken ? token : nil))
        }
        for system in VenueSystem.allCases {
            checked[system] = json["systems"]?[system.rawValue]?["checked"]?.int
            problems[system] = json["systems"]?[system.rawValue]?["problem"]?.string
            origins[system] = json["systems"]?[system.rawValue]?["origin"]?.string
        }
    }
}
