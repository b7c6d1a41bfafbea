// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Socks
import Varlink
import VarlinkSocket

/// `org.vigil.egress1`
extension EgressService {
    func answer(_ call: IncomingCall) throws {
        guard let method = Egress1.Method(path: call.method) else { return }
        switch method {
        case .getTraffic:
            let isProxied = if case .none = proxy { false } else { true }
            call.reply(
                Egress1.TrafficReply(
                    metered: isMetered, proxied: isProxied,
                    callers: callers.values.sorted { $0.name < $1.name }.map(\.report)))
        case .getEndpoints:
            let name = try call.decode(Egress1.EndpointsCall.self).caller
            guard let caller = callers[name] else {
                throw CallFailure(Egress1.Failure.unknownCaller, ["caller": .string(String(name.prefix(64)))])
            }
            call.reply(caller.endpointReport)
        }
    }
}
