// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An error of an interface that a handler throws instead of calling ``IncomingCall/fail(_:parameters:)``.
public struct CallFailure: Error {
    /// The error's full name, `interface.Error`, as it is to be sent; not checked here.
    public let name: String
    /// The error's parameters; the caller sees them.
    public let parameters: JSON.Object

    /// An error of that name; the name is checked only when the error is sent.
    public init(_ name: String, _ parameters: JSON.Object = JSON.Object()) {
        self.name = name
        self.parameters = parameters
    }
}
