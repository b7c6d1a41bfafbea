// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import CommandFiles
import FleetCard
import FleetFlash
import ForeignText
import Glibc
import JSON

/// Many cards at once.
struct FlashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flash", abstract: "Writes the cards of the next boards of an inventory, many at once.",
        discussion: """
            IMAGE is the disk that `make image` or a release has made, as it is or compressed (.zst), with its map of blocks (.bmap) beside \
            it. Each DEVICE is the whole disk of a reader, such as /dev/sdb. Each card gets the image and the folder `provision` of the next \
            board whose card `plan` has made, and is read back. Nothing is mounted.

              vigil-fleet flash vigil.img.zst --inventory fleet.sqlite --cards cards --dry-run /dev/sdb /dev/sdc
              vigil-fleet flash vigil.img.zst --inventory fleet.sqlite --cards cards /dev/sdb /dev/sdc

            If any device must not be written, each reason is said and nothing is written. After a power cut, or when it was stopped: give the \
            same command again. A card that was begun gets its own board, in whichever reader it is now; one that is written is left alone, and nothing of it is read.

            Exit status: 0 when each card is written and read back, now or before; 1 when some are not; 2 when nothing was written.
            """)

    @Argument(help: "The image: .img, or .img.zst.")
    var image: String

    @Argument(help: "Devices of the readers.")
    var devices: [String]

    @Option(help: "The inventory that plan has made.")
    var inventory: String

    @Option(help: "Folder with the boards' folders that plan has made.")
    var cards: String

    @Option(help: "The image's map of blocks, if it is not beside it.")
    var bmap: String?

    @Option(help: "Folder with room for the unpacked image; TMPDIR or /var/tmp if not given.")
    var scratch: String?

    @Flag(help: "Write cards that have data on them which is not Vigil's. It is lost.")
    var overwrite = false

    @Flag(
        help:
            "Count a card that was written before as failed: nothing of it is read again, and it may have been in use since."
    )
    var mustWrite = false

    @Flag(help: "Say which board would go onto which card, and verify the image; write nothing.")
    var dryRun = false

    @Flag(help: "Print JSON when all is done; progress goes to standard error.")
    var json = false

    @Flag(help: "Admit loop devices, for tests.")
    var laboratory = false

    func validate() throws {
        guard !devices.isEmpty else { throw ValidationError("Name at least one device, such as /dev/sdb.") }
        guard devices.count <= 256 else { throw ValidationError("Name at most 256 devices at once.") }
    }

    func run() throws {
        // What is in memory has secrets of boards in it.
        vigil_refuse_dumps()
        guard access(inventory, F_OK) == 0, Inventory.canBe(inventory) else {
            throw InputError(file: inventory, "this is no inventory of vigil-fleet; vigil-fleet plan makes one")
        }
        let mapPath = bmap ?? Self.mapPath(image)
        guard access(mapPath, F_OK) == 0 else { throw ImageFault.noMap(path: mapPath) }
        let map = try BlockMap(parsing: Files.read(mapPath, limit: BlockMap.maximumByteCount, isOrdinary: true))
        let inventory = try Inventory(path: inventory)
        var permissions = FlashAdmission.Permissions()
        permissions.isLaboratory = laboratory
        permissions.mayOverwrite = overwrite
        permissions.isReadOnly = dryRun
        var generator = SystemRandomNumberGenerator()
        let admission = try FlashAdmission(
            devices, imageSize: map.imageSize, inventory: inventory, cards: cards, permissions, using: &generator)
        var report = FlashReport(admission: admission, isDryRun: dryRun, isJSON: json)
        guard admission.refusals.isEmpty else {
            report.sayRefusals()
            throw ExitCode(2)
        }
        report.sayPlan()
        let unpacked = try FlashImage(path: image, map: map, scratch: scratch ?? Self.scratch)
        guard !dryRun else { return report.sayDryRun() }
        let results = FlashRun(image: unpacked, inventory: inventory, cards: cards).write(admission.targets) { states in
            report.show(states)
        }
        report.say(results, mapped: map.mappedByteCount, isStrict: mustWrite)
        // A thread that hangs in the system must not keep the process.
        fflush(nil)
        if results.contains(where: { $0.fault != nil || mustWrite && $0.target.isWhole }) { throw ExitCode(1) }
    }

    /// `x.img.zst` and `x.img` have `x.bmap`, or their own name with `.bmap`.
    static func mapPath(_ image: String) -> String {
        var stem = image[...]
        for end in [".zst", ".img"] where stem.hasSuffix(end) { stem = stem.dropLast(end.count) }
        let candidates = ["\(stem).bmap", "\(stem).img.bmap", "\(image).bmap"]
        return candidates.first { access($0, F_OK) == 0 } ?? candidates[0]
    }

    private static var scratch: String {
        getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
    }
}
