// SPDX-License-Identifier: Apache-2.0

/// The interface texts of this tree, as they are in the files beside this one. They are documentation, are served to whoever asks, and
/// decide what a call may carry.
///
/// Stability: a released interface keeps its members, their fields and their meaning for ever; new optional fields, methods and errors
/// may be added. What cannot be said that way gets the next number in its name, and both are served (docs/exposure-api.md).
public enum InterfaceTexts {
    /// By interface name.
    public static let all: [String: String] = core.merging([
        CheckIn1.name: text(PackageResources.org_vigil_checkin1_varlink),
        Diagnosis1.name: text(PackageResources.org_vigil_diagnosis1_varlink),
        Egress1.name: text(PackageResources.org_vigil_egress1_varlink),
        Sync1.name: text(PackageResources.org_vigil_sync1_varlink),
        Wake1.name: text(PackageResources.org_vigil_wake1_varlink),
    ]) { first, _ in first }

    /// Those that the core answers.
    public static let core: [String: String] = [
        Access1.name: text(PackageResources.org_vigil_access1_varlink),
        Content1.name: text(PackageResources.org_vigil_content1_varlink),
        Exposure1.name: text(PackageResources.org_vigil_exposure1_varlink),
        Device1.name: text(PackageResources.org_vigil_device1_varlink),
        Indicator1.name: text(PackageResources.org_vigil_indicator1_varlink),
        Keeper1.name: text(PackageResources.org_vigil_keeper1_varlink),
        Release1.name: text(PackageResources.org_vigil_release1_varlink),
        Risk1.name: text(PackageResources.org_vigil_risk1_varlink),
        Time1.name: text(PackageResources.org_vigil_time1_varlink),
        Trust1.name: text(PackageResources.org_vigil_trust1_varlink),
    ]

    /// The only places where an interface may carry a key, and when it was in use: what a wearer agreed to publish, once per consent. And
    /// the only ones for what opens the device's page: secrets on their way in, and each once on its way out, when it is made. What is
    /// listed of tokens is when they were made and used. And words that only sound like it.
    public static let privacyExceptions: Set<String> = [
        "org.vigil.access1.SignIn.secret",
        "org.vigil.access1.ChangeSecret.made",
        "org.vigil.access1.MakeSecret.secret",
        "org.vigil.access1.MakeToken.token",
        "org.vigil.access1.GetTokens.tokens.made",
        "org.vigil.access1.GetTokens.tokens.lastUsed",
        "org.vigil.release1.TakeDiagnosisKeys.keys.keyData",
        "org.vigil.release1.TakeDiagnosisKeys.keys.rollingStartIntervalNumber",
        "org.vigil.release1.TakeDiagnosisKeys.keys.rollingPeriod",
        "org.vigil.release1.TakeDiagnosisKeys.remainder.from", "org.vigil.release1.TakeDiagnosisKeys.remainder.after",
        "org.vigil.release1.TakeDiagnosisKeys.remainder.until",
        // The board's own addresses in a network, as its technician writes them, and names of settings: never a value.
        "org.vigil.keeper1.ApplyNetwork.network.addresses", "org.vigil.keeper1.GetNetwork.networks.addresses",
        "org.vigil.keeper1.GetPlugin.secretsSet",
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
