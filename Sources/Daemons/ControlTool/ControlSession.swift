// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON

/// One command: asks the core, and shows the answer. Every command is a method, and no method knows how command
/// lines are written.
///
/// Commands block on the calling thread. They throw `ControlFailure`: `noCore`, `notPermitted`, `timedOut` or
/// `notUnderstood` if the core or the plugin cannot be asked, `refused` if it refuses, `declined` if the person
/// does not agree, `badFile` or `badUsage` if the input cannot be used, `outputLost` if the answer cannot be shown.
public final class ControlSession {
    let link: CoreLink
    private let consoles: String
    private let timeout: Duration?
    let spool: SpoolFolder
    let screen: Screen
    let person: Person
    let isJSON: Bool
    let leftovers: Leftovers
    let now: () -> Int64
    private let output: (String) throws(ControlFailure) -> Void

    /// Creates a session that asks the core at this socket. Nothing is opened before a command is called.
    ///
    /// - Parameters:
    ///   - socket: The path of the core's socket.
    ///   - spool: The path of the folder for this socket's files; `nil` for the socket's path without `.sock`, or
    ///     with `.d` appended if it does not end so.
    ///   - consoles: The path of the folder with the sockets at which plugins answer the console; `nil` for
    ///     `console` beside the core's socket.
    ///   - timeout: The longest wait for each reply; `nil` for 45 seconds, and 10 minutes where the core has much
    ///     to do first. Commands that watch wait for up to ten years.
    ///   - isJSON: Whether answers are shown as JSON, one line each, in the interface's own fields.
    ///   - screen: The screen that the answers to people are made for.
    ///   - person: The person who is asked for agreement.
    ///   - leftovers: The list of files to be removed when the command is interrupted.
    ///   - now: Returns the present time in Unix seconds, by which ages are shown.
    ///   - output: Writes an answer: whole lines, each with its end.
    public init(
        socket: String, spool: String? = nil, consoles: String? = nil, timeout: Duration? = nil, isJSON: Bool = false,
        screen: Screen,
        person: Person, leftovers: Leftovers = Leftovers(), now: @escaping () -> Int64 = ControlSession.systemTime,
        output: @escaping (String) throws(ControlFailure) -> Void = ControlSession.writeToStandardOutput
    ) {
        link = CoreLink(socket: socket, timeout: timeout)
        self.timeout = timeout
        let place = socket.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        self.consoles = consoles ?? (place.isEmpty ? "console" : "\(place)/console")
        let beside = socket.hasSuffix(".sock") ? String(socket.dropLast(5)) : socket + ".d"
        self.spool = SpoolFolder(path: spool ?? beside, leftovers: leftovers)
        self.leftovers = leftovers
        self.isJSON = isJSON
        self.screen = screen
        self.person = person
        self.now = now
        self.output = output
    }

    /// The connection to whoever serves an interface beside the core.
    func plugin(_ interface: String) -> CoreLink {
        CoreLink(socket: "\(consoles)/\(interface)", peer: .plugin(interface), timeout: timeout)
    }

    /// The present moment by the system clock, in whole Unix seconds (`time(2)`). It may be wrong: nobody has checked that
    /// clock.
    public static func systemTime() -> Int64 { Int64(time(nil)) }

    /// Writes the whole text, as UTF-8, to standard output; blocks until all of it is accepted.
    /// - Throws: `ControlFailure.outputLost` if standard output is closed or full. SIGPIPE must be ignored, or a
    ///   closed pipe ends the program.
    public static func writeToStandardOutput(_ text: String) throws(ControlFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ControlFailure(
                    .outputLost,
                    "The answer cannot be written: \(String(cString: strerror(errno))). What was asked of the core may be done."
                )
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Shows the JSON as it came, or what `text` makes of it.
    func show<Value: Decodable>(
        _ json: JSON, as type: Value.Type, _ text: (Value) -> String
    ) throws(ControlFailure) {
        guard !isJSON else { return try showJSON(json.withDates) }
        try output(text(try json.read(type)))
    }

    /// One line of JSON.
    func showJSON(_ json: JSON) throws(ControlFailure) { try output(PlainText.json(json) + "\n") }

    /// A sentence for people, or the answer for scripts.
    func say(_ sentence: String, _ json: JSON = .empty) throws(ControlFailure) {
        if isJSON { try showJSON(json) } else { try output(screen.paragraph(sentence)) }
    }

    func show(_ text: String) throws(ControlFailure) { try output(text) }

    /// Shows a failure to a script that asked for JSON. Shows nothing to people, who read it on standard error, and
    /// nothing for `outputLost`. Throws `outputLost` if the failure cannot be shown.
    public func showFailure(_ failure: ControlFailure) throws(ControlFailure) {
        if isJSON, failure.code != .outputLost { try showJSON(failure.json) }
    }

    /// A consent for one act.
    func ticket(_ purpose: Device1.Purpose) throws(ControlFailure) -> String {
        try link.ask(Device1.Method.giveConsent, Device1.GiveConsentCall(purpose: purpose))
            .read(Device1.GiveConsentReply.self).ticket
    }
}
