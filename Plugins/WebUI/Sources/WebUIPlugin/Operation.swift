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
    /// `nil` for anybody.
    let roles: [Access1.Role]?
    /// `interface.Method`.
    let call: String
    var pathFields: [Field] = []
    var query: [Field] = []
    var body = Body.none
    /// Whether all pages of a long answer are wanted.
    var isWhole = false
    /// What for consent is given first; the ticket becomes a parameter.
    var purpose: String?
    var success: UInt32 = 200

    /// Parameters that the body does not have: proofs of a session are made for each call (``Asker``).
    var takenNames: Set<String> {
        Set(
            pathFields.map(\.name) + query.map(\.name) + (purpose == nil ? [] : ["ticket"])
                + (Asker.needsProof(call) ? ["proof"] : []))
    }

    private static let everybody: [Access1.Role] = [.wearer, .viewer, .keeper]
    private static let technicians: [Access1.Role] = [.viewer, .keeper]
    private static let keeper: [Access1.Role] = [.keeper]
    private static let wearer: [Access1.Role] = [.wearer]
    private static let keeperInterface = "org.vigil.keeper1"

    static let all: [Operation] = device + wearers + tests + board + access

    private static let device: [Operation] = [
        Operation(
            id: "getStatus", method: "GET", path: "/status", summary: "How the device is.", roles: everybody,
            call: "\(Exposure1.name).GetStatus"),
        Operation(
            id: "getEvidence", method: "GET", path: "/evidence",
            summary: "The proof that it really sent and received, hour by hour.", roles: everybody,
            call: "\(Device1.name).GetEvidence", query: [Field(name: "since", isNumber: true)], isWhole: true),
        Operation(
            id: "getRadio", method: "GET", path: "/radio", summary: "What the radio does.", roles: everybody,
            call: "\(Device1.name).GetRadio"),
        Operation(
            id: "getTime", method: "GET", path: "/time", summary: "What is known about the time.", roles: everybody,
            call: "\(Device1.name).GetTime"),
        Operation(
            id: "setTime", method: "PUT", path: "/time", summary: "Sets the time by hand.", roles: keeper,
            call: "\(Device1.name).SetTime", body: .parameters),
        Operation(
            id: "getSync", method: "GET", path: "/sync", summary: "How fresh the data is.", roles: everybody,
            call: "\(Sync1.name).GetFreshness"),
        Operation(
            id: "syncNow", method: "POST", path: "/sync/now", summary: "Fetches what there is now.", roles: keeper,
            call: "\(Sync1.name).SyncNow", success: 204),
    ]

    private static let wearers: [Operation] = [
        Operation(
            id: "getRisk", method: "GET", path: "/risk", summary: "The wearer's risk.", roles: wearer,
            call: "\(Risk1.name).GetRisk"),
        Operation(
            id: "explainRisk", method: "GET", path: "/risk/explanation", summary: "What it is made of.", roles: wearer,
            call: "\(Risk1.name).Explain", query: [Field(name: "day", isNumber: true), Field(name: "source")],
            isWhole: true),
        Operation(
            id: "acknowledgeRisk", method: "POST", path: "/risk/acknowledge", summary: "The news were seen.", roles: wearer,
            call: "\(Risk1.name).Acknowledge", success: 204),
        Operation(
            id: "getPreferences", method: "GET", path: "/preferences", summary: "What the wearer has chosen.",
            roles: wearer,
            call: "\(Device1.name).GetPreferences"),
        Operation(
            id: "setPreferences", method: "PUT", path: "/preferences", summary: "Chooses.", roles: wearer,
            call: "\(Device1.name).SetPreferences", body: .parameters, success: 204),
        Operation(
            id: "exportMyData", method: "GET", path: "/export", summary: "What the device holds about its wearer.",
            roles: wearer, call: "\(Device1.name).ExportMyData", isWhole: true),
    ]

    private static let number = Field(name: "number", isNumber: true)

    private static let tests: [Operation] = [
        Operation(
            id: "getTests", method: "GET", path: "/tests", summary: "The tests that were entered.", roles: wearer,
            call: "\(Diagnosis1.name).GetTests"),
        Operation(
            id: "enterTest", method: "POST", path: "/tests", summary: "Enters a test by what its code says.", roles: wearer,
            call: "\(Diagnosis1.name).EnterCode", body: .parameters, success: 201),
        Operation(
            id: "enterTeleTAN", method: "POST", path: "/tests/teletan", summary: "Enters a teleTAN.", roles: wearer,
            call: "\(Diagnosis1.name).EnterTeleTAN", body: .parameters, success: 201),
        Operation(
            id: "revealResult", method: "POST", path: "/tests/{number}/result",
            summary: "Tells a result, which makes it seen.",
            roles: wearer, call: "\(Diagnosis1.name).GetResult", pathFields: [number]),
        Operation(
            id: "warn", method: "POST", path: "/tests/{number}/warning", summary: "Agrees to warn others.", roles: wearer,
            call: "\(Diagnosis1.name).Warn", pathFields: [number], body: .parameters, purpose: "releaseKeys"),
        Operation(
            id: "withdrawWarning", method: "DELETE", path: "/tests/{number}/warning",
            summary: "Takes a warning back that has not left.", roles: wearer, call: "\(Diagnosis1.name).Withdraw",
            pathFields: [number]),
        Operation(
            id: "forgetTest", method: "DELETE", path: "/tests/{number}", summary: "Forgets a test.", roles: wearer,
            call: "\(Diagnosis1.name).Forget", pathFields: [number]),
    ]

    private static let name = Field(name: "name")

    private static let board: [Operation] = [
        Operation(
            id: "getProcesses", method: "GET", path: "/processes", summary: "What runs and what does not.",
            roles: technicians,
            call: "\(keeperInterface).GetProcesses"),
        Operation(
            id: "getPlugin", method: "GET", path: "/plugins/{name}", summary: "What a plugin asks for and has.",
            roles: technicians, call: "\(keeperInterface).GetPlugin", pathFields: [name]),
        Operation(
            id: "setPluginSettings", method: "PATCH", path: "/plugins/{name}/settings",
            summary: "Sets a plugin's settings: what is given changes, null takes a value away.", roles: keeper,
            call: "\(keeperInterface).SetSettings", pathFields: [name], body: .text(parameter: "settings"), success: 204),
        Operation(
            id: "setPluginEnabled", method: "PUT", path: "/plugins/{name}/enabled",
            summary: "Enables or disables a plugin.",
            roles: keeper, call: "\(keeperInterface).SetEnabled", pathFields: [name], body: .parameters, success: 204),
        Operation(
            id: "restartPlugin", method: "POST", path: "/plugins/{name}/restart", summary: "Starts a plugin again.",
            roles: keeper, call: "\(keeperInterface).RestartPlugin", pathFields: [name], success: 204),
        Operation(
            id: "getLog", method: "GET", path: "/log", summary: "The newest lines of the log, oldest first.",
            roles: technicians, call: "\(keeperInterface).GetLog",
            query: [Field(name: "after", isNumber: true), Field(name: "process"), Field(name: "level")], isWhole: true),
        Operation(
            id: "getAudit", method: "GET", path: "/audit", summary: "The audit log, oldest first.", roles: everybody,
            call: "\(Device1.name).GetAudit", query: [Field(name: "after", isNumber: true)], isWhole: true),
        Operation(
            id: "getStorage", method: "GET", path: "/storage", summary: "What the disk holds.", roles: technicians,
            call: "\(Device1.name).GetStorage"),
        Operation(
            id: "getTraffic", method: "GET", path: "/traffic", summary: "What went over the network, by plugin.",
            roles: technicians, call: "\(Egress1.name).GetTraffic"),
        Operation(
            id: "getNetwork", method: "GET", path: "/network", summary: "How the board gets its addresses.",
            roles: technicians, call: "\(keeperInterface).GetNetwork"),
        Operation(
            id: "applyNetwork", method: "PUT", path: "/network",
            summary: "Tries a change; it is taken back unless it is confirmed in time.", roles: keeper,
            call: "\(keeperInterface).ApplyNetwork", body: .parameters, success: 204),
        Operation(
            id: "confirmNetwork", method: "POST", path: "/network/confirm", summary: "The change stays.", roles: keeper,
            call: "\(keeperInterface).ConfirmNetwork", success: 204),
        Operation(
            id: "reboot", method: "POST", path: "/reboot", summary: "Starts the board anew.", roles: keeper,
            call: "\(keeperInterface).Reboot", success: 204),
    ]

    private static let access: [Operation] = [
        Operation(
            id: "getRoles", method: "GET", path: "/roles", summary: "What there is to sign in to.", roles: nil,
            call: "\(Access1.name).GetRoles"),
        Operation(
            id: "getTokens", method: "GET", path: "/tokens", summary: "All tokens of scripts.", roles: keeper,
            call: "\(Access1.name).GetTokens"),
        Operation(
            id: "makeToken", method: "POST", path: "/tokens", summary: "Makes a token, shown this once.", roles: keeper,
            call: "\(Access1.name).MakeToken", body: .parameters, success: 201),
        Operation(
            id: "revokeToken", method: "DELETE", path: "/tokens/{name}", summary: "Takes a token back.", roles: keeper,
            call: "\(Access1.name).RevokeToken", pathFields: [name], success: 204),
    ]
}
