// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Glibc
import Interfaces
import JSON
import Varlink

extension ControlSession {
    private struct Info: Decodable {
        var vendor: String
        var product: String
        var version: String
        var interfaces: [String]
    }

    private struct InterfaceText: Decodable {
        var description: String
    }

    /// The number of answers that a call waits for: one, as many as come, or none at all.
    public enum Answers: Sendable { case one, several, none }

    private static let service = "org.varlink.service"
    private static let mostInterfaces = 256

    /// Shows what the core offers to this socket, interface by interface.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func interfaces() throws(ControlFailure) {
        let reply = try link.ask("\(Self.service).GetInfo")
        guard !isJSON else { return try showJSON(reply) }
        let info = try reply.read(Info.self)
        var table = TextTable("Interface", "#Methods", "What it is")
        for name in info.interfaces.prefix(Self.mostInterfaces) {
            guard let text = try? description(name), let parsed = try? InterfaceDescription(parsing: text) else {
                table.add([name, "?", "its description cannot be read"])
                continue
            }
            table.add([name, "\(parsed.methods.count)", Self.firstSentence(parsed.prose)])
        }
        try show(screen.paragraph("\(info.product) \(info.version), \(info.vendor)") + table.text(screen))
    }

    /// Shows the text of one interface; `name` may be its last part, such as `exposure1`.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func interface(_ name: String) throws(ControlFailure) {
        var full = name
        if !name.contains(".") {
            let info = try link.ask("\(Self.service).GetInfo").read(Info.self)
            full = info.interfaces.first { $0.split(separator: ".").last.map(String.init) == name } ?? name
        }
        let reply = try link.ask("\(Self.service).GetInterfaceDescription", ["interface": .string(full)] as JSON)
        try show(reply, as: InterfaceText.self) { text in
            let text = ForeignText.lines(text.description)
            return text.hasSuffix("\n") ? text : text + "\n"
        }
    }

    private func description(_ name: String) throws(ControlFailure) -> String {
        try link.ask("\(Self.service).GetInterfaceDescription", ["interface": .string(name)] as JSON)
            .read(InterfaceText.self).description
    }

    private static func firstSentence(_ text: String) -> String {
        let body = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("SPDX-") && !$0.isEmpty }.joined(
            separator: " ")
        for mark in [". ", ": "] {
            guard let end = PlainText.firstRange(of: mark, in: body) else { continue }
            return body[..<end.lowerBound] + "."
        }
        return body
    }

    /// Makes any call, and shows its answers as JSON. On a terminal it refuses calls that hand out keys, because the keys
    /// would be on the screen.
    /// - Parameters:
    ///   - method: `interface.Method`, of three parts at least.
    ///   - text: The parameters, a JSON object; `nil` for none.
    ///   - answers: The number of replies that are waited for: one for the session's `timeout` (`nil`: 10 minutes), several
    ///     without end.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `badUsage` if `method` or
    ///   `text` is none, and for keys on a terminal.
    public func call(_ method: String, parameters text: String?, answers: Answers) throws(ControlFailure) {
        guard method.split(separator: ".", omittingEmptySubsequences: false).count >= 3 else {
            throw ControlFailure(.badUsage, "\(method) is no INTERFACE.METHOD, such as \(Exposure1.name).GetStatus.")
        }
        guard method != Release1.Method.takeDiagnosisKeys.path || isatty(1) == 0 else {
            throw ControlFailure(
                .badUsage, "This call answers with secret keys, which must not be on a screen. Use `vigil ctl release`.")
        }
        let parameters: JSON
        do throws(JSONError) {
            parameters = try text.map { text throws(JSONError) in try JSON(parsing: Array(text.utf8)) } ?? .empty
        } catch {
            throw ControlFailure(.badUsage, "The parameters are no JSON: \(error)")
        }
        guard parameters.object != nil else {
            throw ControlFailure(
                .badUsage, "Parameters are a JSON object, such as '{\"after\": 3}', and this is \(parameters.kind).")
        }
        switch answers {
        case .one: try showJSON(link.ask(method, parameters, .long))
        case .none: try link.tell(method, parameters)
        case .several:
            try link.follow(method, parameters, .endless) {
                try showJSON($0)
                return true
            }
        }
    }
}
