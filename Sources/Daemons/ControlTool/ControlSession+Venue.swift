// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON

/// The codes of a device that stands for a place.
extension ControlSession {
    private var venues: CoreLink { plugin(Checkin1.name) }

    /// Shows all places of this device and their codes.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func listPlaces() throws(ControlFailure) {
        try show(parts(Checkin1.Method.getPlaces, "places"), as: Checkin1.PlacesReply.self) {
            PlaceViews.list($0, screen)
        }
    }

    /// Describes a place, a new one without a number, and shows its codes.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func describe(_ call: Checkin1.DescribeCall) throws(ControlFailure) {
        try show(venues.ask(Checkin1.Method.describe, call), as: Checkin1.PlaceReply.self) {
            PlaceViews.place($0.place, screen)
        }
    }

    /// Forgets a place and its codes, after asking.
    /// - Parameters:
    ///   - number: The place's number, as ``listPlaces()`` shows it; `refused` if there is none.
    ///   - isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func forgetPlace(_ number: Int, isAgreed: Bool) throws(ControlFailure) {
        let link = venues
        try link.reach()
        try person.agree(
            to: "Place \(number) and its codes are going to be forgotten: its visitors cannot be warned by them any more.",
            isAgreed: isAgreed)
        _ = try link.ask(Checkin1.Method.forgetPlace, Checkin1.NumberCall(number: number))
        try say("Forgotten.")
    }

    /// Makes a code for an event, and shows its number.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func startEvent(_ call: Checkin1.StartCall) throws(ControlFailure) {
        try show(venues.ask(Checkin1.Method.start, call), as: Checkin1.CodeReply.self) {
            screen.paragraph("The event has code \($0.code.number): `vigil ctl venue poster \($0.code.number)`.")
        }
    }

    /// Ends an event before its time.
    /// - Parameter number: The number of its code; `refused` if there is none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func endEvent(_ number: Int) throws(ControlFailure) {
        let reply = try venues.ask(Checkin1.Method.end, Checkin1.NumberCall(number: number))
        try show(reply, as: Checkin1.CodeReply.self) { _ in
            screen.paragraph("The event is over. Who scanned its code stays checked in as long as the code says.")
        }
    }

    /// Imports a code that was made elsewhere, and shows its number.
    /// - Parameters:
    ///   - text: The code's text, a URL; the plugin checks it.
    ///   - place: The number of the place that it is for, as ``listPlaces()`` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func importCode(_ text: String, to place: Int) throws(ControlFailure) {
        let reply = try venues.ask(Checkin1.Method.importCode, Checkin1.ImportCall(number: place, code: text))
        try show(reply, as: Checkin1.ImportReply.self) {
            screen.paragraph(
                "It is a code of \(VisitViews.name($0.added.system)) for \($0.added.name), and has the number \($0.added.number)."
            )
        }
    }

    /// Revokes a code, and shows the place with its remaining codes; a new one may take its place.
    /// - Parameter number: The code's number, as ``listPlaces()`` shows it; `refused` if there is none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func revokeCode(_ number: Int) throws(ControlFailure) {
        let reply = try venues.ask(Checkin1.Method.revoke, Checkin1.NumberCall(number: number))
        try show(reply, as: Checkin1.PlaceReply.self) {
            screen.paragraph("Take the old poster down: whoever has a picture of it can still check in.")
                + PlaceViews.place($0.place, screen)
        }
    }

    /// Sets the place whose code is broadcast, and in which hours, and says what holds then.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func setBroadcast(_ call: Checkin1.BroadcastCall) throws(ControlFailure) {
        _ = try venues.ask(Checkin1.Method.setBroadcast, call)
        try say(PlaceViews.broadcast(call.number.map { .init(number: $0, opens: call.opens, closes: call.closes) }))
    }

    /// Shows the text that is drawn as a QR code, alone on the first line.
    /// - Parameter number: The code's number, as ``listPlaces()`` shows it; `refused` if there is none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showPoster(_ number: Int) throws(ControlFailure) {
        let reply = try venues.ask(Checkin1.Method.getPoster, Checkin1.NumberCall(number: number))
        // Not wrapped: it goes into a program that draws it.
        try show(reply, as: Checkin1.PosterReply.self) { $0.text + "\n" }
    }
}
