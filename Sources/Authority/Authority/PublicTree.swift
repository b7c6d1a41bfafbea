// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import JSON
import SQLiteFile

/// Everything that is public at one moment, as objects by path.
///
/// Paths of this protocol are objects and folders at once (`…/date/2026-11-21` is a zip, `…/date/2026-11-21/hour` a list), which no
/// file system can hold. So the object at a path is the file `index.json` or `index.zip` in a folder of that name; a web server
/// looks for these two (docs/examples/nginx-authority.conf).
struct PublicTree {
    struct Object {
        enum Content {
            /// A file that never changes.
            case file(String)
            case bytes([UInt8])
        }
        /// Without a slash in front.
        let path: String
        /// "json", "zip", or "" for a path that is a file itself.
        let kind: String
        let content: Content
        /// MD5, hexadecimal digits.
        let tag: String
        let byteCount: Int64

        /// Where it lies in the tree.
        var fileName: String { kind.isEmpty ? path : "\(path)/index.\(kind)" }
    }

    private(set) var objects: [Object] = []

    mutating func add(list: JSON, at path: String) throws(AuthorityError) {
        try add(bytes: list.bytes, at: path, kind: "json")
    }

    mutating func add(bytes: [UInt8], at path: String, kind: String) throws(AuthorityError) {
        objects.append(
            Object(
                path: path, kind: kind, content: .bytes(bytes), tag: try HealthAuthority.tag(bytes),
                byteCount: Int64(bytes.count)))
    }

    mutating func add(file: String, at path: String, kind: String, tag: String, byteCount: Int64) {
        objects.append(Object(path: path, kind: kind, content: .file(file), tag: tag, byteCount: byteCount))
    }

    /// One line per object, sorted: equal trees have equal manifests.
    var manifest: [UInt8] {
        let lines = objects.map { "\($0.path)\t\($0.kind)\t\($0.tag)\t\($0.byteCount)\n" }
        return Array(lines.sorted().joined().utf8)
    }
}

extension HealthAuthority {
    private struct Row {
        let file: String
        let region: Int64
        let hour: Int64
        let hours: Int64
        let revision: Int64
        let keys: Int64
        let tag: String
        let bytes: Int64
    }

    /// The tree as it shall be at `now`. Lists name what is offered now; what was offered up to an hour ago can still be fetched, by
    /// whoever holds a list that long.
    func composeTree(documents: [Document], now: Int64) throws(AuthorityError) -> PublicTree {
        var tree = PublicTree()
        let rows = try latestPackages()
        try tree.add(list: ["v1"], at: "version")
        for document in documents {
            let bytes = try FileWork.read(document.file, limit: 16 << 20)
            tree.add(
                file: document.file, at: document.path, kind: "zip", tag: try Self.tag(bytes),
                byteCount: Int64(bytes.count))
        }
        let offer = Offer(settings.publishing, now: now)
        let linger = Offer(settings.publishing, now: now - Hour.seconds)
        let country = "version/v1/diagnosis-keys/country"
        try tree.add(list: .array(settings.regions.sorted().map { .string($0) }), at: country)
        for (name, number) in try regions(now: now) {
            let dates = "\(country)/\(name)/date"
            let mine = rows.filter { $0.region == number }
            let days = mine.filter { $0.hours == 24 && Hour.day($0.hour) >= linger.firstDay }
            for row in days {
                tree.add(
                    file: row.file, at: "\(dates)/\(Hour.date(ofDay: Hour.day(row.hour)))", kind: "zip", tag: row.tag,
                    byteCount: row.bytes)
            }
            let offered = days.filter { Hour.day($0.hour) >= offer.firstDay }
            try tree.add(list: .array(offered.map { .string(Hour.date(ofDay: Hour.day($0.hour))) }), at: dates)
            let hours = mine.filter { $0.hours == 1 && $0.hour >= linger.firstHour }
            for row in hours {
                let path = "\(dates)/\(Hour.date(ofDay: Hour.day(row.hour)))/hour/\(Hour.ofDay(row.hour))"
                tree.add(file: row.file, at: path, kind: "zip", tag: row.tag, byteCount: row.bytes)
            }
            // Today has a list from its first moment on, so that asking for it is no error.
            let offeredDays = Set(hours.map { Hour.day($0.hour) } + [offer.today]).filter { $0 * 24 >= offer.firstHour }
            for day in offeredDays.sorted() {
                let list = hours.filter { Hour.day($0.hour) == day }.map { JSON.int(Hour.ofDay($0.hour)) }
                try tree.add(list: .array(list), at: "\(dates)/\(Hour.date(ofDay: day))/hour")
            }
            if settings.publishing.isOfferedAsBatches {
                try addBatches(mine.filter { $0.hours == 1 && $0.hour >= offer.firstBatchHour }, name, to: &tree)
            }
        }
        try addTracePackages(to: &tree, now: now)
        try addVenues(to: &tree, now: now)
        try addTraceLists(to: &tree, now: now)
        return tree
    }

    /// As exposure-notifications-server offers its files: a list of names relative to the root, oldest first; without those that are
    /// empty, which tell nothing.
    private func addBatches(_ rows: [Row], _ region: String, to tree: inout PublicTree) throws(AuthorityError) {
        var list = ""
        for row in rows where row.keys > 0 {
            let number = "\(100_000 + row.revision)".dropFirst()
            let path = "ens/\(region)/\(Hour.start(row.hour))-\(Hour.start(row.hour + 1))-\(number).zip"
            tree.add(file: row.file, at: path, kind: "", tag: row.tag, byteCount: row.bytes)
            list += path + "\n"
        }
        try tree.add(bytes: Array(list.utf8), at: "ens/\(region)/index.txt", kind: "")
    }

    /// Of each package the last revision that was built, by time.
    private func latestPackages() throws(AuthorityError) -> [Row] {
        var rows: [Row] = []
        try database.run(
            """
            SELECT id, region, hour, hours, max(revision), keys, tag, bytes FROM package WHERE tag IS NOT NULL \
            GROUP BY region, hour, hours ORDER BY hour
            """
        ) { row in
            guard let identifier = row[0].integer, let region = row[1].integer, let hour = row[2].integer,
                let hours = row[3].integer, let revision = row[4].integer, let keys = row[5].integer,
                let tag = row[6].text, let bytes = row[7].integer,
                // It was offered for as long as the settings said then; longer ones do not bring it back.
                FileWork.exists(packageFile(identifier))
            else { return }
            rows.append(
                Row(
                    file: packageFile(identifier), region: region, hour: hour, hours: hours, revision: revision, keys: keys,
                    tag: tag, bytes: bytes))
        }
        return rows
    }
}
