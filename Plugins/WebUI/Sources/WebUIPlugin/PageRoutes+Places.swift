// SPDX-License-Identifier: Apache-2.0

import HTTPService
import Interfaces
import JSON
import Poster
import WebPages
import WebSafety

/// A host's places, the posters of their codes, and the screen at the door.
extension PageRoutes {
    var places: [Route] {
        [
            route(
                "/tech/places", Self.technicians, { showPlaces($0, $1) }, forms: Self.technician,
                [.describePlace: { incoming, fields in describe(incoming, fields, number: nil) }]),
            route(
                "/tech/places/{number}", Self.technicians, { showPlace($0, $1) }, forms: Self.technician,
                [
                    .describePlace: { incoming, fields in
                        numbered(incoming) { describe(incoming, fields, number: $0) }
                    },
                    .forgetPlace: { incoming, _ in
                        numbered(incoming) { number in
                            let parameters: JSON = ["number": .int(number)]
                            call(incoming, Checkin1.Method.forgetPlace, parameters, then: "/tech/places") {
                                showPlace($0, $1)
                            }
                        }
                    },
                    .startEvent: { startEvent($0, $1) }, .importCode: { importCode($0, $1) },
                    .showScreen: { incoming, _ in
                        numbered(incoming) { number in setScreen(incoming, ["number": .int(number)], of: number) }
                    },
                    .hideScreen: { incoming, _ in
                        numbered(incoming) { number in setScreen(incoming, ["former": .int(number)], of: number) }
                    },
                    .startBroadcast: { startBroadcast($0, $1) },
                    .stopBroadcast: { incoming, _ in
                        numbered(incoming) { number in
                            let parameters: JSON = ["former": .int(number)]
                            call(incoming, Checkin1.Method.setBroadcast, parameters, then: "/tech/places/\(number)") {
                                showPlace($0, $1)
                            }
                        }
                    },
                ]),
            route(
                "/tech/codes/{number}", Self.technicians, { showCode($0, $1) }, forms: Self.technician,
                [
                    .endEvent: { incoming, _ in changeCode(incoming, .end) },
                    .revokeCode: { incoming, _ in changeCode(incoming, .revoke) },
                ]),
            file("/tech/codes/{number}/poster.svg") { poster, _, paper in
                ("image/svg+xml", Array(poster.sheet(on: paper).svg.utf8))
            },
            file("/tech/codes/{number}/poster.pdf") { (poster, _, paper) throws(PosterError) in
                ("application/pdf", try poster.pdf(on: paper))
            },
            file("/tech/codes/{number}/code.png") { _, drawing, _ in ("image/png", drawing.png) },
            Route(
                "/screen", ["GET": Route.Action(kind: .page, roles: nil, isAttended: false) { showScreen($0) }]),
        ]
    }

    /// What came of a question to the plugin that knows venues.
    static func venue<Reply: Decodable & Sendable>(
        _ answer: InterfaceClient.Answer?, as type: Reply.Type = Reply.self
    ) -> VenueAnswer<Reply> {
        switch answer {
        case nil: return .silent
        case .success(let json)?: return (try? json.decode(type)).map { .reply($0) } ?? .silent
        case .failure(let error)?:
            let problem = Problem(error)
            if problem.error == "\(Checkin1.name).WrongRole" { return .otherRole }
            return ["notAvailable", "notGranted"].contains(problem.code) ? .notThere : .silent
        }
    }

    /// What a sentence of the plugin is about, as a form can mark it; `nil` where it is about no field.
    private static func fault(_ problem: Problem) -> HostPages.Fault? {
        guard problem.error == "\(Checkin1.name).Refused" else { return nil }
        return switch problem.parameters["rule"]?.string {
        case "invalidName": .name
        case "invalidStreet": .street
        case "invalidStay": .stay
        case "invalidTimes": .times
        case "invalidHours": .hours
        case "codeTooLong": .long
        default: .code
        }
    }

    // MARK: Places

    private func showPlaces(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, typed: HostPages.Typed? = nil
    ) {
        let isFault = typed != nil || notice != nil
        parts(incoming, .getPlaces, "places") { places in
            renderer.show(incoming, notice: notice, status: isFault ? 422 : 200) { _, context in
                HostPages.places(Self.venue(places), typed: typed, context)
            }
        }
    }

    private func showPlace(
        _ incoming: IncomingRequest, _ notice: PageContext.Notice?, typed: HostPages.Typed? = nil
    ) {
        numbered(incoming) { number in
            // The first after the one before it.
            let question = Self.question(Checkin1.Method.getPlaces, ["after": .int(number - 1)])
            let isFault = typed != nil || notice != nil
            let questions = ["places": question, "radio": Self.radio]
            renderer.show(incoming, questions, notice: notice, status: isFault ? 422 : 200) { replies, context in
                let answer = Self.venue(replies.answers["places"], as: Checkin1.PlacesReply.self)
                guard let reply = answer.reply else { return HostPages.places(answer, context) }
                guard let place = reply.places.first, Int64(place.number) == number else {
                    throw Problem(404, "NoSuchNumber")
                }
                let radio = replies.get("radio", as: Device1.RadioReply.self)?.radio
                let screen =
                    (incoming.request.isSecure ? "https://" : "http://") + (incoming.request.headers["host"] ?? "")
                    + "/screen"
                return HostPages.place(
                    .init(place: place, reply: reply, door: radio?.door, screenAddress: screen, typed: typed), context)
            }
        }
    }

    /// Shows a form again with what was typed into it, or the plugin's own words.
    private func again(
        _ incoming: IncomingRequest, _ action: FormAction, _ fields: FormFields, _ names: [String],
        _ fault: HostPages.Fault?, _ notice: PageContext.Notice?
    ) {
        var typed: [String: String] = [:]
        for name in names { typed[name] = String((fields.text(name) ?? "").prefix(400)) }
        let shown = fault.map { HostPages.Typed(action: action, fields: typed, fault: $0) }
        if incoming.parts["number"] == nil {
            showPlaces(incoming, notice, typed: shown)
        } else {
            showPlace(incoming, notice, typed: shown)
        }
    }

    private func describe(_ incoming: IncomingRequest, _ fields: FormFields, number: Int64?) {
        let names = ["name", "street", "kind", "stay"]
        guard let stay = fields.text("stay").flatMap({ Int64(Self.trimmed($0)) }) else {
            return again(incoming, .describePlace, fields, names, .stay, nil)
        }
        var parameters: JSON.Object = [
            "name": .string(Self.trimmed(fields.text("name") ?? "")),
            "street": .string(Self.trimmed(fields.text("street") ?? "")),
            "kind": .string(Checkin1.Kind(rawValue: fields.text("kind") ?? "")?.rawValue ?? "other"),
            "stayMinutes": .int(stay),
        ]
        if let number { parameters["number"] = .int(number) }
        ask(incoming, Checkin1.Method.describe, .object(parameters)) { reply in
            let place = reply["place"].flatMap { try? $0.decode(Checkin1.Place.self) }
            // There it is printed. A place has no code of its own where none can be made.
            let own = place?.codes.last { $0.own && $0.state == .shown && $0.begins == nil }
            incoming.exchange.send(
                RequestRouter.redirect(own.map { "/tech/codes/\($0.number)" } ?? "/tech/places/\(place?.number ?? 0)"))
        } else: { problem in
            let fault = Self.fault(problem)
            again(
                incoming, .describePlace, fields, names, fault, fault == nil ? PageRenderer.fault(problem) : nil)
        }
    }

    private func startEvent(_ incoming: IncomingRequest, _ fields: FormFields) {
        numbered(incoming) { number in
            let (date, time) = (fields.text("date") ?? "", fields.text("time") ?? "")
            guard date.isEmpty, time.isEmpty else {
                return startEvent(incoming, fields, number, begins: Self.moment(date: date, time: time))
            }
            func refuse(_ problem: Problem) {
                again(incoming, .startEvent, fields, Self.eventFields, nil, PageRenderer.fault(problem))
            }
            // By the core's clock, as the plugin reckons: this process's own may be wrong by years.
            ask(incoming, Device1.Method.getTime) { reply in
                guard let now = (try? reply.decode(Device1.TimeReply.self))?.time.now else {
                    return refuse(
                        Problem(
                            409, "timeUnknown",
                            "The device does not know what time it is, so no event can begin now; connect it or set its time."
                        ))
                }
                startEvent(incoming, fields, number, begins: now / 1_000)
            } else: {
                refuse($0)
            }
        }
    }

    private static let eventFields = ["event", "eventKind", "hours", "date", "time"]

    /// `begins` in Unix seconds; `nil` if it cannot be read.
    private func startEvent(_ incoming: IncomingRequest, _ fields: FormFields, _ number: Int64, begins: Int64?) {
        guard let begins, let hours = fields.text("hours").flatMap({ Int64(Self.trimmed($0)) }), (1...744).contains(hours)
        else { return again(incoming, .startEvent, fields, Self.eventFields, .times, nil) }
        var parameters: JSON.Object = [
            "number": .int(number), "begins": .int(begins), "ends": .int(begins + hours * 3_600),
            "kind": .string(Checkin1.EventKind(rawValue: fields.text("eventKind") ?? "")?.rawValue ?? "other"),
        ]
        let name = Self.trimmed(fields.text("event") ?? "")
        if !name.isEmpty { parameters["name"] = .string(name) }
        ask(incoming, Checkin1.Method.start, .object(parameters)) { reply in
            incoming.exchange.send(RequestRouter.redirect("/tech/codes/\(reply["code"]?["number"]?.int ?? 0)"))
        } else: { problem in
            let fault = Self.fault(problem)
            again(
                incoming, .startEvent, fields, Self.eventFields, fault, fault == nil ? PageRenderer.fault(problem) : nil)
        }
    }

    private func importCode(_ incoming: IncomingRequest, _ fields: FormFields) {
        numbered(incoming) { number in
            let parameters: JSON = ["number": .int(number), "code": .string(fields.text("code") ?? "")]
            ask(incoming, Checkin1.Method.importCode, parameters) { reply in
                incoming.exchange.send(RequestRouter.redirect("/tech/codes/\(reply["added"]?["number"]?.int ?? 0)"))
            } else: { problem in
                let fault = Self.fault(problem)
                again(incoming, .importCode, fields, [], fault, fault == nil ? PageRenderer.fault(problem) : nil)
            }
        }
    }

    private func setScreen(_ incoming: IncomingRequest, _ parameters: JSON, of place: Int64) {
        call(incoming, Checkin1.Method.setScreen, parameters, then: "/tech/places/\(place)") { showPlace($0, $1) }
    }

    private func startBroadcast(_ incoming: IncomingRequest, _ fields: FormFields) {
        let names = ["opens", "closes"]
        numbered(incoming) { number in
            var parameters: JSON.Object = ["number": .int(number)]
            for name in names {
                let text = Self.trimmed(fields.text(name) ?? "")
                if text.isEmpty { continue }
                // The plugin refuses one time without the other.
                guard let minute = Self.minute(of: text) else {
                    return again(incoming, .startBroadcast, fields, names, .hours, nil)
                }
                parameters[name] = .int(minute)
            }
            ask(incoming, Checkin1.Method.setBroadcast, .object(parameters)) { _ in
                incoming.exchange.send(RequestRouter.redirect("/tech/places/\(number)"))
            } else: { problem in
                let fault = Self.fault(problem)
                again(
                    incoming, .startBroadcast, fields, names, fault, fault == nil ? PageRenderer.fault(problem) : nil)
            }
        }
    }

    /// The minute of the day that a text like 05:47 names, also with seconds, which are dropped; `nil` for any other.
    static func minute(of text: String) -> Int64? {
        moment(date: "1970-01-01", time: text).map { $0 / 60 }
    }

    // MARK: Codes

    private func showCode(_ incoming: IncomingRequest, _ notice: PageContext.Notice?) {
        numbered(incoming) { number in
            parts(incoming, .getPlaces, "places") { places in
                let question = Self.question(Checkin1.Method.getPoster, ["number": .int(number)])
                renderer.show(incoming, ["poster": question], notice: notice, status: notice == nil ? 200 : 409) {
                    replies, context in
                    try Self.code(number, Self.venue(places), replies.get("poster"), context)
                }
            }
        }
    }

    private static func code(
        _ number: Int64, _ answer: VenueAnswer<Checkin1.PlacesReply>, _ poster: Checkin1.PosterReply?,
        _ context: PageContext
    ) throws -> Page {
        guard let reply = answer.reply else { return HostPages.places(answer, context) }
        for place in reply.places {
            guard let code = place.codes.first(where: { Int64($0.number) == number }) else { continue }
            let drawing = poster.flatMap { try? QRCode($0.text) }
            let sheet = poster.flatMap { poster in
                drawing.map { Poster(code: $0, words: HostPages.words(poster, context)).sheet(on: .a4) }
            }
            return HostPages.code(
                .init(
                    place: place.number, code: code, poster: poster, drawing: drawing, hasPDF: sheet?.hasFonts ?? false),
                context)
        }
        throw Problem(404, "NoSuchNumber")
    }

    private func changeCode(_ incoming: IncomingRequest, _ method: Checkin1.Method) {
        numbered(incoming) { number in
            call(incoming, method, ["number": .int(number)], then: "/tech/codes/\(number)") { showCode($0, $1) }
        }
    }

    /// A picture of a code, alone or on a poster of `?paper=a4` or `a6`, in the language of the page.
    private func file(
        _ path: String,
        _ make: @escaping (Poster, QRCode, Poster.Paper) throws(PosterError) -> (type: String, bytes: [UInt8])
    ) -> Route {
        // Of the route, not of the request.
        let ending = String(path.split(separator: ".").last ?? "")
        return Route(path, ["GET": Route.Action(kind: .page, roles: Self.technicians) { sendFile($0, ending, make) }])
    }

    private func sendFile(
        _ incoming: IncomingRequest, _ ending: String,
        _ make: @escaping (Poster, QRCode, Poster.Paper) throws(PosterError) -> (type: String, bytes: [UInt8])
    ) {
        numbered(incoming) { number in
            let question = Self.question(Checkin1.Method.getPoster, ["number": .int(number)])
            renderer.render(incoming.visitor(router), ["poster": question]) { replies, context in
                do throws(Problem) {
                    if let problem = replies.problem("poster") { throw problem }
                    guard let context, let reply: Checkin1.PosterReply = replies.get("poster") else {
                        throw Problem(503, "unreadable")
                    }
                    let name = incoming.query("paper") ?? "a4"
                    guard let paper = Poster.Paper(rawValue: name) else {
                        throw Problem(422, "invalidParameter", "paper is a4 or a6.")
                    }
                    let made: (type: String, bytes: [UInt8])
                    do throws(PosterError) {
                        let drawing = try QRCode(reply.text)
                        made = try make(Poster(code: drawing, words: HostPages.words(reply, context)), drawing, paper)
                    } catch { throw Problem(409, error.rawValue, error.description) }
                    incoming.exchange.send(
                        RequestRouter.picture(
                            made.bytes, type: made.type,
                            name: ending == "png" ? "code-\(number).png" : "poster-\(number)-\(paper.rawValue).\(ending)"))
                } catch { incoming.exchange.send(router.refusal(incoming.request, error)) }
            }
        }
    }

    // MARK: Screen

    /// How often a screen asks anew, in seconds: so long an event's code can be late.
    private static let screenSeconds = 60

    /// For a display at the door: anybody may look, and it asks anew by itself, without a script.
    private func showScreen(_ incoming: IncomingRequest) {
        incoming.headers.append(("Refresh", "\(Self.screenSeconds)"))
        renderer.show(incoming, ["screen": Self.question(Checkin1.Method.getScreen)], needs: nil) { replies, context in
            let answer = Self.venue(replies.answers["screen"], as: Checkin1.ScreenReply.self)
            return HostPages.screen(answer, drawing: answer.reply?.text.flatMap { try? QRCode($0) }, context)
        }
    }
}
