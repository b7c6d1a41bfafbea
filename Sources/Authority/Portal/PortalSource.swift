// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc

/// Where a request comes from, as the web server in front says (`Vigil-Source`): kept in memory by the throttle, and nowhere else.
enum PortalSource {
    static let header = "vigil-source"

    /// An IPv4 address, or the network (/64) of an IPv6 one; empty for anything else.
    static func text(_ value: String?) -> String {
        guard let value, value.utf8.count <= 45 else { return "" }
        var four = in_addr()
        if inet_pton(AF_INET, value, &four) == 1 { return value }
        var six = in6_addr()
        guard inet_pton(AF_INET6, value, &six) == 1 else { return "" }
        return withUnsafeBytes(of: &six) { Hex.string(Array($0.prefix(8))) }
    }
}
