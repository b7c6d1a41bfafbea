// SPDX-License-Identifier: Apache-2.0

import HTTPService
import JSON
import Varlink

/// From a request to the parameters of a call.
extension Operation {
    static let interfaceTexts = InterfaceCatalogue()

    /// The method, as its interface's text has it.
    var declared: InterfaceDescription.Method? { Self.interfaceTexts.method(call.path) }

    /// The call's parameters. Whether they fit beyond their names its provider judges.
    func parameters(_ incoming: IncomingRequest) throws(Problem) -> JSON.Object {
        var parameters = JSON.Object()
        switch body {
        case .none: break
        case .parameters:
            let given = try Self.object(incoming.request.body)
            let known = Set(declared?.parameters.map(\.name) ?? []).subtracting(takenNames)
            for member in given.members {
                guard known.contains(member.name) else {
                    throw Problem(422, "invalidParameter", "There is no such field here; compare with openapi.json.")
                }
                parameters[member.name] = member.value
            }
        case .text(let name):
            parameters[name] = .string(JSON.object(try Self.object(incoming.request.body)).description)
        }
        for field in pathFields { parameters[field.name] = try field.value(incoming.parts[field.name] ?? "") }
        for field in query {
            if incoming.request.query.count(where: { $0.name == field.name }) > 1 {
                throw Problem(422, "invalidParameter", "\(field.name) was given twice.")
            }
            if let text = incoming.query(field.name) { parameters[field.name] = try field.value(text) }
        }
        return parameters
    }

    private static func object(_ bytes: [UInt8]) throws(Problem) -> JSON.Object {
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes, maximumDepth: 16) } catch {
            throw Problem(400, "json", "The body is no JSON.")
        }
        guard case .object(let object) = json else { throw Problem(422, "invalidParameter", "The body is no JSON object.") }
        return object
    }
}

extension Operation.Field {
    fileprivate func value(_ text: String) throws(Problem) -> JSON {
        guard isNumber else { return .string(text) }
        guard let number = Int64(text) else { throw Problem(422, "invalidParameter", "\(name) is no whole number.") }
        return .int(number)
    }
}
