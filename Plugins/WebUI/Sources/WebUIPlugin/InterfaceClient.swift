// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import Varlink

/// Asks the core and other plugins, for whoever stands before the page.
final class InterfaceClient {
    /// One question among several.
    struct Question {
        let method: any LawfulMethod
        var parameters: JSON
        /// Whether all pages of a long answer are wanted.
        var isWhole: Bool
        /// The member with the list, where a method answers in parts and all of them are wanted.
        var list: String?

        init(_ method: any LawfulMethod, parameters: JSON = .empty, isWhole: Bool = false, list: String? = nil) {
            self.method = method
            self.parameters = parameters
            self.isWhole = isWhole
            self.list = list
        }
    }

    typealias Answer = Result<JSON, CallError>

    /// Elements of a long answer; the rest is left out.
    static let wholeLimit = 2_000
    private unowned let host: PluginHost

    init(_ host: PluginHost) { self.host = host }

    /// Methods that take a proof of a session, because whoever serves them knows none. Other proofs than a session's no page can have.
    static func needsProof(_ method: any LawfulMethod) -> Bool {
        proven.contains(method.path) && !method.law.signedIn.isEmpty
    }

    private static let proven: Set<String> = {
        let interfaces = [Diagnosis1.name, Checkin1.name].compactMap { name in
            InterfaceTexts.all[name].flatMap { try? InterfaceDescription(parsing: $0) }
        }
        return Set(
            interfaces.flatMap { interface in
                interface.methods.filter { $0.parameters.contains { $0.name == "proof" } }.map {
                    "\(interface.name).\($0.name)"
                }
            })
    }()

    /// `parameters` with a proof that `session` is behind a call of `method`; why there is none otherwise.
    func prove(
        _ method: any LawfulMethod, _ parameters: JSON = .empty, session: String?, isAttended: Bool,
        then: @escaping (Result<JSON, CallError>) -> Void
    ) {
        host.call(
            Access1.Method.makeProof, Access1.MakeProofCall(method: method.path), as: Access1.MakeProofReply.self,
            session: session, isAttended: isAttended
        ) { answer in
            then(
                answer.map { reply in
                    var object = parameters.object ?? JSON.Object()
                    object["proof"] = .string(reply.proof)
                    return .object(object)
                })
        }
    }

    /// The core knows sessions and holds to the law. Other processes know none: for them ``ask(_:session:role:isAttended:timeout:then:)`` looks
    /// at the role.
    static func knowsSessions(_ method: any LawfulMethod) -> Bool { CoreMethod(path: method.path) != nil }

    /// How long the page waits for an answer. Visits may have to be encrypted or opened, which takes seconds on a small board, and longer on a busy one.
    private static func patience(for method: any LawfulMethod) -> Duration {
        guard let method = method as? Checkin1.Method else { return .seconds(10) }
        let slow: Set<Checkin1.Method> = [.checkIn, .checkOut, .getVisits, .setHiding, .editVisit, .exportVisits]
        return .seconds(slow.contains(method) ? 45 : 10)
    }

    /// - Parameters:
    ///   - role: The role of `session`, as the core said it.
    ///   - isAttended: Whether somebody asked for it: what a page asks by itself keeps nobody signed in.
    func ask(
        _ question: Question, session: String?, role: Access1.Role?, isAttended: Bool = true,
        timeout: Duration? = nil, then: @escaping (Answer) -> Void
    ) {
        let timeout = timeout ?? Self.patience(for: question.method)
        if Self.needsProof(question.method), question.parameters["proof"] == nil {
            var question = question
            return prove(question.method, question.parameters, session: session, isAttended: isAttended) {
                [self] proven in
                switch proven {
                case .failure(let error): then(.failure(error))
                case .success(let parameters):
                    question.parameters = parameters
                    ask(question, session: nil, role: role, timeout: timeout, then: then)
                }
            }
        }
        let isCores = Self.knowsSessions(question.method)
        guard isCores || question.method.law.roles.contains(Law.Holder(role)) else {
            return then(
                .failure(
                    CallError(
                        .refused, "\(question.method.path) is not for this role", name: "\(Access1.name).WrongRole",
                        parameters: ["reason": "This is not for your role."])))
        }
        guard isCores || role != nil else { return askForStranger(question, timeout: timeout, then: then) }
        put(question, session: isCores ? session : nil, isAttended: isAttended, timeout: timeout, then: then)
    }

    /// Whoever has not signed in starts no plugin of a person's device: it would cost power, and the time of the answer would
    /// tell whether the plugin was running, and so something about the wearer.
    private func askForStranger(_ question: Question, timeout: Duration, then: @escaping (Answer) -> Void) {
        host.call(Exposure1.Method.getStatus, as: Exposure1.StatusReply.self, timeout: timeout, isAttended: false) {
            [self] answer in
            switch answer {
            case .failure(let error): then(.failure(error))
            case .success(let reply) where reply.status.role == .place:
                put(question, session: nil, isAttended: false, timeout: timeout, then: then)
            case .success:
                let interface = question.method.path.split(separator: ".").dropLast().joined(separator: ".")
                then(
                    .failure(
                        CallError(
                            .refused, "\(question.method.path) is for places", name: "\(interface).WrongRole",
                            parameters: ["reason": "This device is a person's."])))
            }
        }
    }

    private func put(
        _ question: Question, session: String?, isAttended: Bool, timeout: Duration, then: @escaping (Answer) -> Void
    ) {
        guard question.isWhole else {
            host.call(
                question.method.path, question.parameters, as: JSON.self, timeout: timeout, session: session,
                isAttended: isAttended, then: then)
            return
        }
        var whole = JSON.Object()
        host.subscribe(
            question.method.path, question.parameters, as: JSON.self, timeout: timeout, session: session,
            isAttended: isAttended
        ) { result in
            switch result {
            case .failure(let error): then(.failure(error))
            case .success(let (page, continues)):
                Self.merge(page, into: &whole)
                if !continues { then(.success(.object(whole))) }
            }
        }
    }

    /// Lists grow; of everything else the last holds.
    static func merge(_ page: JSON, into whole: inout JSON.Object) {
        for member in page.object?.members ?? [] {
            if let more = member.value.array, let known = whole[member.name]?.array {
                whole[member.name] = .array(Array((known + more).suffix(wholeLimit)))
            } else {
                whole[member.name] = member.value
            }
        }
    }

    /// Asks everything at once; `then` has all answers, by the same names.
    func gather(
        _ questions: [String: Question], session: String?, role: Access1.Role?, isAttended: Bool = true,
        then: @escaping ([String: Answer]) -> Void
    ) {
        var answers: [String: Answer] = [:]
        guard !questions.isEmpty else { return then(answers) }
        for (name, question) in questions {
            let take = { (answer: Answer) in
                answers[name] = answer
                if answers.count == questions.count { then(answers) }
            }
            if let list = question.list {
                parts(question.method, list, session: session, role: role, isAttended: isAttended, then: take)
            } else {
                ask(question, session: session, role: role, isAttended: isAttended, then: take)
            }
        }
    }
}
