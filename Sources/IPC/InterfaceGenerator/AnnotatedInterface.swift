// SPDX-License-Identifier: Apache-2.0

import Varlink

/// An interface with what its annotations say, read strictly: what is missing or not understood is a problem, never a default.
struct AnnotatedInterface {
    /// What stands above one method.
    struct Rules {
        var roles: [String] = []
        var inPlaces: [String] = []
        var results = "nothing"
        var isAboutConsents = false
        var isExclusive = false
        var isForFleets = false
    }

    /// Who may call: those who sign in, and those who have not.
    static let roles = ["nobody", "wearer", "technicianReadOnly", "technician"]
    /// From the least to the most that is told.
    static let results = ["nothing", "summaries", "windows"]
    static let servers = ["core", "egress", "plugin"]

    let description: InterfaceDescription
    let text: InterfaceText
    /// Of every method, by its name.
    private(set) var rules: [String: Rules] = [:]
    /// Of types of which the words have roles: by the type's name, then by the word.
    private(set) var wordRoles: [String: [(word: String, roles: [String])]] = [:]
    /// Whether the core answers it.
    private(set) var isCore = false
    private(set) var problems: [GenerationFailure.Problem] = []
    /// Of types that hold results of matching, by their names.
    private var typeResults: [String: String] = [:]
    private let place: TextPlace

    init(_ text: InterfaceText) throws(GenerationFailure) {
        self.text = text
        place = TextPlace(text.text)
        do throws(VarlinkError) { description = try InterfaceDescription(parsing: text.text) } catch {
            let line = if case .line(let line, _)? = error.place { line } else { 1 }
            throw GenerationFailure(problems: [.init(path: text.path, line: line, advice: "\(error)")])
        }
        let name = text.path.split(separator: "/").last ?? ""
        if name != "\(description.name).varlink" { complain(1, "call the file \(description.name).varlink") }
        // What Swift would read otherwise than it stands there.
        if text.text.unicodeScalars.contains(where: {
            $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }) {
            complain(1, "there is a control character in the text: lines end with a line feed and nothing else")
        }
        for (line, advice) in place.unread() { complain(line, advice) }
        readServer()
        for case .type(let alias) in description.members { read(alias) }
        for member in description.members {
            switch member {
            case .type: break
            case .method(let method): read(method)
            case .error(let error):
                let line = place.line(of: "error", error.name)
                refuse(error.annotations, besides: [], line)
                refuseInside(.structure(error.parameters), line)
            }
        }
    }

    // MARK: Reading

    private mutating func readServer() {
        let line = place.line(of: "interface")
        let known = description.annotations.filter { $0.name == "server" }
        if known.count == 1, known[0].words.count == 1, Self.servers.contains(known[0].words[0]) {
            isCore = known[0].words == ["core"]
        } else {
            complain(
                line,
                "\(description.name) must say once who answers it: write `# @server core`, or egress or plugin, above it")
        }
        refuse(description.annotations, besides: ["server"], line)
    }

    private mutating func read(_ method: InterfaceDescription.Method) {
        let line = place.line(of: "method", method.name)
        var rules = Rules()
        if let words = words(of: "roles", above: method, line) {
            rules.roles = roles(words, method.name, line)
        } else {
            complain(
                line,
                "\(method.name) must say who may call it: write `# @roles wearer technician` above it, with the roles that may and `nobody` "
                    + "for people who have not signed in, or `# @roles none` if people may not and grants alone decide")
        }
        if let words = words(of: "place", above: method, line) {
            rules.inPlaces = roles(words, method.name, line)
            judgePlace(method, rules, line)
        }
        if let words = words(of: "results", above: method, line), let told = results(words) {
            rules.results = told
            judge(method, rules, line)
        } else {
            complain(
                line,
                "\(method.name) must say which results of matching its answers tell: write `# @results nothing`, or summaries or windows, "
                    + "above it")
        }
        rules.isAboutConsents = flag("consents", above: method, line)
        rules.isExclusive = flag("exclusive", above: method, line)
        rules.isForFleets = flag("fleet", above: method, line)
        refuse(method.annotations, besides: ["roles", "place", "results", "consents", "exclusive", "fleet"], line)
        judgeFleet(method, rules, line)
        refuseInside(.structure(method.parameters + method.results), line)
        self.rules[method.name] = rules
    }

    /// What a method says of itself, against what it returns and who may call it.
    private mutating func judge(_ method: InterfaceDescription.Method, _ rules: Rules, _ line: Int) {
        var seen: Set<String> = []
        var returned: Set<String> = []
        for field in method.results { collectTypes(field.type, &seen, &returned) }
        for name in returned.sorted() {
            guard let least = typeResults[name], !Self.tells(rules.results, least) else { continue }
            complain(line, "\(method.name) returns \(name), which tells \(least): write `# @results \(least)` above it")
        }
        // Results are for the wearer alone.
        if rules.results != "nothing", let other = (rules.roles + rules.inPlaces).first(where: { $0 != "wearer" }) {
            complain(
                line,
                "\(method.name) tells results of matching, which are the wearer's alone: take \(other) out of its roles")
        }
    }

    /// Who may call it in a place only, against what the method says of itself.
    private mutating func judgePlace(_ method: InterfaceDescription.Method, _ rules: Rules, _ line: Int) {
        let why: String? =
            if !isCore {
                "only the core knows whether the device stands in a place: take away @place"
            } else if rules.inPlaces.isEmpty || rules.inPlaces.contains("wearer") {
                "a place has no wearer: write technicians above it, or take away @place"
            } else if rules.inPlaces.contains("nobody") {
                "whoever has not signed in gets no more in a place: take nobody out of @place"
            } else if let twice = rules.inPlaces.first(where: rules.roles.contains) {
                "\(twice) may call it everywhere: take \(twice) out of @place"
            } else { nil }
        if let why { complain(line, "\(method.name): \(why)") }
    }

    /// What a fleet's configuration may give, against what the method says of itself: what is a person's, only a card grants.
    private mutating func judgeFleet(_ method: InterfaceDescription.Method, _ rules: Rules, _ line: Int) {
        guard rules.isForFleets else { return }
        let why: String? =
            if rules.results != "nothing" {
                "tells results of matching"
            } else if rules.isAboutConsents {
                "is about consents"
            } else if rules.isExclusive {
                "is for one caller of a board alone"
            } else if rules.roles == ["wearer"] { "is the wearer's alone" } else { nil }
        if let why { complain(line, "\(method.name) \(why), so only a card grants it: take away @fleet") }
    }

    /// Whether `told` tells as much as `least` or more.
    private static func tells(_ told: String, _ least: String) -> Bool {
        (results.firstIndex(of: told) ?? 0) >= (results.firstIndex(of: least) ?? 0)
    }

    /// Names of types in `type` and in what these consist of.
    private func collectTypes(
        _ type: InterfaceDescription.TypeExpression, _ seen: inout Set<String>, _ found: inout Set<String>
    ) {
        switch type {
        case .bool, .int, .float, .string, .object, .enumeration: break
        case .array(let inner), .dictionary(let inner), .optional(let inner): collectTypes(inner, &seen, &found)
        case .structure(let fields): for field in fields { collectTypes(field.type, &seen, &found) }
        case .named(let name):
            found.insert(name)
            guard seen.insert(name).inserted, let alias = description.type(named: name) else { return }
            collectTypes(alias.type, &seen, &found)
        }
    }

    private mutating func read(_ alias: InterfaceDescription.TypeAlias) {
        let line = place.line(of: "type", alias.name)
        refuse(alias.annotations, besides: ["results"], line)
        if let words = words(of: "results", above: alias, line) {
            if let told = results(words), told != "nothing" {
                typeResults[alias.name] = told
            } else {
                complain(line, "\(alias.name): write `# @results summaries` or windows, or nothing at all")
            }
        }
        guard case .enumeration(let words) = alias.type, words.contains(where: { !$0.annotations.isEmpty }) else {
            return refuseInside(alias.type, line)
        }
        for word in words {
            refuse(word.annotations, besides: ["roles"], line)
            guard let known = self.words(of: "roles", above: word, line) else {
                complain(line, "\(alias.name).\(word.name) must have `# @roles` above it, as other words of the type have")
                continue
            }
            wordRoles[alias.name, default: []].append((word.name, roles(known, "\(alias.name).\(word.name)", line)))
        }
    }

    // MARK: Annotations

    /// The words of the one annotation of that name; `nil` if there is none.
    private mutating func words(of name: String, above element: some InterfaceElement, _ line: Int) -> [String]? {
        let found = element.annotations.filter { $0.name == name }
        if found.count > 1 { complain(line, "@\(name) stands here more than once: write it once") }
        return found.first?.words
    }

    private func results(_ words: [String]) -> String? {
        words.count == 1 && Self.results.contains(words[0]) ? words[0] : nil
    }

    private mutating func roles(_ words: [String], _ name: String, _ line: Int) -> [String] {
        if words == ["none"] { return [] }
        for word in words where !Self.roles.contains(word) {
            complain(
                line, "\(name): \(word) is no role: write some of \(Self.roles.joined(separator: ", ")), or none alone")
        }
        if words.isEmpty || Set(words).count != words.count {
            complain(line, "\(name): write each role that may once, or none if people may not")
        }
        return Self.roles.filter(words.contains)
    }

    private mutating func flag(_ name: String, above method: InterfaceDescription.Method, _ line: Int) -> Bool {
        guard let words = words(of: name, above: method, line) else { return false }
        if !words.isEmpty { complain(line, "\(method.name): nothing may follow @\(name)") }
        return true
    }

    private mutating func refuse(_ annotations: [InterfaceAnnotation], besides known: [String], _ line: Int) {
        for annotation in annotations where !known.contains(annotation.name) {
            let choice = known.isEmpty ? "none are known" : "known are \(known.map { "@\($0)" }.joined(separator: ", "))"
            complain(line, "@\(annotation.name) means nothing here: \(choice)")
        }
    }

    /// Fields, and words of enumerations that have no name, have no annotations.
    private mutating func refuseInside(_ type: InterfaceDescription.TypeExpression, _ line: Int) {
        switch type {
        case .bool, .int, .float, .string, .object, .named: break
        case .array(let inner), .dictionary(let inner), .optional(let inner): refuseInside(inner, line)
        case .enumeration(let words): for word in words { refuse(word.annotations, besides: [], line) }
        case .structure(let fields):
            for field in fields {
                refuse(field.annotations, besides: [], line)
                refuseInside(field.type, line)
            }
        }
    }

    private mutating func complain(_ line: Int, _ advice: String) {
        problems.append(.init(path: text.path, line: line, advice: advice))
    }
}
