// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// What is left of a shipped example in a profile that was made from it.
enum ExampleTraces {
    /// The public keys of Provisioning/authorities/example-*.json: DER in Base64 behind what all keys on P-256 begin with.
    private static let keys: Set<String> = [
        "+wXxdwiYDHKSJTNeGESISr2NQtWIjxCMIhSFPuKhYYv6QXJut3gwuAh9+XuClelO+9K93NGyLJfR96q+z3Y0Pg==",
        "2AQIFK9cNzYIjzhFnMO7XCfrzvP4EzOz1nYCbsYRFLf0ytW8WUTt3h+63YLxHjJ+0rE94UXwI4CX++aQaOHLmQ==",
        "2F7B5pYA9ijNWZt3q5Gm666qBiKTEeNlqsmAk0xZOeRnY7czFs3shbKd/hPKn9gfGIYcxM0ymdrpU/7mmbsq6Q==",
        "TFdl3uvBo8mAAOfV6mhjM+PaQQKvVI29gcAE2PEwUq9GL/R4wUwA/EmRMSIR7id5ugp8Iqe+uA8U3D8J/B9Vgg==",
        "h8UW1PZcIyKraQ3Gs2ZK3vy+9Qeq9a5FXMZewFpKtvyTvSoVH/yC7I5LXeCQJ1vcozWrQqx56fkFJMwJZQnapw==",
        "l64aAfRjfgwfmp7cctiThdD/IutWN0J7PViVQlgwoifeZyi7ilsn6Q6U4PcpNMANbKqQsgrRavO9MNsFJgOhgg==",
    ]
    private static let prefixLength = 36

    /// Names reserved for examples (RFC 2606, RFC 6761).
    private static let hosts = ["example", "example.org", "example.com", "example.net"]

    /// Sentences of advice; none for a profile that is called an example.
    static func advice(_ profile: AuthorityProfile) -> [String] {
        guard !profile.name.hasPrefix("example-") else { return [] }
        var advice: [String] = []
        for key in profile.keys {
            let text = String(Base64.string(key.key.subjectPublicKeyInfo).dropFirst(prefixLength))
            if keys.contains(text) {
                advice.append(
                    "The key \(key.id)-\(key.version) (\(key.role.rawValue)) is the example's, and not yours: put your own in its place."
                )
            }
        }
        let addresses = [
            profile.distribution?.base, profile.warning?.verification, profile.warning?.publish, profile.checkIn?.base,
        ].compactMap(\.self)
        for address in Set(addresses).sorted() {
            guard let host = ProfileSettings.Place(address)?.host else { continue }
            if hosts.contains(where: { host == $0 || host.hasSuffix(".\($0)") }) {
                advice.append("\(address) is the example's: no server has such a name.")
            }
        }
        if profile.region == "ZZ" { advice.append("The region ZZ is the example's.") }
        if profile.warning?.apiKey?.contains("invented") == true { advice.append("The apiKey is the example's.") }
        return advice
    }
}
