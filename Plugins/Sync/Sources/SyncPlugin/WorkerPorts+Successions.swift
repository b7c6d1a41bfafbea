// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import SyncPlan
import Trust

extension WorkerPorts {
    var mayCarrySuccessions: Bool { places.trustSocket != nil }

    func takeSuccession(_ file: String, of source: SourceSettings) throws(SyncStop) -> Result<Bool, CoreFailure> {
        try check()
        guard let socket = places.trustSocket else { return .failure(Self.noTrust) }
        let call = Trust1.TakeSuccessionCall(source: source.nameForCore, document: file)
        return ask(socket, Trust1.Method.takeSuccession, call, as: Trust1.TakeSuccessionReply.self).map(\.changed)
    }

    func takeFleetConfiguration(_ file: String) throws(SyncStop) -> Result<Bool, CoreFailure> {
        try check()
        guard let socket = places.trustSocket else { return .failure(Self.noTrust) }
        let call = Trust1.TakeConfigurationCall(document: file)
        return ask(socket, Trust1.Method.takeConfiguration, call, as: Trust1.TakeConfigurationReply.self).map(\.onTrial)
    }

    /// The keys that the core names as in force, and those of the settings whose names it does not know. A core that does not answer
    /// changes nothing.
    func followSigners(of source: SourceSettings) throws(SyncStop) {
        try check()
        guard let socket = places.trustSocket else { return }
        let call = Trust1.GetSignersCall(source: source.nameForCore)
        switch ask(socket, Trust1.Method.getSigners, call, as: Trust1.SignersReply.self) {
        case .failure(let failure): note("\(source.name): \(failure.sentence)")
        case .success(let reply) where reply.successions == 0: successors[source.name] = nil
        case .success(let reply):
            let told = reply.signers.filter { $0.role == .config }.compactMap(Told.init)
            // Of a name that the core knows its key counts.
            var keys = (trust[source.name]?.keys ?? []).filter { key in !told.contains { $0.key.name == key.name } }
            keys += told.filter(\.isInForce).map(\.key)
            successors[source.name] = try? TrustStore(keys: keys)
        }
    }

    private struct Told {
        let key: TrustedKey
        let isInForce: Bool

        init?(_ signer: Trust1.Signer) {
            guard let dash = signer.name.lastIndex(of: "-"), let bytes = Base64.bytes(signer.publicHalf),
                let key = try? P256.VerificationKey(pemOrDER: bytes)
            else { return nil }
            let version = signer.name[signer.name.index(after: dash)...]
            self.key = TrustedKey(
                name: KeyName(id: String(signer.name[..<dash]), version: String(version)), role: .config, key: key,
                isSpare: signer.spare)
            isInForce = signer.inForce
        }
    }

    private static let noTrust = CoreFailure(
        .notPermitted, name: "successions", sentence: "org.vigil.trust1 was not granted to this plugin")
}

extension SourceSettings {
    /// Of the device's own authority the core is told no name.
    fileprivate var nameForCore: String? { rulesForm == nil ? nil : name }
}
