// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Glibc
import HTTPService
import Interfaces
import JSON
import Logging
import PluginKit
import WebPages
import WebSafety

/// Makes pages: asks for what they show, and puts it into the functions that draw them.
final class PageRenderer {
    typealias Notice = PageContext.Notice

    unowned let router: RequestRouter
    private let siteName: String?
    private let folder: String?
    private let log: Logger
    /// Those there are files for.
    private let languages: [Language]
    private var catalogues: [Language: TextCatalog] = [:]
    private var content: AuthorityContent?
    /// What every page needs, from a moment ago; by who asked, as the core answers one role otherwise than another.
    private var recent: [PageContext.Reader: [String: (value: JSON, until: Duration)]] = [:]
    /// The core's time less the system's, in seconds.
    private var clockOffset: Int64 = 0
    private let now: () -> Duration

    private static let base: [String: (question: InterfaceClient.Question, age: Duration)] = [
        "status": (.init(Exposure1.Method.getStatus), .seconds(2)),
        "time": (.init(Device1.Method.getTime), .seconds(5)),
        "preferences": (.init(Device1.Method.getPreferences), .seconds(2)),
        "content": (.init(Content1.Method.getContent), .seconds(10)),
    ]

    /// What some pages need and is dear to ask, by its name: for so long a page may be behind. The plugin that keeps visits asks the core four
    /// things for each answer.
    private static let brief: [String: Duration] = ["visitNews": .seconds(5)]

    init(_ router: RequestRouter, folder: String?, siteName: String?, log: Logger, now: @escaping () -> Duration) {
        self.router = router
        self.siteName = siteName
        self.now = now
        self.folder = folder
        self.log = log
        languages = Language.allCases.filter { language in
            folder.map { access("\($0)/texts/\(language.rawValue).txt", R_OK) == 0 } ?? false
        }
        if !languages.contains(.english) {
            log.error("there are no texts in \(folder ?? "the plugin's folder")/texts: pages cannot be shown")
        }
    }

    // MARK: Texts

    /// `texts/LANGUAGE.txt`, read when somebody first wants it: a start is waited for. What a language lacks is said in English.
    private func texts(_ language: Language) -> TextCatalog? {
        if let known = catalogues[language] { return known }
        guard let folder, languages.contains(language), let bytes = Self.file("\(folder)/texts/\(language.rawValue).txt")
        else {
            return language == .english ? nil : texts(.english)
        }
        let behind: TextCatalog? =
            switch language {
            case .english: nil
            case .plainGerman: texts(.german)
            default: texts(.english)
            }
        do {
            let read = try TextCatalog.parse(bytes, language: language, behind: behind)
            catalogues[language] = read
            return read
        } catch {
            log.error("\(error)")
            // Once is enough to try.
            catalogues[language] = behind
            return behind
        }
    }

    private static func file(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= TextCatalog.largestFile {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// The nearest there are texts for.
    private func language(_ visitor: Visitor, preferred: String?) -> Language {
        visitor.language ?? preferred.flatMap(Language.init(rawValue:)) ?? Language(accepting: visitor.accepting)
    }

    // MARK: Asking

    /// Unix seconds, as far as they are known.
    var unixNow: Int64 { Int64(time(nil)) + clockOffset }

    /// Asks `questions`, and what every page needs.
    func render(
        _ visitor: Visitor, _ questions: [String: InterfaceClient.Question], notice: Notice? = nil,
        then: @escaping (Replies, PageContext?) -> Void
    ) {
        var all = questions
        var known: [String: InterfaceClient.Answer] = [:]
        for (name, wish) in Self.base where all[name] == nil {
            if let found = recent[visitor.reader]?[name], found.until > now() {
                known[name] = .success(found.value)
            } else {
                all[name] = wish.question
            }
        }
        for name in Self.brief.keys where all[name] != nil {
            guard let found = recent[visitor.reader]?[name], found.until > now() else { continue }
            known[name] = .success(found.value)
            all[name] = nil
        }
        router.client.gather(all, session: visitor.session, role: visitor.role, isAttended: visitor.isAttended) {
            [weak self] answers in
            guard let self else { return }
            for (name, wish) in Self.base {
                if case .success(let value)? = answers[name] {
                    recent[visitor.reader, default: [:]][name] = (value, now() + wish.age)
                }
            }
            for (name, age) in Self.brief {
                if case .success(let value)? = answers[name] {
                    recent[visitor.reader, default: [:]][name] = (value, now() + age)
                }
            }
            if answers["content"] != nil {
                content = Replies(answers: answers).get("content", as: Content1.ContentReply.self)?.content.flatMap(
                    Self.content)
            }
            let replies = Replies(answers: answers.merging(known) { asked, _ in asked })
            then(replies, context(visitor, replies, notice))
        }
    }

    /// Something was changed: what was known a moment ago may hold no more.
    func forget() { recent = [:] }

    private func context(_ visitor: Visitor, _ replies: Replies, _ notice: Notice?) -> PageContext? {
        let time = replies.get("time", as: Device1.TimeReply.self)?.time.now
        if let time { clockOffset = time / 1_000 - Int64(Glibc.time(nil)) }
        let preferences = replies.get("preferences", as: Device1.PreferencesMessage.self)?.preferences
        return context(
            visitor, language: language(visitor, preferred: preferences?.language), notice: notice,
            device: replies.get("status", as: Exposure1.StatusReply.self)?.status.role ?? .person, timeIsKnown: time != nil)
    }

    private func context(
        _ visitor: Visitor, language: Language, notice: Notice?, device: Exposure1.Role, timeIsKnown: Bool
    ) -> PageContext? {
        guard let texts = texts(language) else { return nil }
        return PageContext(
            texts: texts, reader: visitor.reader, formToken: visitor.formToken, path: visitor.path, notice: notice,
            device: device,
            content: content, now: unixNow, timeIsKnown: timeIsKnown,
            languages: languages, siteName: siteName)
    }

    /// The authority's bundle in the pages' own words.
    static func content(_ text: String) -> AuthorityContent? {
        guard let bundle = try? ContentBundle(parsing: Array(text.utf8)) else { return nil }
        var editions: [Language: AuthorityContent.Edition] = [:]
        for language in Language.allCases {
            guard let found = bundle.languages[language.rawValue] else { continue }
            editions[language] = AuthorityContent.Edition(
                publisher: found.publication.first,
                recommendations: Dictionary(uniqueKeysWithValues: found.recommendations.map { ($0.rawValue, $1) }),
                hotlines: found.hotlines.map {
                    .init(
                        topic: $0.purpose == .results ? "verification" : $0.purpose.rawValue, title: $0.name,
                        number: $0.number, hours: $0.hours)
                }, links: found.links.map { .init(title: $0.title, address: $0.url) }, publication: found.publication,
                texts: found.texts)
        }
        return AuthorityContent(version: bundle.version, editions: editions)
    }

    // MARK: Showing

    /// Asks, draws, and answers. Without the core there is a page that says so.
    func show(
        _ incoming: IncomingRequest, _ questions: [String: InterfaceClient.Question] = [:], notice: Notice? = nil,
        status: UInt32 = 200,
        needs: String? = "status", draw: @escaping (Replies, PageContext) throws -> Page
    ) {
        render(incoming.visitor(router), questions, notice: notice) { [weak self] replies, context in
            guard let self else { return }
            if let needs, let problem = replies.problem(needs) {
                return incoming.exchange.send(router.refusal(incoming.request, problem))
            }
            guard let context else {
                return incoming.exchange.send(
                    Problem(503, "noTexts", "The page's texts are missing: install the plugin anew.").response)
            }
            do {
                incoming.exchange.send(Self.answer(try draw(replies, context), status, incoming.headers))
            } catch let problem as Problem {
                incoming.exchange.send(router.refusal(incoming.request, problem))
            } catch {
                incoming.exchange.send(router.refusal(incoming.request, Problem(503, "unreadable")))
            }
        }
    }

    static func answer(_ page: Page, _ status: UInt32 = 200, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "text/html; charset=utf-8")] + SafetyHeaders.all(scripts: true) + headers,
            body: .bytes(page.bytes))
    }

    /// What is shown when a page cannot be. Nobody was asked anything for it.
    func refusal(_ request: HTTPRequest, _ problem: Problem) -> HTTPResponse {
        let visitor = Visitor(
            role: nil, session: nil,
            language: IncomingRequest.cookie(.language, request).flatMap(Language.init(rawValue:)),
            accepting: request.headers["accept-language"] ?? "", path: "/", formToken: "")
        guard
            let context = context(
                visitor, language: language(visitor, preferred: nil), notice: nil, device: .person, timeIsKnown: true)
        else { return problem.response }
        let shown: Int =
            switch problem.status {
            case 409, 415, 421, 422, 431: 400
            default: Int(problem.status)
            }
        let wait = problem.headers.first { $0.0 == "Retry-After" }.flatMap { Int64($0.1) }
        return Self.answer(
            ErrorPages.page(shown, detail: problem.detail, wait: wait, context), problem.status, problem.headers)
    }

    /// The same for somebody who has signed in, with the pages that are theirs around it.
    func refuse(_ incoming: IncomingRequest, _ problem: Problem) {
        var visitor = incoming.visitor(router)
        visitor.isAttended = false
        // What was asked for is no page of ours: nothing on this one leads there.
        visitor.path = "/"
        render(visitor, [:]) { [weak self] _, context in
            guard let self else { return }
            guard let context else { return incoming.exchange.send(refusal(incoming.request, problem)) }
            incoming.exchange.send(
                Self.answer(
                    ErrorPages.page(Int(problem.status), detail: problem.detail, context), problem.status,
                    problem.headers + incoming.headers))
        }
    }

    /// A fault that the board tells, in its own English.
    static func fault(_ problem: Problem) -> Notice {
        Notice(.fault, problem.detail ?? Problem.titles[problem.status] ?? problem.code, isEnglish: true)
    }
}
