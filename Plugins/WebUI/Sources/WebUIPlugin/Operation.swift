// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// One thing that a script can do under `/api/v1`: a call of an interface, and how HTTP's words are told apart into its parameters. The table
/// of all of them routes and is what `openapi.json` is made of.
struct Operation {
    /// A part of the path or the query, and the parameter it becomes.
    struct Field {
        let name: String
        var isNumber = false
    }

    enum Body {
        case none
        /// The call's parameters, without those that come otherwise.
        case parameters
        /// JSON of any object; becomes the text of this parameter.
        case text(parameter: String)
    }

    let id: String
    let method: String
    let path: String
    let summary: String
    let call: any LawfulMethod
    var pathFields: [Field] = []
    var query: [Field] = []
    var body = Body.none
    /// Whether all pages of a long answer are wanted.
    var isWhole = false
    /// The purpose for which consent is given first; its ticket becomes a parameter of the call.
    var purpose: String?
    var success: UInt32 = 200
    /// Whether it takes no token, where the law opens the call to people who have not signed in.
    var isOpen = false
    /// Whether the answer has beside it what visits add to it (``RiskWithVisits``).
    var joinsVisits = false
    /// The roles for which it is of use, where that is fewer than may call.
    var only: Set<Access1.Role>?

    /// Who may do it; `nil` for anybody. The law decides (`# @roles` in the interface's text).
    var roles: [Access1.Role]? {
        if isOpen, call.law.roles.contains(.nobody) { return nil }
        return call.law.signedIn.filter { only?.contains($0) ?? true }
    }

    /// Parameters that the body does not have: proofs of a session are made for each call (``InterfaceClient``).
    var takenNames: Set<String> {
        Set(
            pathFields.map(\.name) + query.map(\.name) + (purpose == nil ? [] : ["ticket"])
                + (InterfaceClient.needsProof(call) ? ["proof"] : []))
    }

    static let all: [Operation] = device + wearers + donations + tests + visits + places + board + access

    private static let device: [Operation] = [
        Operation(
            id: "getStatus", method: "GET", path: "/status", summary: "How the device is.",
            call: Exposure1.Method.getStatus),
        Operation(
            id: "getEvidence", method: "GET", path: "/evidence",
            summary: "The proof that it really sent and received, hour by hour.",
            call: Device1.Method.getEvidence, query: [Field(name: "since", isNumber: true)], isWhole: true),
        Operation(
            id: "getRadio", method: "GET", path: "/radio", summary: "What the radio does.",
            call: Device1.Method.getRadio),
        Operation(
            id: "getTime", method: "GET", path: "/time", summary: "What is known about the time.",
            call: Device1.Method.getTime),
        Operation(
            id: "setTime", method: "PUT", path: "/time", summary: "Sets the time by hand.",
            call: Device1.Method.setTime, body: .parameters),
        Operation(
            id: "getSync", method: "GET", path: "/sync", summary: "How fresh the data is.",
            call: Sync1.Method.getFreshness),
        Operation(
            id: "syncNow", method: "POST", path: "/sync/now", summary: "Fetches what there is now.",
            call: Sync1.Method.syncNow, success: 204),
    ]

    private static let wearers: [Operation] = [
        Operation(
            id: "getRisk", method: "GET", path: "/risk",
            summary: "The wearer's risk from encounters, and from encounters and visits together.",
            call: Risk1.Method.getRisk, joinsVisits: true),
        Operation(
            id: "explainRisk", method: "GET", path: "/risk/explanation", summary: "What it is made of.",
            call: Risk1.Method.explain, query: [Field(name: "day", isNumber: true), Field(name: "source")],
            isWhole: true),
        Operation(
            id: "acknowledgeRisk", method: "POST", path: "/risk/acknowledge", summary: "The news were seen.",
            call: Risk1.Method.acknowledge, success: 204),
        Operation(
            id: "getPreferences", method: "GET", path: "/preferences", summary: "What the wearer has chosen.",
            call: Device1.Method.getPreferences, only: [.wearer]),
        Operation(
            id: "setPreferences", method: "PUT", path: "/preferences", summary: "Chooses.",
            call: Device1.Method.setPreferences, body: .parameters, success: 204),
        Operation(
            id: "exportMyData", method: "GET", path: "/export", summary: "What the device holds about its wearer.",
            call: Device1.Method.exportMyData, isWhole: true),
    ]

    private static let donations: [Operation] = [
        Operation(
            id: "getDonation", method: "GET", path: "/donation",
            summary: "Data donation: whether it is asked for, the consent, what was sent.",
            call: Donation1.Method.getDonation),
        Operation(
            id: "previewDonation", method: "GET", path: "/donation/preview",
            summary: "What a donation of now would hold; nothing is sent.", call: Donation1.Method.getPreview),
        Operation(
            id: "setDonationConsent", method: "PUT", path: "/donation/consent",
            summary:
                "Agrees to donations, or to another purpose, by the version of the text that the wearer has read, or takes that back.",
            call: Donation1.Method.setConsent, body: .parameters, success: 204),
        Operation(
            id: "getErrorLog", method: "GET", path: "/donation/log",
            summary: "The error log that would be sent, line by line; nothing is sent.",
            call: Donation1.Method.getErrorLog),
        Operation(
            id: "releaseErrorLog", method: "POST", path: "/donation/log/release",
            summary: "Lets the error log go that has exactly the troubles that the wearer has read.",
            call: Donation1.Method.releaseErrorLog, body: .parameters, success: 204),
        Operation(
            id: "getSurvey", method: "GET", path: "/donation/survey",
            summary: "The survey to which the wearer is invited, and the password that opens it, which is secret.",
            call: Donation1.Method.getSurvey),
    ]

    private static let number = Field(name: "number", isNumber: true)

    private static let tests: [Operation] = [
        Operation(
            id: "getTests", method: "GET", path: "/tests", summary: "The tests that were entered.",
            call: Diagnosis1.Method.getTests),
        Operation(
            id: "enterTest", method: "POST", path: "/tests", summary: "Enters a test by what its code says.",
            call: Diagnosis1.Method.enterCode, body: .parameters, success: 201),
        Operation(
            id: "enterTeleTAN", method: "POST", path: "/tests/teletan", summary: "Enters a teleTAN.",
            call: Diagnosis1.Method.enterTeleTAN, body: .parameters, success: 201),
        Operation(
            id: "revealResult", method: "POST", path: "/tests/{number}/result",
            summary: "Tells a result, which makes it seen.", call: Diagnosis1.Method.getResult, pathFields: [number]),
        Operation(
            id: "warn", method: "POST", path: "/tests/{number}/warning", summary: "Agrees to warn others.",
            call: Diagnosis1.Method.warn, pathFields: [number], body: .parameters, purpose: "releaseKeys"),
        Operation(
            id: "withdrawWarning", method: "DELETE", path: "/tests/{number}/warning",
            summary: "Takes a warning back that has not left.", call: Diagnosis1.Method.withdraw,
            pathFields: [number]),
        Operation(
            id: "forgetTest", method: "DELETE", path: "/tests/{number}", summary: "Forgets a test.",
            call: Diagnosis1.Method.forget, pathFields: [number]),
    ]

    private static let after = Field(name: "after", isNumber: true)

    private static let visits: [Operation] = [
        Operation(
            id: "getVisits", method: "GET", path: "/visits", summary: "The wearer's visits, a part of them.",
            call: Checkin1.Method.getVisits, query: [after]),
        Operation(
            id: "checkIn", method: "POST", path: "/visits", summary: "Checks in by the text of a code.",
            call: Checkin1.Method.checkIn, body: .parameters, success: 201),
        Operation(
            id: "exportVisits", method: "GET", path: "/visits/export", summary: "Visits as a table, a part of it.",
            call: Checkin1.Method.exportVisits, query: [after]),
        Operation(
            id: "getVisitNotices", method: "GET", path: "/visits/notices",
            summary: "Warnings about visits, a part of them.",
            call: Checkin1.Method.getNotices, query: [after]),
        Operation(
            id: "acknowledgeVisitNotices", method: "POST", path: "/visits/notices/acknowledge",
            summary: "The warnings up to a number were seen.", call: Checkin1.Method.acknowledge, body: .parameters,
            success: 204),
        Operation(
            id: "checkOut", method: "POST", path: "/visits/{number}/check-out", summary: "Ends a visit.",
            call: Checkin1.Method.checkOut, pathFields: [number]),
        Operation(
            id: "editVisit", method: "PUT", path: "/visits/{number}", summary: "Changes the times of a visit that is over.",
            call: Checkin1.Method.editVisit, pathFields: [number], body: .parameters),
        Operation(
            id: "setVisitWarning", method: "PUT", path: "/visits/{number}/warning",
            summary: "Sets whether a visit may be published.", call: Checkin1.Method.setWarning, pathFields: [number],
            body: .parameters),
        Operation(
            id: "deleteVisit", method: "DELETE", path: "/visits/{number}", summary: "Deletes a visit.",
            call: Checkin1.Method.deleteVisit, pathFields: [number], success: 204),
    ]

    private static let places: [Operation] = [
        Operation(
            id: "getPlaces", method: "GET", path: "/places",
            summary: "The places of this device with their codes, a part of them.", call: Checkin1.Method.getPlaces,
            query: [after]),
        Operation(
            id: "describePlace", method: "POST", path: "/places", summary: "Describes a place, new or changed.",
            call: Checkin1.Method.describe, body: .parameters, success: 201),
        Operation(
            id: "forgetPlace", method: "DELETE", path: "/places/{number}", summary: "Forgets a place and its codes.",
            call: Checkin1.Method.forgetPlace, pathFields: [number], success: 204),
        Operation(
            id: "startEvent", method: "POST", path: "/places/{number}/events", summary: "Makes the code of an event.",
            call: Checkin1.Method.start, pathFields: [number], body: .parameters, success: 201),
        Operation(
            id: "importCode", method: "POST", path: "/places/{number}/codes", summary: "Takes in a code made elsewhere.",
            call: Checkin1.Method.importCode, pathFields: [number], body: .parameters, success: 201),
        Operation(
            id: "getPoster", method: "GET", path: "/codes/{number}", summary: "What is printed of a code.",
            call: Checkin1.Method.getPoster, pathFields: [number]),
        Operation(
            id: "endEvent", method: "POST", path: "/codes/{number}/end", summary: "Ends an event before its time.",
            call: Checkin1.Method.end, pathFields: [number]),
        Operation(
            id: "revokeCode", method: "DELETE", path: "/codes/{number}", summary: "Takes a code off the door.",
            call: Checkin1.Method.revoke, pathFields: [number]),
        Operation(
            id: "getScreen", method: "GET", path: "/screen", summary: "What the screen at the door shows.",
            call: Checkin1.Method.getScreen),
        Operation(
            id: "setScreen", method: "PUT", path: "/screen", summary: "Chooses the place that the screen shows.",
            call: Checkin1.Method.setScreen, body: .parameters, success: 204),
        Operation(
            id: "setBroadcast", method: "PUT", path: "/broadcast",
            summary: "Chooses the place whose code is broadcast for tokens, and the hours.",
            call: Checkin1.Method.setBroadcast, body: .parameters, success: 204),
    ]

    private static let name = Field(name: "name")

    private static let board: [Operation] = [
        Operation(
            id: "getProcesses", method: "GET", path: "/processes", summary: "What runs and what does not.",
            call: Technician1.Method.getProcesses),
        Operation(
            id: "getPlugin", method: "GET", path: "/plugins/{name}", summary: "What a plugin asks for and has.",
            call: Technician1.Method.getPlugin, pathFields: [name]),
        Operation(
            id: "setPluginSettings", method: "PATCH", path: "/plugins/{name}/settings",
            summary: "Sets a plugin's settings: what is given changes, null takes a value away.",
            call: Technician1.Method.setSettings, pathFields: [name], body: .text(parameter: "settings"), success: 204),
        Operation(
            id: "setPluginEnabled", method: "PUT", path: "/plugins/{name}/enabled",
            summary: "Enables or disables a plugin.", call: Technician1.Method.setEnabled, pathFields: [name],
            body: .parameters, success: 204),
        Operation(
            id: "restartPlugin", method: "POST", path: "/plugins/{name}/restart", summary: "Starts a plugin again.",
            call: Technician1.Method.restartPlugin, pathFields: [name], success: 204),
        Operation(
            id: "getLog", method: "GET", path: "/log", summary: "The newest lines of the log, oldest first.",
            call: Technician1.Method.getLog,
            query: [Field(name: "after", isNumber: true), Field(name: "process"), Field(name: "level")], isWhole: true),
        Operation(
            id: "getAudit", method: "GET", path: "/audit", summary: "The audit log, oldest first.",
            call: Device1.Method.getAudit, query: [Field(name: "after", isNumber: true)], isWhole: true),
        Operation(
            id: "getStorage", method: "GET", path: "/storage", summary: "What the disk holds.",
            call: Device1.Method.getStorage),
        Operation(
            id: "getTraffic", method: "GET", path: "/traffic", summary: "What went over the network, by plugin.",
            call: Egress1.Method.getTraffic),
        Operation(
            id: "getNetwork", method: "GET", path: "/network", summary: "How the board gets its addresses.",
            call: Technician1.Method.getNetwork),
        Operation(
            id: "applyNetwork", method: "PUT", path: "/network",
            summary: "Tries a change; it is taken back unless it is confirmed in time.",
            call: Technician1.Method.applyNetwork, body: .parameters, success: 204),
        Operation(
            id: "confirmNetwork", method: "POST", path: "/network/confirm", summary: "The change stays.",
            call: Technician1.Method.confirmNetwork, success: 204),
        Operation(
            id: "reboot", method: "POST", path: "/reboot", summary: "Starts the board anew.",
            call: Technician1.Method.reboot, success: 204),
    ]

    private static let access: [Operation] = [
        Operation(
            id: "getRoles", method: "GET", path: "/roles", summary: "What there is to sign in to.",
            call: Access1.Method.getRoles, isOpen: true),
        Operation(
            id: "getTokens", method: "GET", path: "/tokens", summary: "All tokens of scripts.",
            call: Access1.Method.getTokens),
        Operation(
            id: "makeToken", method: "POST", path: "/tokens", summary: "Makes a token, shown this once.",
            call: Access1.Method.makeToken, body: .parameters, success: 201),
        Operation(
            id: "revokeToken", method: "DELETE", path: "/tokens/{name}", summary: "Takes a token back.",
            call: Access1.Method.revokeToken, pathFields: [name], success: 204),
    ]
}
