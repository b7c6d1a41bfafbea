// SPDX-License-Identifier: Apache-2.0

import DiagnosisPlan
import HTTPClient

/// The plugin's settings, as plugin.json describes them.
public struct DiagnosisSettings: Decodable, Sendable {
    var verification: String
    var submission: String
    /// Whether the servers answer a repeated request as they answered the first (docs/verification.md).
    var exactlyOnce: Bool?
    /// Slots of a day.
    var slots: Int64?
    var origin: String?
    var countries: [String]?
    /// How long a teleTAN is good, hours.
    var teleTANHours: Int64?
    /// What the authority's teleTANs begin with.
    var teleTANPrefixes: [String]?
    /// The level from which on the authority publishes keys; for what a wearer is told before a consent.
    var minimumLevel: UInt8?
    /// PEM of the certificate authorities to believe; the system's if absent.
    var authorities: String?
    var pins: [String]?
    var plainHTTP: Bool?
    /// How many times faster than life everything goes, where somebody watches (``SlotClock``).
    var rehearsal: Int64?

    /// What cannot be used, in a sentence.
    struct Fault: Error, CustomStringConvertible { let description: String }

    var promise: ServerPromise { exactlyOnce == true ? .exactlyOnce : .spendsFirst }

    /// How long a hotline's number is good from when it was given, seconds: ours 24 hours, the Corona-Warn-App's one (docs/decisions/0031).
    var teleTANSeconds: Int64 { min(max(teleTANHours ?? (promise == .exactlyOnce ? 24 : 1), 1), 168) * 3_600 }

    /// Throws what cannot be used.
    func density() throws(Fault) -> SlotSchedule.Density {
        guard let slots else { return SlotSchedule.standardDensity }
        guard let density = SlotSchedule.Density(rawValue: slots) else {
            throw Fault(description: "slots: there are 6, 12, 24, 48, 96 or 192 slots in a day")
        }
        return density
    }

    /// The address of a server, without a slash at its end. Throws what cannot be used.
    func base(_ server: ExchangeRequest.Server) throws(Fault) -> String {
        let text = server == .verification ? verification : submission
        guard WebAddress(text).map({ $0.isSecure || plainHTTP == true }) == true else {
            throw Fault(description: "\(server.rawValue): must be like https://host/path")
        }
        return text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    }
}
