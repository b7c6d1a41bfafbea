// SPDX-License-Identifier: Apache-2.0

import Poster

/// The answer to a question to the plugin that serves `org.vigil.checkin1`, or the reason why there is none, as far
/// as pages distinguish reasons.
public enum VenueAnswer<Reply: Sendable>: Sendable {
    /// The plugin has answered.
    case reply(Reply)
    /// There is no such plugin, or the operator has not granted it to the page.
    case notThere
    /// The device is of the other role: a person's for a host, a place's for a wearer.
    case otherRole
    /// The plugin does not answer now, or not as the interface says.
    case silent

    /// The reply; `nil` without one.
    public var reply: Reply? { if case .reply(let reply) = self { reply } else { nil } }
}

extension PageContext {
    /// An event's time, or a visit's.
    func span(from begin: Int64, to end: Int64) -> String {
        t("venue.span", ["from": moment(begin), "to": moment(end)])
    }
}

extension Part {
    /// A code as a picture, with its quiet zone.
    static func code(_ drawing: QRCode, _ label: String) -> HTML {
        let side = drawing.side + 2 * QRCode.quiet
        return el(.svg, .class("qr"), .viewBox(side, side), .role("img"), .label(label)) {
            el(.rect, .class("paper"), .shape(.width, side), .shape(.height, side))
            el(.path, .class("ink"), .shape(.d, drawing.path))
        }
    }
}
