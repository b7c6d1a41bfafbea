// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of all texts. Change the text, and generate again.

extension InterfaceTexts {
    /// The texts of all interfaces of this tree, by the interface's name.
    public static let all: [String: String] = [
        Access1.Method.interface: Access1.text,
        Checkin1.Method.interface: Checkin1.text,
        Content1.Method.interface: Content1.text,
        Device1.Method.interface: Device1.text,
        Diagnosis1.Method.interface: Diagnosis1.text,
        Donation1.Method.interface: Donation1.text,
        Door1.Method.interface: Door1.text,
        Egress1.Method.interface: Egress1.text,
        Exposure1.Method.interface: Exposure1.text,
        Indicator1.Method.interface: Indicator1.text,
        Release1.Method.interface: Release1.text,
        Risk1.Method.interface: Risk1.text,
        Sync1.Method.interface: Sync1.text,
        Technician1.Method.interface: Technician1.text,
        Time1.Method.interface: Time1.text,
        Trust1.Method.interface: Trust1.text,
        Wake1.Method.interface: Wake1.text,
    ]

    /// The texts of the interfaces that the core answers, by the interface's name.
    public static let core: [String: String] = [
        Access1.Method.interface: Access1.text,
        Content1.Method.interface: Content1.text,
        Device1.Method.interface: Device1.text,
        Donation1.Method.interface: Donation1.text,
        Door1.Method.interface: Door1.text,
        Exposure1.Method.interface: Exposure1.text,
        Indicator1.Method.interface: Indicator1.text,
        Release1.Method.interface: Release1.text,
        Risk1.Method.interface: Risk1.text,
        Technician1.Method.interface: Technician1.text,
        Time1.Method.interface: Time1.text,
        Trust1.Method.interface: Trust1.text,
    ]
    /// The method that a text of this tree has under these names; `nil` if none has.
    ///
    /// - Parameters:
    ///   - name: The method's name, as calls carry it after the last dot.
    ///   - interface: The name of its interface.
    public static func method(_ name: String, of interface: String) -> (any LawfulMethod)? {
        switch interface {
        case Access1.Method.interface: return Access1.Method(rawValue: name)
        case Checkin1.Method.interface: return Checkin1.Method(rawValue: name)
        case Content1.Method.interface: return Content1.Method(rawValue: name)
        case Device1.Method.interface: return Device1.Method(rawValue: name)
        case Diagnosis1.Method.interface: return Diagnosis1.Method(rawValue: name)
        case Donation1.Method.interface: return Donation1.Method(rawValue: name)
        case Door1.Method.interface: return Door1.Method(rawValue: name)
        case Egress1.Method.interface: return Egress1.Method(rawValue: name)
        case Exposure1.Method.interface: return Exposure1.Method(rawValue: name)
        case Indicator1.Method.interface: return Indicator1.Method(rawValue: name)
        case Release1.Method.interface: return Release1.Method(rawValue: name)
        case Risk1.Method.interface: return Risk1.Method(rawValue: name)
        case Sync1.Method.interface: return Sync1.Method(rawValue: name)
        case Technician1.Method.interface: return Technician1.Method(rawValue: name)
        case Time1.Method.interface: return Time1.Method(rawValue: name)
        case Trust1.Method.interface: return Trust1.Method(rawValue: name)
        case Wake1.Method.interface: return Wake1.Method(rawValue: name)
        default: return nil
        }
    }
}
