// SPDX-License-Identifier: Apache-2.0

/// The interface texts of this tree, as they are in `Texts`. They are documentation, are served to whoever asks, and decide what a call may
/// carry and who may make it. They come into programs by `make generate` (docs/varlink.md).
///
/// Stability: a released interface keeps its members, their fields and their meaning for ever; new optional fields, methods and errors
/// may be added. What cannot be said that way gets the next number in its name, and both are served (docs/exposure-api.md).
public enum InterfaceTexts {
    /// Paths of fields, `interface.Method.field`, for the exceptions of `InterfaceLint.findings`: the only places where an interface may carry a key,
    /// and when it was in use: what a wearer agreed to publish, once per consent. And the only ones for what opens the device's page: secrets on
    /// their way in, and each once on its way out, when it is made. What is listed of tokens is when they were made and used. And words that only
    /// sound like it.
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
        "org.vigil.technician1.ApplyNetwork.network.addresses", "org.vigil.technician1.GetNetwork.networks.addresses",
        "org.vigil.technician1.GetPlugin.secretsSet",
    ]
}
