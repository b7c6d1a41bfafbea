// SPDX-License-Identifier: Apache-2.0

/// The methods that a caller may call: deny by default. `org.varlink.service` is always allowed and needs no grant.
public struct Grants: Hashable, Sendable {
    /// Grants of any method, for callers that hold the service's own rights, such as its command line tool.
    public static let everything = Grants(isEverything: true, names: [])
    /// Grants of no method but those of `org.varlink.service`.
    public static let nothing = Grants(isEverything: false, names: [])

    private let isEverything: Bool
    /// The grants as `interface.Method` and `interface.*`, sorted, each once; empty for ``everything``, too.
    public let names: [String]
    private let set: Set<String>

    private init(isEverything: Bool, names: [String]) {
        self.isEverything = isEverything
        self.names = names
        set = Set(names)
    }

    /// Grants written `interface.Method` or `interface.*`; one that comes twice counts once. Throws `malformedGrant` for one that is written in
    /// another way, because what was meant by it would silently not be granted.
    public init(_ names: some Sequence<String>) throws(VarlinkError) {
        let sorted = Set(names).sorted()
        for name in sorted {
            guard name.hasSuffix(".*") ? Name.isInterface(String(name.dropLast(2))) : Name.qualified(name) != nil
            else { throw VarlinkError(.malformedGrant, at: .path(clipped(name))) }
        }
        self.init(isEverything: false, names: sorted)
    }

    /// Whether `interface.method` may be called; true for every method of the interface that describes the service.
    public func allows(_ method: String, of interface: String) -> Bool {
        isEverything || interface == ServiceDescription.serviceInterface.name || set.contains("\(interface).*")
            || set.contains("\(interface).\(method)")
    }

    /// Whether any method of that interface may be called, so that the caller may know of it.
    public func allowsAny(of interface: InterfaceDescription) -> Bool {
        interface.methods.contains { allows($0.name, of: interface.name) }
            || interface.name == ServiceDescription.serviceInterface.name
    }

    /// Grants that this service has no method or interface for, sorted: a spelling mistake, or meant for another version. Empty if it has all, and
    /// for ``everything``.
    public func unknownNames(in service: ServiceDescription) -> [String] {
        names.filter { name in
            if name.hasSuffix(".*") { return service.interface(named: String(name.dropLast(2))) == nil }
            guard let (interface, method) = Name.qualified(name) else { return true }
            return service.interface(named: interface)?.method(named: method) == nil
        }
    }
}
