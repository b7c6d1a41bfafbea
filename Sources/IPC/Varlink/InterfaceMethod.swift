// SPDX-License-Identifier: Apache-2.0

/// A method of an interface as a case, generated from the interface's text. The raw value is its name on the wire.
///
/// Calls name cases, so that a method that is renamed or taken away does not compile where it is called.
public protocol InterfaceMethod: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The interface it belongs to, such as `org.vigil.device1`.
    static var interface: String { get }
}

extension InterfaceMethod {
    /// The method's full name, `interface.Method`, as a call carries it.
    public var path: String { "\(Self.interface).\(rawValue)" }

    /// Reads a method's full name; `nil` for what is no method of this interface.
    ///
    /// - Parameter path: `interface.Method`.
    public init?(path: String) {
        guard path.hasPrefix("\(Self.interface).") else { return nil }
        self.init(rawValue: String(path.dropFirst(Self.interface.count + 1)))
    }
}
