// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import PresenceTracing

/// The places of a story, each with what becomes of the visit there.
enum VenuePlace: String, CaseIterable {
    /// The wearer checks out by hand; two warnings would be too many for a low risk, and there is one.
    case hall
    /// Its visit gets other times, of the day before; it is warned of.
    case cafe
    /// The code is collected by a held button; its warning comes late.
    case door
    /// Its visit is not to be published.
    case secret
    /// Its visit is deleted.
    case mistake
    /// A place of SwissCovid.
    case clinic
    /// A place of the NHS.
    case pub

    /// What the code says that it is called.
    var name: String { "Place \(rawValue)" }

    /// Minutes after which a visit ends by itself. The places of the other systems: twelve hours.
    var minutes: UInt32 { self == .hall ? 240 : 60 }

    private var number: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// Its code for the Corona-Warn-App.
    func location() throws -> TraceLocation {
        try TraceLocation(
            name: name, address: "Street 1", kind: .permanentFoodService, defaultMinutes: minutes, publicKey: [],
            seed: [UInt8](repeating: number, count: 16))
    }

    /// Its code for SwissCovid.
    func venue() throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: name, address: "", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: number, count: 32), countryData: [])
    }

    /// The text of the code at its door.
    func code(signer: P256.SigningKey) throws -> String {
        switch self {
        case .hall, .cafe, .door, .secret, .mistake: return VenueCode.text(try location())
        case .clinic: return CrowdNotifierCode.swissCovid.text(try venue())
        case .pub:
            let parts = [#"{"alg":"ES256","kid":"262"}"#, #"{"id":"ABC","opn":"\#(name)"}"#]
            let text = parts.map { Base64URL.string(Array($0.utf8)) }.joined(separator: ".")
            let signature = P256.RawSignature.raw(try signer.sign(SHA256.digest(of: Array(text.utf8)))) ?? []
            return "UKC19TRACING:1:\(text).\(Base64URL.string(signature))"
        }
    }
}
