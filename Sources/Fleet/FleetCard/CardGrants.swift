// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Interfaces
import JSON
import Varlink

/// What the plugins of a board may do when an operator has said nothing else: all that they ask for, and the authority's servers alone.
enum CardGrants {
    /// The port of the page; also in `ports`, which opens it in the firewall.
    static let pagePort = 8443

    /// `grants.json`, and what the operator should know of it, in sentences.
    static func make(
        _ answers: BoardAnswers, localName: String, enrolment: JSON? = nil, configuration: String? = nil
    ) throws(AnswerFault) -> (document: JSON, notes: [String]) {
        let profiles = answers.authority.map { [$0.profile] } ?? []
        let settings: ProfileSettings
        do throws(ProfileSettings.Fault) { settings = try ProfileSettings(profiles) } catch {
            throw .badProfile(error.description)
        }
        var plugins: JSON.Object = ["webui": page(answers, localName), "indicator": indicator]
        for entry in settings.entries {
            var plugin: JSON.Object = ["enabled": true]
            var calls = JSON.Object()
            for method in ProfileSettings.calls(of: entry) {
                let interface = type(of: method).interface
                calls[interface] = .array((calls[interface]?.array ?? []) + [.string(method.rawValue)])
            }
            plugin["calls"] = .object(calls)
            var endpoints = JSON.Object()
            for member in entry.json["endpoints"]?.object?.members ?? [] {
                endpoints[member.name] = .array(
                    (member.value.array ?? []).map { marked($0, answers.authority?.isLocal == true) })
            }
            plugin["endpoints"] = .object(endpoints)
            plugin["settings"] = entry.settings
            if let configuration, entry.plugin == "sync" { Self.carry(configuration, by: &plugin) }
            plugins[entry.plugin] = .object(plugin)
        }
        plugins["enrolment"] = enrolment
        return (["plugins": .object(plugins)], settings.notes)
    }

    /// What the page may ask of the plugin for check-ins. By itself: with one element more in the literal below, programs without optimisation crashed (Swift 6.3.1).
    private static let checkInMethods: [JSON] = [
        "CheckIn", "CheckOut", "GetVisits", "EditVisit", "DeleteVisit", "SetWarning", "SetHiding", "ExportVisits",
        "GetNotices",
        "Acknowledge", "GetPlaces", "Describe", "ForgetPlace", "Start", "End", "ImportCode", "Revoke", "GetPoster",
        "SetScreen",
        "SetBroadcast", "GetScreen",
    ]

    /// The page, on every address that the board has. It answers only to the address that the browser has called, and to its names.
    private static func page(_ answers: BoardAnswers, _ localName: String) -> JSON {
        var page: JSON.Object = [
            "enabled": true,
            "calls": [
                "org.vigil.access1": [
                    "GetRoles", "SignIn", "UseSession", "SignOut", "ChangeSecret", "MakeProof", "MakeToken", "GetTokens",
                    "RevokeToken",
                ],
                "org.vigil.exposure1": ["GetStatus", "Watch"],
                "org.vigil.risk1": ["GetRisk", "Watch", "Acknowledge", "Explain", "GetConfiguration"],
                "org.vigil.device1": [
                    "Enable", "Disable", "GetPreferences", "SetPreferences", "GiveConsent", "GetRadio", "GetEvidence",
                    "GetTime", "SetTime",
                    "GetAudit", "MeasureStrength", "GetMeasurement", "SetCorrection", "GetStorage", "ExportMyData", "Reset",
                ],
                "org.vigil.content1": ["GetContent"],
                "org.vigil.donation1": [
                    "GetDonation", "GetPreview", "SetConsent", "GetErrorLog", "ReleaseErrorLog", "GetSurvey",
                ],
                "org.vigil.technician1": [
                    "GetProcesses", "GetPlugin", "RestartPlugin", "SetEnabled", "SetSettings", "GetLog", "GetNetwork",
                    "ApplyNetwork",
                    "ConfirmNetwork", "Reboot",
                ],
                "org.vigil.trust1": ["GetConfiguration"],
                "org.vigil.sync1": ["GetFreshness", "Watch", "SyncNow"],
                "org.vigil.diagnosis1": [
                    "GetTests", "Watch", "EnterCode", "EnterTeleTAN", "CheckTeleTAN", "GetResult", "GetWarnedDays", "Warn",
                    "Withdraw", "Forget",
                ],
                "org.vigil.checkin1": .array(checkInMethods),
                "org.vigil.egress1": ["GetTraffic"],
                "org.vigil.wake1": ["GetState"],
            ],
            "listens": ["secure": ["address": "0.0.0.0", "port": .int(Int64(pagePort))]],
        ]
        var settings = JSON.Object()
        if let title = answers.title { settings["title"] = .string(title) }
        settings["names"] = [.string("\(localName).local")]
        page["settings"] = .object(settings)
        return .object(page)
    }

    /// Has Sync look for the fleet's configuration beside the first source's files.
    private static func carry(_ path: String, by sync: inout JSON.Object) {
        var calls = sync["calls"]?.object ?? JSON.Object()
        let known = calls[Trust1.name]?.array ?? []
        calls[Trust1.name] = .array(known + [.string(Trust1.Method.takeConfiguration.rawValue)])
        sync["calls"] = .object(calls)
        guard var settings = sync["settings"]?.object, var sources = settings["sources"]?.array,
            var first = sources.first?.object
        else { return }
        first["fleetConfiguration"] = .string(path)
        sources[0] = .object(first)
        settings["sources"] = .array(sources)
        sync["settings"] = .object(settings)
    }

    /// Where the board enrols, as its device file says it, and the way to that server alone.
    static func enrolment(_ place: EnrolmentPlace, _ serial: BoardSerial, _ secrets: CardSecrets) -> JSON {
        let server = place.server
        var endpoint: JSON.Object = ["host": .string(server.host), "port": .int(Int64(server.port))]
        // Whoever makes the card has named the address; egress asks for that word when it is in a private network.
        if BoardAnswers.Authority.isPrivate(server.host) { endpoint["private"] = true }
        return [
            "enabled": true,
            "calls": ["org.vigil.device1": ["GetTime"], "org.vigil.donation1": ["GetEnrolmentRequest"]],
            "endpoints": ["authority": [.object(endpoint)]],
            "settings": [
                "board": .string("\(serial)"), "address": .string(place.address),
                "anchor": .array(place.certificates.map { .string($0) }),
                "claimHash": .string(CardSecrets.digest(secrets.claim)),
            ],
        ]
    }

    /// It ends by itself on boards without lights.
    private static let indicator: JSON = [
        "enabled": true, "calls": ["org.vigil.indicator1": ["Watch"]], "lines": ["lights", "buzzer"],
    ]

    private static func marked(_ place: JSON, _ isLocal: Bool) -> JSON {
        guard isLocal, var object = place.object, let host = place["host"]?.string, BoardAnswers.Authority.isPrivate(host)
        else {
            return place
        }
        object["private"] = true
        return .object(object)
    }
}
