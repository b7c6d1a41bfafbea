// SPDX-License-Identifier: Apache-2.0

/// The methods that a caller may call. Methods without a grant are denied, except those of `org.varlink.service`, which
/// everybody may call.
public struct Grants: Hashable, Sendable {
    /// Grants of all methods, for callers that have the rights of the service itself, such as its command line tool.
    public static let everything = Grants(isEverything: true, names: [])
    /// Grants of the methods of `org.varlink.service` only.
    public static let nothing = Grants(isEverything: false, names: [])

    private let isEverything: Bool
    /// The grants as `interface.Method` and `interface.*`, sorted and without duplicates; empty for ``everything`` as well.
    public let names: [String]
    private let set: Set<String>

    private init(isEverything: Bool, names: [String]) {
        self.isEverything = isEverything
        self.names = names
        set = Set(names)
    }

    /// Creates grants of the form `interface.Method` or `interface.*`; duplicates count as one. Throws `malformedGrant` for
    /// any other form, because such a grant would silently have no effect.
    public init(_ names: some Sequence<String>) throws(VarlinkError) {
        let sorted = Set(names).sorted()
        for name in sorted {
            guard name.hasSuffix(".*") ? Name.isInterface(String(name.dropLast(2))) : Name.qualified(name) != nil
            else { throw VarlinkError(.malformedGrant, at: .path(clipped(name))) }
        }
        self.init(isEverything: false, names: sorted)
    }

    /// Returns whether `interface.method` may be called; always true for `org.varlink.service`.
    public func allows(_ method: String, of interface: String) -> Bool {
        isEverything || interface == ServiceDescription.serviceInterface.name || set.contains("\(interface).*")
            || set.contains("\(interface).\(method)")
    }

    /// Returns whether any method of the interface may be called, so that the caller may know of the interface.
    public func allowsAny(of interface: InterfaceDescription) -> Bool {
        interface.methods.contains { allows($0.name, of: interface.name) }
            || interface.name == ServiceDescription.serviceInterface.name
    }

    /// Returns the grants for methods or interfaces that the service does not have, sorted: spelling mistakes, or grants
    /// for another version. Empty if there are none, and for ``everything``.
    public func unknownNames(in service: ServiceDescription) -> [String] {
        names.filter { name in
            if name.hasSuffix(".*") { return service.interface(named: String(name.dropLast(2))) == nil }
            guard let (interface, method) = Name.qualified(name) else { return true }
            return service.interface(named: interface)?.method(named: method) == nil
        }
    }
}
