// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HTTPService
import Interfaces
import JSON
import WebPages

/// Who looks at a page, or has it open: everything that decides what stands there beside the device itself.
struct Visitor {
    var role: Access1.Role?
    var session: String?
    /// Whether somebody asked for what is drawn; a page that is open draws itself anew.
    var isAttended = true
    /// Chosen by a link or remembered by the browser; absent to let the device's preference or the browser say.
    var language: Language?
    /// The browser's `Accept-Language`.
    var accepting: String
    var path: String
    var formToken: String

    var reader: PageContext.Reader {
        switch role {
        case nil: .nobody
        case .wearer: .wearer
        case .technicianReadOnly: .technicianReadOnly
        case .technician: .technician
        }
    }
}

extension IncomingRequest {
    static let languageSeconds: Int64 = 365 * UTCDay.seconds

    /// Chosen by `?language=`, or remembered.
    var chosenLanguage: Language? {
        query("language").flatMap(Language.init(rawValue:))
            ?? Self.cookie(.language, request).flatMap(Language.init(rawValue:))
    }

    func visitor(_ router: RequestRouter) -> Visitor {
        if let wanted = query("language").flatMap(Language.init(rawValue:)) {
            headers += setting(.language, wanted.rawValue, seconds: Self.languageSeconds)
        }
        return Visitor(
            role: role, session: session, language: chosenLanguage, accepting: request.headers["accept-language"] ?? "",
            path: request.path, formToken: router.formToken(self))
    }
}

/// What was asked and what came, by name.
struct Replies {
    let answers: [String: InterfaceClient.Answer]

    /// `nil` when it did not come, or not as the interface says.
    func get<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        guard case .success(let json)? = answers[name] else { return nil }
        return try? json.decode(type)
    }

    /// Why it did not come.
    func problem(_ name: String) -> Problem? {
        guard case .failure(let error)? = answers[name] else { return nil }
        return Problem(error)
    }
}
