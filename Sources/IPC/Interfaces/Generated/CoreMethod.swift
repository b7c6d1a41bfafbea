// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of the texts with `# @server core`. Change the text, and generate again.

import Varlink

/// A method that the core answers, by its interface.
public enum CoreMethod: Hashable, Sendable, CaseIterable {
    /// A method of `Access1`.
    case access1(Access1.Method)
    /// A method of `Content1`.
    case content1(Content1.Method)
    /// A method of `Device1`.
    case device1(Device1.Method)
    /// A method of `Donation1`.
    case donation1(Donation1.Method)
    /// A method of `Door1`.
    case door1(Door1.Method)
    /// A method of `Exposure1`.
    case exposure1(Exposure1.Method)
    /// A method of `Indicator1`.
    case indicator1(Indicator1.Method)
    /// A method of `Release1`.
    case release1(Release1.Method)
    /// A method of `Risk1`.
    case risk1(Risk1.Method)
    /// A method of `Technician1`.
    case technician1(Technician1.Method)
    /// A method of `Time1`.
    case time1(Time1.Method)
    /// A method of `Trust1`.
    case trust1(Trust1.Method)

    /// `nil` for what no text of the core has.
    ///
    /// - Parameter path: `interface.Method`.
    public init?(path: String) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let method = String(path[path.utf8.index(after: dot)...])
        switch String(path[..<dot]) {
        case Access1.Method.interface:
            guard let method = Access1.Method(rawValue: method) else { return nil }
            self = .access1(method)
        case Content1.Method.interface:
            guard let method = Content1.Method(rawValue: method) else { return nil }
            self = .content1(method)
        case Device1.Method.interface:
            guard let method = Device1.Method(rawValue: method) else { return nil }
            self = .device1(method)
        case Donation1.Method.interface:
            guard let method = Donation1.Method(rawValue: method) else { return nil }
            self = .donation1(method)
        case Door1.Method.interface:
            guard let method = Door1.Method(rawValue: method) else { return nil }
            self = .door1(method)
        case Exposure1.Method.interface:
            guard let method = Exposure1.Method(rawValue: method) else { return nil }
            self = .exposure1(method)
        case Indicator1.Method.interface:
            guard let method = Indicator1.Method(rawValue: method) else { return nil }
            self = .indicator1(method)
        case Release1.Method.interface:
            guard let method = Release1.Method(rawValue: method) else { return nil }
            self = .release1(method)
        case Risk1.Method.interface:
            guard let method = Risk1.Method(rawValue: method) else { return nil }
            self = .risk1(method)
        case Technician1.Method.interface:
            guard let method = Technician1.Method(rawValue: method) else { return nil }
            self = .technician1(method)
        case Time1.Method.interface:
            guard let method = Time1.Method(rawValue: method) else { return nil }
            self = .time1(method)
        case Trust1.Method.interface:
            guard let method = Trust1.Method(rawValue: method) else { return nil }
            self = .trust1(method)
        default: return nil
        }
    }

    /// Every method that the core answers, in the order of the texts.
    public static var allCases: [CoreMethod] {
        var all: [CoreMethod] = []
        all += Access1.Method.allCases.map(CoreMethod.access1)
        all += Content1.Method.allCases.map(CoreMethod.content1)
        all += Device1.Method.allCases.map(CoreMethod.device1)
        all += Donation1.Method.allCases.map(CoreMethod.donation1)
        all += Door1.Method.allCases.map(CoreMethod.door1)
        all += Exposure1.Method.allCases.map(CoreMethod.exposure1)
        all += Indicator1.Method.allCases.map(CoreMethod.indicator1)
        all += Release1.Method.allCases.map(CoreMethod.release1)
        all += Risk1.Method.allCases.map(CoreMethod.risk1)
        all += Technician1.Method.allCases.map(CoreMethod.technician1)
        all += Time1.Method.allCases.map(CoreMethod.time1)
        all += Trust1.Method.allCases.map(CoreMethod.trust1)
        return all
    }

    /// The method of its interface.
    public var method: any LawfulMethod {
        switch self {
        case .access1(let method): method
        case .content1(let method): method
        case .device1(let method): method
        case .donation1(let method): method
        case .door1(let method): method
        case .exposure1(let method): method
        case .indicator1(let method): method
        case .release1(let method): method
        case .risk1(let method): method
        case .technician1(let method): method
        case .time1(let method): method
        case .trust1(let method): method
        }
    }

    /// Who may call it, and what its answers tell.
    public var law: Law { method.law }
    /// The interface it belongs to.
    public var interface: String { type(of: method).interface }
    /// `interface.Method`, as a call carries it.
    public var path: String { method.path }
}
