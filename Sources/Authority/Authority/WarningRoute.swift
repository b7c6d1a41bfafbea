// SPDX-License-Identifier: Apache-2.0

import HTTPService
import JSON
import Verification

/// What a portal asks of the publishing authority: JSON to JSON. A refusal is an answer with the member `refused`, the refusal's code.
enum WarningRoute: String, CaseIterable {
    case propose, confirm, drop, list

    static let maximumBytes = 16 << 10
    private static let mostHandles = 16

    init?(_ path: String) {
        let prefix = "/admin/warnings/"
        guard path.hasPrefix(prefix), let route = Self(rawValue: String(path.dropFirst(prefix.count))) else { return nil }
        self = route
    }

    func answer(_ body: [UInt8], _ authority: HealthAuthority, now: Int64) throws(AuthorityError) -> HTTPResponse {
        guard let json = try? JSON(parsing: body, maximumDepth: 4), json.object != nil else {
            return .text(400, "the question is no JSON object")
        }
        let desk = LocalWarningDesk(authority: authority)
        do throws(WarningRefusal) {
            guard let result = try result(json, desk, now: now) else {
                return .text(400, "the question is not complete")
            }
            return Self.answer(result)
        } catch {
            // What is no fault of the question is the disk's, and passes.
            guard error.code != .failed else { return .text(503, "the authority cannot work at the moment") }
            return Self.answer(["refused": .string(error.code.rawValue)])
        }
    }

    private static func answer(_ json: JSON) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(json.bytes))
    }

    /// `nil` for a question that lacks something.
    private func result(_ json: JSON, _ desk: any WarningDesk, now: Int64) throws(WarningRefusal) -> JSON? {
        let person = json["by"]?.string ?? ""
        switch self {
        case .propose:
            let list = json["warnings"]?.array ?? []
            let handles = list.compactMap { $0.string.flatMap(WarningHandle.init(hexadecimal:)) }
            guard (1...Self.mostHandles).contains(list.count), handles.count == list.count,
                let change = json["change"]?.string.flatMap(WarningChange.init), let reason = json["reason"]?.string
            else { return nil }
            return ["proposal": try desk.propose(handles, change, by: person, reason: reason, now: now).json]
        case .confirm:
            guard let number = json["proposal"]?.int else { return nil }
            return ["proposal": try desk.confirm(number, by: person, now: now).json]
        case .drop:
            guard let number = json["proposal"]?.int else { return nil }
            try desk.drop(number, by: person, now: now)
            return [:]
        case .list:
            return [
                "proposals": .array(try desk.proposals(now: now).map(\.json)),
                "changes": .array(desk.changes.map { .string($0.rawValue) }),
            ]
        }
    }
}
