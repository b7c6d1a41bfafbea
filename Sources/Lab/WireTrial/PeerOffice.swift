// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import HTTPClient
import JSON

/// Whoever gives codes of another authority: the administration of a stand-in for its servers (Tests/System/Peers). A code comes with its result.
final class PeerOffice: Office {
    private let admin: String
    private let way: WarningWay.Kind

    /// `admin` is the address of the administration, without a slash at the end.
    init(_ admin: String, _ way: WarningWay.Kind) {
        self.admin = admin
        self.way = way
    }

    func newKey(isTeleTAN: Bool) throws -> RegistrationKey {
        guard way == .ens else {
            let order = try call("/orders", [:])
            _ = try call("/results", ["token": order["ctaToken"] ?? .null])
            return RegistrationKey(try NHSCode(typed: try text(order, "ctaToken")))
        }
        // Read to the wearer, or sent as a link that lives longer.
        let code = try call("/codes", ["testType": "confirmed", "channel": "sms"])
        return RegistrationKey(
            try ENSCode(isTeleTAN ? try text(code, "code") : "ens://v?r=US-WA&c=\(try text(code, "long_code"))"))
    }

    func report(_ key: RegistrationKey) throws {}

    private func text(_ answer: JSON, _ name: String) throws -> String {
        guard let text = answer[name]?.string else {
            throw WireTrial.Failure(description: "the stand-in gave no \(name): \(answer)")
        }
        return text
    }

    private func call(_ path: String, _ body: JSON) throws -> JSON {
        let client = try HTTPClient(HTTPConfiguration(allowsPlainHTTP: true))
        let request = HTTPRequest(
            admin + path, method: .post, headers: [("content-type", "application/json")], body: body.bytes)
        return try JSON(parsing: try client.send(request).body)
    }
}
