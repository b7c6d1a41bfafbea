// SPDX-License-Identifier: Apache-2.0

package import Interfaces
import JSON

/// The secrets that provisioning leaves in the data folder: `{"wearer": "…", "technicianReadOnly": "…", "technician":
/// "…"}`, each optional.
package enum FirstSecrets {
    /// The reason why nothing of the file can be used; it contains no secret.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads the file. Returns the secrets that can be used, and a sentence about the others, which quotes none of them;
    /// `nil` if there is no problem.
    /// - Throws: `Refusal` if the bytes are not a JSON object.
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
