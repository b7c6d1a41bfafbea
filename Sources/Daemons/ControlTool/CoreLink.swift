// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Varlink
import VarlinkSocket

/// The connection to a core, or to a plugin beside it: asks, and says what went wrong in the words of this tool. Connects when it is
/// first needed.
final class CoreLink {
    /// Who is at the other end.
    enum Peer {
        case core
        /// Whoever serves that interface.
        case plugin(String)
    }

    /// Elements of a list that comes in pages; a core sends far fewer, and one that never ends must not fill the memory.
    static let mostElements = 100_000
    /// As good as for ever: a watch waits for events that may not come for days.
    static let forEver = Duration.seconds(10 * 365 * 86_400)

    let socket: String
    private let peer: Peer
    private let timeout: Duration?
    private let longTimeout: Duration
    private var client: (VarlinkClient, Duration)?

    /// - Parameters:
    ///   - timeout: For each reply; `nil` for 45 seconds, and 10 minutes where the core has much to do first.
    init(socket: String, peer: Peer = .core, timeout: Duration? = nil) {
        self.socket = socket
        self.peer = peer
        self.timeout = timeout
        longTimeout = timeout ?? .seconds(600)
    }

    /// Whether a call may take long before its first reply, or wait for ever.
    enum WaitLimit { case usual, long, endless }

    /// Connects, so that a core that is not there is said before anything else is done.
    func reach(_ waitLimit: WaitLimit = .usual) throws(ControlFailure) { _ = try connection(waitLimit) }

    /// Asks and gives the answer's parameters.
    func ask(
        _ method: String, _ parameters: some Encodable = Nothing(), _ waitLimit: WaitLimit = .usual
    ) throws(ControlFailure) -> JSON {
        let parameters = try encode(parameters)
        let client = try connection(waitLimit)
        do throws(VarlinkSocketError) { return try client.call(method, parameters) } catch {
            throw ControlFailure(error, socket: socket, peer)
        }
    }

    func ask(
        _ method: some InterfaceMethod, _ parameters: some Encodable = Nothing(), _ waitLimit: WaitLimit = .usual
    ) throws(ControlFailure) -> JSON { try ask(method.path, parameters, waitLimit) }

    /// Asks for an answer in several replies, each given to `each` until it returns false.
    func follow(
        _ method: String, _ parameters: some Encodable = Nothing(), _ waitLimit: WaitLimit = .usual,
        each: (JSON) throws -> Bool
    ) throws(ControlFailure) {
        let parameters = try encode(parameters)
        let client = try connection(waitLimit)
        do {
            try client.callMore(method, parameters, each: each)
        } catch let failure as ControlFailure {
            throw failure
        } catch let error as VarlinkSocketError {
            throw ControlFailure(error, socket: socket, peer)
        } catch {
            throw ControlFailure(.notUnderstood, "\(error)")
        }
    }

    func follow(
        _ method: some InterfaceMethod, _ parameters: some Encodable = Nothing(), _ waitLimit: WaitLimit = .usual,
        each: (JSON) throws -> Bool
    ) throws(ControlFailure) { try follow(method.path, parameters, waitLimit, each: each) }

    /// Asks for a list that comes in pages; gives the last reply with the whole list in it.
    func askPages(
        _ method: some InterfaceMethod, list: String, _ parameters: some Encodable = Nothing()
    ) throws(ControlFailure) -> JSON {
        var elements: [JSON] = []
        var last = JSON.Object()
        try follow(method, parameters) { reply in
            guard let object = reply.object, let page = reply[list]?.array else {
                throw ControlFailure(.notUnderstood, "The core's answer has no list \(list). It may be of another version.")
            }
            elements += page
            last = object
            guard elements.count <= Self.mostElements else {
                throw ControlFailure(
                    .notUnderstood, "The core's list \(list) does not end. Look at its log, and start it again.")
            }
            return true
        }
        last[list] = .array(elements)
        return .object(last)
    }

    /// Calls without an answer.
    func tell(_ method: String, _ parameters: JSON) throws(ControlFailure) {
        let client = try connection(.usual)
        do throws(VarlinkSocketError) { try client.callOneway(method, parameters) } catch {
            throw ControlFailure(error, socket: socket, peer)
        }
    }

    private func encode(_ value: some Encodable) throws(ControlFailure) -> JSON {
        do throws(JSONError) { return try JSON(encoding: value) } catch {
            throw ControlFailure(.badUsage, "This cannot be sent: \(error)")
        }
    }

    private func connection(_ waitLimit: WaitLimit) throws(ControlFailure) -> VarlinkClient {
        let wait: Duration =
            switch waitLimit {
            case .usual: timeout ?? VarlinkClient.defaultTimeout
            case .long: longTimeout
            case .endless: Self.forEver
            }
        if let (client, hasWait) = client, hasWait == wait { return client }
        do throws(VarlinkSocketError) {
            let made = try VarlinkClient(path: socket, timeout: wait)
            client = (made, wait)
            return made
        } catch {
            throw ControlFailure(error, socket: socket, peer)
        }
    }
}

extension JSON {
    /// The answer as its type; a core that sends something else is not understood.
    func read<Value: Decodable>(_ type: Value.Type) throws(ControlFailure) -> Value {
        do throws(JSONError) { return try decode(type) } catch {
            throw ControlFailure(
                .notUnderstood,
                "The core's answer is not what its interface says: \(error) It may be of another version; --json shows it as it is."
            )
        }
    }
}
