// SPDX-License-Identifier: Apache-2.0

import JSON
public import Verification

/// A verification server elsewhere that knows a warning's handles by its code, for a portal. One thread at a time.
public final class RemoteWarningFinder: WarningFinding {
    private let client: InternalClient

    /// A server that `client` reaches, with the portal's secret; connects to nothing yet. Only this object may use `client`.
    public init(_ client: InternalClient) { self.client = client }

    /// Asks for the handles of `code` as ``WarningFinding/handles(_:)`` has it, at least one; blocks for up to ten
    /// seconds. Throws `invalidCode` when the server takes it for no code, and `failed` for no answer, another refusal,
    /// and an answer that is no list of handles.
    public func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle] {
        let reply: InternalClient.Reply
        do throws(VerificationError) {
            reply = try client.post("/version/v1/warning", ["code": .string(code)])
        } catch { throw WarningRefusal(.failed, "\(error)") }
        switch reply.status {
        case 200:
            let list = (try? reply.member("warnings"))?.array ?? []
            let handles = list.compactMap { $0.string.flatMap(WarningHandle.init(hexadecimal:)) }
            guard !handles.isEmpty, handles.count == list.count else { throw WarningRefusal(.failed, "no handles") }
            return handles
        case 400: throw WarningRefusal(.invalidCode)
        case let status: throw WarningRefusal(.failed, "status \(status)")
        }
    }
}

/// A publishing authority elsewhere that takes warnings back, for a portal. One thread at a time.
public final class RemoteWarningDesk: WarningDesk {
    private let client: InternalClient

    /// An authority that `client` reaches, with the token for warnings of the authority's folder; connects to nothing yet. Only
    /// this object may use `client`.
    public init(_ client: InternalClient) { self.client = client }

    private func asked(_ action: String, _ question: JSON) throws(WarningRefusal) -> InternalClient.Reply {
        let reply: InternalClient.Reply
        do throws(VerificationError) { reply = try client.post("/admin/warnings/\(action)", question) } catch {
            throw WarningRefusal(.failed, "\(error)")
        }
        guard reply.status == 200 else { throw WarningRefusal(.failed, "status \(reply.status)") }
        // Refusals are answers too: a status says nothing about which of them it is.
        if let code = (try? reply.member("refused"))?.string {
            throw WarningRefusal(WarningRefusal.Code(rawValue: code) ?? .failed, code)
        }
        return reply
    }

    private func proposal(_ action: String, _ question: JSON) throws(WarningRefusal) -> WarningProposal {
        let reply = try asked(action, question)
        guard let json = try? reply.member("proposal"), let proposal = WarningProposal(json: json) else {
            throw WarningRefusal(.failed, "no proposal")
        }
        return proposal
    }

    /// Proposes there; the rules for `person` and `reason` are those of that server, which takes 1 to 16 handles. `now`
    /// is not used: the server has its own time. Blocks for up to ten seconds. Throws the refusal that the server
    /// answers; `failed` for no answer, one that is no proposal, and a refusal that is not known here.
    public func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal {
        try proposal(
            "propose",
            [
                "warnings": .array(handles.map { .string($0.hexadecimal) }), "change": .string(change.rawValue),
                "by": .string(person), "reason": .string(reason),
            ])
    }

    /// Confirms the proposal of that number on that server, which uses its own time instead of `now`; blocks and throws
    /// ``WarningRefusal`` as ``propose(_:_:by:reason:now:)`` does.
    public func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal {
        try proposal("confirm", ["proposal": .int(number), "by": .string(person)])
    }

    /// Drops the proposal of that number on that server, which uses its own time instead of `now`; blocks and throws
    /// ``WarningRefusal`` as ``propose(_:_:by:reason:now:)`` does.
    public func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) {
        _ = try asked("drop", ["proposal": .int(number), "by": .string(person)])
    }

    /// The list from that server, oldest first; it uses its own time instead of `now`. Blocks for up to ten seconds.
    /// Throws `failed` for no answer and when one of the list cannot be read, otherwise the refusal that the server
    /// answers.
    public func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal] {
        let reply = try asked("list", .empty)
        guard let list = (try? reply.member("proposals"))?.array else { throw WarningRefusal(.failed, "no list") }
        let proposals = list.compactMap(WarningProposal.init(json:))
        guard proposals.count == list.count else { throw WarningRefusal(.failed, "no proposals") }
        return proposals
    }
}
