// SPDX-License-Identifier: Apache-2.0
// Shows that no branch and no address of an encryption depends on seed, identity or message: all are marked as undefined for valgrind's
// memcheck, which reports what depends on undefined bits. `control` asks for a byte of the seed, and must be reported.
// Tools/test-constant-time.sh builds it, with SecretMarks of its own.

import BLS12381
import Cryptography
import SecretMarks

let seed = SecretBytes(copying: (0..<32).map { UInt8($0 * 7) })
let identity = (0..<32).map { UInt8($0 * 5) }
let message = (0..<100).map { UInt8($0) }
let nonce = [UInt8](repeating: 1, count: 24)
let master = try MasterPublicKey(secret: Scalar(SecretBytes(copying: [9] + [UInt8](repeating: 0, count: 31))))
seed.withBytes { mark_secret($0.baseAddress, $0.count) }
identity.withUnsafeBytes { mark_secret($0.baseAddress, $0.count) }
message.withUnsafeBytes { mark_secret($0.baseAddress, $0.count) }
if CommandLine.arguments.contains("control"), seed.withBytes({ $0[0] }) == 3 { print("control") }
let text = try IdentityCiphertext(encrypting: message, to: identity, under: master, seed: seed, nonce: nonce)
// The result may be shown; only how it came about may not depend on secrets.
let bytes = text.pointBytes + text.masked + text.box
bytes.withUnsafeBytes { mark_public($0.baseAddress, $0.count) }
print(Hex.string(bytes))
