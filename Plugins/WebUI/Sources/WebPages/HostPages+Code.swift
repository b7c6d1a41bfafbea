// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import Poster

extension HostPages {
    /// The content of `/tech/codes/N`: one code, with its picture where there is one.
    public struct CodeModel: Sendable {
        /// The number of the place that the code belongs to.
        public var place: Int
        /// The code.
        public var code: Checkin1.Code
        /// The text of the QR code and the words to print; `nil` while the time is not known, for a code that is
        /// not valid any more, and if the plugin does not answer.
        public var poster: Checkin1.PosterReply?
        /// The QR code of ``poster``, which was read back to check it; `nil` without ``poster``, and if its text
        /// cannot be drawn.
        public var drawing: QRCode?
        /// Whether the fonts of a PDF have every character of the poster; otherwise no PDF is offered.
        public var hasPDF: Bool

        /// Creates the content of these values, unchecked. Cannot fail.
        public init(
            place: Int, code: Checkin1.Code, poster: Checkin1.PosterReply?, drawing: QRCode?, hasPDF: Bool
        ) {
            self.place = place
            self.code = code
            self.poster = poster
            self.drawing = drawing
            self.hasPDF = hasPDF
        }
    }

    /// A code with more modules of a side has details that some phones do not see on a card of A6: less than 0.6 mm each.
    private static let denseSide = 97

    /// Makes the page `/tech/codes/N`: the picture of a code, posters to print, and forms to end its event and to
    /// revoke it. Pictures and forms only for a code that is `shown` or `coming`. Cannot fail.
    public static func code(_ model: CodeModel, _ context: PageContext) -> Page {
        let code = model.code
        let path = ["tech", "codes", "\(code.number)"]
        return page(code.name, context) {
            el(.p, .class("back")) {
                Part.link(Link(page: ["tech", "places", "\(model.place)"]), context.t("code.back"))
            }
            el(.h1) { Part.foreign(code.name) }
            el(.p) {
                if model.poster != nil, model.drawing == nil {
                    Part.badge(.warm, context.t("places.not-drawn"))
                } else {
                    stateBadge(code, context)
                }
                " "
                Part.badge(.still, context.t(.venueSystem, code.system.rawValue))
            }
            if let begins = code.begins, let ends = code.ends {
                context.spanElement(.p, .class("lead"), from: begins, to: ends)
            }
            if code.state == .shown || code.state == .coming {
                if code.begins != nil { Part.note(.heed, context.t("code.event")) }
                printPart(model, path, context)
            } else {
                el(.p, text: context.t(code.state == .ended ? "code.over" : "code.taken-off"))
            }
            if context.reader == .technician, code.state == .shown || code.state == .coming {
                removalPart(code, path, context)
            }
        }
    }

    /// One way for each code: an event that lasts is ended, one that has not begun is cancelled, and any other code is taken off.
    private static func removalPart(_ code: Checkin1.Code, _ path: [String], _ context: PageContext) -> HTML {
        if code.begins != nil, code.own {
            let isComing = code.state == .coming
            return Part.section("end", context.t(isComing ? "code.cancel" : "code.end"), class: "card danger") {
                el(.p, text: context.t(isComing ? "code.cancel-lead" : "code.end-lead"))
                context.form(.endEvent, to: path) {
                    Field.submit(context.t(isComing ? "code.cancel-do" : "code.end-do"), class: "button danger")
                }
            }
        }
        return Part.section("revoke", context.t("code.revoke"), class: "card danger") {
            el(.p, text: context.t("code.revoke-lead"))
            context.form(.revokeCode, to: path) { Field.submit(context.t("code.revoke-do"), class: "button danger") }
        }
    }

    @HTMLBuilder private static func printPart(
        _ model: CodeModel, _ path: [String], _ context: PageContext
    ) -> HTML {
        if let poster = model.poster, let drawing = model.drawing {
            Part.section("print", context.t("code.print")) {
                el(.div, .class("print")) {
                    Part.code(drawing, context.t("code.picture"))
                    el(.div) {
                        el(.p, text: context.t("places.ask-first"))
                        el(.p, text: context.t("code.print-lead"))
                        el(.p, text: context.t("code.print-language"))
                        el(.ul, .class("shortcuts")) {
                            if model.hasPDF {
                                download(path + ["poster.pdf"], .a4, context.t("code.a4") + " (PDF)")
                                download(path + ["poster.pdf"], .a6, context.t("code.a6") + " (PDF)")
                            }
                            download(path + ["poster.svg"], .a4, context.t("code.a4") + " (SVG)")
                            download(path + ["poster.svg"], .a6, context.t("code.a6") + " (SVG)")
                            download(path + ["code.png"], nil, context.t("code.png"))
                        }
                    }
                }
                if !model.hasPDF { Part.note(.heed, context.t("code.no-pdf")) }
                if drawing.side > denseSide { Part.note(.heed, context.t("code.dense")) }
            }
            el(.details, .class("card")) {
                el(.summary, text: context.t("code.text"))
                el(.p, text: context.t("code.text-lead"))
                el(.p) { el(.code, text: poster.text) }
            }
        } else if model.poster != nil {
            Part.note(.warm, context.t("code.unfit"))
        } else if !context.timeIsKnown {
            Part.note(.heed, context.t("code.time-unknown"))
        } else {
            Part.note(.heed, context.t("places.silent"))
        }
    }

    private static func download(_ path: [String], _ paper: Poster.Paper?, _ text: String) -> HTML {
        el(.li) {
            el(.a, .href(Link(page: path, query: paper.map { [("paper", $0.rawValue)] } ?? []))) {
                Icon.download.html
                el(.span, text: text)
            }
        }
    }

    /// Returns the words of a poster in the language of `context`: the place, the steps of a check-in, its
    /// consequences, and the data that the place does not get. An event has a line for its date and time, to be filled in by hand. Cannot fail.
    public static func words(_ reply: Checkin1.PosterReply, _ context: PageContext) -> Poster.Words {
        // No time of an event: the device does not know the zone of the door's clock, and guests do not reckon in UTC.
        Poster.Words(
            heading: context.t("poster.heading"), name: reply.code.name,
            details: [reply.place, reply.street].compactMap(\.self)
                + (reply.code.begins == nil ? [] : [context.t("poster.when")]),
            steps: steps(reply.code, isPrinted: true, context),
            notes: [context.t("poster.warned"), context.t("poster.learns")])
    }

    /// The code of an event is valid while it lasts: who wears a token and has it entered later comes too late. A screen says so; on a
    /// poster the line for the event's time takes that room.
    private static func steps(_ code: Checkin1.Code, isPrinted: Bool, _ context: PageContext) -> [String] {
        let isEvent = code.begins != nil
        let token: StaticString? = !isEvent ? "poster.no-phone" : isPrinted ? nil : "poster.no-phone-event"
        return [context.t("poster.app", ["app": context.t(.venueSystem, code.system.rawValue)])]
            + (token.map { [context.t($0)] } ?? []) + [context.t("poster.leave")]
    }

    /// Makes the page `/screen` for a display at the door: the code as large as possible, and the words of a
    /// poster. It has no links or forms, and nothing of the device. Without a code it says why. Cannot fail.
    ///
    /// - Parameters:
    ///   - answer: The plugin's answer about the screen.
    ///   - drawing: The picture of the code; `nil` if it cannot be drawn.
    public static func screen(
        _ answer: VenueAnswer<Checkin1.ScreenReply>, drawing: QRCode?, _ context: PageContext
    ) -> Page {
        Layout(context: context).screen(title: context.t("screen.title")) {
            if let reply = answer.reply, reply.isOn {
                if let code = reply.code, let drawing {
                    Part.code(drawing, context.t("code.picture"))
                    el(.div, .class("words")) {
                        el(.h1, text: context.t("screen.title"))
                        el(.p, .class("name")) { Part.foreign(code.name) }
                        Part.list(steps(code, isPrinted: false, context), numbered: true)
                        el(.p, .class("note-line"), text: context.t("poster.learns"))
                    }
                } else {
                    silent(context.t(reply.code == nil ? "screen.nothing" : "screen.unfit"), context)
                }
            } else if case .silent = answer {
                silent(context.t("screen.silent"), context)
            } else {
                silent(context.t("screen.off"), context)
            }
        }
    }

    private static func silent(_ text: String, _ context: PageContext) -> HTML {
        el(.div, .class("words")) {
            el(.h1, text: context.t("screen.off-title"))
            el(.p, text: text)
        }
    }
}
