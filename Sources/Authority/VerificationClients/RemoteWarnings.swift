// SPDX-License-Identifier: Apache-2.0

import JSON
public import Verification

/// A verification server elsewhere that a portal asks for the handles of a warning. Use it on one thread at a time.
public final class RemoteWarningFinder: WarningFinding {
    private let client: InternalClient

    /// Creates a finder over the server that `client` reaches with the portal's secret; only this object may use `client`.
    /// Connects to nothing yet.
    public init(_ client: InternalClient) { self.client = client }

    /// Requests the handles of `code`, at least one, as ``WarningFinding/handles(_:)`` returns them. Blocks for up to ten
    /// seconds. Throws `invalidCode` when the server does not take `code` for one, and `failed` for no answer, another
    /// refusal, and an answer that is not a list of handles.
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

/// A publishing authority elsewhere that takes warnings back for a portal. Use it on one thread at a time.
public final class RemoteWarningDesk: WarningDesk {
    private let client: InternalClient
    /// The changes that the server named in its last list; `revoked` alone before that, and for one that names none.
    public private(set) var changes: [WarningChange] = [.revoked]

    /// Creates a desk over the authority that `client` reaches with the token for warnings of the authority's folder; only
    /// this object may use `client`. Connects to nothing yet.
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

    /// Proposes the change on the server, which checks `person` and `reason` by its own rules, and takes 1 to 16 handles.
    /// `now` is ignored: the server uses its own time. Blocks for up to ten seconds. Throws the refusal that the server
    /// answers; `failed` for no answer, an answer that is not a proposal, and a refusal that is not known here.
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

    /// Confirms the proposal `number` on the server, which uses its own time instead of `now`. Blocks for up to ten
    /// seconds. Throws the refusal that the server answers; `failed` for no answer, an answer that is not a proposal, and a
    /// refusal that is not known here.
    public func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal {
        try proposal("confirm", ["proposal": .int(number), "by": .string(person)])
    }

    /// Drops the proposal `number` on the server, which uses its own time instead of `now`. Blocks for up to ten seconds.
    /// Throws the refusal that the server answers; `failed` for no answer and a refusal that is not known here.
    public func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) {
        _ = try asked("drop", ["proposal": .int(number), "by": .string(person)])
    }

    /// Returns the open proposals of the server, oldest first; it uses its own time instead of `now`. Blocks for up to ten
    /// seconds. Throws the refusal that the server answers; `failed` for no answer, when a proposal in the list cannot be
    /// read, and for a refusal that is not known here.
    public func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal] {
        let reply = try asked("list", .empty)
        guard let list = (try? reply.member("proposals"))?.array else { throw WarningRefusal(.failed, "no list") }
        changes = ((try? reply.member("changes"))?.array ?? []).compactMap { $0.string.flatMap(WarningChange.init) }
        if changes.isEmpty { changes = [.revoked] }
        let proposals = list.compactMap(WarningProposal.init(json:))
        guard proposals.count == list.count else { throw WarningRefusal(.failed, "no proposals") }
        return proposals
    }
}
