// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import Varlink
public import VarlinkSocket

/// Lets a call go on once it is certain that somebody who may call its method has signed in and is behind it: its member `proof` is one that the core made
/// for this very method, and the core redeems it (`org.vigil.access1`). On the loop.
///
/// A plugin with a gate needs the grant `access1.RedeemProof`; without it nobody passes but the console.
public struct ProofGate {
    /// The name of the caller that needs no proof: the socket of the operator's console, which no plugin can have.
    public static let console = "ctl"
    /// The longest time, in seconds, that a proof is taken to hold, whatever the core says; our own bound.
    private static let longestLife = 3_600

    /// What came of a proof.
    private enum Outcome {
        case good(Duration)
        case bad
        /// The core cannot note what is to be changed, for the reason of this sentence.
        case notNoted(String)
    }

    private let redeem: (_ proof: String, _ path: String, _ then: @escaping (Outcome) -> Void) -> Void

    /// Creates a gate that has no core to ask: only the console passes.
    public init() { redeem = { $2(.bad) } }

    /// Creates a gate that asks the core through `host`, which must outlive it. While the core cannot be asked,
    /// only the console passes.
    public init(_ host: PluginHost) {
        redeem = { [unowned host] proof, path, then in
            host.call(
                Access1.Method.redeemProof, Access1.RedeemProofCall(proof: proof, method: path),
                as: Access1.RedeemProofReply.self
            ) { answer in
                switch answer {
                case .success(let reply): then(.good(.seconds(max(0, min(reply.seconds, Self.longestLife)))))
                case .failure(let error) where error.name == "\(Access1.name).StorageUnavailable":
                    then(.notNoted(error.parameters["reason"]?.string ?? "The core cannot note it; try again."))
                case .failure: then(.bad)
                }
            }
        }
    }

    /// Calls `then`, perhaps in a later round, once it is certain who is behind `call`: at once for the console, otherwise when the core has redeemed its
    /// proof. `life` is the time for which that holds, 0 to an hour; `nil` for ever. Never calls it when the caller has gone, unless it waits for no
    /// answer.
    ///
    /// Ends a call without a good proof as the error `NotSignedIn` of the method's interface, and one that the core cannot note, because its disk is
    /// full or broken, as `NotPossible` with a `reason`. The interface must have both.
    public func prove(
        _ call: IncomingCall, _ method: some InterfaceMethod, then: @escaping (_ life: Duration?) -> Void
    ) {
        guard call.edge != Self.console else { return then(nil) }
        let refusal = "\(type(of: method).interface).NotSignedIn"
        guard let proof = call.parameters["proof"]?.string else {
            call.fail(refusal)
            return
        }
        redeem(proof, method.path) { outcome in
            guard call.isOpen || call.isOneway else { return }
            switch outcome {
            case .good(let life): then(life)
            case .bad: call.fail(refusal)
            case .notNoted(let reason):
                call.fail("\(type(of: method).interface).NotPossible", parameters: ["reason": .string(reason)])
            }
        }
    }
}
