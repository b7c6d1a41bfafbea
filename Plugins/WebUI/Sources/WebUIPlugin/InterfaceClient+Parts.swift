// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit

/// Lists that are answered a part at a time, each asked for by the last number before it.
extension InterfaceClient {
    /// Parts of a list, at most: as many as the diary has room for, and some more.
    private static let mostParts = 40

    /// All parts of `list` as one answer, by the method's `after` and its `more`.
    func parts(
        _ method: any LawfulMethod, _ list: String, secret: String? = nil, session: String?, role: Access1.Role?,
        isAttended: Bool = true, then: @escaping (Answer) -> Void
    ) {
        part(method, list, secret, after: nil, [], left: Self.mostParts, session, role, isAttended, then)
    }

    private func part(
        _ method: any LawfulMethod, _ list: String, _ secret: String?, after: Int64?, _ known: [JSON], left: Int,
        _ session: String?, _ role: Access1.Role?, _ isAttended: Bool, _ then: @escaping (Answer) -> Void
    ) {
        var parameters = JSON.Object()
        parameters["after"] = after.map(JSON.int)
        parameters["secret"] = secret.map(JSON.string)
        ask(Question(method, parameters: .object(parameters)), session: session, role: role, isAttended: isAttended) {
            [self] answer in
            guard case .success(let reply) = answer, var object = reply.object else { return then(answer) }
            let all = known + (reply[list]?.array ?? [])
            let last = all.last?["number"]?.int
            // One that does not go on would never end.
            if reply["more"]?.bool == true, left > 1, let last, last > after ?? 0 {
                return part(method, list, secret, after: last, all, left: left - 1, session, role, isAttended, then)
            }
            object[list] = .array(all)
            then(.success(.object(object)))
        }
    }

    /// The wearer's visits as comma-separated values.
    func exportVisits(
        session: String?, role: Access1.Role?, then: @escaping (Result<String, CallError>) -> Void
    ) {
        exportPart(after: nil, "", left: Self.mostParts, session, role, then)
    }

    private func exportPart(
        after: Int64?, _ known: String, left: Int, _ session: String?, _ role: Access1.Role?,
        _ then: @escaping (Result<String, CallError>) -> Void
    ) {
        let parameters: JSON = after.map { ["after": .int($0)] } ?? .empty
        ask(Question(Checkin1.Method.exportVisits, parameters: parameters), session: session, role: role) {
            [self] answer in
            switch answer {
            case .failure(let error): then(.failure(error))
            case .success(let reply):
                let text = known + (reply["text"]?.string ?? "")
                if let next = reply["next"]?.int, next > after ?? 0, left > 1 {
                    return exportPart(after: next, text, left: left - 1, session, role, then)
                }
                then(.success(text))
            }
        }
    }
}
