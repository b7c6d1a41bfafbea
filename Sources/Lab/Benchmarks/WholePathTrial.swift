// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import FoundationEssentials
import GAEN
import Glibc
import Matching

/// The whole way of a key file through a real `vigil core`: a call by its console, the answer once the matches are committed.
enum WholePathTrial {
    private static let sightingCount = 50_000
    private static let keyCount = 592_715
    private static let parts = 7

    private struct Account {
        var wall = 0.0
        var core = 0.0
        var program = 0.0
        var growth = 0.0
        var corePeak = 0.0
        var programPeak = 0.0
    }

    static func run(vigil: String) throws -> [Figure] {
        let scratch = try ScratchFolders("whole")
        let workload = Workload(keys: keyCount, sightings: sightingCount, firstDay: Workload.firstDayUntilNow)
        let origin = try LiveCore.Origin(workload, in: scratch.path)
        let index = SightingIndex(workload.sightings)
        let now = ENIN(UInt32(time(nil) / 600))
        let matching =
            Measurement.least(
                rounds: 3,
                [
                    {
                        let matcher = Matcher(index: index, now: now)
                        workload.keys.withUnsafeBufferPointer { matcher.add($0) }
                        precondition(matcher.finish().count > Workload.planted / 2, "the planted keys must be found")
                    }
                ])[0] / 1e9

        var best: Account?
        let large = try workload.file(signedBy: origin.signer)
        for round in 0..<3 {
            let core = try LiveCore(vigil, "core-\(round)", in: scratch.path, from: origin)
            try Files.write(large, to: core.consoleSpool + "/large.zip")
            let account = try give(["large.zip"], to: core)
            if best.map({ account.core + account.program < $0.core + $0.program }) ?? true { best = account }
        }
        let one = best ?? Account()
        let core = try LiveCore(vigil, "core-many", in: scratch.path, from: origin)
        var names: [String] = []
        for part in 0..<parts {
            let other = Workload(
                keys: keyCount, sightings: 300, seed: UInt64(part + 2), firstDay: Workload.firstDayUntilNow)
            names.append("part-\(part).zip")
            try Files.write(try other.file(signedBy: origin.signer), to: "\(core.consoleSpool)/part-\(part).zip")
        }
        let many = try give(names, to: core)
        let used = one.core + one.program
        return [
            Figure("through a real core, 592,715 keys, time", one.wall, "s"),
            Figure("through a real core, processor time of the core", one.core, "s"),
            Figure("through a real core, processor time of the program", one.program, "s"),
            Figure("through a real core, memory the core adds", one.growth, "MiB"),
            Figure("through a real core, highest memory of the core", one.corePeak, "MiB"),
            Figure("through a real core, highest memory of the program", one.programPeak, "MiB"),
            Figure("matching alone, 592,715 keys, processor time", matching, "s"),
            Figure("whole path through a real core / matching, processor time", used / matching, "ratio"),
            Figure("whole path through a real core / matching, time", one.wall / matching, "ratio"),
            Figure("4,149,005 keys in seven files of one call, time", many.wall, "s"),
            Figure("4,149,005 keys in seven files, highest memory of the core", many.corePeak, "MiB"),
        ]
    }

    private static func give(_ files: [String], to core: LiveCore) throws -> Account {
        let console = try core.connect("ctl")
        let process = core.process
        var account = Account()
        let (memory, used, children) = (
            process.mebibytes("VmRSS"), process.processorNanoseconds(), process.childrensProcessorSeconds()
        )
        process.forgetPeak()
        let start = Station.now
        try console.send(CallSocket.message(LiveCore.Call.provide, LiveCore.Call.files(files)))
        var answer: [UInt8]?
        while answer == nil {
            account.programPeak = max(account.programPeak, process.childsPeak())
            usleep(10_000)
            answer = console.receiveWaiting()
            guard Station.now - start < 300_000_000_000 else {
                throw InputError(file: files[0], "was not done in five minutes")
            }
        }
        account.wall = Double(Station.now - start) / 1e9
        account.core = (process.processorNanoseconds() - used) / 1e9
        account.program = process.childrensProcessorSeconds() - children
        account.corePeak = process.mebibytes("VmHWM")
        account.growth = account.corePeak - memory
        let text = String(decoding: answer ?? [], as: UTF8.self)
        guard text.contains(#""outcome":"matched""#), !text.contains(#""error":"#) else {
            throw InputError(file: files[0], text)
        }
        return account
    }
}
