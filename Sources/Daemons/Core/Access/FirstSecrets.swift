// SPDX-License-Identifier: Apache-2.0

package import Interfaces
import JSON

/// What provisioning leaves in the data folder: `{"wearer": "…", "technicianReadOnly": "…", "technician": "…"}`, each optional.
package enum FirstSecrets {
    /// Why nothing of the file can be used; no secret is in it.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// The secrets that can be taken, and what is wrong with the others, without a word of them.
    /// - Throws: `Refusal` when it is no JSON object.
    package static func parse(
        _ bytes: [UInt8]
    ) throws -> (secrets: [(role: Access1.Role, secret: String)], problem: String?) {
        // Not the parser's own words: they may quote what they stumbled over.
        guard let json = try? JSON(parsing: bytes), let object = json.object else {
            throw Refusal(description: "it is no JSON object. Write it anew, or delete it and use `vigil ctl access make`")
        }
        var secrets: [(Access1.Role, String)] = []
        var problems: [String] = []
        for member in object.members {
            guard let role = Access1.Role(rawValue: member.name) else {
                problems.append("there is a field that is no role (wearer, technicianReadOnly, technician)")
                continue
            }
            guard let secret = member.value.string else {
                problems.append("\(role.rawValue): not a text")
                continue
            }
            if let problem = AccessControl.problem(with: secret) {
                problems.append("\(role.rawValue): \(problem)")
            } else {
                secrets.append((role, secret))
            }
        }
        return (secrets, problems.isEmpty ? nil : problems.joined(separator: "; "))
    }
}
