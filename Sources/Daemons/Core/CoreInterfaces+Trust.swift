// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import Trust
import VarlinkSocket

/// `org.vigil.trust1`.
extension CoreInterfaces {
    func trust(_ method: Trust1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .takeSuccession:
            let offer = try call.decode(Trust1.TakeSuccessionCall.self)
            call.reply(
                Trust1.TakeSuccessionReply(
                    changed: try service.takeSuccession(offer.document, source: offer.source, by: caller, at: clock())))
        case .getSigners:
            let source = try call.decode(Trust1.GetSignersCall.self).source
            guard let reply = service.signers(of: source, at: clock()) else { throw Self.invalid("source") }
            call.reply(reply)
        }
    }
}

extension Trust1.Signer {
    init(_ key: TrustedKey, inForce: Bool) {
        self.init(
            role: Trust1.Role(key.role), name: "\(key.name)", publicHalf: Base64.string(key.key.subjectPublicKeyInfo),
            validUntil: key.validUntil, spare: key.isSpare, inForce: inForce)
    }
}

extension Trust1.Role {
    init(_ role: KeyRole) {
        self =
            switch role {
            case .export: .export
            case .config: .config
            case .time: .time
            case .plugin: .plugin
            case .firmware: .firmware
            case .operator: .operator
            }
    }
}
