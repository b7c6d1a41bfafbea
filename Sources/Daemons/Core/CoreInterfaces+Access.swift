// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import TimeTrust
import VarlinkSocket

/// `org.vigil.access1` and `org.vigil.content1`.
extension CoreInterfaces {
    func access(_ method: Access1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        let now = clock()
        switch method {
        case .getRoles: call.reply(Access1.RolesReply(roles: service.signIn.signInRoles))
        case .signIn:
            let offer = try call.decode(Access1.SignInCall.self)
            service.signIn.signIn(offer, by: caller, at: now, isWanted: { call.isOpen }) {
                Self.answer(call, $0) { $0 }
            }
        case .useSession:
            let use = try call.decode(Access1.UseSessionCall.self)
            let role = try service.signIn.useSession(
                use.session, isAttended: use.unattended != true, by: caller, on: call.connectionNumber, at: now)
            call.reply(Access1.UseSessionReply(role: role))
        case .signOut:
            try service.signIn.signOut(by: caller)
            call.reply(Nothing())
        case .changeSecret:
            let change = try call.decode(Access1.ChangeSecretCall.self)
            service.signIn.changeSecret(change, by: caller, at: now, isWanted: { call.isOpen }) {
                Self.answer(call, $0) { Access1.ChangeSecretReply(made: $0) }
            }
        case .makeSecret:
            service.signIn.makeSecret(try call.decode(Access1.MakeSecretCall.self).role, by: caller, at: now) {
                Self.answer(call, $0) { Access1.MakeSecretReply(secret: $0 ?? "") }
            }
        case .makeToken:
            let token = try service.signIn.makeToken(try call.decode(Access1.MakeTokenCall.self), by: caller, at: now)
            call.reply(Access1.MakeTokenReply(token: token))
        case .makeProof:
            let method = try call.decode(Access1.MakeProofCall.self).method
            call.reply(Access1.MakeProofReply(proof: try service.signIn.makeProof(of: method, by: caller, at: now)))
        case .redeemProof:
            let offer = try call.decode(Access1.RedeemProofCall.self)
            try service.signIn.redeemProof(offer.proof, of: offer.method, at: now)
            call.reply(Access1.RedeemProofReply(seconds: ProofTable.watchSeconds))
        case .getTokens: call.reply(Access1.TokensReply(tokens: service.signIn.access.tokens))
        case .revokeToken:
            try service.signIn.revokeToken(try call.decode(Access1.RevokeTokenCall.self).name, by: caller, at: now)
            call.reply(Nothing())
        }
    }

    func content(_ method: Content1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .getContent: call.reply(service.presentContent())
        case .takeContent:
            let offer = try call.decode(Content1.TakeContentCall.self)
            call.reply(try service.takeContent(offer.document, approvals: offer.approvals, by: caller, at: clock()))
        }
    }

    /// Answers when it is decided, which may be at once.
    private static func answer<Value>(
        _ call: IncomingCall, _ result: Result<Value, AccessRefusal>, _ reply: (Value) -> some Encodable
    ) {
        switch result {
        case .success(let value): call.reply(reply(value))
        case .failure(let refusal):
            let failure = failure(refusal)
            call.fail(failure.name, parameters: failure.parameters)
        }
    }

    /// In the errors of access1, whatever was called.
    static func failure(_ refusal: AccessRefusal) -> CallFailure {
        func make(_ name: String, _ parameters: some Encodable) -> CallFailure {
            CallFailure("\(Access1.name).\(name)", (try? JSON(encoding: parameters))?.object ?? JSON.Object())
        }
        switch refusal {
        case .refused(let wait, let reason): return make("Refused", Access1.Refused(wait: wait, reason: reason))
        case .notSignedIn: return make("NotSignedIn", Nothing())
        case .wrongRole(let needed, let reason):
            return make("WrongRole", Access1.WrongRole(needed: needed, reason: reason))
        case .unusable(let reason): return make("Unusable", ["reason": reason])
        case .storage(let reason): return make("StorageUnavailable", ["reason": reason])
        }
    }
}
