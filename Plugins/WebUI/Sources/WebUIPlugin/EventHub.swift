// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import PluginKit
import VarlinkSocket
import WebPages

/// Keeps pages that are open current: watches what can be watched, once for all of them, and draws their parts anew, each for whoever has it
/// open.
final class EventHub {
    private final class Reader {
        let stream: HTTPEventStream
        let visitor: Visitor
        let places: [LivePlace]
        /// Being drawn; and whether something changed meanwhile.
        var drawing: [LivePlace: Bool] = [:]

        init(_ stream: HTTPEventStream, _ visitor: Visitor, _ places: [LivePlace]) {
            self.stream = stream
            self.visitor = visitor
            self.places = places
        }
    }

    private struct Source {
        let watch: any LawfulMethod
        let places: [LivePlace]

        var method: String { watch.path }
        /// Who may watch.
        var roles: [Access1.Role] { watch.law.signedIn }
    }

    /// One connection each and for each role, however many pages are open.
    private static let sources: [Source] = [
        Source(watch: Exposure1.Method.watch, places: [.today, .overview]),
        Source(watch: Risk1.Method.watch, places: [.today]),
        Source(watch: Sync1.Method.watch, places: [.today, .sync, .overview]),
        Source(watch: Diagnosis1.Method.watch, places: [.today]),
    ]

    /// Between two tries of a source that ended.
    private static let pause = Duration.seconds(10)
    /// A stream's life; the browser comes again, and is looked at again.
    private static let life = Duration.seconds(600)
    private static let pollPause = Duration.seconds(5)
    /// For whoever has not signed in, who cannot watch; and for seeing whether those who have still are.
    private static let slowPause = 6

    private unowned let host: PluginHost
    private let fragments: Fragments
    private var readers: [ObjectIdentifier: Reader] = [:]
    /// A source as one role sees it: what the core tells the wearer must not so much as redraw a technician's page.
    private struct Sight: Hashable {
        let method: String
        /// `nil` where all see the same, because whoever is asked knows no sessions.
        let role: Access1.Role?
    }

    private var tickets: [Sight: VarlinkCaller.Ticket] = [:]
    /// Whose session a source is watched with.
    private var watchers: [Sight: ObjectIdentifier] = [:]
    private var polls: PluginLoop.Timer?
    private var pollCount = 0
    private var isEnding = false

    init(_ host: PluginHost, _ fragments: Fragments) {
        self.host = host
        self.fragments = fragments
    }

    /// The places of `?of=`, as far as there are such and the visitor may see them.
    static func places(_ incoming: IncomingRequest) -> [LivePlace] {
        let names = (incoming.query("of") ?? "").split(separator: ",").prefix(LivePlace.allCases.count)
        return LivePlace.allCases.filter { place in
            names.contains { $0 == place.rawValue }
                && (place.roles.map { roles in incoming.role.map(roles.contains) ?? false } ?? true)
        }
    }

    /// Whether `?of=` has a place that somebody has to sign in for.
    static func wantsMore(_ incoming: IncomingRequest) -> Bool {
        let names = (incoming.query("of") ?? "").split(separator: ",").prefix(LivePlace.allCases.count)
        return LivePlace.allCases.contains { place in place.roles != nil && names.contains { $0 == place.rawValue } }
    }

    /// Has the page load itself anew, as whoever its browser is now: the session it was shown to is over.
    static func dismiss(_ stream: HTTPEventStream) {
        stream.send(event: "ended", data: "")
        stream.end()
    }

    func add(_ stream: HTTPEventStream, _ visitor: Visitor, _ places: [LivePlace]) {
        let number = ObjectIdentifier(stream)
        let reader = Reader(stream, visitor, places)
        readers[number] = reader
        stream.onEnd = { [weak self] in self?.remove(number) }
        stream.retry(milliseconds: 5_000)
        // What changed between the page and its stream.
        for place in places { draw(place, reader) }
        host.loop.after(Self.life) { [weak stream] in stream?.end() }
        watch()
        if polls == nil { polls = host.loop.every(Self.pollPause) { [weak self] in self?.poll() } }
    }

    func end() {
        isEnding = true
        for reader in readers.values { reader.stream.end() }
    }

    private func remove(_ number: ObjectIdentifier) {
        readers[number] = nil
        // Whoever was watched for with this page's session is watched for with another's.
        for (sight, watcher) in watchers where watcher == number { stop(sight) }
        if readers.isEmpty {
            polls?.cancel()
            polls = nil
        }
        if !isEnding { watch() }
    }

    private func stop(_ sight: Sight) {
        tickets.removeValue(forKey: sight)?.cancel()
        watchers[sight] = nil
    }

    // MARK: Watching

    private func watch() {
        for source in Self.sources {
            guard InterfaceClient.knowsSessions(source.watch) else {
                watch(source, for: Sight(method: source.method, role: nil))
                continue
            }
            for role in source.roles { watch(source, for: Sight(method: source.method, role: role)) }
        }
    }

    private func watch(_ source: Source, for sight: Sight) {
        guard watchers[sight] == nil, let (number, reader) = readers.first(where: { sees($0.value, source, sight) }) else {
            return
        }
        watchers[sight] = number
        guard InterfaceClient.needsProof(source.watch) else {
            return subscribe(source, sight, .empty, session: sight.role == nil ? nil : reader.visitor.session)
        }
        fragments.routes.router.client.prove(source.watch, session: reader.visitor.session, isAttended: false) {
            [weak self] proven in
            guard let self, watchers[sight] == number else { return }
            switch proven {
            case .success(let parameters): subscribe(source, sight, parameters, session: nil)
            case .failure: comeAgain(sight)
            }
        }
    }

    private func subscribe(_ source: Source, _ sight: Sight, _ parameters: JSON, session: String?) {
        var isFirst = true
        tickets[sight] = host.subscribe(source.method, parameters, as: JSON.self, session: session, isAttended: false) {
            [weak self] result in
            guard let self else { return }
            if case .success(let (_, continues)) = result, continues {
                // How it is now is no news.
                if !isFirst { tell(source, sight) }
                isFirst = false
                return
            }
            // Until then nobody watches it: not even another page, or a refusal would be asked for again at once.
            tickets[sight] = nil
            comeAgain(sight)
        }
    }

    private func comeAgain(_ sight: Sight) {
        host.loop.after(Self.pause) { [weak self] in
            guard let self, tickets[sight] == nil else { return }
            watchers[sight] = nil
            watch()
        }
    }

    private func sees(_ reader: Reader, _ source: Source, _ sight: Sight) -> Bool {
        guard let role = reader.visitor.role, source.roles.contains(role), sight.role.map({ $0 == role }) ?? true else {
            return false
        }
        return source.places.contains { reader.places.contains($0) }
    }

    private func tell(_ source: Source, _ sight: Sight) {
        for reader in readers.values where sees(reader, source, sight) {
            for place in reader.places where source.places.contains(place) { draw(place, reader) }
        }
    }

    private func poll() {
        pollCount += 1
        let isSlow = pollCount % Self.slowPause == 0
        for reader in readers.values {
            if isSlow { dismissIfOver(reader) }
            for place in reader.places {
                if place.isPolled || (reader.visitor.role == nil && isSlow) { draw(place, reader) }
            }
        }
    }

    /// What a technician left open is not to be read for ever.
    private func dismissIfOver(_ reader: Reader) {
        guard let session = reader.visitor.session else { return }
        fragments.routes.router.client.ask(RequestRouter.whose(session, isAttended: false), session: nil, role: nil) {
            [weak reader] answer in
            guard let reader, case .failure(let error) = answer, error.code == .refused else { return }
            if Problem(error).status == 401 { Self.dismiss(reader.stream) }
        }
    }

    // MARK: Drawing

    private func draw(_ place: LivePlace, _ reader: Reader) {
        guard reader.stream.isOpen else { return }
        if reader.drawing[place] != nil {
            reader.drawing[place] = true
            return
        }
        reader.drawing[place] = false
        fragments.draw(place, reader.visitor) { [weak self, weak reader] markup in
            guard let reader else { return }
            let isStale = reader.drawing.removeValue(forKey: place) ?? false
            if let markup { reader.stream.send(event: place.rawValue, data: String(decoding: markup, as: UTF8.self)) }
            if isStale { self?.draw(place, reader) }
        }
    }
}
