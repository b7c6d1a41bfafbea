// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// A method of an interface of this tree, with the law that its text says.
public protocol LawfulMethod: InterfaceMethod {
    var law: Law { get }
}
