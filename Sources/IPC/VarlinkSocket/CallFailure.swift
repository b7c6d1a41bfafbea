// SPDX-License-Identifier: Apache-2.0

public import JSON

/// An error of an interface that a handler throws instead of calling ``IncomingCall/fail(_:parameters:)``.
public struct CallFailure: Error {
    /// `interface.Error`
    public let name: String
    public let parameters: JSON.Object

    public init(_ name: String, _ parameters: JSON.Object = JSON.Object()) {
        self.name = name
        self.parameters = parameters
    }
}
