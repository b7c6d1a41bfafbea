// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import KeyExport
public import Trust

/// The keys given with `--verify` and similar options, and the signature rule that follows from them.
public struct VerificationKeys: Sendable {
    /// The given keys of every role, without limits of validity.
    public let trust: TrustStore
    /// The rule for the names of keys in a file: ``SignaturePolicy/anyKey`` if any key may sign or a key has no name,
    /// otherwise ``SignaturePolicy/namedKeys``.
    public let policy: SignaturePolicy

    /// Reads `ID-VERSION=FILE` or `FILE` for each argument: a public key in PEM or DER, in a file of at most 16 KiB.
    /// The name is everything before the first `=`, divided at its last dash. A key without a name may sign under any
    /// name, so if there is one (or with `anyKey`) names are not compared.
    ///
    /// `timeKeys`, `configKeys` and `operatorKeys` are written `ID-VERSION=FILE`, and their names are always
    /// compared. They sign the time, the health authority's rules, and changes of keys.
    ///
    /// - Throws: ``InputError`` when a file cannot be read or is not a P-256 public key, when a name is given twice
    ///   for one role, and when one of the last three lists has a name without id or version.
    public init(
        arguments: [String], timeKeys: [String] = [], configKeys: [String] = [], operatorKeys: [String] = [],
        anyKey: Bool
    ) throws(InputError) {
        var keys: [TrustedKey] = []
        for (option, role, list) in [
            ("--time-key", KeyRole.time, timeKeys), ("--config-key", .config, configKeys),
            ("--operator-key", .operator, operatorKeys),
        ] {
            for argument in list {
                let key = try Self.key(argument)
                guard !key.name.id.isEmpty, !key.name.version.isEmpty else {
                    throw InputError(file: option, "\(argument): give the key's name, too: ID-VERSION=FILE")
                }
                keys.append(TrustedKey(name: key.name, role: role, key: key.key))
            }
        }
        var isNameless = false
        for argument in arguments {
            let key = try Self.key(argument)
            if key.name.id.isEmpty {
                isNameless = true
                // Names must differ in a store, and nobody looks at this one.
                keys.append(TrustedKey(name: KeyName(id: argument, version: ""), role: .export, key: key.key))
            } else {
                keys.append(key)
            }
        }
        do {
            trust = try TrustStore(keys: keys)
        } catch {
            throw InputError(file: "--verify", "\(error)")
        }
        policy = anyKey || isNameless ? .anyKey : .namedKeys
    }

    /// Divides an argument at its first `=` into the key's name and its file's path; the name is `nil` for a bare file. Either text is as it was
    /// given, and nothing is read. Cannot fail.
    public static func parts(of argument: String) -> (name: String?, path: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        return (parts.count == 2 ? parts[0] : nil, parts.last ?? "")
    }

    /// One argument; the name is empty for a bare file.
    static func key(_ argument: String) throws(InputError) -> TrustedKey {
        let (given, path) = parts(of: argument)
        let name = given.map(Files.keyName) ?? KeyName(id: "", version: "")
        let bytes = try Files.read(path, limit: 16 << 10)
        do {
            return TrustedKey(name: name, role: .export, key: try P256.VerificationKey(pemOrDER: bytes))
        } catch {
            throw InputError(file: path, "\(error)")
        }
    }
}
