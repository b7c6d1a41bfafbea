// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Which role may call what, for callers that act for people: the one place where it is written (docs/access.md shows the same table).
///
/// What is not listed nobody may call who signs in. Callers that do not act for people are bound by their grants alone.
public enum RoleTable {
    /// Whoever stands before the device: somebody who has not signed in, or one of the three roles.
    public enum Holder: String, Sendable, CaseIterable {
        case nobody, wearer, viewer, keeper

        public init(_ role: Access1.Role?) {
            switch role {
            case nil: self = .nobody
            case .wearer: self = .wearer
            case .viewer: self = .viewer
            case .keeper: self = .keeper
            }
        }
    }

    /// Methods of one interface that the same holders may call.
    struct Rule: Sendable {
        let interface: String
        let methods: [String]
        let holders: Set<Holder>
    }

    private static let all = Set(Holder.allCases)
    private static let signedIn: Set<Holder> = [.wearer, .viewer, .keeper]
    private static let technicians: Set<Holder> = [.viewer, .keeper]

    static let rules: [Rule] = [
        Rule(interface: Access1.name, methods: ["GetRoles", "SignIn", "UseSession"], holders: all),
        Rule(interface: Access1.name, methods: ["SignOut", "ChangeSecret"], holders: signedIn),
        Rule(interface: Access1.name, methods: ["MakeProof"], holders: [.wearer]),
        Rule(interface: Access1.name, methods: ["MakeToken", "GetTokens", "RevokeToken"], holders: [.keeper]),

        Rule(interface: Content1.name, methods: ["GetContent"], holders: all),
        Rule(interface: Content1.name, methods: ["TakeContent"], holders: [.keeper]),

        Rule(interface: Exposure1.name, methods: ["GetStatus"], holders: all),
        Rule(interface: Exposure1.name, methods: ["Watch"], holders: signedIn),

        Rule(interface: Risk1.name, methods: ["GetRisk", "Watch", "Explain", "Acknowledge"], holders: [.wearer]),
        Rule(interface: Risk1.name, methods: ["GetConfiguration"], holders: signedIn),
        Rule(interface: Risk1.name, methods: ["TakeConfiguration"], holders: [.keeper]),

        Rule(interface: Trust1.name, methods: ["GetSigners"], holders: technicians),
        Rule(interface: Trust1.name, methods: ["TakeSuccession"], holders: [.keeper]),

        Rule(interface: Device1.name, methods: ["GetTime", "GetPreferences"], holders: all),
        Rule(interface: Device1.name, methods: ["GetRadio", "GetEvidence", "GetAudit"], holders: signedIn),
        Rule(
            interface: Device1.name,
            methods: [
                "Enable", "Disable", "SetPreferences", "ExportMyData", "WritePairingFile", "ReadPairingFile", "GetPaired",
                "ForgetPaired",
            ], holders: [.wearer]),
        Rule(interface: Device1.name, methods: ["GiveConsent", "Reset"], holders: [.wearer, .keeper]),
        Rule(interface: Device1.name, methods: ["GetStorage", "GetMeasurement"], holders: technicians),
        Rule(
            interface: Device1.name, methods: ["SetRole", "SetTime", "MeasureStrength", "SetCorrection"],
            holders: [.keeper]),

        Rule(
            interface: keeper, methods: ["GetProcesses", "GetPlugin", "GetLog", "GetNetwork"], holders: technicians),
        Rule(
            interface: keeper,
            methods: ["RestartPlugin", "SetEnabled", "SetSettings", "ApplyNetwork", "ConfirmNetwork", "Reboot"],
            holders: [.keeper]),
    ]

    private static let keeper = "org.vigil.keeper1"

    private static let byMethod: [String: Set<Holder>] = Dictionary(
        rules.flatMap { rule in rule.methods.map { ("\(rule.interface).\($0)", rule.holders) } }
    ) { $0.union($1) }

    /// Every method that is listed, `interface.Method`.
    public static var methods: [String] { byMethod.keys.sorted() }

    /// Who may call `interface.Method`; nobody who signs in, or does not, when it is not listed.
    public static func holders(of method: String) -> Set<Holder> { byMethod[method] ?? [] }

    /// What a role may consent to: a technician prepares the device for its next wearer, and agrees to nothing in this one's name.
    public static func purposes(of holder: Holder) -> Set<Device1.Purpose> {
        switch holder {
        case .wearer: [.releaseKeys, .reset, .pair]
        case .keeper: [.reset]
        case .nobody, .viewer: []
        }
    }
}
