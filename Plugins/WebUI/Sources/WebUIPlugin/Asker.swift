// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import Varlink

/// Asks the core and other plugins, for whoever stands before the page.
final class Asker {
    /// One question among several.
    struct Question {
        let method: String
        var parameters: JSON = .empty
        /// Whether all pages of a long answer are wanted.
        var isWhole = false
    }

    typealias Answer = Result<JSON, CallError>

    /// Elements of a long answer; the rest is left out.
    static let wholeLimit = 2_000
    /// Whom the core's interfaces know. Others know no sessions: whoever asks them has looked at the role before.
    private static let core: Set<String> = [
        Access1.name, Exposure1.name, Risk1.name, Device1.name, "org.vigil.content1", "org.vigil.keeper1",
    ]

    private unowned let host: PluginHost

    init(_ host: PluginHost) { self.host = host }

    /// Methods that take a proof of the wearer's session, because whoever serves them knows none.
    static func needsProof(_ method: String) -> Bool { proven.contains(method) }

    private static let proven: Set<String> = {
        guard let text = InterfaceTexts.all[Diagnosis1.name], let interface = try? InterfaceDescription(parsing: text)
        else {
            return []
        }
        let methods = interface.methods.filter { $0.parameters.contains { $0.name == "proof" } }
        return Set(methods.map { "\(interface.name).\($0.name)" })
    }()

    /// `parameters` with a proof that `session` is behind a call of `method`; why there is none otherwise.
    func prove(
        _ method: String, _ parameters: JSON = .empty, session: String?, isAttended: Bool,
        then: @escaping (Result<JSON, CallError>) -> Void
    ) {
        host.call(
            "\(Access1.name).MakeProof", Access1.MakeProofCall(method: method), as: Access1.MakeProofReply.self,
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

    static func knowsSessions(_ method: String) -> Bool {
        guard let dot = method.lastIndex(of: ".") else { return false }
        return core.contains(String(method[..<dot]))
    }

    /// - Parameter isAttended: Whether somebody asked for it: what a page asks by itself keeps nobody signed in.
    func ask(
        _ question: Question, session: String?, isAttended: Bool = true, timeout: Duration = .seconds(10),
        then: @escaping (Answer) -> Void
    ) {
        if Self.needsProof(question.method), question.parameters["proof"] == nil {
            var question = question
            return prove(question.method, question.parameters, session: session, isAttended: isAttended) {
                [self] proven in
                switch proven {
                case .failure(let error): then(.failure(error))
                case .success(let parameters):
                    question.parameters = parameters
                    ask(question, session: nil, timeout: timeout, then: then)
                }
            }
        }
        let session = Self.knowsSessions(question.method) ? session : nil
        guard question.isWhole else {
            host.call(
                question.method, question.parameters, as: JSON.self, timeout: timeout, session: session,
                isAttended: isAttended, then: then)
            return
        }
        var whole = JSON.Object()
        host.subscribe(
            question.method, question.parameters, as: JSON.self, timeout: timeout, session: session, isAttended: isAttended
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
        _ questions: [String: Question], session: String?, isAttended: Bool = true,
        then: @escaping ([String: Answer]) -> Void
    ) {
        var answers: [String: Answer] = [:]
        guard !questions.isEmpty else { return then(answers) }
        for (name, question) in questions {
            ask(question, session: session, isAttended: isAttended) { answer in
                answers[name] = answer
                if answers.count == questions.count { then(answers) }
            }
        }
    }
}
