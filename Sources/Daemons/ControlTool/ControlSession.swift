// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON

/// One command: asks the core, shows the answer. Every command is a method; nothing here knows how command lines are written.
///
/// Commands block on the calling thread. They throw `ControlFailure`: `noCore`, `notPermitted`, `timedOut` or `notUnderstood` if the core
/// cannot be asked, `refused` if it says no, `declined` if the person does, `badFile` or `badUsage` if what was given cannot be used,
/// `outputLost` if the answer cannot be shown.
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

    /// A session that asks the core at this socket. Nothing is opened before a command is called.
    ///
    /// - Parameters:
    ///   - socket: Path of the core's socket.
    ///   - spool: Folder of this socket's files; when it is `nil`, the socket's path without `.sock`, or with `.d` behind it if it does not end so.
    ///   - consoles: Folder of the sockets at which plugins answer the console; `console` beside the core's socket when it is `nil`.
    ///   - timeout: For each reply; `nil` for 45 seconds, and 10 minutes where the core has much to do first. What watches waits without end.
    ///   - isJSON: Whether answers are shown as JSON, one line each, in the interface's own fields.
    ///   - now: Unix seconds, for ages; the core's own time is what it says.
    ///   - output: Takes what is shown: whole lines, each with its end.
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

    /// Writes all of it, as UTF-8, to standard output; blocks until it is taken.
    /// - Throws: `ControlFailure.outputLost` if that is closed or full: a pipe that is closed is no crash, if SIGPIPE is ignored.
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

    /// Shows a script that asked for JSON what went wrong; nothing for people, who are told on standard error, and nothing if the output is
    /// lost.
    public func showFailure(_ failure: ControlFailure) throws(ControlFailure) {
        if isJSON, failure.code != .outputLost { try showJSON(failure.json) }
    }

    /// A consent for one act.
    func ticket(_ purpose: Device1.Purpose) throws(ControlFailure) -> String {
        try link.ask(Device1.Method.giveConsent, Device1.GiveConsentCall(purpose: purpose))
            .read(Device1.GiveConsentReply.self).ticket
    }
}
