// SPDX-License-Identifier: Apache-2.0

import Glibc
import VirtualAir

/// Makes days as people have them: they sleep one to three metres apart, take the bus, work two to six metres apart, eat next to each
/// other, shop, and pass each other in the street.
///
/// Every place is a hundred kilometres from the next, which no packet crosses: who is near whom is decided within places only, and exactly
/// known.
struct DayPlanner {
    private struct Home {
        var place: Int
        var spacing: Double
    }

    private static let placeDistance = 100_000.0
    private static let street = 0
    private static let busLines = 3
    private static let shops = 4

    private let settings: PeopleScenario.Generator
    private let days: Int
    private var generator: SplitMix64
    private var lastPlace = Self.street

    init(_ settings: PeopleScenario.Generator, days: Int, seed: UInt64) {
        self.settings = settings
        self.days = days
        generator = SplitMix64(seed: seed ^ 0x0070_656F_706C_6500)
    }

    private mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    private mutating func happens(_ share: Double) -> Bool { number(0...1) < share }

    private mutating func newPlace() -> Int {
        lastPlace += 1
        return lastPlace
    }

    /// Puts people into groups of `size`, in an order of its own; gives group and seat of each.
    private mutating func groups(_ size: ClosedRange<Int>) -> [(group: Int, seat: Int)] {
        var result = [(group: Int, seat: Int)](repeating: (0, 0), count: settings.people)
        var (group, seat) = (0, 0)
        var room = Int.random(in: size, using: &generator)
        for person in (0..<settings.people).shuffled(using: &generator) {
            if seat == room {
                (group, seat) = (group + 1, 0)
                room = Int.random(in: size, using: &generator)
            }
            result[person] = (group, seat)
            seat += 1
        }
        return result
    }

    /// A seat in a row, `spacing` metres apart, `row` metres beside the middle of a place.
    private func seat(_ place: Int, _ number: Int, _ spacing: Double, row: Double = 0) -> (Double, Double) {
        (
            Double(place % 30) * Self.placeDistance + Double(number) * spacing,
            Double(place / 30) * Self.placeDistance + row
        )
    }

    mutating func members() -> [Population.Member] {
        func range(_ pair: [Int]?, _ standard: ClosedRange<Int>) -> ClosedRange<Int> {
            pair.map { $0[0]...$0[1] } ?? standard
        }
        let homes = groups(range(settings.households, 1...4))
        let offices = groups(range(settings.offices, 3...8))
        let homePlaces = (0...(homes.map(\.group).max() ?? 0)).map { _ in Home(place: newPlace(), spacing: number(1...3)) }
        let officePlaces = (0...(offices.map(\.group).max() ?? 0)).map { _ in
            Home(place: newPlace(), spacing: number(2...6))
        }
        let buses = (0..<Self.busLines).map { _ in newPlace() }
        let shops = (0..<Self.shops).map { _ in newPlace() }
        return (0..<settings.people).map { person in
            let home = homePlaces[homes[person].group]
            let office = officePlaces[offices[person].group]
            let takesBus = happens(settings.bus ?? 0.6)
            let bus = buses[Int.random(in: 0..<buses.count, using: &generator)]
            let busSeat = Int.random(in: 0..<12, using: &generator)
            let deskSeat = offices[person].seat
            let bed = seat(home.place, homes[person].seat, home.spacing)
            let error = settings.clockError ?? 30
            var points: [Track.Point] = []
            func stay(_ place: (Double, Double), _ from: Double, _ to: Double) {
                points.append(.init(time: from, x: place.0, y: place.1))
                points.append(.init(time: to, x: place.0, y: place.1))
            }
            for day in 0..<days {
                let start = Double(day) * 86_400
                func hour(_ hours: Double, _ jitter: Double = 300) -> Double {
                    (start + hours * 3_600 + number(0 - jitter...jitter)).rounded()
                }
                let up = hour(6.8)
                stay(bed, max(start, points.last.map { $0.time } ?? start), up)
                let table = seat(home.place, homes[person].seat, 0.9, row: 12)
                stay(table, up + 60, up + 60 + number(600...1_200).rounded())
                // 2026-11-21, where simulations begin unless told otherwise, is a Saturday; only the rhythm matters.
                if day % 7 == 5 || day % 7 == 6 {
                    let living = seat(home.place, homes[person].seat, 1.8, row: 24)
                    let away = hour(14)
                    stay(living, up + 1_800, away)
                    if happens(settings.shopping ?? 0.4) {
                        shop(shops, from: away + 900, into: &points)
                    } else if happens(0.3) {
                        // A visit, one seat further than the hosts.
                        let host = homePlaces[Int.random(in: 0..<homePlaces.count, using: &generator)]
                        stay(seat(host.place, 4, 1.8, row: 24), away + 900, away + 900 + 7_200)
                    }
                    stay(living, hour(18.5), hour(22.4))
                } else {
                    // Everybody of a line rides together.
                    let rideAt = start + 7.5 * 3_600 + Double(bus % 3) * 600
                    if takesBus { stay(seat(bus, busSeat, 0.75), rideAt, rideAt + 1_500) }
                    walk(from: rideAt + 1_500 + 360 + number(0...300), into: &points)
                    let lunchAt = start + 12 * 3_600 + Double(office.place % 4) * 600
                    let desk = seat(office.place, deskSeat, office.spacing)
                    stay(desk, rideAt + 3_000, lunchAt)
                    stay(seat(office.place, deskSeat, 1, row: 40), lunchAt + 90, lunchAt + 90 + 2_100)
                    stay(desk, lunchAt + 2_400, start + 16.7 * 3_600 + Double(bus % 3) * 600)
                    let backAt = start + 17 * 3_600 + Double(bus % 3) * 600
                    if takesBus { stay(seat(bus, (busSeat * 5 + day) % 12, 0.75), backAt, backAt + 1_500) }
                    if happens(settings.shopping ?? 0.4) { shop(shops, from: backAt + 2_400, into: &points) }
                    stay(seat(home.place, homes[person].seat, 1.8, row: 24), hour(19.5), hour(22.4))
                }
                // No path home is another's: people would walk through each other all the way.
                stay(bed, start + 22.7 * 3_600, start + 22.7 * 3_600 + 60)
            }
            return Population.Member(
                id: person + 1, clockError: number(0 - error...error).rounded(), track: Track(apart(points, person)))
        }
    }

    /// Sixty metres of street, against the others.
    private mutating func walk(from start: Double, into points: inout [Track.Point]) {
        let start = start.rounded()
        let isForward = Bool.random(using: &generator)
        let y = number(0...2)
        let (from, to) = (seat(Self.street, 0, 1, row: y), seat(Self.street, 60, 1, row: y))
        points.append(.init(time: start, x: isForward ? from.0 : to.0, y: from.1))
        points.append(.init(time: start + 45, x: isForward ? to.0 : from.0, y: from.1))
    }

    /// Some minutes in a room of 15 metres, from one shelf to the next.
    private mutating func shop(_ shops: [Int], from start: Double, into points: inout [Track.Point]) {
        let place = shops[Int.random(in: 0..<shops.count, using: &generator)]
        var time = start.rounded()
        for _ in 0..<Int.random(in: 3...8, using: &generator) {
            let (x, y) = seat(place, 0, 1)
            let (shelfX, shelfY) = (x + number(0...15), y + number(0...15))
            points.append(.init(time: time, x: shelfX, y: shelfY))
            time += number(30...240).rounded()
            points.append(.init(time: time, x: shelfX, y: shelfY))
            time += 15
        }
    }

    /// Gives everybody a way of their own between places.
    private mutating func apart(_ points: [Track.Point], _ person: Int) -> [Track.Point] {
        var result: [Track.Point] = []
        for point in points.sorted(by: { $0.time < $1.time }) {
            if let last = result.last, hypot(point.x - last.x, point.y - last.y) > 1_000, point.time > last.time + 2 {
                let middle = (last.time + point.time) / 2
                result.append(
                    .init(
                        time: middle, x: (last.x + point.x) / 2 + number(-9_000...9_000),
                        y: (last.y + point.y) / 2 + number(-9_000...9_000)))
            }
            result.append(point)
        }
        return result
    }

    mutating func events() -> [PeopleScenario.Event] {
        let count = Int((Double(settings.people * days) * (settings.interruptions ?? 0.05)).rounded())
        return (0..<count).map { number in
            let kind = PeopleScenario.Event.Kind.allCases[number % 3]
            return PeopleScenario.Event(
                person: Int.random(in: 1...settings.people, using: &generator),
                day: Int.random(in: 0..<days, using: &generator), hour: self.number(0...19),
                what: kind, seconds: kind == .off ? self.number(3_600...14_400).rounded() : self.number(1...300).rounded())
        }
    }

    /// Of four in turn, one stays what it is, one is confirmed later, one is revoked, one says nothing of symptoms.
    mutating func diagnoses() -> [PeopleScenario.Diagnosis] {
        let people = (1...settings.people).shuffled(using: &generator)
        return people.prefix(settings.diagnoses ?? max(1, settings.people / 8)).enumerated().map { number, person in
            let mayChange = days > 1
            let latest = max(0, days - (number % 4 == 1 || number % 4 == 2 ? 2 : 1))
            let day = Int.random(in: min(days / 3, latest)...latest, using: &generator)
            var diagnosis = PeopleScenario.Diagnosis(person: person, day: day, reportType: "confirmedTest")
            diagnosis.onset = day - Int.random(in: 0...4, using: &generator)
            switch number % 4 {
            case 1 where mayChange:
                diagnosis.reportType = "selfReport"
                diagnosis.changesTo = "confirmedTest"
                diagnosis.changedOn = day + 1
            case 2 where mayChange:
                diagnosis.reportType = "clinicalDiagnosis"
                diagnosis.revokedOn = day + 1
            case 3: diagnosis.onset = nil
            default: break
            }
            return diagnosis
        }
    }
}
