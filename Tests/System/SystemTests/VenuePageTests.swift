// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

/// Check-in by the page, on a whole board: a host describes a place and gets a picture that another program reads; a wearer enters what it says.
/// Needs `zbarimg` (Debian: zbar-tools); without it the test is skipped, and named so at the end of a run.
@Suite(.serialized) struct VenuePageTests {
    private static let hasReader = access("/usr/bin/zbarimg", X_OK) == 0

    private let board: BoardProcess
    private let port: UInt16
    private let air: AirProcess

    init() throws {
        air = try AirProcess()
        board = try BoardProcess("board", on: air)
        port = try Unique.port()
        try board.startWithVenue(["systems": ["coronaWarnApp"]], page: port)
    }

    private func ask(_ method: String, _ parameters: JSON = [:]) throws -> JSON {
        let client = try CallClient(board.run + "/ctl.sock")
        let text = try #require(client.call(method, "\(parameters)"), "\(method): \(board.log.suffix(2_000))")
        return try JSON(parsing: Array(text.utf8))
    }

    /// Another role is another life: the core begins anew, and the plugin, which keeps nothing of the former one.
    private func become(_ role: String) throws {
        let board = board
        func emptied() -> Int { board.log.split(separator: "\n").count { $0.contains("what it kept is removed") } }
        let (core, before) = (board.number("core"), emptied())
        #expect(try ask("org.vigil.device1.SetRole", ["role": .string(role)])["error"] == nil)
        let isAnotherLife = board.waits {
            board.number("core") != core && board.state("core") == "running" && emptied() > before
        }
        try #require(isAnotherLife, "\(board.log.suffix(4_000))")
    }

    /// Somebody who has signed in with a secret that the console made, once the page is there again.
    private func person(_ role: String) throws -> WebClient {
        let secret = try #require(
            try ask("org.vigil.access1.MakeSecret", ["role": .string(role)])["parameters"]?["secret"]?.string)
        let board = board
        var client = WebClient(port: port)
        let isThere = board.waits {
            client = WebClient(port: client.port)
            return (try? client.signIn(role, secret).status) == 303
        }
        try #require(isThere, "\(board.log.suffix(4_000))")
        return client
    }

    private func post(_ client: inout WebClient, _ path: String, _ fields: String) throws -> WebClient.Answer {
        let token = try client.formToken(path)
        return try client.ask("POST", path, body: "form=\(token)&\(fields)")
    }

    /// The page as soon as the plugin answers it: while plugins end and start again, it says that they do not.
    private func page(_ client: inout WebClient, _ path: String, has text: String) throws -> String {
        var copy = client
        var found = ""
        let board = board
        let isThere = board.waits {
            found = (try? copy.ask("GET", path).body) ?? ""
            return found.contains(text)
        }
        client = copy
        try #require(isThere, "\(path): \(found)")
        return found
    }

    private func scanned(_ picture: [UInt8]) throws -> String {
        let path = board.folder + "/code.png"
        try Data(picture).write(to: URL(filePath: path))
        let read = try Program.run("/usr/bin/zbarimg", ["-q", "--raw", "-Sdisable", "-Sqrcode.enable", path])
        #expect(read.status == 0)
        return String(read.output.prefix { $0 != "\n" })
    }

    @Test(.enabled(if: hasReader, "zbarimg is not installed")) func fromADescriptionToAPictureAndIntoADiary() throws {
        #expect(try ask("org.vigil.device1.SetTime", ["now": .int(Int64(time(nil)) * 1_000)])["error"] == nil)
        // A person's device has no places, and the page says so.
        var early = try person("technician")
        #expect(try page(&early, "/tech/places", has: "vigil ctl role place").contains("describePlace") == false)
        var passer = WebClient(port: port)
        #expect(try passer.ask("GET", "/screen").status == 200)

        try become("place")
        var host = try person("technician")
        let form = try page(&host, "/tech/places", has: "describePlace")
        #expect(form.contains("Places and codes"))
        let refused = try post(&host, "/tech/places", "act=describePlace&name=Cafe&street=&kind=other&stay=90")
        #expect(refused.status == 422 && refused.body.contains("Street and town are one line"))
        let described = try post(
            &host, "/tech/places", "act=describePlace&name=%C3%84+%3CLinde%3E&street=Street+1&kind=foodService&stay=90")
        #expect(described.status == 303 && described.header("Location") == "/tech/codes/1", "\(described.body)")
        #expect(try host.ask("GET", "/tech/codes/1").body.contains("class=\"qr\""))

        // What is downloaded is read by another program, and says what the plugin says.
        let picture = try host.ask("GET", "/tech/codes/1/code.png")
        #expect(picture.status == 200 && picture.header("Content-Type") == "image/png")
        let text = try scanned(picture.bytes)
        #expect(text.hasPrefix("https://e.coronawarn.app?v=1#"))
        let posters = [
            ("poster.svg?paper=a4", "<svg "), ("poster.svg?paper=a6", "<svg "), ("poster.pdf?paper=a6", "%PDF-1.4"),
        ]
        for (file, begin) in posters {
            let answer = try host.ask("GET", "/tech/codes/1/\(file)")
            #expect(answer.status == 200 && answer.body.hasPrefix(begin), "\(file)")
        }
        #expect(try host.ask("GET", "/tech/codes/1/poster.svg?paper=a4").body.contains("Ä &lt;Linde&gt;"))
        #expect(try host.ask("GET", "/tech/codes/1/poster.svg?paper=a5").status == 422)
        #expect(try host.ask("GET", "/tech/codes/9/code.png").status == 404)
        #expect(try host.ask("GET", "/tech/codes/9").status == 404 && host.ask("GET", "/tech/places/9").status == 404)

        // The screen: for anybody, once it is switched on; what is on it is not the page of a technician.
        passer = WebClient(port: port)
        #expect(try !passer.ask("GET", "/screen").body.contains("class=\"qr\""))
        #expect(try passer.ask("GET", "/tech/codes/1/code.png").header("Location") == "/sign-in")
        #expect(try post(&host, "/tech/places/1", "act=showScreen").status == 303)
        let screen = try passer.ask("GET", "/screen")
        #expect(screen.status == 200 && screen.header("Refresh") == "60" && screen.body.contains("class=\"qr\""))
        #expect(passer.cookies.isEmpty && !screen.body.contains("<form") && !screen.body.contains("<a "))

        // The broadcast: in its hours, and of these both or none.
        let hours = "act=startBroadcast&opens=08%3A00&closes="
        for wrong in ["", "08%3A00", "25%3A00"] {
            let answer = try post(&host, "/tech/places/1", hours + wrong)
            #expect(answer.status == 422 && answer.body.contains("Enter two different times"), "\(wrong)")
        }
        #expect(try post(&host, "/tech/places/1", hours + "22%3A00").status == 303)
        _ = try page(&host, "/tech/places/1", has: "from 08:00 to 22:00 (UTC)")
        #expect(try post(&host, "/tech/places/1", "act=startBroadcast&opens=&closes=").status == 303)
        _ = try page(&host, "/tech/places/1", has: "It is to be broadcast all day.")
        #expect(try post(&host, "/tech/places/1", "act=stopBroadcast").status == 303)
        #expect(try !host.ask("GET", "/tech/places/1").body.contains("value=\"stopBroadcast\""))

        // Taken off: the place has another code, and the old one is offered no more.
        #expect(try post(&host, "/tech/codes/1", "act=revokeCode").status == 303)
        #expect(try !host.ask("GET", "/tech/codes/1").body.contains("poster.svg"))
        let event = try post(&host, "/tech/places/1", "act=startEvent&event=Jazz&eventKind=culture&hours=3&date=&time=")
        #expect(event.header("Location") == "/tech/codes/3", "\(event.body)")
        #expect(try passer.ask("GET", "/screen").body.contains("Jazz"))

        // A form of an old page ends nothing that was chosen for another place since.
        let second = try post(&host, "/tech/places", "act=describePlace&name=B&street=Street+2&kind=other&stay=90")
        #expect(second.header("Location") == "/tech/codes/4", "\(second.body)")
        #expect(try post(&host, "/tech/places/1", "act=startBroadcast&opens=&closes=").status == 303)
        for act in ["stopBroadcast", "hideScreen"] {
            let answer = try post(&host, "/tech/places/2", "act=\(act)")
            #expect(answer.status == 422 && answer.body.contains("Another place of this device was chosen"), "\(act)")
        }
        let kept = try host.ask("GET", "/tech/places/1").body
        #expect(kept.contains("value=\"stopBroadcast\"") && kept.contains("value=\"hideScreen\""))

        // A wearer enters what the picture says.
        try become("person")
        var wearer = try person("wearer")
        #expect(try post(&wearer, "/welcome?step=4", "act=agree&terms=yes&beacon=yes").status == 303)
        _ = try page(&wearer, "/", has: "href=\"/visits\"")
        _ = try page(&wearer, "/visits", has: "value=\"checkIn\"")
        let wrong = try post(&wearer, "/visits", "act=checkIn&code=https%3A%2F%2Fe.example")
        #expect(wrong.status == 422 && wrong.body.contains("This code was not taken."))
        let typed = String(
            text.utf8.flatMap { byte -> [Character] in
                let digits = String(byte, radix: 16, uppercase: true)
                return Array("%" + (digits.count == 1 ? "0" : "") + digits)
            })
        let entered = try post(&wearer, "/visits", "act=checkIn&code=\(typed)%0D%0A")
        #expect(entered.header("Location") == "/visits/1", "\(entered.body)")
        #expect(try wearer.ask("GET", "/visits/1").body.contains("Ä &lt;Linde&gt;"))
        #expect(try post(&wearer, "/visits/1", "act=setVisitWarning&warns=no").status == 303)
        #expect(try wearer.ask("GET", "/visits/1").body.contains("This visit is not sent."))
        #expect(try post(&wearer, "/visits/1", "act=checkOut").status == 303)
        let edit = "act=editVisit&arrivalDate=2026-01-01&arrivalTime=12%3A00&departureDate=2026-01-01&departureTime="
        let backwards = try post(&wearer, "/visits/1", edit + "11%3A00")
        #expect(backwards.status == 422 && backwards.body.contains("value=\"11:00\""))
        let table = try wearer.ask("GET", "/visits.csv")
        #expect(table.header("Content-Disposition")?.contains("vigil-visits.csv") == true)
        #expect(table.body.split(separator: "\r\n").count == 2 && table.body.contains("\"Ä <Linde>\""))
        // Nobody else: not a technician, and nobody who has not signed in.
        var technician = try person("technician")
        for path in ["/visits", "/visits/1", "/visits.csv"] {
            #expect(try technician.ask("GET", path).status == 403, "\(path)")
            #expect(try passer.ask("GET", path).header("Location") == "/sign-in", "\(path)")
        }
        #expect(try post(&wearer, "/visits/1", "act=deleteVisit").status == 303)
        #expect(try wearer.ask("GET", "/visits/1").status == 404)
        #expect(board.end() == 0)
    }
}
