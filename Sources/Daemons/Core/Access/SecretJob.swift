// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces

/// A secret being hashed, a slice at a time between the turns of the beacon.
final class SecretJob {
    /// Who is to be signed in by it; `nil` where nobody is.
    let role: Access1.Role?
    /// Whether it is of somebody who was in before.
    let isKnown: Bool
    /// Whether it is still to be done; who says no has answered.
    let mayBegin: (_ now: Duration) -> Bool
    /// Given the 32 bytes once; `nil` when cryptography failed.
    let finish: (_ hash: SecretBytes?, _ now: Duration) -> Void
    private let secret: SecretBytes
    private let salt: [UInt8]
    private let iterations: UInt32
    private var run: PBKDF2Run?

    init(
        _ secret: SecretBytes, salt: [UInt8], iterations: UInt32, role: Access1.Role? = nil,
        isKnown: Bool = false,
        mayBegin: @escaping (Duration) -> Bool = { _ in true },
        finish: @escaping (SecretBytes?, Duration) -> Void
    ) {
        self.secret = secret
        self.salt = salt
        self.iterations = iterations
        self.role = role
        self.isKnown = isKnown
        self.mayBegin = mayBegin
        self.finish = finish
    }

    var hasBegun: Bool { run != nil }

    /// Does `count` iterations. Whether it is over, and with what.
    func advance(by count: UInt32) -> (isOver: Bool, hash: SecretBytes?) {
        do {
            let run = try self.run ?? PBKDF2Run(password: secret, salt: salt, iterations: iterations)
            self.run = run
            let hash = try run.advance(by: count)
            return (hash != nil, hash)
        } catch {
            return (true, nil)
        }
    }
}
