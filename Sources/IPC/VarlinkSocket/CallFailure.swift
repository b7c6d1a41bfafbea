// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An error of an interface. A handler can throw it instead of calling ``IncomingCall/fail(_:parameters:)``.
public struct CallFailure: Error {
    /// The full name of the error, `interface.Error`; not checked here.
    public let name: String
    /// The parameters of the error, which the caller receives.
    public let parameters: JSON.Object

    /// Creates an error with this name, which is checked only when the error is sent.
    public init(_ name: String, _ parameters: JSON.Object = JSON.Object()) {
        self.name = name
        self.parameters = parameters
    }
}
