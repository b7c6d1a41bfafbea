// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import DiagnosisPlan
import HTTPClient

/// The plugin's settings, which plugin.json describes with their ranges.
public struct DiagnosisSettings: Decodable, Sendable {
    /// Absent where one server does both.
    var verification: String?
    var submission: String
    /// How the authority is told: ``WarningWay/Kind``; the Corona-Warn-App's way if absent.
    var way: String?
    /// Of Google's servers, or `name:value` of the NHS's.
    var apiKey: String?
    /// The authority's name at Google's key server.
    var healthAuthority: String?
    /// Whose links are taken, like US-WA.
    var region: String?
    /// How the system's own client calls itself.
    var userAgent: String?
    /// England or Wales, to the NHS's servers.
    var country: String?
    /// What the NHS's servers sign their answers with.
    var answerKeys: [AnswerKey]?
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

    struct AnswerKey: Decodable, Sendable {
        var id: String
        /// PEM, or Base64 of DER.
        var key: String
    }

    /// The reason why a setting cannot be used: an English sentence that begins with the setting's name and contains no
    /// secret.
    package struct Fault: Error, CustomStringConvertible { package let description: String }

    var promise: ServerPromise { exactlyOnce == true ? .exactlyOnce : .spendsFirst }

    /// Returns the way to the authority, with its keys and names.
    /// - Throws: `Fault` if `way` is unknown, or if a setting that this way needs is missing or has a wrong form.
    package func warningWay() throws(Fault) -> WarningWay {
        guard let kind = WarningWay.Kind(rawValue: way ?? WarningWay.Kind.cwa.rawValue) else {
            throw Fault(description: "way: must be cwa, ens or nhs")
        }
        if kind == .cwa {
            // Found out here and not when a warning is made: then the keys have been handed out, and the wearer's ticket is spent.
            guard origin.map(SubmissionPayload.isCountry) ?? true else {
                throw Fault(description: "origin: must be a country's code of two capital letters, like DE")
            }
            guard (countries ?? []).allSatisfy(SubmissionPayload.isCountry) else {
                throw Fault(description: "countries: each must be a country's code of two capital letters, like FR")
            }
            return .cwa(promise)
        }
        guard let apiKey, Self.isHeader(apiKey) else {
            throw Fault(description: "apiKey: is missing or no text for a header")
        }
        if kind == .ens {
            guard let healthAuthority, !healthAuthority.isEmpty else {
                throw Fault(description: "healthAuthority: the authority's name at the key server is missing")
            }
            return .ens(ENSAuthority(apiKey: apiKey, healthAuthority: healthAuthority, region: region))
        }
        guard let userAgent, Self.isHeader(userAgent) else {
            throw Fault(description: "userAgent: the servers want one like p=Android,o=29,v=4.36,b=300")
        }
        guard let country, ["England", "Wales"].contains(country) else {
            throw Fault(description: "country: must be England or Wales")
        }
        var keys: [String: P256.VerificationKey] = [:]
        for entry in answerKeys ?? [] {
            let bytes = Base64.bytes(entry.key) ?? Array(entry.key.utf8)
            guard let key = try? P256.VerificationKey(pemOrDER: bytes), keys[entry.id] == nil else {
                throw Fault(description: "answerKeys: the key of \(entry.id) is not one, or there twice")
            }
            keys[entry.id] = key
        }
        guard !keys.isEmpty else { throw Fault(description: "answerKeys: without them no answer can be believed") }
        return .nhs(NHSAccess(apiKey: apiKey, userAgent: userAgent, country: country, keys: keys))
    }

    /// The client's name in requests: Vigil's own for this project's servers; for other servers the setting `userAgent`, or
    /// empty, so that nothing reveals what the client is.
    package var clientName: String {
        if promise == .exactlyOnce, way ?? "cwa" == "cwa" { return HTTPConfiguration().userAgent }
        return userAgent ?? ""
    }

    private static func isHeader(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (32...126).contains($0) }
    }

    /// How long a hotline's number is good from when it was given, seconds: ours 24 hours, the Corona-Warn-App's one (docs/decisions/0031).
    var teleTANSeconds: Int64 { min(max(teleTANHours ?? (promise == .exactlyOnce ? 24 : 1), 1), 168) * 3_600 }

    /// Returns the number of slots in a day; ``SlotSchedule/standardDensity`` if it is not set.
    /// - Throws: `Fault` if the number is not one of ``SlotSchedule/Density``.
    package func density() throws(Fault) -> SlotSchedule.Density {
        guard let slots else { return SlotSchedule.standardDensity }
        guard let density = SlotSchedule.Density(rawValue: slots) else {
            throw Fault(description: "slots: there are 6, 12, 24, 48, 96 or 192 slots in a day")
        }
        return density
    }

    /// The address of a server, without a slash at its end. Throws what cannot be used.
    func base(_ server: ExchangeRequest.Server) throws(Fault) -> String {
        // NHS COVID-19's is one.
        let text = server == .verification ? verification ?? (way == "nhs" ? submission : "") : submission
        guard WebAddress(text).map({ $0.isSecure || plainHTTP == true }) == true else {
            throw Fault(description: "\(server.rawValue): must be like https://host/path")
        }
        return text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text
    }
}
