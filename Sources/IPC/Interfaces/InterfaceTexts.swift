// SPDX-License-Identifier: Apache-2.0

/// The texts of the interfaces of this tree, as in `Texts`. They are documentation, are sent to callers who ask for them,
/// and determine what a call may contain and who may make it. `make generate` puts them into programs (docs/varlink.md).
///
/// Stability: a released interface keeps its members, their fields and their meaning forever. Optional fields, methods and
/// errors may be added. A change that is not possible in this way gets a new interface with the next number in its name,
/// and both are served (docs/exposure-api.md).
public enum InterfaceTexts {
    /// The paths of fields, `interface.Method.field`, that are exceptions for `InterfaceLint.findings`. They are the only
    /// fields that may contain a key with the time of its use, which a wearer has agreed to publish, and the only ones for
    /// the secrets of the device's page: on their way in, and one time on their way out when they are made. The password of a survey is the wearer's, for the page
    /// that they have signed in to. Others are the
    /// times when tokens were made and used, and names that only look like secrets.
    public static let privacyExceptions: Set<String> = [
        "org.vigil.access1.SignIn.secret",
        // The wearer's secret for hidden places, which goes in and nowhere out (docs/decisions/0064).
        "org.vigil.checkin1.GetVisits.secret", "org.vigil.checkin1.ExportVisits.secret",
        "org.vigil.checkin1.EditVisit.secret", "org.vigil.checkin1.SetHiding.secret",
        "org.vigil.access1.ChangeSecret.made",
        "org.vigil.access1.MakeSecret.secret",
        "org.vigil.access1.MakeToken.token",
        "org.vigil.access1.GetTokens.tokens.made",
        "org.vigil.access1.GetTokens.tokens.lastUsed",
        "org.vigil.release1.TakeDiagnosisKeys.keys.keyData",
        "org.vigil.release1.TakeDiagnosisKeys.keys.rollingStartIntervalNumber",
        "org.vigil.release1.TakeDiagnosisKeys.keys.rollingPeriod",
        "org.vigil.release1.TakeDiagnosisKeys.remainder.from", "org.vigil.release1.TakeDiagnosisKeys.remainder.after",
        "org.vigil.release1.TakeDiagnosisKeys.remainder.until", "org.vigil.release1.TakeDiagnosisKeys.proof",
        "org.vigil.donation1.GetSurvey.password", "org.vigil.donation1.GetSurvey.passwordLink",
        // The board's own addresses in a network, as its technician writes them, and names of settings: never a value.
        "org.vigil.technician1.ApplyNetwork.network.addresses", "org.vigil.technician1.GetNetwork.networks.addresses",
        "org.vigil.technician1.GetPlugin.secretsSet",
    ]
}
