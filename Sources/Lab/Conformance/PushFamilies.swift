// SPDX-License-Identifier: Apache-2.0

import Cryptography
import WakePlan

/// The message that registers for pushes.
enum PushRegistrations: VectorFamily {
    static let name = "push_registration"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let type = try require("pushType", vector["pushType"].string.flatMap(PushRegistration.PushType.init))
                let registration = PushRegistration(
                    pushToken: try require("pushToken", vector["pushToken"].string), pushType: type,
                    deviceId: try require("deviceId", vector["deviceId"].string),
                    version: try require("version", vector["version"].int.flatMap(Int32.init(exactly:))))
                try expect("encoded", Hex.string(registration.encoded), require("encoded", vector["encoded"].string))
                let isRegistration = vector["meaning"].string == "register"
                try expect("registers", !registration.pushToken.isEmpty, isRegistration)
            }
        }
    }
}

/// When to register, and when to take it back.
enum PushRegistrationStates: VectorFamily {
    static let name = "push_registration_state"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let before = vector["stateBefore"]
                let event = try require("event", vector["event"].string.flatMap(RegistrationRule.Event.init))
                var age: Duration?
                if try require("registered", before["registered"].bool) {
                    age = .seconds(86_400) * (try require("registrationAgeDays", before["registrationAgeDays"].double))
                }
                let state = RegistrationRule.State(
                    enActive: try require("enActive", before["enActive"].bool),
                    hasCheckIns: try require("hasCheckIns", before["hasCheckIns"].bool),
                    inIsolation: try require("inIsolation", before["inIsolation"].bool), registrationAge: age)
                try expect("action", RegistrationRule.action(on: event, state).rawValue, vector["action"].string ?? "")
            }
        }
    }
}
