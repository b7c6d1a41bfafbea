// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import RandomValues
import Testing
import Trust

/// An older configuration that an authority has signed is told from a newer one.
@Suite struct ConfigurationNumberTests {
    /// 2026-11-20, noon.
    private let now: Int64 = 1_795_176_000
    private let place = "https://example.org/app_config"

    private func number(_ value: Int64) throws -> ConfigurationNumber { try #require(ConfigurationNumber(value)) }
    private var present: ConfigurationNumber { ConfigurationNumber(time: now) }

    private func message(_ features: [(String, Int64)]) -> [UInt8] {
        ProtobufBytes.message([
            (
                3,
                .message(features.map { label, value in (1, .message([(1, .text(label)), (2, .number(value))])) })
            )
        ]).bytes
    }

    private func key(_ id: String) throws -> TrustedKey {
        TrustedKey(
            name: KeyName(id: id, version: "v1"), role: .config, key: try P256.SigningKey.generate().verificationKey)
    }

    @Test func aNumberIsReadFromTheFeatures() throws {
        let label = ConfigurationNumber.label
        let read = AppConfiguration(message([("other", 1), (label, 29_919_600), ("another", 2)]))
        #expect(read?.number?.value == 29_919_600 && read?.number?.day.date.isoText == "2026-11-20")
        #expect(AppConfiguration([])?.number == nil && AppConfiguration([]) != nil)
        #expect(try #require(AppConfiguration(message([("other", 5)]))).number == nil)
        for bad in [[(label, 0)], [(label, -1)], [(label, Int64(Int32.max) + 1)], [(label, 7), (label, 7)]]
            as [[(String, Int64)]]
        {
            #expect(AppConfiguration(message(bad)) == nil, "\(bad)")
        }
    }

    @Test func numbersRiseAndAreNotOfTheFuture() throws {
        func refusal(_ offered: Int64?, after newest: Int64?, at time: Int64?) throws -> ConfigurationRefusal? {
            let (offered, newest) = (try offered.map(number), try newest.map(number))
            do throws(ConfigurationRefusal) {
                try ConfigurationNumber.check(offered, after: newest, at: time)
                return nil
            } catch { return error }
        }
        let minute = now / 60
        #expect(try refusal(nil, after: nil, at: now) == nil && refusal(nil, after: nil, at: nil) == nil)
        for good in [1, minute, minute + 1_440] { #expect(try refusal(good, after: nil, at: now) == nil) }
        for good in [minute, minute + 1] { #expect(try refusal(good, after: minute, at: now) == nil) }
        #expect(try refusal(minute - 1, after: minute, at: now) == .older(number(minute - 1), after: number(minute)))
        #expect(try refusal(nil, after: minute, at: now) == .withoutNumber(after: number(minute)))
        #expect(try refusal(minute + 1_441, after: minute, at: now) == .ahead(number(minute + 1_441)))
        #expect(try refusal(minute, after: nil, at: nil) == .timeUnknown)
        // A clock that was set back by years makes nothing older good.
        #expect(try refusal(minute - 9, after: minute, at: 0) == .older(number(minute - 9), after: number(minute)))
        #expect(try refusal(minute + 9, after: minute, at: -5) == .ahead(number(minute + 9)))
        for time in [Int64.min, .max] { _ = try refusal(minute, after: minute, at: time) }
    }

    /// Whatever clocks an authority has had, its next number is above the last one, and not above what boards take unless the last was.
    @Test func theNextNumberIsAlwaysAbove() throws {
        var generator = SeededGenerator(seed: 66)
        var last = present
        for _ in 0..<2_000 {
            let time = now + Int64.random(in: -200_000...200_000, using: &generator)
            let next = last.next(at: time)
            #expect(last < next && (next == ConfigurationNumber(time: time) || next.value == last.value + 1))
            last = next
        }
        let end = try number(Int64(Int32.max))
        #expect(end.next(at: now) == end && ConfigurationNumber(time: .max) == end)
        #expect(ConfigurationNumber(time: .min).value == 1 && ConfigurationNumber(0) == nil)
    }

    @Test func whatIsRememberedBelongsToAPlaceAndAKey() throws {
        let (first, second) = (try key("262"), try key("263"))
        let both = try TrustStore(keys: [first, second])
        func judge(
            _ number: ConfigurationNumber?, by signer: TrustedKey, at place: String, after memory: ConfigurationMemory?,
            _ trust: TrustStore
        ) -> Result<ConfigurationMemory?, ConfigurationRefusal> {
            do throws(ConfigurationRefusal) {
                return .success(
                    try ConfigurationMemory.judge(
                        number, signer: signer, place: place, after: memory, trust: trust, at: now))
            } catch { return .failure(error) }
        }
        #expect(judge(nil, by: first, at: place, after: nil, both) == .success(nil))
        let memory = try #require(try judge(present, by: first, at: place, after: nil, both).get())
        let older = try number(present.value - 1)
        #expect(judge(older, by: second, at: place, after: memory, both) == .failure(.older(older, after: present)))
        #expect(judge(nil, by: first, at: place, after: memory, both) == .failure(.withoutNumber(after: present)))
        // Another key of the same authority goes on where the first ended.
        let next = try #require(try judge(present.next(at: now), by: second, at: place, after: memory, both).get())
        #expect(next.number.value == present.value + 1)
        #expect(judge(present, by: first, at: place, after: next, both) == .failure(.older(present, after: next.number)))
        // Elsewhere, or without the key, it says nothing.
        #expect(try judge(older, by: first, at: place + "2", after: memory, both).get()?.number == older)
        let other = try TrustStore(keys: [second])
        #expect(try judge(older, by: second, at: place, after: memory, other).get()?.number == older)
        #expect(judge(nil, by: second, at: place, after: memory, other) == .success(nil))
        // Nor once the key is out of force; the time may be unknown.
        let ended = TrustedKey(name: first.name, role: .config, key: first.key, validUntil: now)
        #expect(!memory.counts(at: place, try TrustStore(keys: [ended]), now))
        #expect(memory.counts(at: place, try TrustStore(keys: [ended]), now - 1))
        #expect(memory.counts(at: place, try TrustStore(keys: [ended]), nil))
        // A key that signs key files signs no configuration.
        let exporter = TrustedKey(name: first.name, role: .export, key: first.key)
        #expect(!memory.counts(at: place, try TrustStore(keys: [exporter]), now))
    }

    @Test func aMemoryIsReadAsItWasWritten() throws {
        let key = try key("262")
        let trust = try TrustStore(keys: [key])
        let memory = try #require(
            try ConfigurationMemory.judge(present, signer: key, place: place, after: nil, trust: trust, at: now))
        #expect(ConfigurationMemory(text: memory.text) == memory)
        var generator = SeededGenerator(seed: 67)
        let bytes = Array(memory.text.utf8)
        for _ in 0..<2_000 {
            var changed = bytes
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: changed[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            case 1: changed.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            default:
                changed.insert(
                    .random(in: 32...126, using: &generator), at: Int.random(in: 0...bytes.count, using: &generator))
            }
            // No trap; and what is read is written as it was read.
            if let read = ConfigurationMemory(text: String(decoding: changed, as: UTF8.self)) {
                #expect(ConfigurationMemory(text: read.text) == read && read.text.utf8.count <= 55)
            }
        }
        for text in [
            "", " ", "1", "1 ", "0 \(String(repeating: "A", count: 43))=", "-5 \(String(repeating: "A", count: 43))=",
        ] {
            #expect(ConfigurationMemory(text: text) == nil)
        }
    }

    /// The wearer's page shows 250 characters of a sentence.
    @Test func sentencesAreShortEnough() throws {
        let end = try number(Int64(Int32.max))
        for refusal in [
            .malformedNumber, .older(end, after: end), .withoutNumber(after: end), .ahead(end), .timeUnknown,
        ] as [ConfigurationRefusal] {
            #expect(refusal.description.count <= 250 && !refusal.description.hasSuffix("."))
        }
    }
}
