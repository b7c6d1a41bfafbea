// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import FoundationEssentials
import JSON

/// Somebody who has the state folder of a board's plugin for check-ins, the key that it is sealed with, and the codes of all places of a town, and wants to know where the wearer was. It is given
/// for nothing when each visit was, and has a board of its own to see what a visit looks like on the disk.
///
/// For each visit it says which places it can be: all of the town, if it learns nothing.
struct VenueAttack {
    /// What it knows of a place.
    struct Place {
        let venue: CrowdNotifierVenue
        let notificationKey: SecretBytes
    }

    /// Bytes that are compared.
    private static let window = 8

    let town: [Place]
    /// The place of what is made of a code and could be on the disk, by its first bytes.
    private var byNeedle: [UInt64: Int] = [:]

    /// `hours` are those of the visits, by their first seconds.
    init(_ venues: [CrowdNotifierVenue], hours: Set<Int64>) {
        town = venues.map { Place(venue: $0, notificationKey: $0.keys.notificationKey) }
        for (index, place) in town.enumerated() {
            let (venue, keys) = (place.venue, place.venue.keys)
            var needles = [Array(venue.name.utf8), venue.seed, keys.preID, SHA256.digest(of: venue.payload)]
            needles.append(keys.notificationKey.withBytes { Array($0) })
            for start in hours {
                let timeKey = keys.timeKey(start: start)
                needles += [timeKey, VenueKeys.identity(preID: keys.preID, timeKey: timeKey, start: start)]
            }
            for needle in needles { byNeedle[Self.word(needle[...])] = index }
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(window).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The values of every version that the folder's files have, damaged ones and those of before the last change included.
    static func versions(in folder: String, seal: SecretBytes) throws -> [JSON] {
        var found: [JSON] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let bytes = [UInt8](FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
            // Two halves, or two and eight blocks with changes.
            let mark = Array(
                (bytes.starts(with: Array("vigil-store 4\n".utf8)) ? "vigil-store 4\n" : "vigil-store 6\n").utf8)
            let ring = mark.contains(UInt8(ascii: "6")) ? 8 * 4_096 : 0
            guard bytes.count > ring else { continue }
            let half = (bytes.count - ring) / 2
            for half in [bytes.prefix(half), bytes.dropFirst(half).prefix(half)] where half.starts(with: mark) {
                guard let message = SealedBox.open(half.dropFirst(mark.count), key: seal, context: mark) else { continue }
                let text = message.withBytes { Array($0) }
                guard let line = text.firstIndex(of: UInt8(ascii: "\n")), let end = text.lastIndex(where: { $0 != 0 }),
                    let json = try? JSON(parsing: Array(text[(line + 1)...end]), maximumDepth: 16)
                else { continue }
                found.append(json)
            }
        }
        return found
    }

    /// The visits of a version, by their numbers.
    static func visits(in version: JSON) -> [Int: JSON] {
        Dictionary(
            (version["visits"]?["visits"]?.array ?? []).map { (Int($0["number"]?.int ?? 0), $0) }, uniquingKeysWith: { $1 })
    }

    /// The form of a visit: everything but the bytes of texts and the moments of numbers. Two visits of one form look alike.
    static func form(_ json: JSON, _ name: String = "", origin: Int64? = nil) -> String {
        if let object = json.object {
            let arrival = object["arrival"]?.int ?? origin
            return "{"
                + object.members.map { "\($0.name):\(form($0.value, $0.name, origin: arrival))" }.joined(separator: ",")
                + "}"
        }
        if let array = json.array { return "[" + array.map { form($0, name, origin: origin) }.joined(separator: ",") + "]" }
        if let text = json.string { return "text of \(text.utf8.count)" }
        // Times since the arrival: what a place decides about them would show.
        if let number = json.int { return name == "number" ? "number" : "\(number - (origin ?? 0))" }
        return "\(json.bool ?? false)"
    }

    /// The places that this visit can be, by their positions in the town; `forms` are the forms that a visit at that time has on the attacker's own board, of places whose lengths and delays are
    /// as given.
    /// With `opensBoxes` each code's key is tried on boxes, which takes a while.
    func candidates(
        _ visit: JSON, forms: [(place: CrowdNotifierVenue, form: String)], opensBoxes: Bool = true
    ) -> Set<Int> {
        var possible = Set(town.indices)
        // What is made of a code, anywhere in it.
        let texts = Self.texts(visit)
        var named: Set<Int> = []
        for bytes in texts {
            var word: UInt64 = 0
            for (position, byte) in bytes.enumerated() {
                word = word << 8 | UInt64(byte)
                if position >= Self.window - 1, let place = byNeedle[word] { named.insert(place) }
            }
        }
        if !named.isEmpty { possible = named }
        // Whether the key that each code gives opens a box, which ends the bytes; one of each length is tried.
        let boxes = Dictionary(texts.map { ($0.count, $0) }, uniquingKeysWith: { first, _ in first })
        for bytes in boxes.values where opensBoxes && bytes.count > 190 && bytes.contains(where: { $0 > 127 }) {
            let (nonce, box) = (Array(bytes[128..<152]), Array(bytes[152...]))
            let opened = possible.filter { index in
                (try? SecretBox.open(box, key: town[index].notificationKey, nonce: nonce)) ?? nil != nil
            }
            if !opened.isEmpty { possible = opened }
        }
        // Lengths, numbers and order: places that would have looked otherwise are out, if looks differ at all.
        guard Set(forms.map(\.form)).count > 1 else { return possible }
        let own = Self.form(visit)
        let alike = forms.filter { $0.form == own }.map { Self.looks($0.place) }
        return possible.filter { index in alike.contains { $0 == Self.looks(town[index].venue) } }
    }

    /// What of a place could change the form.
    static func looks(_ venue: CrowdNotifierVenue) -> [Int] {
        [
            venue.payload.count, venue.name.utf8.count, venue.address.utf8.count,
            (SwissCovidVenueData(venue.countryData) ?? SwissCovidVenueData()).automaticCheckOutMinutes,
        ]
    }

    /// All texts of it as bytes, and as what they are in Base64.
    private static func texts(_ json: JSON) -> [[UInt8]] {
        if let object = json.object { return object.members.flatMap { texts($0.value) } }
        if let array = json.array { return array.flatMap(texts) }
        guard let text = json.string else { return [] }
        return [Array(text.utf8)] + (Base64.bytes(text).map { [$0] } ?? [])
    }
}
