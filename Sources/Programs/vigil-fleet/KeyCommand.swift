// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Cryptography
import ForeignText
import Glibc
import JSON
import SecurityToken

/// The operator's key.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Makes the operator's key, in a security token or a file, or shows one that is there.",
        discussion: """
            The operator's key signs cards (`plan --key`) and configurations (`configure --key`), and changes of an authority's keys after a theft \
            (`vigil-authority keys rotate --operator-key`). Whoever has it commands all boards. In a token it cannot be copied: name it by a PKCS#11 URI \
            (RFC 7512), in quotes, here and wherever a file with the key is asked for. The PIN stands in a file, or comes by a descriptor.

              vigil-fleet key 'pkcs11:token=fleet;object=operator?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/run/pin' --public operator.pub.pem
              vigil-fleet key operator.pem

            A key that is there is never replaced. Make two, in two tokens, and keep one in a safe: a card or a configuration that both have signed \
            lets boards go on when one is lost. docs/fleet.md has the rest.
            """)

    @Argument(help: "PKCS#11 URI of the key, or the file of the private key (P-256, PEM).")
    var key: String

    @Option(name: .customLong("public"), help: "File to be written with the public half (PEM).")
    var publicFile: String?

    @OptionGroup
    var output: NewFileOptions

    func run() throws {
        if let publicFile { try output.admit(publicFile) }
        let (made, found) = TokenURI.isMeant(by: key) ? try inToken(TokenURI(key)) : try inFile()
        let half = try found?.pem()
        if let publicFile, let half, !output.dryRun { try Files.write(Array(half.utf8), to: publicFile) }
        let name = found.map { Hex.string(SHA256.digest(of: $0.subjectPublicKeyInfo)) }
        if output.json {
            var object: JSON.Object = [
                "key": .string(key), "made": .bool(made && !output.dryRun), "isThere": .bool(found != nil),
            ]
            if let name { object["sha256"] = .string(name) }
            if let publicFile { object["public"] = .string(publicFile) }
            return print(JSON.object(object))
        }
        let what = ForeignText.line(key, limit: 300)
        guard let name else { return print("Nothing was written. The key would be made: \(what)") }
        print(
            """
            \(made ? "Made" : "There already"): \(what)
            SHA-256 of the public half: \(name)
            """)
        if let publicFile {
            print(
                "\(output.dryRun ? "Nothing was written. The public half would be" : "The public half is") in \(ForeignText.line(publicFile, limit: 300))."
            )
        }
    }

    /// Whether it was made, and its public half; `nil` if it would have to be made.
    private typealias Found = (made: Bool, key: P256.VerificationKey?)

    private func inToken(_ uri: TokenURI) throws(TokenError) -> Found {
        do throws(TokenError) { return (false, try TokenKey(uri).verificationKey) } catch {
            guard error.code == .noKey else { throw error }
        }
        return output.dryRun ? (false, nil) : (true, try TokenKey(uri, makes: true).verificationKey)
    }

    private func inFile() throws -> Found {
        if access(key, F_OK) == 0 { return (false, try AnswerFiles.keyInFile(key).verificationKey) }
        guard !output.dryRun else { return (false, nil) }
        let made = try P256.SigningKey.generate()
        try made.withEncoded { bytes in
            // PEM, without the NUL at its end.
            try Files.write(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), to: key, mode: 0o600)
        }
        return (true, made.verificationKey)
    }
}
