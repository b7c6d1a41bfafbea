// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FleetRegistry
import SecurityToken
import Synchronization

/// A key in a security token, made or taken.
struct NewTokenKeyOptions: ParsableArguments {
    @Option(
        name: .customLong("pkcs11"), help: "PKCS#11 module of a security token, by its whole path; the key is made there.")
    var module: String?

    @Option(name: .customLong("token"), help: "Label of the token.")
    var label: String?

    @Option(help: "Name of the key in the token. One that is there already is taken, unless it can leave the token.")
    var keyName = "vigil registration authority"

    @Option(help: "File with the token's PIN, such as /dev/fd/3.")
    var pinFile: String?

    func validate() throws {
        guard [module == nil, label == nil, pinFile == nil].allSatisfy({ $0 == (module == nil) }) else {
            throw ValidationError("a key in a token takes --pkcs11, --token and --pin-file")
        }
    }

    /// The key; `nil` if none in a token is wanted.
    func key() throws -> TokenKey? {
        guard let module, let label, let pinFile else { return nil }
        return try TokenKey(
            .init(module: module, label: label, name: keyName), pin: PINFile.read(pinFile), makes: true)
    }
}

/// Says on standard error what the token does not do: once for each change of its fault, not once for each board that asks.
final class TokenNotes: Sendable {
    private let last = Mutex<TokenError?>(nil)

    /// Takes what came of a signature: a fault, or none. Any thread.
    func tell(_ error: TokenError?) {
        let isNew = last.withLock { last in
            defer { last = error }
            return last != error
        }
        guard isNew else { return }
        say("vigil-authority: \(error?.description ?? "the token signs again")")
    }
}
