// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import Poster

/// Invented places, codes and visits, the same at every call.
public enum VenueSamples {
    /// The address of the page for the screen at a door.
    public static let screen = "https://192.0.2.7:8443/screen"

    /// A name of 252 characters in one word, about as long as a name may be (255).
    public static let longName = String(repeating: "Donaudampfschifffahrt", count: 12)

    /// Returns a code that is in `state`, at the door unless told otherwise. `begins`, in Unix seconds, makes it an
    /// event's, of three hours; `nil` makes it a place's, without an end.
    public static func code(
        _ number: Int, name: String = "Café Linde", state: Checkin1.CodeState = .shown, own: Bool = true,
        system: Checkin1.System = .coronaWarnApp, begins: Int64? = nil
    ) -> Checkin1.Code {
        Checkin1.Code(
            number: number, system: system, name: name, state: state, own: own, begins: begins,
            ends: begins.map { $0 + 10_800 })
    }

    /// Returns a place with six codes: one at its door, one that was replaced, three events (one that runs, one to
    /// come, one that has ended), and an imported code of another system.
    public static func place(_ number: Int, name: String = "Café Linde") -> Checkin1.Place {
        Checkin1.Place(
            number: number, name: name, street: "Lindenweg 4, 12345 Neustadt", kind: .foodService, stayMinutes: 90,
            codes: [
                code(1), code(2, state: .revoked), code(3, name: "Jazz <&> Soul", begins: Samples.now - 3_600),
                code(4, name: "Lesung", state: .coming, begins: Samples.now + 90_000),
                code(5, name: "Bar", own: false, system: .nhs),
                code(6, name: "Tanz", state: .ended, begins: Samples.now - 90_000),
            ])
    }

    /// Two places, the first of which the screen shows, and the second of which is broadcast.
    public static let places = Checkin1.PlacesReply(
        places: [place(1), place(2, name: "\"><script>alert(1)</script>")], makes: [.coronaWarnApp],
        imports: [.coronaWarnApp, .nhs], screen: 1, broadcast: .init(number: 2, opens: 480, closes: 1_320))

    /// Returns the reply from which `code` is printed; its text is the same for every code.
    public static func poster(_ code: Checkin1.Code) -> Checkin1.PosterReply {
        Checkin1.PosterReply(
            code: code, text: "https://e.coronawarn.app?v=1#" + String(repeating: "CAESLAgBEg_ZDY-b", count: 10),
            street: "Lindenweg 4, 12345 Neustadt", place: code.begins == nil ? nil : "Café Linde")
    }

    /// The picture of ``poster(_:)``; `nil` only if there is no memory.
    public static let drawing = try? QRCode(poster(code(1)).text)
    /// The picture of a long text, in very fine modules; `nil` only if there is no memory.
    public static let denseDrawing = try? QRCode(String(repeating: "CAESLAgBEg_ZDY-b", count: 90))

    /// A visit that is over, one that goes on, and one of a place with markup in its name.
    public static let visits = [
        Checkin1.Visit(
            number: 1, system: .coronaWarnApp, name: "Café Linde", street: "Lindenweg 4, 12345 Neustadt",
            arrival: Samples.now - 180_000, departure: Samples.now - 174_000, open: false, warns: true, published: false),
        Checkin1.Visit(
            number: 2, system: .nhs, name: "The Crown", street: nil, arrival: Samples.now - 3_000,
            departure: Samples.now + 30_000, open: true, warns: false, published: false),
        Checkin1.Visit(
            number: 3, system: .swissCovid, name: "<img src=x onerror=alert(1)>", street: longName,
            arrival: Samples.now - 90_000, departure: Samples.now - 88_000, open: false, warns: true, published: false),
    ]

    /// A hidden visit that is over, one that goes on, and one that the wearer's secret has opened.
    public static let hiddenVisits = [
        Checkin1.Visit(
            number: 1, system: .swissCovid, name: "", street: nil, arrival: Int64(Samples.today - 2) * 86_400,
            departure: Int64(Samples.today - 1) * 86_400 - 1, open: false, warns: true, published: false, hidden: true),
        Checkin1.Visit(
            number: 2, system: .swissCovid, name: "", street: nil, arrival: Samples.now - 3_000,
            departure: Samples.now + 30_000, open: true, warns: true, published: false, hidden: true),
        Checkin1.Visit(
            number: 3, system: .swissCovid, name: "Bar zum Adler", street: "Bern", arrival: Samples.now - 90_000,
            departure: Samples.now - 88_000, open: false, warns: true, published: false, hidden: true),
    ]

    /// A notice about the first of them.
    public static let hiddenNotices = Checkin1.NoticesReply(
        notices: [notice(1, .swissCovid, message: "Call 0800.", name: "")], more: false,
        followed: [Checkin1.Followed(system: .swissCovid, checked: Samples.now - 4_000, problem: nil)], news: true)

    private static func notice(
        _ number: Int, _ system: Checkin1.System, level: Checkin1.Level? = nil, advice: Checkin1.Advice? = nil,
        message: String? = nil, name: String = "Café Linde"
    ) -> Checkin1.Notice {
        Checkin1.Notice(
            number: number, system: system, visit: number, name: name, day: Samples.today - number, level: level,
            advice: advice, message: message, news: number > 3)
    }

    /// Six warnings, of every level and of three systems, the last three of them news, with the trouble of one
    /// system.
    public static let notices = Checkin1.NoticesReply(
        notices: [
            notice(1, .coronaWarnApp, level: .low), notice(2, .coronaWarnApp, level: .increased),
            notice(3, .coronaWarnApp, level: .unknown), notice(4, .nhs, advice: .inform),
            notice(5, .nhs, advice: .bookATest, name: ""), notice(6, .swissCovid, message: "Call <b>0800</b>."),
        ], more: false,
        followed: [
            Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now - 4_000, problem: nil),
            Checkin1.Followed(system: .nhs, checked: nil, problem: "The server does not answer."),
        ], news: true)

    /// Nothing to tell, and nothing asked of a server yet.
    public static let noNotices = Checkin1.NoticesReply(
        notices: [], more: false,
        followed: [Checkin1.Followed(system: .coronaWarnApp, checked: nil, problem: nil)])

    /// Nothing to tell, and all warnings were looked at.
    public static let calm = Checkin1.NoticesReply(
        notices: [], more: false,
        followed: [Checkin1.Followed(system: .coronaWarnApp, checked: Samples.now - 4_000, problem: nil)])

    /// Earlier visits are lost, and one system is in trouble.
    public static let lost = Checkin1.NoticesReply(
        notices: [], more: false, followed: notices.followed, lost: true)
}
