// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Varlink
public import VarlinkSocket

/// The interfaces that the plugin serves, and the calls that it makes.
extension PluginHost {
    /// Serves an interface, whose handlers are added to the result right afterwards. May be called only in the plugin's
    /// `init`.
    ///
    /// - Parameter text: The interface's text, the same as in the file beside `plugin.json`.
    /// - Returns: The interface, without a handler yet.
    /// - Throws: `StartError.tooLate` after the start; `StartError.badInterface` if the text cannot be parsed, an interface
    ///   of that name is served already, or the interface cannot be served together with the others.
    public func serve(_ text: String) throws(StartError) -> ServedInterface {
        guard !isStarted, description == nil else {
            throw StartError(.tooLate, "interfaces are served from the start; do it in init")
        }
        let interface: InterfaceDescription
        do throws(VarlinkError) { interface = try InterfaceDescription(parsing: text) } catch {
            throw StartError(.badInterface, "an interface text cannot be read: \(error)")
        }
        guard !interfaces.contains(where: { $0.description.name == interface.name }) else {
            throw StartError(.badInterface, "\(interface.name) is served already")
        }
        let served = ServedInterface(interface)
        interfaces.append(served)
        do throws(StartError) { _ = try service() } catch {
            interfaces.removeLast()
            throw error
        }
        return served
    }

    /// Calls a method of another process, without waiting: the answer arrives on the loop.
    ///
    /// - Parameters:
    ///   - method: The method as `interface.Method`; its interface has to be granted.
    ///   - timeout: The longest wait for the answer.
    ///   - session: The token of the session that the call belongs to, as `org.vigil.access1` gave it: `UseSession` is sent
    ///     first, over the same connection. `nil` for a call without a session.
    ///   - isAttended: Whether a person has asked for the call. A call that the plugin makes by itself (`false`) does not
    ///     keep the session from ending.
    ///   - then: Called once, on the loop, in a later round, with the result or a ``CallError``; never if the ticket is
    ///     cancelled.
    /// - Returns: A ticket to cancel the call with; `nil` if the call could not be sent, and then `then` gets the error. It
    ///   never throws.
    @discardableResult
    public func call<Result: Decodable>(
        _ method: String, _ parameters: some Encodable = NoFields(), as type: Result.Type = Result.self,
        timeout: Duration = VarlinkClient.defaultTimeout, session: String? = nil, isAttended: Bool = true,
        then: @escaping (Swift.Result<Result, CallError>) -> Void
    ) -> VarlinkCaller.Ticket? {
        let first = session.map { Self.use($0, isAttended) }
        return send(method, parameters, wantsMore: false, timeout: timeout, first: first, as: type) { outcome in
            then(outcome.map(\.value))
        }
    }

    /// Calls a method given by its case instead of its name; otherwise the same as
    /// ``call(_:_:as:timeout:session:isAttended:then:)``. Returns `nil` if the call could not be sent; `then` gets the
    /// error in a later round of the loop.
    @discardableResult
    public func call<Result: Decodable>(
        _ method: some InterfaceMethod, _ parameters: some Encodable = NoFields(), as type: Result.Type = Result.self,
        timeout: Duration = VarlinkClient.defaultTimeout, session: String? = nil, isAttended: Bool = true,
        then: @escaping (Swift.Result<Result, CallError>) -> Void
    ) -> VarlinkCaller.Ticket? {
        call(
            method.path, parameters, as: type, timeout: timeout, session: session, isAttended: isAttended, then: then)
    }

    /// Calls a method that replies several times; otherwise the same as ``call(_:_:as:timeout:session:isAttended:then:)``.
    /// `each` gets every reply, and whether another one follows (`continues`); after an error no more follow. To cancel the
    /// ticket ends the call. Returns `nil` if the call could not be sent; `each` gets the error in a later round of the
    /// loop.
    ///
    /// - Parameter timeout: The longest wait for each reply; `nil` for no limit.
    @discardableResult
    public func subscribe<Result: Decodable>(
        _ method: String, _ parameters: some Encodable = NoFields(), as type: Result.Type = Result.self,
        timeout: Duration? = nil, session: String? = nil, isAttended: Bool = true,
        each: @escaping (Swift.Result<(value: Result, continues: Bool), CallError>) -> Void
    ) -> VarlinkCaller.Ticket? {
        let first = session.map { Self.use($0, isAttended) }
        return send(method, parameters, wantsMore: true, timeout: timeout, first: first, as: type, each: each)
    }

    /// Subscribes to a method given by its case instead of its name; otherwise the same as
    /// ``subscribe(_:_:as:timeout:session:isAttended:each:)``. Returns `nil` if the call could not be sent; `each` gets the
    /// error in a later round of the loop.
    @discardableResult
    public func subscribe<Result: Decodable>(
        _ method: some InterfaceMethod, _ parameters: some Encodable = NoFields(), as type: Result.Type = Result.self,
        timeout: Duration? = nil, session: String? = nil, isAttended: Bool = true,
        each: @escaping (Swift.Result<(value: Result, continues: Bool), CallError>) -> Void
    ) -> VarlinkCaller.Ticket? {
        subscribe(
            method.path, parameters, as: type, timeout: timeout, session: session, isAttended: isAttended, each: each)
    }

    private static func use(_ session: String, _ isAttended: Bool) -> Call {
        var parameters: JSON.Object = ["session": .string(session)]
        if !isAttended { parameters["unattended"] = true }
        return Call("org.vigil.access1.UseSession", parameters: parameters)
    }

    private func send<Result: Decodable>(
        _ method: String, _ parameters: some Encodable, wantsMore: Bool, timeout: Duration?, first: Call?,
        as type: Result.Type,
        each: @escaping (Swift.Result<(value: Result, continues: Bool), CallError>) -> Void
    ) -> VarlinkCaller.Ticket? {
        let json: JSON
        do {
            json = try JSON(encoding: parameters)
            let path = Self.provider(at: try socketPath(for: method))
            let caller = callers[path] ?? VarlinkCaller(path: path)
            callers[path] = caller
            return caller.call(method, json, wantsMore: wantsMore, timeout: timeout, first: first, at: loop.now) {
                outcome in
                switch outcome {
                case .failure(let error): each(.failure(CallError(error, method: method)))
                case .success(let (parameters, continues)):
                    do throws(JSONError) {
                        each(.success((try parameters.decode(type), continues)))
                    } catch {
                        each(
                            .failure(CallError(.notUnderstood, "\(method): the answer is not what was expected: \(error)")))
                    }
                }
            }
        } catch {
            // Told in a later round, as every other answer.
            let failure = error as? CallError ?? CallError(.notUnderstood, "\(method): the call cannot be sent: \(error)")
            loop.after(.zero) { each(.failure(failure)) }
            return nil
        }
    }

    /// The socket that a provider's interfaces share: the others are links to it. Connections are counted there, so calls are, too: with a
    /// bound for each interface a page that is asked for much had more connections than its relation may have, and the core closed those it
    /// had just been given.
    private static func provider(at path: String) -> String {
        var target = [CChar](repeating: 0, count: 256)
        let count = readlink(path, &target, target.count)
        guard count > 0, count < target.count, let end = path.utf8.lastIndex(of: 47) else { return path }
        let name = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.contains("/") ? path : String(path[...end]) + name
    }

    /// Returns the path of the socket of an interface's provider, for a `VarlinkClient`, which waits and therefore belongs
    /// in ``work(_:then:)``.
    ///
    /// - Parameter name: The interface, or one of its methods as `interface.Method`.
    /// - Returns: A path in the run folder, absolute if the run folder's is. Whether the socket exists is not checked.
    /// - Throws: `CallError.notAvailable` if the plugin has no run folder (`VIGIL_RUN` is not set), or if the interface's
    ///   name is empty, begins with a dot or contains a slash.
    public func socketPath(for name: String) throws(CallError) -> String {
        guard let run else {
            throw CallError(
                .notAvailable,
                "VIGIL_RUN is not set, so nobody can be called. Start the plugin by `vigil run`, or see docs/plugins.md.")
        }
        let last = name.split(separator: ".").last ?? ""
        let isMethod = last.utf8.first.map { (65...90).contains($0) } ?? false
        let interface = isMethod ? Self.parts(name)?.interface ?? name : name
        guard !interface.isEmpty, !interface.contains("/"), !interface.hasPrefix(".") else {
            throw CallError(.notAvailable, "\(name) is no interface")
        }
        return "\(run)/\(interface)"
    }
}
