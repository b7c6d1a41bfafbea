// SPDX-License-Identifier: Apache-2.0

import AppConfig
import SyncPlan
import Testing

@Suite struct JournalCodecTests {
    private var state: SyncState {
        var facts = SourceFacts()
        facts.lastAttempt = 1
        facts.lastSuccess = 2
        facts.newestEnd = 3
        facts.missingCount = 4
        facts.problem = "a \"sentence\"\n"
        facts.faults = ["truncated": 5]
        facts.packageCount = 6
        facts.byteCount = 7
        facts.configDigest = "c"
        facts.configMemory = ConfigurationMemory(text: "29919600 \(String(repeating: "A", count: 43))=")
        #expect(facts.configMemory?.number.value == 29_919_600)
        facts.vigilConfigDigest = "v"
        facts.carriedDigests = [.rules: "r", .content: "s", .donation: "t"]
        facts.vigilConfigVersion = 8
        facts.wakeWindow = 9
        let schedule = StoredSchedule(
            moment: SyncMoment(wall: -1, steady: 2, boot: .max), due: 3, notBefore: 4, lastBegin: 5, failures: 6,
            isRunning: true)
        var state = SyncState()
        state.apply(.clockOffset(-7_300))
        state.apply(.source("a", facts, schedule))
        state.apply(
            .package(
                source: "a", id: "2020-08-19/3",
                PackageRecord(
                    state: .waiting, tag: "t", end: 10, byteCount: 11, count: 2, rule: "r", retryAt: 12, file: "f",
                    part: BatchPart(identity: "b", number: 1, size: 2))))
        state.apply(.package(source: "b", id: "x", PackageRecord(state: .accepted, end: 0)))
        state.apply(.wished(source: "b"))
        return state
    }

    @Test func everythingThereAndBack() {
        let read = JournalCodec.read(JournalCodec.journal(state))
        #expect(read.state == state && read.lineCount == 6)
        // What is not counted is few: the journal is written anew by this number.
        #expect(state.entries.count - state.entryCount == 1)
    }

    @Test func aWishLastsUntilARunBegins() {
        var state = state
        #expect(state.sources["b"]?.isWished == true)
        var schedule = state.sources["a"]?.schedule
        schedule?.isRunning = false
        state.apply(.source("b", SourceFacts(), schedule))
        #expect(state.sources["b"]?.isWished == true)
        schedule?.isRunning = true
        state.apply(.source("b", SourceFacts(), schedule))
        #expect(state.sources["b"]?.isWished == false)
        // A wish that comes while a run is under way is for the next one.
        state.apply(.wished(source: "b"))
        #expect(JournalCodec.read(JournalCodec.journal(state)).state == state)
    }

    /// Cut at every byte: what is read is what was complete, and a line written together counts together.
    @Test func cutAnywhere() {
        let before = JournalCodec.journal(state)
        let entries: [JournalEntry] = ["x", "y"].map {
            .package(source: "b", id: $0, PackageRecord(state: .refused, end: 1, count: 1, rule: "signatureMismatch"))
        }
        let line = JournalCodec.line(entries)
        var after = state
        for entry in entries { after.apply(entry) }
        for count in 0...line.count {
            let read = JournalCodec.read(before + line.prefix(count))
            #expect(read.state == (count == line.count ? after : state))
            #expect(read.soundByteCount == (count == line.count ? before.count + line.count : before.count))
        }
        // A changed byte anywhere: nothing made up.
        for place in line.indices {
            var bytes = before + line
            bytes[before.count + place] ^= 4
            #expect(JournalCodec.read(bytes).state == state)
        }
        #expect(JournalCodec.read([]).soundByteCount == 0 && JournalCodec.read(Array("else\n".utf8)).soundByteCount == 0)
    }

    @Test func forgetting() {
        var state = state
        state.apply(.forgotten(source: "a", id: "2020-08-19/3"))
        #expect(state.sources["a"]?.packages.isEmpty == true)
        #expect(JournalCodec.read(JournalCodec.journal(state)).state == state)
    }
}
