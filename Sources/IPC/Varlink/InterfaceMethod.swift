// SPDX-License-Identifier: Apache-2.0

/// The methods of an interface as cases, generated from the interface's text. The raw value is the method's name in
/// messages.
///
/// Callers use cases, so that a call of a method that was renamed or removed does not compile.
public protocol InterfaceMethod: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The interface of the methods, such as `org.vigil.device1`.
    static var interface: String { get }
}

extension InterfaceMethod {
    /// The full name of the method, `interface.Method`, as in a call.
    public var path: String { "\(Self.interface).\(rawValue)" }

    /// Creates the case with this full name. Returns `nil` if the interface has no such method.
    ///
    /// - Parameter path: The full name, `interface.Method`.
    public init?(path: String) {
        guard path.hasPrefix("\(Self.interface).") else { return nil }
        self.init(rawValue: String(path.dropFirst(Self.interface.count + 1)))
    }
}
