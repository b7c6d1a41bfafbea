// SPDX-License-Identifier: Apache-2.0

import JSON

/// A service's answer to `GetInfo`, and the interfaces it offers.
public struct ServiceDescription: Sendable {
    /// `org.varlink.service`, which every service has: the text published on varlink.org.
    public static let serviceInterface: InterfaceDescription = {
        do throws(VarlinkError) {
            return try InterfaceDescription(parsing: serviceInterfaceText)
        } catch {
            preconditionFailure("the text below is part of this program: \(error)")
        }
    }()

    /// The maker of the service; told in `GetInfo`.
    public let vendor: String
    /// Name of the service; told in `GetInfo`.
    public let product: String
    /// Version of the product, as callers read it in `GetInfo`.
    public let version: String
    /// Address of a page about the service; told in `GetInfo`.
    public let url: String
    /// All interfaces, `org.varlink.service` included, sorted by name.
    public let interfaces: [InterfaceDescription]
    private let indices: [String: Int]

    /// Adds `org.varlink.service` to the interfaces. Throws `duplicateInterface` for two of one name, and `textTooLong` for one whose text does not
    /// fit a message.
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

    /// The interface of that name; `nil` when the service has none.
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

/// Names of the errors that every service has (`org.varlink.service`), as they travel.
public enum ServiceError {
    /// The service has no such interface, or the caller may call nothing of it. With `interface`.
    public static let interfaceNotFound = "org.varlink.service.InterfaceNotFound"
    /// The interface has no such method. With `method`.
    public static let methodNotFound = "org.varlink.service.MethodNotFound"
    /// The method is described and not answered. With `method`.
    public static let methodNotImplemented = "org.varlink.service.MethodNotImplemented"
    /// A parameter does not fit its description. With `parameter`, a path.
    public static let invalidParameter = "org.varlink.service.InvalidParameter"
    /// The caller was not granted the method. Here with `method` and `reason`, a sentence; the published interface has neither.
    public static let permissionDenied = "org.varlink.service.PermissionDenied"
    /// The method replies several times and must be called with `more`. Without parameters.
    public static let expectedMore = "org.varlink.service.ExpectedMore"
}
