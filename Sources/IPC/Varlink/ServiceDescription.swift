// SPDX-License-Identifier: Apache-2.0

import JSON

/// The information that a service gives in `GetInfo`, and its interfaces.
public struct ServiceDescription: Sendable {
    /// The interface `org.varlink.service`, which every service has, in the text published on varlink.org.
    public static let serviceInterface: InterfaceDescription = {
        do throws(VarlinkError) {
            return try InterfaceDescription(parsing: serviceInterfaceText)
        } catch {
            preconditionFailure("the text below is part of this program: \(error)")
        }
    }()

    /// The vendor of the service, as reported by `GetInfo`.
    public let vendor: String
    /// The name of the service, as reported by `GetInfo`.
    public let product: String
    /// The version of the service, as reported by `GetInfo`.
    public let version: String
    /// The address of a page about the service, as reported by `GetInfo`.
    public let url: String
    /// The interfaces including `org.varlink.service`, sorted by name.
    public let interfaces: [InterfaceDescription]
    private let indices: [String: Int]

    /// Creates a description; `org.varlink.service` is added to the interfaces. Throws `duplicateInterface` if two
    /// interfaces have the same name, and `textTooLong` if the text of one does not fit into a message.
    public init(
        vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]
    ) throws(VarlinkError) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = (interfaces + [Self.serviceInterface]).sorted { $0.name < $1.name }
        indices = Dictionary(self.interfaces.enumerated().map { ($1.name, $0) }) { first, _ in first }
        guard indices.count == self.interfaces.count else { throw VarlinkError(.duplicateInterface) }
        for interface in interfaces {
            let reply = Reply(["description": .string(interface.text)])
            guard reply.message.bytes.count <= MessageFramer.maximumMessageByteCount else {
                throw VarlinkError(.textTooLong, at: .path(interface.name))
            }
        }
    }

    /// Returns the interface with this name; `nil` if the service has none.
    public func interface(named name: String) -> InterfaceDescription? { indices[name].map { interfaces[$0] } }

    private static let serviceInterfaceText = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()
        """
}

/// The names of the errors that every service has (`org.varlink.service`), as in messages.
public enum ServiceError {
    /// The service has no such interface, or the caller may call none of its methods. Parameter: `interface`.
    public static let interfaceNotFound = "org.varlink.service.InterfaceNotFound"
    /// The interface has no such method. Parameter: `method`.
    public static let methodNotFound = "org.varlink.service.MethodNotFound"
    /// The service does not implement the method, although the interface describes it. Parameter: `method`.
    public static let methodNotImplemented = "org.varlink.service.MethodNotImplemented"
    /// A parameter does not fit its description. Parameter: `parameter`, the path of the parameter.
    public static let invalidParameter = "org.varlink.service.InvalidParameter"
    /// The method is not granted to the caller. Parameters: `method` and `reason`, a sentence; the published interface has
    /// neither.
    public static let permissionDenied = "org.varlink.service.PermissionDenied"
    /// The method sends several replies and must be called with `more`. Without parameters.
    public static let expectedMore = "org.varlink.service.ExpectedMore"
}
